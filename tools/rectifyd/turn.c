// SPDX-License-Identifier: GPL-2.0
/*
 * The schedule: when to act and when not, counted in switches. A result is tested anew all the
 * time, so a change of the system shows.
 */
#include <string.h>
#include "turn.h"

/* An app that fares worse is tried again after 19 switches to it, as in TURN_KNOWN_REST. */
#define APP_REST 19

/**
 * turn_begin() - nothing is known
 * @turn: filled in
 * @acts: it is taken to be better to act
 * @first: switches until the other kind is tried first; 0: as usual
 */
void turn_begin(struct turn *turn, bool acts, uint32_t first)
{
	memset(turn, 0, sizeof(*turn));
	turn->better = acts;
	turn->acts = acts;
	turn->left = first ? first : TURN_UNSURE_REST;
}

/* settle() - one of both is better; the next result is found anew */
static void settle(struct turn *turn, bool better)
{
	turn->known = true;
	turn->better = better;
	turn->acts = better;
	turn->left = TURN_KNOWN_REST;
	turn->blocks = 0;
	memset(&turn->pairs, 0, sizeof(turn->pairs));
}

/* judge() - after each pair: an app, and all of them */
static bool judge(struct turn *turn, struct turn_app *app)
{
	bool before = turn->better;

	if (trial_pairs_worse(&app->pairs)) {
		memset(&app->pairs, 0, sizeof(app->pairs));
		app->rest = APP_REST;
	}
	if (trial_pairs_better(&turn->pairs))
		settle(turn, true);
	else if (trial_pairs_worse(&turn->pairs))
		settle(turn, false);
	return turn->better != before;
}

/**
 * turn_cost() - a switch to an app has cost so much
 * @turn: the state
 * @app: its number, below TURN_APPS
 * @acted: pages were moved, or the knob was set, for it
 * @us: what the app waited
 *
 * It is compared with the last one of the other kind, if that was not compared yet.
 *
 * Return: true, if another kind is better than before.
 */
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us)
{
	struct turn_app *last = &turn->apps[app];
	uint64_t before_us = last->cost_us;

	if (!last->waits || last->acted == acted) {
		last->cost_us = us;
		last->acted = acted;
		last->waits = true;
		return false;
	}
	last->waits = false;
	trial_pairs_add(&last->pairs, acted ? us : before_us, acted ? before_us : us);
	trial_pairs_add(&turn->pairs, acted ? us : before_us, acted ? before_us : us);
	return judge(turn, last);
}

/* next() - a block has ended */
static void next(struct turn *turn)
{
	turn->acts = !turn->acts;
	if (!turn->known && ++turn->blocks == TURN_UNSURE_BLOCKS)
		settle(turn, turn->better && turn->pairs.saved > 0);
	else if (turn->acts != turn->better)
		turn->left = TURN_BLOCK;
	else
		turn->left = turn->known ? TURN_KNOWN_REST : TURN_UNSURE_REST;
}

/**
 * turn_switch() - another app comes to the front
 * @turn: the state
 *
 * Return: does rectifyd act from now on?
 */
bool turn_switch(struct turn *turn)
{
	if (!turn->left)
		next(turn);
	turn->left--;
	return turn->acts;
}

/**
 * turn_rest() - a switch to an app that takes no part
 * @turn: the state
 * @app: its number
 */
void turn_rest(struct turn *turn, unsigned int app)
{
	if (turn->apps[app].rest)
		turn->apps[app].rest--;
}

/**
 * turn_suits() - may this app take part?
 * @turn: the state
 * @app: its number
 *
 * Return: false, if it was worse off of late when the others did.
 */
bool turn_suits(const struct turn *turn, unsigned int app)
{
	return !turn->apps[app].rest;
}

/**
 * turn_forget() - a place has another app
 * @turn: the state
 * @app: its number
 */
void turn_forget(struct turn *turn, unsigned int app)
{
	memset(&turn->apps[app], 0, sizeof(turn->apps[app]));
}
