// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "turn.h"

/*
 * A block of switches of one kind: most apps that were in front before it are back before its end.
 * While nothing is known, what is taken to be worse is tried in one block of six: 70 switches of
 * real programs take 2.5 % longer by that, if it is worse by 14 % (test_turn.c). Later, what was
 * found to be worse is tried in one switch of twenty.
 */
#define BLOCK 8
#define UNSURE_REST (5 * BLOCK)
#define KNOWN_REST (19 * BLOCK)
/* What shows no difference in so many blocks makes none that anybody feels. */
#define UNSURE_BLOCKS 16
/* An app that fares worse than others is tried again after so many switches to it. */
#define APP_REST 19
/* Of a cost. A longer one counts as that. */
#define UNIT_US 100
#define LONGEST 100000
/*
 * Less than that, 5 ms, is felt by nobody: added to both, it makes their difference a small part.
 */
#define FELT 50
/* A difference is a part of both costs, in so many. */
#define PART 1024
/* Sums are halved after so many pairs: what was long ago counts less. */
#define PAIRS 128
/*
 * The test. Where acting makes no difference, each difference is as likely to be positive as
 * negative. Then the chance that their sum is ever larger than the square root of (squares + SCALE)
 * * (2 ln(1 / chance) + ln(1 + squares / SCALE)) is at most that chance, however often one looks: a
 * mixture of supermartingales. SCALE is what four differences of a half have.
 */
#define SCALE (PART * PART)
/*
 * In thousandths: 2 ln(1 / 0.1) to act; 2 ln(1 / 0.3) to leave the system alone. As all of the
 * bound is never used up, less than one run in 100 acts without a reason (test_turn.c).
 */
#define TO_ACT 4605
#define TO_LEAVE 2408
/* The natural logarithm of two, in thousandths. */
#define LOG_TWO 693

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
	turn->left = first ? first : UNSURE_REST;
}

/* log_of() - a little more than the natural logarithm of 1 + @ratio, in thousandths */
static uint64_t log_of(uint64_t ratio)
{
	unsigned int bits = 0;

	while (ratio >> bits)
		bits++;
	return bits * LOG_TWO;
}

/* is_more() - than chance has it? Sums of at most 128 pairs: all products fit. */
static bool is_more(const struct turn_sums *sums, unsigned int chance)
{
	uint64_t score = (uint64_t)(sums->score < 0 ? -sums->score : sums->score);
	uint64_t limit = (uint64_t)sums->squares + SCALE, log = log_of(sums->squares / SCALE);

	return score * score * 1000 > limit * (chance + log);
}

static bool is_better(const struct turn_sums *sums)
{
	return sums->score > 0 && sums->saved > 0 && is_more(sums, TO_ACT);
}

static bool is_worse(const struct turn_sums *sums)
{
	return sums->score < 0 && is_more(sums, TO_LEAVE);
}

static void add(struct turn_sums *sums, int32_t part, int32_t saved)
{
	if (sums->pairs == PAIRS) {
		sums->pairs /= 2;
		sums->score /= 2;
		sums->squares /= 2;
		sums->saved /= 2;
	}
	sums->pairs++;
	sums->score += part;
	sums->squares += (uint32_t)(part * part);
	sums->saved += saved;
}

/* settle() - one of both is known to be better; what is found later is found anew */
static void settle(struct turn *turn, bool better)
{
	turn->known = true;
	turn->better = better;
	turn->acts = better;
	turn->left = KNOWN_REST;
	turn->blocks = 0;
	memset(&turn->sums, 0, sizeof(turn->sums));
}

/* judge() - after each pair: an app, and all of them */
static bool judge(struct turn *turn, struct turn_app *app)
{
	bool before = turn->better;

	if (is_worse(&app->sums)) {
		memset(&app->sums, 0, sizeof(app->sums));
		app->rest = APP_REST;
	}
	if (is_better(&turn->sums))
		settle(turn, true);
	else if (is_worse(&turn->sums))
		settle(turn, false);
	return turn->better != before;
}

/**
 * turn_cost() - a switch to an app has cost so much
 * @turn: the state
 * @app: its number, below TURN_APPS
 * @acted: of which kind it was
 * @us: what the app waited
 *
 * It is compared with the last one of the other kind, if that was not compared yet.
 *
 * Return: true, if another kind is better than before.
 */
bool turn_cost(struct turn *turn, unsigned int app, bool acted, uint64_t us)
{
	struct turn_app *last = &turn->apps[app];
	uint32_t cost = us / UNIT_US < LONGEST ? (uint32_t)(us / UNIT_US) : LONGEST;
	int32_t saved, part;

	if (!last->waits || last->acted == acted) {
		last->cost = cost;
		last->acted = acted;
		last->waits = true;
		return false;
	}
	saved = acted ? (int32_t)(last->cost - cost) : (int32_t)(cost - last->cost);
	part = saved * PART / (int32_t)(last->cost + cost + 2 * FELT);
	last->waits = false;
	add(&last->sums, part, saved);
	add(&turn->sums, part, saved);
	return judge(turn, last);
}

/* next() - a block has ended */
static void next(struct turn *turn)
{
	turn->acts = !turn->acts;
	if (!turn->known && ++turn->blocks == UNSURE_BLOCKS)
		settle(turn, turn->better && turn->sums.saved > 0);
	else if (turn->acts != turn->better)
		turn->left = BLOCK;
	else
		turn->left = turn->known ? KNOWN_REST : UNSURE_REST;
}

/**
 * turn_switch() - another app comes to the front
 * @turn: the state
 *
 * Return: are what is done from now on, and what it costs, of the kind that acts?
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
