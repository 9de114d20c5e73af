/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Are the programs that share a memory faster with help than with the kernel alone? Their speed is
 * the user time that they get in each second: a frame needs the same user time, however long it
 * waits for memory. Run time (schedstat) is no measure of speed: it includes the kernel's swapping.
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
	int64_t spread;			/* squared deviations from a block's mean, ppm, */
	uint32_t free;			/* and how many of them say something of their own */
	int64_t evidence;		/* log likelihood ratio, in thousandths */
	unsigned int pairs;		/* comparisons since help began, or was last shown */
	unsigned int shown;		/* comparisons in a row that left it shown */
	unsigned int tries;
	bool paced;			/* set by the caller: a camera or the like paces them */
};

enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms);
uint32_t trial_left_ms(const struct trial *trial, uint32_t now_ms, uint32_t period_ms);
bool trial_helps(const struct trial *trial);
bool trial_shown(const struct trial *trial);

#endif
