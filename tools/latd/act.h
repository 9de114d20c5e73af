/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does what a plan says, and logs each thing with the figure that caused it.
 */
#ifndef LATD_ACT_H
#define LATD_ACT_H

#include "config.h"
#include "rule.h"
#include "scan.h"

/* Counted since the start, for "latdctl status". */
struct act_counts {
	uint64_t stops;
	uint64_t reaction_us;		/* the longest time from pressure to a stop, at most */
	uint64_t pushes;
	uint64_t fetches;
	uint64_t terms;
	uint64_t kills;
	char last[192];			/* the last thing that was done, and why */
};

extern struct act_counts act_counts;

bool act_told(void);
void act_limit(uint64_t bytes);
int act_setup(const struct config *config);
void act_plan(const struct config *config, const struct plan *plan, const struct scan *scan,
	      bool dry_run);

#endif
