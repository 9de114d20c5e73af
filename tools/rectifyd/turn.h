/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does it pay to act? rectifyd acts and leaves the system alone in turn, and compares what the
 * switches of both kinds cost, app by app. A sequential test says when the difference is more than
 * chance. PURE.
 */
#ifndef RECTIFYD_TURN_H
#define RECTIFYD_TURN_H

#include <stdbool.h>
#include <stdint.h>

/* As many as there are apps. */
#define TURN_APPS 32

/* What was compared of costs. */
struct turn_sums {
	uint32_t pairs;			/* costs of both kinds, */
	int32_t score;			/* the sum of their differences, as parts of both, */
	uint32_t squares;		/* and that of the squares */
	int64_t saved;			/* what acting has saved in them, in units of 100 us */
};

struct turn_app {
	struct turn_sums sums;
	uint32_t cost;			/* the last one, in units, */
	bool acted;
	bool waits;			/* for one of the other kind */
	uint32_t rest;			/* it is left alone at so many switches to it */
};

struct turn {
	bool acts;			/* at the switches from now on, */
	uint32_t left;			/* for so many of them */
	bool better;			/* acting was found to be, or is taken to be */
	bool known;			/* it was found */
	uint32_t blocks;		/* of both kinds, while it is not known */
	struct turn_sums sums;
	struct turn_app apps[TURN_APPS];
};

void turn_begin(struct turn *turn, bool acts, uint32_t first);
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us);
bool turn_switch(struct turn *turn);
void turn_rest(struct turn *turn, unsigned int app);
bool turn_suits(const struct turn *turn, unsigned int app);
void turn_forget(struct turn *turn, unsigned int app);

#endif
