/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does it pay to act? rectifyd acts and leaves the system alone in turn, some switches each, and
 * compares what the switches of both kinds cost, app by app (trial.h). PURE.
 */
#ifndef RECTIFYD_TURN_H
#define RECTIFYD_TURN_H

#include "trial.h"

/* As many as there are apps. */
#define TURN_APPS 32
/*
 * A block of switches of one kind: most apps that were in front before it are back before its end.
 * While nothing is known, the kind that seems worse gets one block of six: 70 switches of real
 * programs take 2.5 % longer by that, if it is worse by 14 % (test_turn.c). Later, the kind that
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
bool turn_suits(const struct turn *turn, unsigned int app);
void turn_forget(struct turn *turn, unsigned int app);

#endif
