/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Are the programs that share a memory faster with help than with the kernel alone? Their speed is
 * the user time that they get in each second: each frame takes as much of it, however long it waits
 * for memory. Run time (schedstat) would not do: it has the time in which the kernel swaps for them.
 *
 * Help is compared with no help before it and after it, again and again. A sequential test decides:
 * A. Wald, Sequential Tests of Statistical Hypotheses, 1945. PURE.
 */
#ifndef PROSWAPD_TRIAL_H
#define PROSWAPD_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

enum trial_state {
	TRIAL_NONE,			/* nobody is to be helped */
	TRIAL_BASE,			/* the speed without help is measured */
	TRIAL_HELP,
	TRIAL_LEFT,			/* not faster with help: no help for a while */
};

/* What a step changed, for the log. */
enum trial_change {
	TRIAL_SAME,
	TRIAL_HELPS,			/* help begins, or goes on after a pause */
	TRIAL_PAUSES,			/* help pauses, for a measurement */
	TRIAL_SLOWER,			/* help ends: slower with it, or no faster */
	TRIAL_AGAIN,			/* the programs are looked at once more */
};

/* Samples of the speed: user time in clock ticks in 1000 s. */
struct block {
	uint32_t n;
	uint64_t sum;
	uint64_t squares;
};

/* Times are milliseconds after the start of the daemon. */
struct trial {
	enum trial_state state;
	uint32_t begun_ms;		/* of this sample; of TRIAL_LEFT, its end */
	uint64_t begun_work;		/* what was done by then, in clock ticks of user time */
	bool settles;			/* this sample is the first after a switch: not counted */
	struct block now;		/* samples so far */
	struct block on;		/* the last ones with help */
	struct block off;		/* those of the last pause */
	unsigned int turns;		/* blocks of samples since the last pause */
	uint32_t base;			/* speed in the last pause, */
	uint32_t speed;			/* and with help; for the status */
	int64_t spread;			/* squares of differences to the mean of a block, in ppm, */
	uint32_t free;			/* and how many of them say something of their own */
	int64_t evidence;		/* logarithm of the likelihood ratio, in thousandths */
	unsigned int pairs;		/* comparisons since help was last shown to be faster, or began */
	unsigned int shown;		/* comparisons in a row that left it shown */
	unsigned int tries;
	bool paced;			/* set by the caller: the programs wait for something else */
};

enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms);
bool trial_due(const struct trial *trial, uint32_t now_ms, uint32_t period_ms);
bool trial_helps(const struct trial *trial);
bool trial_shown(const struct trial *trial);

#endif
