// SPDX-License-Identifier: GPL-2.0

#include <assert.h>
#include "acts.h"
#include "log.h"

static_assert(APPS <= TURN_APPS, "each app has a place in a trial");

/* So that both trials are never of the same switches, where they begin together. */
#define FIRST_LEAN 32

const char *const acts_names[] = { "push", "swappiness" };

static struct turn turns[ACTS];
static bool always;

/**
 * acts_begin() - nothing is known
 *
 * To push pages that are needed after all costs twice, so it has to prove better. The kernel takes
 * what was not used for long by itself: that is taken to be better where files cost.
 */
void acts_begin(void)
{
	turn_begin(&turns[ACT_PUSH], false, 0);
	turn_begin(&turns[ACT_LEAN], true, FIRST_LEAN);
}

/**
 * acts_new() - an app was not known before
 * @app: the app
 */
void acts_new(const struct app *app)
{
	unsigned int i;

	for (i = 0; i < ACTS; i++)
		turn_forget(&turns[i], app_number(app));
}

/**
 * acts_switch() - another app comes to the front
 * @wanted: what could be done now, bits; trials of the others wait
 * @trial: no: whatever is wanted is done
 */
void acts_switch(unsigned int wanted, bool trial)
{
	unsigned int i;

	always = !trial;
	for (i = 0; i < ACTS; i++)
		if (wanted & ACT_BIT(i))
			turn_switch(&turns[i]);
}

/**
 * acts_back() - an app goes to the back: remember what its next switch is to be rated by
 * @app: the app
 * @wanted: what could be done now, bits
 */
void acts_back(struct app *app, unsigned int wanted)
{
	unsigned int i;

	/* Of one that is left alone, nothing is learnt from what the others do. */
	if (!acts_suits(app))
		wanted &= ~ACT_BIT(ACT_PUSH);
	app->could = (uint8_t)wanted;
	app->did = 0;
	for (i = 0; i < ACTS; i++)
		if (acts_does(i))
			app->did |= (uint8_t)(wanted & ACT_BIT(i));
}

static void rate(enum act act, const struct app *app, uint64_t us)
{
	struct turn *turn = &turns[act];

	if (turn_cost(turn, app_number(app), app->did & ACT_BIT(act), us))
		log_info("%s: switches cost apps less %s it", acts_names[act],
			 turn->better ? "with" : "without");
}

/**
 * acts_cost() - a switch to an app has been measured
 * @app: the app
 * @us: what it has waited
 */
void acts_cost(struct app *app, uint64_t us)
{
	unsigned int i;

	app->cost_us = us;
	for (i = 0; i < ACTS; i++) {
		if (app->could & ACT_BIT(i))
			rate(i, app, us);
		else
			turn_rest(&turns[i], app_number(app));
	}
}

/**
 * acts_does() - is it done now?
 * @act: what
 */
bool acts_does(enum act act)
{
	return always || turns[act].acts;
}

/**
 * acts_suits() - may an app be pushed?
 * @app: the app
 */
bool acts_suits(const struct app *app)
{
	return always || turn_suits(&turns[ACT_PUSH], app_number(app));
}

/**
 * acts_turn() - what is known
 * @act: of what
 */
const struct turn *acts_turn(enum act act)
{
	return &turns[act];
}
