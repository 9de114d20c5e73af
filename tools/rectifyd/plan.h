/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decisions: which of two acts are done, and which apps give up pages. Each act is on trial:
 * rectifyd acts and leaves the system alone in turn, some switches each, and compares what the
 * switches of both kinds cost, app by app (trial.h). PURE.
 */
#ifndef RECTIFYD_PLAN_H
#define RECTIFYD_PLAN_H

#include "balance.h"
#include "trial.h"

/* As many as there are apps; bits of struct plan. */
#define TURN_APPS 32
/*
 * A block of switches of one kind: most apps that were in front before it are back before its end.
 * While nothing is known, the kind that seems worse gets one block of six: 70 switches of real
 * programs take 2.5 % longer by that, if it is worse by 14 % (test_plan.c). Later, the kind that
 * was worse gets one switch of twenty.
 */
#define TURN_BLOCK 8
#define TURN_UNSURE_REST (5 * TURN_BLOCK)
#define TURN_KNOWN_REST (19 * TURN_BLOCK)
/* Without a difference in 16 blocks, leave the system alone: a guess. */
#define TURN_UNSURE_BLOCKS 16

struct turn_app {
	struct trial_pairs pairs;
	uint64_t cost_us;		/* the last one */
	bool acted;
	bool waits;			/* for a cost of the other kind */
	uint32_t rest;			/* it is left alone at so many switches to it */
};

struct turn {
	bool acts;			/* at the switches from now on, */
	uint32_t left;			/* for so many of them */
	bool better;			/* acting was found to be, or is taken to be */
	bool known;			/* it was found */
	uint32_t blocks;		/* of both kinds, while it is not known */
	struct trial_pairs pairs;
	struct turn_app apps[TURN_APPS];
};

void turn_begin(struct turn *turn, bool acts, uint32_t first);
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us);
bool turn_switch(struct turn *turn);
void turn_rest(struct turn *turn, unsigned int app);

enum act {
	ACT_PUSH,			/* apps at the back give up pages */
	ACT_LEAN,			/* the kernel takes anonymous pages rather than files */
	ACTS,
};

/* A bit for each. */
#define ACT_BIT(act) (1u << (act))

extern const char *const act_names[];

struct plan_app {
	bool back;			/* it is at the back */
	bool visited;			/* its visit ended just now, and its pages may go out */
	uint32_t hot;			/* pages that it needs, */
	uint32_t give_hot;		/* and how many of them go out */
	uint32_t used;			/* how often it was in front, of late */
};

/* All measurements since the last plan. Numbers of apps are below TURN_APPS. */
struct facts {
	bool waited;			/* the cost of a switch is known: */
	unsigned int app;		/* to that app, */
	unsigned int could, did;	/* when it left, bits of enum act; */
	uint64_t waited_us;
	bool counts;			/* the costs of files count for vm.swappiness: */
	uint64_t file_us, anon_us;
	bool weighs;			/* a whole switch is known: */
	struct balance_news news;
	bool switches;			/* another app comes to the front: */
	unsigned int comes;
	bool comes_first;		/* for the first time */
	bool may_give_hot;		/* needed pages may go out, too */
	uint32_t needed;		/* pages that the apps at the back need */
	struct plan_app apps[TURN_APPS];
};

struct plan {
	unsigned int could;		/* bits of enum act: possible now, */
	unsigned int does;		/* and done */
	unsigned int found;		/* trials with another result than before */
	uint32_t gives;			/* apps that give up pages from now on; bit n: app n */
	uint32_t give_hot[TURN_APPS];	/* needed pages that go out */
};

/* All that was learnt from facts. */
struct policy {
	struct balance balance;
	enum balance_state state;
	bool others;			/* pages that are not known to be needed go out, too */
	struct lean lean;
	struct turn turns[ACTS];
	unsigned int may;		/* by the configuration: bits of enum act, */
	bool always;			/* whatever it costs */
};

void policy_begin(struct policy *policy);
void policy_decide(struct policy *policy, const struct facts *facts, struct plan *plan);
bool policy_does(const struct policy *policy, enum act act);
bool policy_pushes(const struct policy *policy, unsigned int app);

#endif
