/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the programs that share a memory are better off with help than with the kernel alone.
 * What they get done shows in the time that they spend in their own code, of which each frame takes
 * as much, however long it waits for its memory: so much of each second is their speed. PURE.
 */
#ifndef PROSWAPD_TRIAL_H
#define PROSWAPD_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

enum trial_state {
	TRIAL_NONE,			/* nobody is to be helped */
	TRIAL_BASE,			/* their speed without help is measured */
	TRIAL_HELP,
	TRIAL_LEFT,			/* they were slower, and are left alone for a while */
};

/* What a step changed, for the log. */
enum trial_change {
	TRIAL_SAME,
	TRIAL_HELPS,			/* help begins */
	TRIAL_PAUSES,			/* help does, for a measurement */
	TRIAL_SLOWER,			/* help ends */
	TRIAL_AGAIN,			/* it is tried once more */
};

/* Times are milliseconds after the start of the daemon. */
struct trial {
	enum trial_state state;
	uint32_t begun_ms;		/* of this measurement; of TRIAL_LEFT, its end */
	uint64_t begun_work;		/* what they had done by then, in clock ticks */
	uint32_t base;			/* their speed without help, */
	uint32_t speed;			/* and the last one with it: ticks in 1000 s */
	unsigned int turns;		/* measurements since help began, */
	unsigned int slower;		/* and those of the last ones that were slower */
	unsigned int pauses;		/* in which the speed without help was measured again */
	unsigned int tries;
	bool paced;			/* set by the caller: they wait for something else */
};

enum trial_change trial_step(struct trial *trial, uint32_t now_ms, uint64_t work,
			     uint32_t period_ms);
bool trial_helps(const struct trial *trial);

#endif
