/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decisions: which of two acts are done, and which apps give up pages. Each act is on trial:
 * some switches with the act alternate with some without it, and the costs of both kinds are
 * compared for each app (trial.h). PURE.
 */
#ifndef RECTIFYD_PLAN_H
#define RECTIFYD_PLAN_H

#include "balance.h"
#include "trial.h"

/* APPS; each app has a bit in struct plan. */
#define TURN_APPS 32
/*
 * A block is so many switches of one kind; most apps that were in front before it come back before
 * its end. Before a result the kind that seems worse gets one block of six: if it is worse by 14 %,
 * 70 switches of real programs take 2.5 % longer by that (test_plan.c). After a result the worse
 * kind gets one switch of twenty.
 */
#define TURN_BLOCK 8
#define TURN_UNSURE_REST (5 * TURN_BLOCK)
#define TURN_KNOWN_REST (19 * TURN_BLOCK)
/* Without a difference in 16 blocks, leave the system alone: a guess. */
#define TURN_UNSURE_BLOCKS 16

struct turn_app {
	struct trial_pairs pairs;
	uint64_t cost_us;		/* of the app's last switch */
	bool acted;
	bool waits;			/* cost_us waits for a cost of the other kind */
	uint32_t rest;			/* no act for the next so many switches to it */
};

struct turn {
	bool acts;			/* act at the next switches, */
	uint32_t left;			/* for so many of them */
	bool better;			/* acting is better: a result, or assumed before one */
	bool known;			/* there is a result */
	uint32_t blocks;		/* of both kinds, before a result */
	struct trial_pairs pairs;
	struct turn_app apps[TURN_APPS];
};

void turn_begin(struct turn *turn, bool acts, uint32_t first);
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us);
bool turn_switch(struct turn *turn);
void turn_rest(struct turn *turn, unsigned int app);

enum act {
	ACT_PUSH,			/* apps at the back give up pages */
	ACT_LEAN,			/* the kernel reclaims anonymous pages before files */
	ACTS,
};

#define ACT_BIT(act) (1u << (act))

extern const char *const act_names[];

struct plan_app {
	bool back;			/* it is at the back */
	bool visited;			/* its visit ended just now, and its pages may go out */
	uint32_t hot;			/* pages that it needs, */
	uint32_t give_hot;		/* and how many of them go out */
	uint32_t used;			/* how often it was in front lately */
};

/* All measurements since the last plan. Numbers of apps are below TURN_APPS. */
struct facts {
	bool waited;			/* a switch's cost is known; then these are valid: */
	unsigned int app;		/* the app that came to the front */
	unsigned int could, did;	/* possible and done acts when it left, bits */
	uint64_t waited_us;
	bool counts;			/* costs for vm.swappiness are known; then valid: */
	uint64_t file_us, anon_us;
	bool weighs;			/* all figures of a switch are known; then valid: */
	struct balance_news news;
	bool switches;			/* another app comes to the front; then valid: */
	unsigned int comes;
	bool comes_first;		/* for the first time */
	bool may_give_hot;		/* needed pages may go out, too */
	uint32_t needed;		/* pages that the apps at the back need */
	struct plan_app apps[TURN_APPS];
};

struct plan {
	unsigned int could;		/* bits of enum act: possible now, */
	unsigned int does;		/* and done */
	unsigned int found;		/* bits: trials whose result has changed */
	uint32_t gives;			/* apps that give up pages from now on; bit n: app n */
	uint32_t give_hot[TURN_APPS];	/* needed pages that go out */
};

/* All that was learnt from earlier facts. */
struct policy {
	struct balance balance;
	enum balance_state state;
	bool others;			/* pages that are not known to be needed go out, too */
	struct lean lean;
	struct turn turns[ACTS];
	unsigned int may;		/* bits of enum act that the configuration allows */
	bool always;			/* act without trials */
};

void policy_begin(struct policy *policy);
void policy_decide(struct policy *policy, const struct facts *facts, struct plan *plan);
bool policy_does(const struct policy *policy, enum act act);
bool policy_pushes(const struct policy *policy, unsigned int app);

#endif
