/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the period in many times between two events of a kind: a page's swap-outs, or the uses of a
 * piece of memory. PURE.
 */
#ifndef PROSWAPD_PERIOD_H
#define PROSWAPD_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

/* Eight bins an octave from 8 ms on, to 9 minutes. */
#define PERIOD_BINS 128

struct period {
	uint32_t count[PERIOD_BINS];
	uint64_t sum_us[PERIOD_BINS];
	uint32_t total;
};

/* What was found. */
struct period_found {
	uint64_t us;			/* 0: nothing */
	unsigned int share;		/* permille of the events that agree, */
	unsigned int rough;		/* and that agree within an octave */
	uint64_t mean_us;		/* of all events */
	uint32_t events;
};

void period_clear(struct period *period);
void period_add(struct period *period, uint64_t gap_us);
void period_find(const struct period *period, struct period_found *found);

#endif
