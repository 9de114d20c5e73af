/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides: figures in, a plan out. PURE: no file, no clock, no allocation. struct rule has the
 * state from earlier looks.
 */
#ifndef LATD_RULES_H
#define LATD_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"

/*
 * Constants that decide. PERMILLE is of the system's memory, unless the name says otherwise. A
 * guess has not been measured against other values.
 */

/* Modes cgroup, grow: a step of the limit. Guess: a few looks of a program that grows fast. */
#define GROW_PERMILLE 20

/* Mode freeze: the first stop. Guess: a shorter one does not pay for the swapping after it. */
#define FREEZE_US 2000000
/* Mode freeze: memory is pushed out until so many reserves are free. Guess. */
#define FREEZE_RESERVES 4
/* Mode freeze: pushed out per look. Ten looks in a second free 4 reserves of 4 %. */
#define FREEZE_PUSH_PERMILLE 16

/* Mode auto: in each period the others run first and are stopped then. Guess. */
#define DUTY_PERIOD_US 1000000
/* Protected programs wait, if they do so for more than 1 % of the time. Guess. */
#define STALL_PERMILLE_OF_TIME 10
/* After so much time without waiting the others run for longer. Guess: two periods. */
#define QUIET_US (2 * DUTY_PERIOD_US)
/* Permille that the others run. Three looks of waiting halve it, 6 s of quiet double it. Guess. */
#define SHARE_LESS(share) ((share) * 3 / 4)
#define SHARE_MORE(share) ((share) * 5 / 4 + 1)
/* The limit rises by so much per look, and falls at once. Guess: all memory in 10 s. */
#define LIMIT_RISE_PERMILLE 10
/* The others keep so much, however short memory is. Guess. */
#define LIMIT_LEAST_PERMILLE 20
/* At most so much room is made for pages that come back from swap. Guess. */
#define RETURN_PERMILLE 60
/* The protected programs miss pages, if more than this is in swap. Guess. */
#define MISSING_PERMILLE 20
/* If more than so many reserves are free, protected programs do not wait for memory. Guess. */
#define SHORT_RESERVES 3
/* Pages are brought back once a second at most, as that takes time, and once a minute at least. */
#define FETCH_US 1000000
#define FETCH_MOST_US 60000000

/* Longer than a stop in a duty period, so that stops do not hide that the others wait. */
#define STUCK_US (2 * DUTY_PERIOD_US)

/*
 * Whether stops help is judged after so much time of each kind. A program's missing pages come
 * back within 1 to 2 s of a stop; waiting for them does not mean that the stop is useless.
 */
#define JUDGE_STOPPED_US 4000000
#define JUDGE_RUNNING_US 1000000
/* A stop helps, if programs wait for less than this part of their wait without it. Guess. */
#define HELPS_PERMILLE 800
/* No stops for so long after useless ones, and for twice as long each time. Guesses. */
#define GIVE_UP_US 10000000
#define GIVE_UP_MOST_US 600000000

/* Whether the protected programs reach their goal of latency. */
struct sample_goal {
	bool reported;			/* there is a goal, and they report latencies */
	bool late;			/* they miss it */
	uint64_t latency_us;
};

/* The groups of the others. */
struct sample_others {
	bool known;			/* bytes was read at this look; a limit can be set */
	uint64_t bytes;			/* charged to them */
	uint64_t loose;			/* bytes of the others that are in no group */
	uint64_t some_us;		/* some programs of the largest group waited */
};

/* The figures of one look. Waits are for memory, since the last look. */
struct sample {
	uint64_t now_us;
	uint64_t elapsed_us;		/* since the last look */
	uint64_t some_us;		/* some programs of the system waited */
	uint64_t full_us;		/* all programs of the system waited */
	uint64_t app_some_us;		/* some programs of a protected group waited */
	uint64_t total;			/* bytes of memory */
	uint64_t available;
	uint64_t free;
	struct sample_others others;
	uint64_t app_swapped;		/* bytes of the protected programs that are in swap */
	uint64_t swap_total;
	uint64_t swap_left;		/* bytes that the swap still takes */
	struct sample_goal goal;
	bool protects;			/* there is a protected program */
	bool victim;			/* there is a program that may be stopped */
	bool told;			/* a program was told to end, and has not yet */
	bool app_group;			/* app_some_us is known */
};

enum act_kind {
	ACT_DIRTY,			/* vm.dirty ratios as the thesis sets them */
	ACT_DIRTY_BACK,
	ACT_STOP,			/* the others: the highest score, or their group */
	ACT_CONT,
	ACT_PUSH,			/* memory of the others, bytes */
	ACT_FETCH,			/* the protected programs' pages */
	ACT_LIMIT,			/* the others' memory, bytes; UINT64_MAX: no limit */
	ACT_TERM,			/* the highest score of the others */
	ACT_KILL,			/* the program that was told to end */
};

struct act {
	enum act_kind kind;
	uint64_t bytes;
	const char *figure;		/* the cause, for the log */
	uint64_t value;			/* of the figure */
	const char *unit;
};

#define PLAN_MAX 8

struct plan {
	unsigned int n;
	struct act acts[PLAN_MAX];
};

/* Do stops help? Index 0: the others ran, 1: they were stopped. */
struct stop_benefit {
	uint64_t time_us[2];
	uint64_t stall_us[2];		/* part of time_us that protected programs waited */
	uint64_t until_us;		/* no stops until then */
	uint64_t pause_us;		/* length of the last time without stops */
};

/* State of the rules from one look to the next. */
struct rule {
	bool dirty;			/* vm.dirty ratios are set */
	bool stopped;			/* the others are stopped */
	uint64_t stopped_us;		/* when they were stopped or continued */
	uint64_t quiet_us;		/* when the protected programs waited last */
	uint64_t freeze_us;		/* mode freeze: length of a stop */
	unsigned int share;		/* permille of the time that the others may run */
	uint64_t limit;			/* memory.high of the others; 0: not set yet */
	uint64_t fetch_us;		/* when pages were brought back last, */
	uint64_t fetch_had;		/* bytes in swap then, */
	uint64_t fetch_wait_us;		/* and how long to wait until the next time */
	uint64_t stuck_us;		/* when the others waited for most of a look last */
	uint64_t low_us;		/* since when the rule to kill has held; 0: it does not */
	uint64_t term_us;		/* when the victim was told to end; 0: none was */
	struct stop_benefit benefit;
};

void rules_init(struct rule *rule);
void rules_decide(struct rule *rule, const struct config *config, const struct sample *sample,
		  struct plan *plan);
uint64_t fair_share(const uint64_t *have, unsigned int n, uint64_t total);
uint64_t least_of_largest(const uint64_t *have, unsigned int n, unsigned int permille);

#endif
