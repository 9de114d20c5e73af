// SPDX-License-Identifier: GPL-2.0
/*
 * Which programs are periodic, which are worse off, and how long memory is held; by tables, and by
 * traces of swap-outs.
 */
#include "rhythm.h"
#include "trace.h"
#include "tree.h"

static struct rhythm rhythm;

static enum rhythm_change learn(u32 now_ms, u64 us, unsigned int share, u32 events)
{
	struct period_found found = { us, share, events };

	return rhythm_learn(&rhythm, now_ms, &found);
}

/* act() - it is one that is helped, from @now_ms on */
static void act(u32 now_ms, u32 period_ms)
{
	expect_eq(learn(now_ms - period_ms, period_ms * 1000ull, 1000, 1000), RHYTHM_SAME);
	expect_eq(learn(now_ms, period_ms * 1000ull, 1000, 1000), RHYTHM_PERIODIC);
	expect_eq(rhythm.state, RHYTHM_ACT);
}

static void begin(u32 now_ms, u32 period_ms)
{
	rhythm_init(&rhythm);
	act(now_ms, period_ms);
}

/* turn() - at the end of a turn in which the uses were that far from each other */
static enum rhythm_change turn(u32 now_ms, u32 period_ms, unsigned int events)
{
	while (events--)
		period_add(&rhythm.uses, period_ms * 1000ull);
	return rhythm_turn(&rhythm, now_ms);
}

static void test_learn(void)
{
	static const struct {
		u64 us;
		unsigned int share;
		u32 events;
		bool periodic;
	} cases[] = {
		{ 1000000, 500, 64, true }, { 1000000, 499, 64, false },
		{ 1000000, 500, 63, false }, { 1000000, 1000, UINT32_MAX, true },
		{ 50000, 1000, 64, true }, { 49999, 1000, 64, false },
		{ 120000999, 1000, 64, true }, { 120001000, 1000, 64, false },
		{ 0, 0, 0, false }, { 0, 1000, 1000, false }, { UINT32_MAX, 1000, 64, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		rhythm_init(&rhythm);
		expect(!rhythm_watched(&rhythm));
		expect_eq(learn(1000, cases[i].us, cases[i].share, cases[i].events), RHYTHM_SAME);
		expect_eq(rhythm_watched(&rhythm), cases[i].periodic);
		if (!expect_eq(learn(121000, cases[i].us, cases[i].share, cases[i].events),
			       cases[i].periodic ? RHYTHM_PERIODIC : RHYTHM_SAME))
			tap_note("case %u", i);
		expect_eq(rhythm.state, cases[i].periodic ? RHYTHM_ACT : RHYTHM_LEARN);
		expect_eq(rhythm.period_ms, cases[i].periodic ? cases[i].us / 1000 : 0);
		expect_eq(rhythm.base_ms, rhythm.period_ms);
		expect_eq(rhythm_watched(&rhythm), cases[i].periodic);
	}
}

/* For as long as it is, and without a break. */
static void test_seen(void)
{
	rhythm_init(&rhythm);
	expect_eq(learn(1000, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(2999, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(2999, 2000000, 400, 100), RHYTHM_SAME);
	expect(!rhythm_watched(&rhythm));
	expect_eq(learn(3000, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(4999, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(5000, 2000000, 900, 100), RHYTHM_PERIODIC);
	/* Across the wrap. */
	rhythm_init(&rhythm);
	expect_eq(learn(UINT32_MAX - 999, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(999, 2000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(1000, 2000000, 900, 100), RHYTHM_PERIODIC);
}

/* rhythm_learn(): "a period has to be seen for as long as it is" */
static void test_seen_another(void)
{
	rhythm_init(&rhythm);
	expect_eq(learn(1000, 30000000, 900, 100), RHYTHM_SAME);
	expect_eq(learn(11000, 10000000, 900, 100), RHYTHM_SAME);
	expect_eq(rhythm.state, RHYTHM_LEARN);
}

static void test_turn(void)
{
	begin(10000, 1000);
	expect_eq(turn(12999, 2000, 10), RHYTHM_SAME);
	expect_eq(rhythm.worse, 0);
	expect_eq(rhythm.turn_ms, 10000);
	expect_eq(turn(13000, 2000, 0), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.worse, 1);
	expect_eq(rhythm.turn_ms, 13000);
	expect_eq(rhythm.uses.total, 0);
	expect_eq(rhythm.period_ms, 2000);
	expect_eq(rhythm.base_ms, 1000);
	/* Three of the new periods. */
	expect_eq(turn(18999, 2000, 10), RHYTHM_SAME);
	expect_eq(turn(19000, 2000, 0), RHYTHM_WORSE);
	expect_eq(rhythm.state, RHYTHM_LEFT);
	expect_eq(rhythm.until_ms, 19000 + 16 * 1000);
	/* Across the wrap. */
	begin(UINT32_MAX - 999, 1000);
	expect_eq(turn(1999, 900, 10), RHYTHM_SAME);
	expect_eq(turn(2000, 900, 0), RHYTHM_NEW_PERIOD);
}

static void test_worse(void)
{
	begin(10000, 1000);
	/* A twentieth is not more than a twentieth. */
	expect_eq(turn(20000, 1050, 10), RHYTHM_NEW_PERIOD);
	expect_eq(turn(30000, 1050, 10), RHYTHM_SAME);
	expect_eq(rhythm.worse, 0);
	/* One after the other. */
	expect_eq(turn(40000, 1051, 10), RHYTHM_NEW_PERIOD);
	expect_eq(turn(50000, 1000, 10), RHYTHM_NEW_PERIOD);
	expect_eq(turn(60000, 1051, 10), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.worse, 1);
	expect_eq(turn(70000, 1051, 10), RHYTHM_WORSE);
	/* Better off. */
	begin(10000, 1000);
	expect_eq(turn(20000, 500, 10), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, 500);
	expect_eq(turn(30000, 1000, 10), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.worse, 0);
}

/* One that has all that it needs in memory shows no uses. */
static void test_no_uses(void)
{
	unsigned int i;

	begin(10000, 1000);
	for (i = 0; i < 4; i++)
		expect_eq(turn(20000 + i * 10000, 3000, i), RHYTHM_SAME);
	expect_eq(rhythm.period_ms, 1000);
	expect_eq(rhythm.worse, 0);
	/* Less than a quarter agree. */
	for (i = 0; i < 9; i++)
		period_add(&rhythm.uses, 100000ull << i);
	expect_eq(rhythm_turn(&rhythm, 60000), RHYTHM_SAME);
	expect_eq(rhythm.period_ms, 1000);
	expect_eq(rhythm.state, RHYTHM_ACT);
}

/* Left alone for 16 periods, and twice as long each time, up to a limit. */
static void test_left(void)
{
	static const u32 starts[] = { 10000, 4000000000u };
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(starts); j++) {
		u32 now = starts[j];

		rhythm_init(&rhythm);
		for (i = 0; i < 9; i++) {
			u32 left = 120000 * (16u << (i < 6 ? i : 6));

			act(now, 120000);
			expect_eq(turn(now += 360000, 140000, 9), RHYTHM_NEW_PERIOD);
			expect_eq(turn(now += 420000, 140000, 9), RHYTHM_WORSE);
			expect(!rhythm_watched(&rhythm));
			expect_eq(learn(now + left / 2, 120000000, 1000, 1000), RHYTHM_SAME);
			expect_eq(learn(now + left - 1, 120000000, 1000, 1000), RHYTHM_SAME);
			expect_eq(rhythm.state, RHYTHM_LEFT);
			expect_eq(learn(now += left, 120000000, 1000, 1000), RHYTHM_AGAIN);
			expect_eq(rhythm.state, RHYTHM_LEARN);
			expect_eq(rhythm.period_ms, 0);
			expect(!rhythm_watched(&rhythm));
			now += 200000;
		}
	}
}

/* "Frames shorter than that need no help", and what is longer is none: also later on. */
static void test_bounds_later(void)
{
	begin(10000, 60);
	turn(20000, 30, 10);
	expect(rhythm.period_ms >= 50);
	begin(10000, 120000);
	turn(400000, 125999, 10);
	turn(800000, 200000, 10);
	expect(rhythm.state == RHYTHM_LEFT || rhythm.period_ms <= 120000);
}

/* A program that loses its rhythm is not helped for ever. */
static void test_period_lost(void)
{
	static const u32 means[] = { 300, 1000, 3000, 10000 };
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(means); i++) {
		u32 now = 10000;

		begin(now, 1000);
		for (j = 0; j < 200 && rhythm.state == RHYTHM_ACT; j++) {
			for (k = 0; k < 300; k++) {
				u64 us = random_exponential(means[i] * 1000ull);

				/* Pages that come in within half a period are of the same use. */
				if (us >= rhythm.period_ms * 500ull)
					period_add(&rhythm.uses, us);
			}
			now += 3 * rhythm.period_ms;
			rhythm_turn(&rhythm, now);
		}
		if (!expect(rhythm.state != RHYTHM_ACT))
			tap_note("no period, %u ms in the mean: after 200 turns it is %u ms",
				 means[i], rhythm.period_ms);
	}
}

static struct layout layout;

static void hold(u32 hold_ms, u32 pushed, u32 again)
{
	layout_clear(&layout);
	layout.n = 2;
	layout.ranges[0] = (struct range){
		.start = 1 << 20, .end = 2 << 20, .hold_ms = hold_ms, .pushed = pushed,
		.again = again,
	};
	layout.ranges[1] = (struct range){ .start = 3 << 20, .end = 4 << 20, .first = 8 };
	layout.n_chunks = 16;
}

static void test_hold(void)
{
	static const struct {
		u32 hold, pushed, again;
		bool turn;
		u32 want, want_pushed;
	} cases[] = {
		/* More than a fifth, and more than a chunk. */
		{ 0, 1000, 201, false, 20, 0 }, { 0, 1000, 200, false, 0, 1000 },
		{ 100, 1000, 201, false, 200, 0 }, { 100, 1000, 201, true, 200, 0 },
		{ 100, 32, 32, false, 100, 32 }, { 100, 33, 33, false, 200, 0 },
		{ 300, 100, 100, false, 600, 0 }, { 600, 100, 100, false, 1000, 0 },
		{ 1000, 100, 100, false, 1000, 0 },
		/* A fifth or less is what it was. */
		{ 100, 1000, 200, true, 100, 0 }, { 100, 1000, 1, true, 100, 0 },
		/* A little less after a turn in which nothing was. */
		{ 100, 1000, 0, true, 88, 0 }, { 100, 1000, 0, false, 100, 1000 },
		{ 0, 1000, 0, true, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(10000, 1000);
		hold(cases[i].hold, cases[i].pushed, cases[i].again);
		rhythm_hold(&rhythm, &layout, 20, cases[i].turn);
		if (!expect_eq(layout.ranges[0].hold_ms, cases[i].want) ||
		    !expect_eq(layout.ranges[0].pushed, cases[i].want_pushed))
			tap_note("case %u", i);
		expect(!layout.ranges[1].hold_ms && !layout.ranges[1].pushed);
	}
}

/* Of one push a quarter comes back in the course of some looks: twice as long, and no more. */
static void test_hold_once(void)
{
	unsigned int i;

	begin(20000, 10000);
	hold(100, 4000, 0);
	for (i = 0; i < 20; i++) {
		layout.ranges[0].again += 50;
		rhythm_hold(&rhythm, &layout, 20, false);
	}
	expect_eq(layout.ranges[0].hold_ms, 200);
}

/*
 * "a little less after each turn in which nothing was": what is held for a period is never pushed
 * out, and would be held for ever.
 */
static void test_hold_ends(void)
{
	unsigned int i;

	begin(10000, 1000);
	hold(1000, 0, 0);
	for (i = 0; i < 100; i++)
		rhythm_hold(&rhythm, &layout, 20, true);
	expect(layout.ranges[0].hold_ms < 1000);
}

static void test_tick(void)
{
	static const struct {
		u32 period, tick;
	} cases[] = {
		{ 50, 10 }, { 480, 10 }, { 527, 10 }, { 528, 11 }, { 1000, 20 }, { 4800, 100 },
		{ 9600, 200 }, { 10000, 200 }, { 120000, 200 },
	};
	unsigned int i;

	rhythm_init(&rhythm);
	expect_eq(rhythm_tick_ms(&rhythm), 100);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(500000, cases[i].period);
		expect_eq(rhythm_tick_ms(&rhythm), cases[i].tick);
	}
	rhythm.state = RHYTHM_LEFT;
	expect_eq(rhythm_tick_ms(&rhythm), 100);
}

static struct trace trace;

/* see() - a trace, looked through twice a second; returns whether it was taken for periodic */
static bool see(trace_next next, u64 period_us, unsigned int noise, u64 most_us)
{
	u64 step = most_us / 2000 < 500000 ? 500000 : most_us / 2000, now;

	trace_period_us = period_us;
	trace_noise_us = period_us * noise / 1000;
	trace_begin(&trace, next);
	rhythm_init(&rhythm);
	for (now = step; now < most_us; now += step) {
		struct period_found found;

		trace_until(&trace, now);
		trace_find(&trace, &found);
		if (rhythm_learn(&rhythm, (u32)(now / 1000), &found) == RHYTHM_PERIODIC)
			return true;
	}
	return false;
}

static const u64 lengths[] = { 60000, 100000, 333000, 1000000, 4700000, 30000000, 100000000 };

static void test_traces(void)
{
	static const struct {
		const char *name;
		trace_next next;
		unsigned int noise;
	} cases[] = {
		{ "circle", trace_circle, 0 }, { "circle", trace_circle, 50 },
		{ "circle", trace_circle, 100 }, { "two", trace_two, 20 },
		{ "half stays", trace_half_stays, 20 }, { "zigzag", trace_zigzag, 50 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			u64 most = 8 * lengths[j] + 2000000;
			bool found = see(cases[i].next, lengths[j], cases[i].noise, most);

			if (!expect(found) || !trace_near(rhythm.period_ms * 1000ull, lengths[j]))
				tap_note("%s of %llu us, noise %u", cases[i].name, lengths[j],
					 cases[i].noise);
		}
	}
}

static void test_drift(void)
{
	unsigned int j, k;

	for (j = 0; j < ARRAY_SIZE(lengths); j++) {
		if (!expect(see(trace_drift, lengths[j], 10, 8 * lengths[j] + 2000000)))
			continue;
		for (k = 1; trace_drift_pass(k) < trace.now_us; k++)
			;
		trace_near(rhythm.period_ms * 1000ull,
			   trace_drift_pass(k) - trace_drift_pass(k - 1));
	}
}

static void test_not_periodic(void)
{
	u64 mean;

	for (mean = 1000; mean < 3000000000ull; mean += mean / 2) {
		if (!expect(!see(trace_exponential, mean, 0, 12 * mean + 5000000)))
			tap_note("a mean of %llu us: taken for a period of %u ms", mean,
				 rhythm.period_ms);
	}
}

/* Not periodic any more before it has been seen for long enough. */
static void test_lost_early(void)
{
	unsigned int j;

	for (j = 3; j < ARRAY_SIZE(lengths); j++) {
		trace_change_us = lengths[j] * 3 / 10;
		if (!expect(!see(trace_lost, lengths[j], 10, 20 * lengths[j])))
			tap_note("%llu us", lengths[j]);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "what is periodic", test_learn },
		{ "a period has to be seen for as long as it is", test_seen },
		{ "another period has to be seen, too", test_seen_another },
		{ "turns", test_turn },
		{ "which programs are worse off", test_worse },
		{ "turns without uses", test_no_uses },
		{ "left alone, longer each time", test_left },
		{ "the bounds of a period hold later, too", test_bounds_later },
		{ "a period that is lost", test_period_lost },
		{ "how long memory is held", test_hold },
		{ "what comes back once counts once", test_hold_once },
		{ "nothing is held for ever", test_hold_ends },
		{ "ticks", test_tick },
		{ "traces of periodic programs", test_traces },
		{ "a period that becomes longer", test_drift },
		{ "exponential times are not periodic", test_not_periodic },
		{ "a period that is lost before it is known", test_lost_early },
	};

	return tap_main("rhythm", cases, ARRAY_SIZE(cases), argc, argv);
}
