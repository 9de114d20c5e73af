// SPDX-License-Identifier: GPL-2.0
/*
 * Trials, that is switches with and without an act in turn: the schedule, the borders of the
 * statistical test, and its errors on costs that are as irregular as real ones.
 */
#include "harness.h"
#include "plan.h"

#define APPS_USED 8
#define RUNS 400

static struct turn turn;

/* unit() - from 0 to 1 */
static double unit(void)
{
	return (double)(random_u64() >> 11) / 9007199254740992.0;
}

/*
 * noise() - a random factor with mean 1, like costs of real switches: half of them are below 0.6,
 * one of twenty is above 3
 */
static double noise(void)
{
	double u = unit(), v = u * u;

	return 0.3 + 0.9 * u + 1.25 * v * v * v * v + 0.111;
}

/* next_app() - choose by Zipf's law, never the same app twice in a row */
static unsigned int next_app(unsigned int front)
{
	unsigned int app;

	do {
		double at = unit() * 2.717857;

		for (app = 0; app < APPS_USED - 1 && (at -= 1.0 / (app + 1)) > 0; app++)
			;
	} while (app == front);
	return app;
}

struct outcome {
	unsigned int acts;		/* runs that ended with the result that acting is better, */
	unsigned int leaves;		/* or that it is not */
	double ratio;			/* cost, divided by the cost if no switch acted */
	double acted;			/* part of the switches that acted */
};

/* runs() - the act multiplies the cost of a switch by @effect, or by @first for app 0 */
static struct outcome runs(bool prior, unsigned int switches, double effect, double first)
{
	struct outcome outcome = { 0 };
	double with = 0, without = 0;
	unsigned int run, i;

	for (run = 0; run < RUNS; run++) {
		unsigned int app = 0;

		turn_begin(&turn, prior, 0);
		for (i = 0; i < switches; i++) {
			bool acts = turn_switch(&turn);
			double us;

			app = next_app(app);
			us = 30000 * (0.4 + 0.2 * app) * noise();
			without += us;
			if (acts)
				us *= app ? effect : first;
			with += us;
			outcome.acted += acts;
			turn_cost(&turn, app, acts, (u64)us);
		}
		outcome.acts += turn.known && turn.better;
		outcome.leaves += turn.known && !turn.better;
	}
	outcome.ratio = with / without;
	outcome.acted /= (double)RUNS * switches;
	tap_note("prior %d, %u switches, %.2f times: better %u, no better %u of %u", prior,
		 switches, effect, outcome.acts, outcome.leaves, RUNS);
	tap_note("cost %.3f, acted %.3f", outcome.ratio, outcome.acted);
	return outcome;
}

/* While no result is known, each block of TURN_BLOCK switches tries the other kind. */
static void test_unsure(void)
{
	unsigned int i, round, prior;

	for (prior = 0; prior < 2; prior++) {
		turn_begin(&turn, prior, 0);
		for (round = 0; round < TURN_UNSURE_BLOCKS / 2; round++) {
			for (i = 0; i < TURN_UNSURE_REST; i++)
				expect_eq(turn_switch(&turn), prior);
			for (i = 0; i < TURN_BLOCK; i++)
				expect_eq(turn_switch(&turn), !prior);
			expect(!turn.known);
		}
		/* No costs were given, so no difference was found: do not act. */
		for (i = 0; i < TURN_KNOWN_REST; i++)
			expect_eq(turn_switch(&turn), false);
		expect(turn.known);
	}
	turn_begin(&turn, true, 3);
	for (i = 0; i < 3; i++)
		expect(turn_switch(&turn));
	for (i = 0; i < TURN_BLOCK; i++)
		expect(!turn_switch(&turn));
	expect(turn_switch(&turn));
}

/* After a result the worse kind still gets one switch of twenty. */
static void test_known(void)
{
	unsigned int better, i, tried, switches;

	for (better = 0; better < 2; better++) {
		turn_begin(&turn, false, 0);
		/* All pairs show the same clear difference. */
		for (i = 0; i < 40 && !turn.known; i++) {
			turn_cost(&turn, i % 3, false, better ? 900000 : 0);
			turn_cost(&turn, i % 3, true, better ? 0 : 900000);
		}
		expect(turn.known);
		expect_eq(turn.better, better);
		expect_eq(turn.acts, better);
		for (switches = tried = 0; switches < 8000; switches++)
			tried += turn_switch(&turn) != better;
		expect_eq(tried, 8000 / 20);
	}
}

/* The result that acting is better needs about eight clear pairs, the other one about five. */
static void test_border(void)
{
	unsigned int i;

	turn_begin(&turn, false, 0);
	for (i = 0; i < 30 && !turn.better; i++) {
		turn_cost(&turn, 0, false, 1000000);
		turn_cost(&turn, 0, true, 0);
	}
	expect(i >= 6 && i <= 9);
	turn_begin(&turn, true, 0);
	for (i = 0; i < 30 && turn.better; i++) {
		turn_cost(&turn, 0, true, 1000000);
		turn_cost(&turn, 0, false, 0);
	}
	expect(i >= 4 && i <= 6);
	/* Many small gains and one loss that is larger than all of them: the sum counts. */
	turn_begin(&turn, false, 0);
	turn_cost(&turn, 1, false, 0);
	turn_cost(&turn, 1, true, 9000000);
	for (i = 0; i < 40; i++) {
		turn_cost(&turn, 0, false, 100000);
		turn_cost(&turn, 0, true, 10000);
	}
	expect(!turn.better);
}

/* A cost is compared once, with the app's last cost of the other kind. */
static void test_pairs(void)
{
	turn_begin(&turn, false, 0);
	turn_cost(&turn, 3, false, 50000);
	turn_cost(&turn, 3, false, 70000);
	expect_eq(turn.pairs.n, 0);
	turn_cost(&turn, 4, true, 1000);
	expect_eq(turn.pairs.n, 0);
	turn_cost(&turn, 3, true, 30000);
	expect_eq(turn.pairs.n, 1);
	expect_eq(turn.pairs.saved, 400);
	turn_cost(&turn, 3, true, 30000);
	expect_eq(turn.pairs.n, 1);
	turn_cost(&turn, 3, false, 10000);
	expect_eq(turn.pairs.n, 2);
	expect_eq(turn.pairs.saved, 200);
	/* Another app gets this place. */
	turn_cost(&turn, 4, true, 1000);
	memset(&turn.apps[4], 0, sizeof(turn.apps[4]));
	turn_cost(&turn, 4, false, 1000);
	expect_eq(turn.pairs.n, 2);
	/* A cost that is too large to be true is cut. */
	turn_cost(&turn, 5, true, UINT64_MAX);
	turn_cost(&turn, 5, false, 0);
	expect_eq(turn.pairs.n, 3);
	expect_eq(turn.pairs.saved, 200 - 100000);
}

/*
 * The act has no effect: at most one run of twenty finds it better, however long the run is (the
 * test's error bound is one of ten).
 */
static void test_no_effect(void)
{
	expect(runs(false, 80, 1, 1).acts <= RUNS / 20);
	expect(runs(true, 80, 1, 1).acts <= RUNS / 20);
	expect(runs(false, 1500, 1, 1).acts <= RUNS / 20);
}

/* If switches cost less with the act, the trials find that. */
static void test_gain(void)
{
	struct outcome outcome = runs(false, 80, 0.25, 0.25);

	expect(outcome.ratio < 0.95);
	expect_eq(outcome.leaves, 0);
	outcome = runs(false, 300, 0.25, 0.25);
	expect(outcome.acts > RUNS - RUNS / 20);
	expect(outcome.ratio < 0.5);
	expect(runs(true, 80, 0.5, 0.5).ratio < 0.7);
	expect(runs(false, 1500, 0.5, 0.5).acts > RUNS - RUNS / 20);
	expect(runs(false, 1500, 0.8, 0.8).acts > runs(false, 1500, 0.8, 0.8).leaves / 20);
}

/*
 * If switches cost more with the act, it ends soon, and is rarely tried after that. With MGLRU and
 * eight real programs a switch waits twice as long when pages are pushed.
 */
static void test_loss(void)
{
	struct outcome outcome = runs(false, 80, 2, 2);

	expect_eq(outcome.acts, 0);
	expect(outcome.ratio < 1.25);
	expect(runs(false, 1500, 2, 2).ratio < 1.06);
	outcome = runs(true, 1500, 3, 3);
	expect(outcome.leaves >= RUNS - 1);
	expect(outcome.ratio < 1.15);
}

/* A single app is worse off with the act: it is left alone, and the others are not. */
static void test_one_app(void)
{
	unsigned int i, app, rests = 0, switches = 0;

	turn_begin(&turn, true, 0);
	for (i = 0, app = 0; i < 4000; i++) {
		bool acts = turn_switch(&turn), suits;

		app = next_app(app);
		suits = !turn.apps[app].rest;
		if (!app) {
			switches++;
			rests += !suits;
		}
		if (suits)
			turn_cost(&turn, app, acts,
				  (u64)(30000 * noise() * (!acts ? 1 : app ? 0.3 : 4)));
		else
			turn_rest(&turn, app);
	}
	tap_note("%u of %u switches to it without", rests, switches);
	expect(turn.better);
	expect(rests > switches / 20);
}

/* The better kind becomes the worse one, and the other way round. */
static void test_changes(void)
{
	unsigned int run, i, app = 0, found = 0;

	for (run = 0; run < 50; run++) {
		turn_begin(&turn, true, 0);
		for (i = 0; i < 3000; i++) {
			bool acts = turn_switch(&turn);
			double effect = i < 300 ? 0.25 : 3;

			app = next_app(app);
			turn_cost(&turn, app, acts, (u64)(30000 * noise() * (acts ? effect : 1)));
		}
		found += !turn.better;
	}
	expect(found >= 49);
}

/*
 * Recorded: 70 switches between eight real programs in 136 MiB, Linux 6.1 (Documentation/
 * paper-rectify.rst): the app, and what the switch took in ms without and with.
 */
struct record {
	u32 app, without, with;
};

/* Classic LRU: with a swappiness of 150 instead of 60. */
static const struct record swappiness[] = {
	{ 5, 340, 343 }, { 3, 49, 49 }, { 4, 230, 405 }, { 6, 390, 373 }, { 2, 469, 547 },
	{ 3, 139, 49 }, { 4, 327, 69 }, { 2, 157, 180 }, { 3, 56, 49 }, { 1, 189, 44 },
	{ 5, 478, 309 }, { 6, 396, 373 }, { 4, 110, 69 }, { 2, 103, 128 }, { 4, 48, 87 },
	{ 7, 453, 275 }, { 4, 39, 66 }, { 1, 172, 52 }, { 6, 535, 478 }, { 4, 36, 37 },
	{ 3, 129, 52 }, { 6, 373, 373 }, { 1, 66, 66 }, { 6, 373, 375 }, { 4, 38, 35 },
	{ 7, 201, 69 }, { 4, 26, 27 }, { 6, 394, 373 }, { 4, 24, 25 }, { 6, 382, 374 },
	{ 2, 135, 226 }, { 4, 25, 26 }, { 6, 384, 373 }, { 3, 64, 49 }, { 5, 371, 429 },
	{ 6, 376, 373 }, { 4, 25, 35 }, { 1, 190, 57 }, { 7, 342, 56 }, { 1, 57, 55 },
	{ 4, 39, 36 }, { 3, 134, 49 }, { 4, 27, 27 }, { 1, 53, 50 }, { 4, 27, 37 },
	{ 2, 125, 310 }, { 3, 50, 49 }, { 4, 29, 27 }, { 5, 494, 354 }, { 4, 25, 28 },
	{ 5, 257, 280 }, { 0, 617, 594 }, { 1, 115, 43 }, { 5, 280, 261 }, { 1, 75, 76 },
	{ 4, 24, 112 }, { 5, 275, 317 }, { 4, 30, 35 }, { 5, 255, 258 }, { 4, 25, 30 },
	{ 0, 556, 534 }, { 6, 386, 387 }, { 1, 90, 90 }, { 0, 425, 437 }, { 3, 113, 67 },
	{ 5, 249, 242 }, { 6, 373, 373 }, { 0, 408, 415 }, { 5, 237, 237 }, { 0, 391, 391 },
};

/* MGLRU: with pages that are pushed at each switch, as rectifyd did. */
static const struct record pushed[] = {
	{ 5, 326, 310 }, { 3, 49, 49 }, { 4, 181, 328 }, { 6, 375, 544 }, { 2, 572, 267 },
	{ 3, 49, 212 }, { 4, 209, 264 }, { 2, 102, 93 }, { 3, 49, 50 }, { 1, 44, 44 },
	{ 5, 406, 314 }, { 6, 423, 391 }, { 4, 57, 117 }, { 2, 100, 60 }, { 4, 55, 137 },
	{ 7, 398, 285 }, { 4, 86, 124 }, { 1, 192, 54 }, { 6, 424, 404 }, { 4, 35, 105 },
	{ 3, 195, 53 }, { 6, 388, 389 }, { 1, 66, 66 }, { 6, 389, 379 }, { 4, 45, 250 },
	{ 7, 149, 177 }, { 4, 26, 96 }, { 6, 400, 527 }, { 4, 24, 89 }, { 6, 378, 503 },
	{ 2, 155, 31 }, { 4, 24, 64 }, { 6, 375, 507 }, { 3, 49, 248 }, { 5, 395, 343 },
	{ 6, 390, 404 }, { 4, 25, 77 }, { 1, 57, 212 }, { 7, 177, 185 }, { 1, 55, 55 },
	{ 4, 24, 66 }, { 3, 53, 79 }, { 4, 24, 68 }, { 1, 50, 51 }, { 4, 23, 67 },
	{ 2, 99, 248 }, { 3, 49, 52 }, { 4, 23, 66 }, { 5, 403, 536 }, { 4, 25, 75 },
	{ 5, 280, 339 }, { 0, 610, 651 }, { 1, 38, 44 }, { 5, 262, 354 }, { 1, 74, 78 },
	{ 4, 28, 113 }, { 5, 371, 392 }, { 4, 27, 68 }, { 5, 249, 376 }, { 4, 24, 66 },
	{ 0, 404, 534 }, { 6, 388, 385 }, { 1, 90, 93 }, { 0, 466, 397 }, { 3, 138, 53 },
	{ 5, 303, 252 }, { 6, 389, 379 }, { 0, 391, 393 }, { 5, 238, 240 }, { 0, 391, 397 },
};

/* replay() - returns by how many permille the trials made the switches longer */
static long replay(const struct record *records, u32 n, u32 times, bool prior)
{
	u64 took = 0, without = 0;
	u32 i;

	turn_begin(&turn, prior, 0);
	for (i = 0; i < n * times; i++) {
		const struct record *record = &records[i % n];
		bool acts = turn_switch(&turn);
		u32 ms = acts ? record->with : record->without;

		turn_cost(&turn, record->app, acts, ms * 1000);
		took += ms;
		without += record->without;
	}
	tap_note("%u switches: %llu ms instead of %llu, known %d, better %d", n * times, took,
		 without, turn.known, turn.better);
	return ((long)took - (long)without) * 1000 / (long)without;
}

/* All trials together make the switches at most 3 % longer, and the better kind is found. */
static void test_recorded(void)
{
	expect(replay(pushed, ARRAY_SIZE(pushed), 1, false) <= 30);
	expect(replay(pushed, ARRAY_SIZE(pushed), 20, false) <= 15);
	expect(!turn.better);
	expect(replay(swappiness, ARRAY_SIZE(swappiness), 1, true) < -50);
	expect(replay(swappiness, ARRAY_SIZE(swappiness), 20, true) < -50);
	expect(turn.better);
}

static void test_random(void)
{
	unsigned int i;

	turn_begin(&turn, random_below(2), 0);
	for (i = 0; i < 200000; i++) {
		unsigned int app = (unsigned int)random_below(TURN_APPS);

		turn_switch(&turn);
		turn_cost(&turn, app, random_below(2), random_u64() >> random_below(64));
		if (!random_below(100))
			memset(&turn.apps[app], 0, sizeof(turn.apps[app]));
		turn_rest(&turn, app);
		expect(turn.pairs.n <= 128 && turn.left <= TURN_KNOWN_REST);
	}
}

static struct policy policy;
static struct facts facts;
static struct plan plan;

/* begin_plan() - memory is short; @back apps at the back need 100 pages each, the last used most */
static void begin_plan(unsigned int back, u32 keep)
{
	unsigned int i;

	policy_begin(&policy);
	policy.state = BALANCE_WORK;
	policy.may = ACT_BIT(ACT_PUSH) | ACT_BIT(ACT_LEAN);
	policy.always = true;
	policy.balance.keep = keep;
	memset(&facts, 0, sizeof(facts));
	facts.may_give_hot = true;
	for (i = 0; i < back; i++)
		facts.apps[i] = (struct plan_app){ .back = true, .hot = 100, .used = i };
	facts.needed = 100 * back;
}

/* gives() - do the apps of the bits @want give up pages, and @hot needed pages in all? */
static bool gives(u32 want, u32 hot)
{
	u32 got = 0;
	unsigned int i;

	policy_decide(&policy, &facts, &plan);
	for (i = 0; i < TURN_APPS; i++)
		got += plan.give_hot[i];
	if (plan.gives != want || got != hot)
		tap_note("apps %x, %u pages", plan.gives, got);
	return plan.gives == want && got == hot;
}

/* The apps that were in front least often give up needed pages first. */
static void test_gives(void)
{
	begin_plan(4, 250);
	expect(gives(0, 0));
	facts.apps[3].visited = true;
	expect(gives(0x8 | 0x3, 150));
	expect(plan.give_hot[0] == 100 && plan.give_hot[1] == 50);
	/* Needed pages that apps gave up before count, too. */
	facts.apps[0].give_hot = 100;
	facts.apps[1].give_hot = 50;
	expect(gives(0x8, 150));
	policy.balance.keep = 0;
	expect(gives(0xe, 400));
	facts.may_give_hot = false;
	expect(gives(0x8, 150));
	policy.state = BALANCE_THRASH;
	expect(gives(0, 150));
	/* An app in front keeps all its pages; so does an app that was worse off before. */
	begin_plan(4, 0);
	policy.always = false;
	facts.apps[0].back = false;
	facts.apps[2].visited = true;
	policy.turns[ACT_PUSH].apps[1].rest = 1;
	expect(gives(0x4 | 0x8, 200));
}

/* Acts that are not possible are not planned, and their trials wait. */
static void test_possible(void)
{
	unsigned int i, lean_left;

	begin_plan(1, UINT32_MAX);
	lean_left = policy.turns[ACT_LEAN].left;
	policy.always = false;
	policy.lean.on = true;
	facts.switches = true;
	for (i = 0; i < 10; i++)
		policy_decide(&policy, &facts, &plan);
	expect_eq(plan.could, ACT_BIT(ACT_LEAN));
	expect_eq(plan.does, ACT_BIT(ACT_LEAN));
	expect_eq(policy.turns[ACT_LEAN].left, lean_left - 10);
	expect_eq(policy.turns[ACT_PUSH].left, TURN_UNSURE_REST);
	/* Pushing can save at most the cost of files, so that has to be large enough. */
	policy.balance.keep = 0;
	policy.balance.file_us = 20001;
	policy.lean.anon_us = 10000;
	policy_decide(&policy, &facts, &plan);
	expect_eq(plan.could, ACT_BIT(ACT_LEAN));
	policy.lean.anon_us = 9999;
	policy_decide(&policy, &facts, &plan);
	expect_eq(plan.could, ACT_BIT(ACT_LEAN) | ACT_BIT(ACT_PUSH));
	expect_eq(plan.does, ACT_BIT(ACT_LEAN));
	policy.may = ACT_BIT(ACT_PUSH);
	policy_decide(&policy, &facts, &plan);
	expect_eq(plan.could, ACT_BIT(ACT_PUSH));
	expect_eq(plan.does, 0);
	policy.state = BALANCE_PLENTY;
	policy_decide(&policy, &facts, &plan);
	expect_eq(plan.could, 0);
}

/* A cost counts for the acts that were possible when the app left; a new app starts without. */
static void test_learns(void)
{
	begin_plan(1, UINT32_MAX);
	facts.waited = true;
	facts.could = ACT_BIT(ACT_PUSH);
	facts.waited_us = 30000;
	policy.turns[ACT_LEAN].apps[0].rest = 3;
	policy_decide(&policy, &facts, &plan);
	expect(policy.turns[ACT_PUSH].apps[0].waits && !policy.turns[ACT_PUSH].apps[0].acted);
	expect_eq(policy.turns[ACT_LEAN].apps[0].rest, 2);
	facts.did = ACT_BIT(ACT_PUSH);
	facts.waited_us = 10000;
	policy_decide(&policy, &facts, &plan);
	expect_eq(policy.turns[ACT_PUSH].pairs.saved, 200);
	expect_eq(plan.found, 0);
	facts.waited = false;
	facts.switches = true;
	facts.comes_first = true;
	policy_decide(&policy, &facts, &plan);
	expect_eq(policy.turns[ACT_PUSH].apps[0].pairs.n, 0);
	expect_eq(policy.turns[ACT_LEAN].apps[0].rest, 0);
}

static const struct tap_case cases[] = {
	{ "before a result", test_unsure },
	{ "the worse kind gets one switch of twenty", test_known },
	{ "pairs that a result needs", test_border },
	{ "pairs", test_pairs },
	{ "no effect", test_no_effect },
	{ "the act lowers the costs", test_gain },
	{ "the act raises the costs", test_loss },
	{ "one app is worse off", test_one_app },
	{ "the effect changes", test_changes },
	{ "recorded costs of real programs", test_recorded },
	{ "random costs", test_random },
	{ "which apps give up pages", test_gives },
	{ "acts that are not possible", test_possible },
	{ "costs of acts", test_learns },
};

int main(int argc, char **argv)
{
	return tap_main("plan", cases, ARRAY_SIZE(cases), argc, argv);
}
