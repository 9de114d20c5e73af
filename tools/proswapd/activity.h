/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The latest activity of a process, and the rule for giving up its place. PURE.
 */
#ifndef PROSWAPD_ACTIVITY_H
#define PROSWAPD_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include "parse.h"

/* Times are milliseconds after the start of the daemon. */
struct activity {
	uint64_t user;			/* clock ticks of user time */
	uint64_t ran;			/* clock ticks of user and system time */
	uint64_t faults;		/* major ones: pages came from the swap, or from files */
	uint32_t placed_ms;		/* since when it could show a period */
	uint32_t ran_ms;		/* when it last ran, */
	uint32_t swapped_ms;		/* and had major faults; at first placed_ms */
};

void activity_begin(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms,
		    bool swaps);
uint64_t activity_take(struct activity *activity, const struct proc_stat *stat, uint32_t now_ms);
bool activity_sleeps(const struct activity *activity, uint32_t now_ms, uint32_t period_ms);
bool activity_yields(const struct activity *activity, uint32_t now_ms, bool periodic);

#endif
