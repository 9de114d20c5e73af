// SPDX-License-Identifier: GPL-2.0
/*
 * Which programs are periodic, and how long memory is held; by tables, and by traces of swap-outs.
 */
#include "periods.h"
#include "trace.h"
#include "tree.h"

static struct rhythm rhythm;

static enum rhythm_change learn(u32 now_ms, u64 us, unsigned int share, u32 events)
{
	struct period_found found = { .us = us, .share = share, .mean_us = us, .events = events };

	return rhythm_learn(&rhythm, now_ms, &found);
}

/* act() - make the program periodic, so that help begins at @now_ms */
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

/* turn_of() - add @events uses that are @period_ms apart, and look whether the turn is over */
static enum rhythm_change turn_of(u32 now_ms, u32 period_ms, unsigned int events, bool trim)
{
	while (events--)
		period_add(&rhythm.uses, period_ms * 1000ull);
	return rhythm_turn(&rhythm, now_ms, trim);
}

static enum rhythm_change turn(u32 now_ms, u32 period_ms, unsigned int events)
{
	return turn_of(now_ms, period_ms, events, false);
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

/* A period has to be seen for its own length, without a break. */
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
	expect_eq(rhythm.turn_ms, 10000);
	expect_eq(rhythm.uses.total, 10);
	expect_eq(turn(13000, 2000, 0), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.turn_ms, 13000);
	expect_eq(rhythm.uses.total, 0);
	expect_eq(rhythm.period_ms, 2000);
	expect_eq(rhythm.base_ms, 1000);
	/* The next turn lasts three of the new periods. */
	expect_eq(turn(18999, 2000, 10), RHYTHM_SAME);
	expect_eq(rhythm.turn_ms, 13000);
	expect_eq(turn(19000, 2000, 0), RHYTHM_SAME);
	expect_eq(rhythm.turn_ms, 19000);
	expect_eq(rhythm.uses.total, 0);
	expect_eq(rhythm.period_ms, 2000);
	/* The period may become much longer; the trial judges whether that is worse. */
	expect_eq(turn(29000, 60000, 10), RHYTHM_NEW_PERIOD);
	expect_eq(turn(329000, 60000, 10), RHYTHM_SAME);
	expect_eq(rhythm.state, RHYTHM_ACT);
	expect_eq(turn(629000, 500, 10), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, 500);
	expect_eq(rhythm.base_ms, 1000);
	/* Across the wrap. */
	begin(UINT32_MAX - 999, 1000);
	expect_eq(turn(1999, 900, 10), RHYTHM_SAME);
	expect_eq(turn(2000, 900, 0), RHYTHM_NEW_PERIOD);
}

/* A program that has all its memory shows no uses. */
static void test_no_uses(void)
{
	unsigned int i;

	begin(10000, 1000);
	for (i = 0; i < 4; i++)
		expect_eq(turn(20000 + i * 10000, 3000, i), RHYTHM_SAME);
	expect_eq(rhythm.period_ms, 1000);
	/* Fewer than four uses do not show that the period is lost. */
	expect_eq(turn(60000, 300000, 3), RHYTHM_SAME);
	expect_eq(turn(70000, 30, 3), RHYTHM_SAME);
	expect_eq(rhythm.state, RHYTHM_ACT);
	expect_eq(turn(80000, 3000, 4), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, 3000);
}

/* If fewer than half of the uses agree, the period is the mean of all. */
static void test_mean(void)
{
	static const struct {
		u32 one_ms, ones, other_ms, others, period;
	} cases[] = {
		{ 1000, 5, 3000, 5, 1000 }, { 3000, 5, 1000, 5, 1000 }, { 1000, 6, 3000, 5, 1000 },
		{ 1000, 5, 3000, 6, 3000 }, { 800, 10, 800, 0, 800 }, { 1000, 10, 1000, 0, 1000 },
	};
	unsigned int i, j;

	/* Half is enough. */
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(10000, 1000);
		for (j = 0; j < cases[i].ones; j++)
			period_add(&rhythm.uses, cases[i].one_ms * 1000ull);
		expect_eq(turn(20000, cases[i].other_ms, cases[i].others),
			  cases[i].period == 1000 ? RHYTHM_SAME : RHYTHM_NEW_PERIOD);
		if (!expect_eq(rhythm.period_ms, cases[i].period))
			tap_note("case %u", i);
	}
	/* 499 of 1000 are too few, but 749 are within an octave, so the mean counts. */
	begin(10000, 1000);
	for (i = 0; i < 499; i++)
		period_add(&rhythm.uses, 2000000);
	for (i = 0; i < 250; i++)
		period_add(&rhythm.uses, 1200000);
	expect_eq(turn(20000, 8000, 251), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, (499 * 2000 + 250 * 1200 + 251 * 8000) / 1000);
	/* The mean is the same. */
	begin(10000, 1000);
	for (i = 0; i < 5; i++)
		period_add(&rhythm.uses,
			   (u64)((const u32 []){ 640, 800, 1000, 1200, 1360 })[i] * 1000);
	expect_eq(rhythm_turn(&rhythm, 20000, false), RHYTHM_SAME);
	expect_eq(rhythm.turn_ms, 20000);
}

/* lost() - check that the state is as at the beginning */
static void lost(void)
{
	static const struct rhythm nothing;

	expect(!memcmp(&rhythm, &nothing, sizeof(rhythm)));
	expect(!rhythm_watched(&rhythm));
}

/* Fewer than half of the uses are within an octave: the period is lost */
static void test_scattered(void)
{
	static const struct {
		u32 ms[4], n[4];
		bool lost;
	} cases[] = {
		{ { 1000 }, { 4 }, false },
		{ { 1000, 4000 }, { 5, 5 }, false },
		{ { 500, 4000 }, { 499, 501 }, false },
		{ { 100, 400, 1600 }, { 334, 333, 333 }, true },
		{ { 100, 1600, 1900, 6400 }, { 251, 249, 250, 250 }, true },
		{ { 100, 1600, 1900, 6400 }, { 250, 250, 250, 250 }, false },
	};
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(10000, 1000);
		for (j = 0; j < 4; j++)
			for (k = 0; k < cases[i].n[j]; k++)
				period_add(&rhythm.uses, cases[i].ms[j] * 1000ull);
		if (!expect_eq(rhythm_turn(&rhythm, 20000, false) == RHYTHM_LOST, cases[i].lost))
			tap_note("case %u", i);
		if (cases[i].lost)
			lost();
	}
	/* Nine octaves; each has two ninths at most. */
	begin(10000, 1000);
	for (i = 0; i < 9; i++)
		period_add(&rhythm.uses, 100000ull << i);
	expect_eq(rhythm_turn(&rhythm, 20000, false), RHYTHM_LOST);
	lost();
}

/* "If no memory of a trimmed program comes back, its period is wrong"; of others it is right. */
static void test_trim(void)
{
	unsigned int i, trim;

	for (trim = 0; trim < 2; trim++) {
		for (i = 0; i < 4; i++) {
			begin(10000, 1000);
			/* The turn is not over. */
			expect_eq(turn_of(12999, 1000, i, trim), RHYTHM_SAME);
			expect_eq(rhythm.turn_ms, 10000);
			if (!expect_eq(turn_of(13000, 0, 0, trim),
				       trim ? RHYTHM_LOST : RHYTHM_SAME))
				tap_note("%u uses, %s trim", i, trim ? "with" : "without");
			if (trim) {
				lost();
				act(40000, 700);
				expect_eq(rhythm.base_ms, 700);
				continue;
			}
			expect_eq(rhythm.state, RHYTHM_ACT);
			expect_eq(rhythm.period_ms, 1000);
			expect_eq(rhythm.turn_ms, 13000);
		}
	}
	/* Four uses are enough, for the same period and for another one. */
	begin(10000, 1000);
	expect_eq(turn_of(13000, 1000, 4, true), RHYTHM_SAME);
	expect_eq(turn_of(16000, 2000, 4, true), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, 2000);
	expect_eq(turn_of(22000, 30, 4, true), RHYTHM_LOST);
	lost();
}

/* A period that leaves the bounds (50 ms to 2 minutes) later is lost at once. */
static void test_bounds_later(void)
{
	static const struct {
		u32 ms;
		bool lost;
	} cases[] = {
		{ 50, false }, { 49, true }, { 9, true }, { 120000, false }, { 120001, true },
		{ 300000, true }, { UINT32_MAX, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(10000, 1000);
		if (!expect_eq(turn(20000, cases[i].ms, 10),
			       cases[i].lost ? RHYTHM_LOST : RHYTHM_NEW_PERIOD))
			tap_note("%u ms", cases[i].ms);
		if (cases[i].lost) {
			lost();
			/* The period is learnt like the first one. */
			act(40000, 700);
			expect_eq(rhythm.base_ms, 700);
		} else {
			expect_eq(rhythm.period_ms, cases[i].ms);
		}
	}
	/* The times that agree are within the bounds, the mean of all is not; then vice versa. */
	begin(10000, 60);
	for (i = 0; i < 6; i++)
		period_add(&rhythm.uses, 60000);
	expect_eq(turn(20000, 900000, 5), RHYTHM_SAME);
	expect_eq(rhythm.period_ms, 60);
	for (i = 0; i < 6; i++)
		period_add(&rhythm.uses, 30000);
	expect_eq(turn(30000, 10000, 5), RHYTHM_LOST);
	lost();
	/* Fewer than half agree: the mean of all has to be within the bounds. */
	begin(10000, 1000);
	for (i = 0; i < 4; i++)
		period_add(&rhythm.uses, 30000);
	for (i = 0; i < 3; i++)
		period_add(&rhythm.uses, 10000);
	expect_eq(turn(20000, 90, 2), RHYTHM_LOST);
	lost();
	begin(10000, 1000);
	for (i = 0; i < 5; i++)
		period_add(&rhythm.uses, 100000000);
	for (i = 0; i < 4; i++)
		period_add(&rhythm.uses, 140000000);
	expect_eq(turn(20000, 20000, 1), RHYTHM_NEW_PERIOD);
	expect_eq(rhythm.period_ms, 100000);
	for (i = 0; i < 5; i++)
		period_add(&rhythm.uses, 120003000);
	expect_eq(turn(400000, 140000, 4), RHYTHM_LOST);
	lost();
}

/*
 * A program that loses its period, so that its uses come at random, is not helped for long. Uses
 * are at least a quarter of the old period apart.
 */
static void test_period_lost(void)
{
	static const u32 means_ms[] = { 15, 24, 60, 300, 1000, 3000, 10000, 70000, 150000 };
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(means_ms); i++) {
		u32 now = 10000;

		begin(now, 1000);
		for (j = 0; j < 200 && rhythm.state == RHYTHM_ACT; j++) {
			for (k = 0; k < 300; k++) {
				/* Pages that come within a quarter of a period belong to a use. */
				period_add(&rhythm.uses, rhythm.period_ms * 250ull +
					   random_exponential(means_ms[i] * 1000ull));
			}
			now += 3 * rhythm.period_ms;
			rhythm_turn(&rhythm, now, false);
		}
		if (!expect(rhythm.state != RHYTHM_ACT) || !expect(now <= 10000 + 5 * 1000))
			tap_note("no period, %u ms in the mean: after %u turns it is %u ms",
				 means_ms[i], j, rhythm.period_ms);
		lost();
	}
}

/* Frames that differ in their length, the longest by four times. */
static void test_uneven(void)
{
	unsigned int j, k;
	u32 now = 10000;

	begin(now, 1000);
	for (j = 0; j < 50; j++) {
		for (k = 0; k < 300; k++)
			period_add(&rhythm.uses, 1000ull * (500 + random_below(1501)));
		now += 3 * rhythm.period_ms;
		expect(rhythm_turn(&rhythm, now, false) != RHYTHM_LOST);
		trace_near(rhythm.period_ms, 1250);
	}
	expect_eq(rhythm.state, RHYTHM_ACT);
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
		/* A fifth or less: the same. */
		{ 100, 1000, 200, true, 100, 0 }, { 100, 1000, 1, true, 100, 0 },
		/* A little less after a turn without such a page. */
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

/* A quarter of a push comes back in the course of some looks: twice as long, and no more. */
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
 * "an eighth less after each turn without such a page": a range that is held for a period is never
 * pushed out, and would be held for ever.
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
	rhythm.state = RHYTHM_LEARN;
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

/* A program that loses its period before that was seen for long enough never is periodic. */
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
		{ "turns without uses", test_no_uses },
		{ "the mean, where fewer than half agree", test_mean },
		{ "uses that are scattered are no period", test_scattered },
		{ "turns without uses of a program that is trimmed", test_trim },
		{ "the bounds of a period hold later, too", test_bounds_later },
		{ "a period that is lost", test_period_lost },
		{ "frames of different lengths", test_uneven },
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
