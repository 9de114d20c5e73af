/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules: figures in, a plan out. PURE: no file, no clock, no allocation; all that they know
 * of the past is in struct rule. Each mode is a function; rule_step() calls it, and what all
 * have in common: the limit of stopping, and the rule to kill.
 */
#ifndef LATD_RULE_H
#define LATD_RULE_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"
#include "help.h"

/* The protected programs' own latency, slo.h. */
struct sample_goal {
	bool reported;			/* there is a goal, and they say something */
	bool late;			/* they miss it */
	uint64_t latency_us;
};

/* Of the others' groups. */
struct sample_others {
	bool known;			/* in this look; a limit can be set */
	uint64_t bytes;			/* that are charged to them */
	uint64_t loose;			/* bytes of the others that are in no group */
	uint64_t some_us;		/* some of the largest group have waited */
};

/* The figures of one look. Times are those since the last one. */
struct sample {
	uint64_t now_us;
	uint64_t elapsed_us;		/* since the last look */
	uint64_t some_us;		/* some programs of the system have waited for memory */
	uint64_t full_us;		/* all have */
	uint64_t app_some_us;		/* some of a group of protected programs have */
	uint64_t total;			/* bytes of memory */
	uint64_t available;
	uint64_t free;
	struct sample_others others;
	uint64_t app_swapped;		/* bytes of the protected programs that are in swap */
	uint64_t swap_total;
	uint64_t swap_left;		/* bytes that it really still takes */
	struct sample_goal goal;
	bool protects;			/* there is a protected program */
	bool victim;			/* there is somebody who may be stopped */
	bool told;			/* one was told to end, and has not yet */
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
	ACT_KILL,			/* the one that was told to end */
};

struct act {
	enum act_kind kind;
	uint64_t bytes;
	const char *figure;		/* the one that caused it, for the log */
	uint64_t value;
	const char *unit;
};

#define PLAN_MAX 8

struct plan {
	unsigned int n;
	struct act acts[PLAN_MAX];
};

/* What is remembered from one look to the next. */
struct rule {
	bool dirty;
	bool stopped;
	uint64_t stopped_us;		/* when they were stopped, or were let go on, */
	uint64_t quiet_us;		/* and when there was pressure the last time */
	uint64_t hold_us;		/* mode freeze: for so long at least they are stopped */
	unsigned int share;		/* permille of the time that they may run */
	uint64_t limit;			/* memory.high of the others; 0: not set yet */
	uint64_t fetch_us;		/* when pages were brought back the last time, */
	uint64_t fetch_had;		/* what was in swap then, bytes, */
	uint64_t fetch_wait_us;		/* and how long to wait until the next time */
	uint64_t stuck_us;		/* when the others waited for most of a look */
	uint64_t low_us;		/* since when the rule to kill has held; 0: it does not */
	uint64_t term_us;		/* when the victim was told to end; 0: there is none */
	struct help help;
};

void rule_init(struct rule *rule);
void rule_step(struct rule *rule, const struct config *config, const struct sample *sample,
	       struct plan *plan);
void plan_add(struct plan *plan, enum act_kind kind, uint64_t bytes, const char *figure,
	      uint64_t value, const char *unit);
uint64_t rule_stall_us(const struct sample *sample);
const char *rule_stall_name(const struct sample *sample);
void rule_stop(struct rule *rule, const struct sample *sample, struct plan *plan,
	       const char *figure, uint64_t value);
void rule_cont(struct rule *rule, const struct sample *sample, struct plan *plan,
	       const char *figure, uint64_t value);
void rule_auto(struct rule *rule, const struct config *config, const struct sample *sample,
	       struct plan *plan);

#endif
