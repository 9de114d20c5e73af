// SPDX-License-Identifier: GPL-2.0
/*
 * How much apps at the back keep: each rule at its border, and systems whose costs are known.
 */
#include "balance.h"
#include "harness.h"
#include "tree.h"

#define CALM 8
#define THRASHES 3
#define REST 16
#define GROW_LEAST 128
#define LEAST_US 2000

/* So long that no wait for swap in these cases is most of it. */
#define LONG_MS 1000000000

static struct balance balance;

/* step() - @file_us and @anon_us were read in @ms; memory was short */
static enum balance_state step(u32 ms, u64 file_us, u64 anon_us, u32 most)
{
	struct balance_news news = {
		.ms = ms, .file_us = file_us, .anon_us = anon_us, .short_of_memory = true,
	};

	return balance_step(&balance, &news, most);
}

/* calm_step() - the kernel had nothing to look for */
static enum balance_state calm_step(u64 file_us, u64 anon_us, u32 most)
{
	struct balance_news news = { .ms = LONG_MS, .file_us = file_us, .anon_us = anon_us };

	return balance_step(&balance, &news, most);
}

/* begin() - memory is short already, and @keep pages stay */
static void begin(u32 keep)
{
	balance_begin(&balance, keep);
	balance.calm = 0;
}

static void test_begin(void)
{
	static const u32 mosts[] = { 0, 1, 5000, UINT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mosts); i++) {
		memset(&balance, 0xff, sizeof(balance));
		balance_begin(&balance, mosts[i]);
		expect_eq(balance.keep, mosts[i]);
		expect_eq(balance.thrash, 0);
		expect_eq(balance.rest, 0);
		expect_eq(calm_step(0, 0, mosts[i]), BALANCE_PLENTY);
		expect_eq(balance.keep, mosts[i]);
	}
	/* What is needed grows with the apps. */
	expect_eq(calm_step(0, 0, 7000), BALANCE_PLENTY);
	expect_eq(balance.keep, 7000);
	expect_eq(calm_step(0, 0, 300), BALANCE_PLENTY);
	expect_eq(balance.keep, 300);
}

/* What ends plenty: that the kernel looks for pages, or that files cost something. */
static void test_plenty_ends(void)
{
	static const struct {
		u64 file_us, anon_us;
		bool is_short, ends;
	} cases[] = {
		{ 0, 0, true, true }, { 0, 0, false, false }, { LEAST_US, 0, false, false },
		{ LEAST_US + 1, 0, false, true }, { 0, 1000000, false, false },
		{ LEAST_US, 1000000, false, false }, { LEAST_US + 1, 1000000, true, true },
		{ UINT64_MAX, 0, false, true },
	};
	enum balance_state state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			LONG_MS, cases[i].file_us, cases[i].anon_us, cases[i].is_short,
		};

		balance_begin(&balance, 1000);
		state = balance_step(&balance, &news, 1000);
		if (!expect_eq(state == BALANCE_WORK, cases[i].ends) ||
		    !expect_eq(state == BALANCE_PLENTY, !cases[i].ends))
			tap_note("case %u", i);
		expect_eq(balance.calm, CALM * !cases[i].ends);
	}
}

/* It is plenty after eight calm switches, not after seven; and short again at once. */
static void test_plenty_again(void)
{
	unsigned int i, round;

	balance_begin(&balance, 1000);
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	for (round = 0; round < 3; round++) {
		expect_eq(step(LONG_MS, 10000, 0, 1000), BALANCE_WORK);
		expect_eq(balance.keep, 500);
		for (i = 1; i < CALM; i++)
			expect_eq(calm_step(0, 0, 1000), BALANCE_WORK);
		/* Short once more: from the beginning. What is kept stays as it is. */
		expect_eq(step(LONG_MS, 0, 0, 1000), BALANCE_WORK);
		for (i = 1; i < CALM; i++) {
			expect_eq(calm_step(LEAST_US, LEAST_US, 1000), BALANCE_WORK);
			expect_eq(balance.keep, 500);
		}
		expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
		expect_eq(balance.keep, 1000);
		for (i = 0; i < 100; i++)
			expect_eq(calm_step(0, i * 1000, 1000), BALANCE_PLENTY);
		expect_eq(balance.calm, CALM);
	}
}

/* What each side costs, and what is kept then of 10000. */
static void test_sides(void)
{
	static const struct {
		u64 file_us, anon_us;
		u32 keep, want;
	} cases[] = {
		/* No cost at all. */
		{ 0, 0, 1000, 1000 }, { 2000, 0, 1000, 1000 }, { 0, 2000, 1000, 1000 },
		{ 2001, 0, 1000, 500 }, { 0, 2001, 1000, 1253 },
		/* More by a quarter, which is rounded down. */
		{ 10000, 10000, 1000, 1000 }, { 12500, 10000, 1000, 1000 },
		{ 12501, 10000, 1000, 500 }, { 10000, 12500, 1000, 1000 },
		{ 10000, 12501, 1000, 1253 }, { 12503, 10003, 1000, 1000 },
		{ 12504, 10003, 1000, 500 }, { 10003, 12503, 1000, 1000 },
		{ 10003, 12504, 1000, 1253 }, { 2001, 1600, 1000, 500 },
		{ 2001, 1601, 1000, 1000 },
		/* Half is rounded down, and none stays none. */
		{ 5000, 0, 1001, 500 }, { 5000, 0, 2, 1 }, { 5000, 0, 1, 0 }, { 5000, 0, 0, 0 },
		{ 5000, 0, 10000, 5000 },
		/* An eighth and 128, up to all. */
		{ 0, 5000, 0, 128 }, { 0, 5000, 7, 135 }, { 0, 5000, 8, 137 },
		{ 0, 5000, 8775, 9999 }, { 0, 5000, 8776, 10000 }, { 0, 5000, 8777, 10000 },
		{ 0, 5000, 10000, 10000 },
		/* More was kept than there is now. */
		{ 0, 0, 20000, 10000 }, { 5000, 0, 20000, 5000 }, { 0, 5000, 20000, 10000 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].keep);
		expect_eq(step(LONG_MS, cases[i].file_us, cases[i].anon_us, 10000), BALANCE_WORK);
		if (!expect_eq(balance.keep, cases[i].want))
			tap_note("%llu us and %llu us of %u", (u64)cases[i].file_us,
				 (u64)cases[i].anon_us, cases[i].keep);
	}
}

/* others() - no cost: @few pages are needed at the back, and then @many; so many stay at least */
static void others(u32 few, u32 many, u32 want)
{
	expect_eq(step(LONG_MS, 0, 0, few), BALANCE_WORK);
	expect_eq(step(LONG_MS, 0, 0, many), BALANCE_WORK);
	if (!expect(balance.keep >= want))
		tap_note("%u of %u stay instead of %u", balance.keep, many, want);
}

/* All that is needed stays until a cost shows: also if other apps are at the back meanwhile. */
static void test_other_apps(void)
{
	/* The large one is in front, and goes to the back. */
	begin(1000);
	others(100, 1000, 1000);
	/* Nothing is known of what apps need at the beginning. */
	begin(0);
	others(0, 1000, 1000);
	/* A cost showed that so many are right. */
	begin(1000);
	step(LONG_MS, 10000, 0, 1000);
	expect_eq(balance.keep, 500);
	others(100, 1000, 500);
}

/* Is that one bad: more than half of the time, in milliseconds, each rounded down? */
static void test_thrash_border(void)
{
	static const struct {
		u32 ms;
		u64 anon_us;
		bool bad;
	} cases[] = {
		{ 1000, 500000, false }, { 1000, 500999, false }, { 1000, 501000, true },
		{ 1001, 500999, false }, { 1001, 501000, true }, { 1, 999, false },
		{ 1, 1000, true }, { 2, 1999, false }, { 2, 2000, true }, { 0, 0, false },
		{ 0, 999, false }, { 0, 1000, true }, { 1000, 0, false },
		{ UINT32_MAX, 2147483647999ull, false }, { UINT32_MAX, 2147483648000ull, true },
		{ UINT32_MAX, UINT64_MAX, true }, { 0, UINT64_MAX, true },
	};
	enum balance_state state;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(1000);
		for (n = 1; n < THRASHES; n++) {
			expect_eq(step(cases[i].ms, 0, cases[i].anon_us, 1000), BALANCE_WORK);
			expect_eq(balance.thrash, n * cases[i].bad);
		}
		state = step(cases[i].ms, 0, cases[i].anon_us, 1000);
		if (!expect_eq(state == BALANCE_THRASH, cases[i].bad) ||
		    !expect_eq(state == BALANCE_WORK, !cases[i].bad))
			tap_note("%llu us in %u ms", (u64)cases[i].anon_us, cases[i].ms);
	}
}

/* bad() - a switch that mostly waited for swap */
static enum balance_state bad(void)
{
	return step(1000, 0, 600000, 1000);
}

/* thrash() - it begins, and lasts for so many switches, whatever they are */
static void thrash(void)
{
	unsigned int i, keep;

	expect_eq(bad(), BALANCE_WORK);
	expect_eq(bad(), BALANCE_WORK);
	keep = balance.keep;
	expect_eq(bad(), BALANCE_THRASH);
	expect_eq(balance.rest, REST);
	for (i = 0; i < REST; i++) {
		expect_eq(i % 3 ? bad() : step(LONG_MS, i % 2 * 100000, 0, 1000), BALANCE_THRASH);
		expect_eq(balance.thrash, 0);
		expect_eq(balance.rest, REST - 1 - i);
	}
	/* What is kept is not judged by that. */
	expect_eq(balance.keep, keep);
}

static void test_thrash(void)
{
	unsigned int i;

	begin(500);
	for (i = 0; i < 10; i++) {
		expect_eq(bad(), BALANCE_WORK);
		expect_eq(bad(), BALANCE_WORK);
		expect_eq(step(1000, 0, 500000, 1000), BALANCE_WORK);
		expect_eq(balance.thrash, 0);
	}
	/* It comes back after three more bad ones, */
	for (i = 0; i < 3; i++)
		thrash();
	/* or work goes on. */
	expect_eq(step(1000, 100000, 0, 1000), BALANCE_WORK);
	expect_eq(balance.keep, 500);
	thrash();
}

/* Memory becomes plenty meanwhile: that is seen when the rest is over. */
static void test_thrash_calm(void)
{
	unsigned int i;

	begin(200);
	for (i = 0; i < THRASHES; i++)
		bad();
	for (i = 0; i < REST; i++) {
		expect_eq(calm_step(0, 0, 1000), BALANCE_THRASH);
		expect_eq(balance.calm, i + 1 < CALM ? i + 1 : CALM);
	}
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	expect_eq(balance.keep, 1000);
	/* Or it was not calm for long enough. */
	begin(200);
	for (i = 0; i < THRASHES; i++)
		bad();
	for (i = 0; i < REST; i++)
		expect_eq(i < REST - 2 ? bad() : calm_step(0, 0, 1000), BALANCE_THRASH);
	expect_eq(calm_step(0, 0, 1000), BALANCE_WORK);
	expect_eq(balance.calm, 3);
}

/* A system: what each side costs, if @keep of @most stay, and how much that varies. */
struct system {
	const char *name;
	u64 (*file_us)(u32 keep, u32 most);
	u64 (*anon_us)(u32 keep, u32 most);
	u32 most;
	u32 noise;			/* permille */
	bool smooth;			/* no cost jumps: the sum of both gets small, too */
};

static u64 file_line(u32 keep, u32 most)
{
	return 1000000ull * keep / most;
}

static u64 file_dear(u32 keep, u32 most)
{
	return 8000000ull * keep / most;
}

static u64 file_late(u32 keep, u32 most)
{
	return keep > most / 10 * 7 ? 50000 + 2000000ull * (keep - most / 10 * 7) / most : 50000;
}

static u64 anon_line(u32 keep, u32 most)
{
	return 1000000ull * (most - keep) / most;
}

static u64 anon_dear(u32 keep, u32 most)
{
	return 8000000ull * (most - keep) / most;
}

/* The first that is kept is worth most. */
static u64 anon_curve(u32 keep, u32 most)
{
	return 8000000ull * (most - keep) / most * (most - keep) / most * (most - keep) / most;
}

/* As if all of it were one loop: nothing, or all. */
static u64 anon_cliff(u32 keep, u32 most)
{
	return keep < most / 2 ? 900000 : 0;
}

static u64 always(u32 keep, u32 most)
{
	return 500000;
}

static u64 never(u32 keep, u32 most)
{
	return 0;
}

static const struct system systems[] = {
	{ "lines", file_line, anon_line, 10000, 0, true },
	{ "lines with noise", file_line, anon_line, 10000, 100, true },
	{ "dear files", file_dear, anon_line, 10000, 0, true },
	{ "dear files with noise", file_dear, anon_line, 100000, 100, true },
	{ "dear swap", file_line, anon_dear, 10000, 0, true },
	{ "dear swap with noise", file_line, anon_dear, 100000, 100, true },
	{ "a curve", file_line, anon_curve, 20000, 0, true },
	{ "a curve with noise", file_dear, anon_curve, 20000, 150, true },
	{ "files that fit beside seven tenths", file_late, anon_curve, 20000, 50, true },
	{ "a cliff", file_line, anon_cliff, 10000, 0, false },
	{ "a cliff with noise", file_dear, anon_cliff, 10000, 100, false },
	{ "few pages", file_line, anon_line, 300, 50, false },
	{ "one page", file_line, anon_line, 1, 0, false },
	{ "files cost, whatever stays", always, never, 10000, 100, false },
	{ "swap costs, whatever stays", never, always, 10000, 100, false },
	{ "nothing costs anything", never, never, 10000, 0, false },
};

static bool is_more(u64 us, u64 other_us)
{
	return us > LEAST_US && us > other_us + other_us / 4;
}

/* part() - less or more, by what noise does */
static u64 part(u64 us, int permille)
{
	return us * (1000 + permille) / 1000;
}

static u32 grown(u32 keep, u32 most)
{
	keep += keep / 8 + GROW_LEAST;
	return keep < most ? keep : most;
}

/* Where what is kept has to end up by the rules, and does not leave any more. */
struct bounds {
	u32 low, high;
	bool rests;			/* no step leads across the part in which it stands still */
};

static struct bounds bounds(const struct system *system)
{
	int noise = system->noise;
	u32 k, may_grow = 0, must_grow = 0, may_fall = system->most, must_fall = system->most;
	struct bounds bounds;

	for (k = 0; k <= system->most; k++) {
		u64 file = system->file_us(k, system->most);
		u64 anon = system->anon_us(k, system->most);

		/* It grows below, and falls above. */
		if (is_more(part(anon, noise), part(file, -noise)))
			may_grow = k + 1;
		if (is_more(part(anon, -noise), part(file, noise)))
			must_grow = k + 1;
		if (may_fall == system->most && is_more(part(file, noise), part(anon, -noise)))
			may_fall = k ? k - 1 : 0;
		if (must_fall == system->most && is_more(part(file, -noise), part(anon, noise)))
			must_fall = k ? k - 1 : 0;
	}
	/* One that may fall by a half is the lowest of those. */
	bounds.low = may_fall < system->most ? (may_fall + 1) / 2 : system->most;
	if (must_grow < bounds.low)
		bounds.low = must_grow;
	bounds.high = must_fall;
	if (may_grow && grown(may_grow - 1, system->most) > bounds.high)
		bounds.high = grown(may_grow - 1, system->most);
	bounds.rests = !noise && (!may_grow || grown(may_grow - 1, system->most) <= may_fall);
	return bounds;
}

static u64 noisy(u64 us, int noise)
{
	return part(us, (int)random_below(2 * noise + 1) - noise);
}

/* run() - one switch; returns what both sides have cost */
static u64 run(const struct system *system)
{
	u32 keep = balance.keep < system->most ? balance.keep : system->most;
	u64 file = noisy(system->file_us(keep, system->most), system->noise);
	u64 anon = noisy(system->anon_us(keep, system->most), system->noise);

	expect_eq(step(LONG_MS, file, anon, system->most), BALANCE_WORK);
	return file + anon;
}

/* cheapest() - what both sides cost, where that is least */
static u64 cheapest(const struct system *system)
{
	u64 least = UINT64_MAX, sum;
	u32 k;

	for (k = 0; k <= system->most; k++) {
		sum = system->file_us(k, system->most) + system->anon_us(k, system->most);
		if (sum < least)
			least = sum;
	}
	return least;
}

/* settle() - from wherever it is it gets there within 60 switches, and stays there */
static void settle(const struct system *system)
{
	struct bounds limits = bounds(system);
	unsigned int i, moves = 0, rounds = 400;
	u32 before;
	u64 sum = 0;

	for (i = 0; i < 60; i++)
		run(system);
	for (i = 0; i < rounds; i++) {
		before = balance.keep;
		sum += run(system);
		moves += balance.keep != before;
		if (!expect(balance.keep >= limits.low && balance.keep <= limits.high))
			tap_note("%s: %u is not from %u to %u", system->name, balance.keep,
				 limits.low, limits.high);
	}
	if (limits.rests && !expect_eq(moves, 0))
		tap_note("%s: it moves %u times", system->name, moves);
	/* Both cost the same there: twice as much as the cheapest, and the rules' slack. */
	if (system->smooth && !expect(sum / rounds <= cheapest(system) * 5 / 2))
		tap_note("%s: it costs %llu us, and could cost %llu", system->name, sum / rounds,
			 cheapest(system));
}

static void test_settles(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(systems); i++) {
		for (j = 0; j <= 10; j++) {
			begin((u64)systems[i].most * j / 10);
			settle(&systems[i]);
		}
	}
}

/* One side only: all is kept in the end, or nothing. */
static void test_one_side(void)
{
	static const struct system files = { "", always, never, 10000, 0, false };
	static const struct system swap = { "", never, always, 10000, 0, false };
	unsigned int i;

	begin(10000);
	for (i = 0; i < 14; i++) {
		expect(balance.keep > 0);
		run(&files);
	}
	expect_eq(balance.keep, 0);
	for (i = 0; i < 21; i++) {
		expect(balance.keep < 10000);
		run(&swap);
	}
	expect_eq(balance.keep, 10000);
}

/* One system becomes another, with memory that is plenty, or thrashing, between. */
static void test_other_system(void)
{
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(systems); i++) {
		for (j = 0; j < ARRAY_SIZE(systems); j++) {
			begin(systems[i].most);
			settle(&systems[i]);
			for (k = 0; j % 3 == 1 && k < CALM; k++)
				calm_step(0, 0, systems[i].most);
			for (k = 0; j % 3 == 2 && k < THRASHES + REST; k++)
				step(10, 0, 6000, systems[i].most);
			settle(&systems[j]);
		}
	}
}

/* Nothing is wanted, all is, and costs without end: each of them with each. */
static void test_extremes(void)
{
	static const u64 costs[] = {
		0, LEAST_US, LEAST_US + 1, UINT32_MAX, 1ull << 63, UINT64_MAX,
	};
	static const u32 sizes[] = { 0, 1, 127, 128, INT32_MAX, UINT32_MAX - 1, UINT32_MAX };
	static const u32 times[] = { 0, 1, UINT32_MAX };
	unsigned int n = ARRAY_SIZE(costs), i, j;

	for (i = 0; i < n * n * ARRAY_SIZE(sizes) * ARRAY_SIZE(times); i++) {
		u64 file_us = costs[i % n], anon_us = costs[i / n % n];
		u32 ms = times[i / n / n % ARRAY_SIZE(times)];
		u32 most = sizes[i / n / n / ARRAY_SIZE(times)];

		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			begin(sizes[j]);
			expect_eq(step(ms, file_us, anon_us, most), BALANCE_WORK);
			expect(balance.keep <= most);
			balance.thrash = THRASHES - 1;
			step(ms, file_us, anon_us, most);
			expect(balance.keep <= most);
			balance_begin(&balance, sizes[j]);
			calm_step(file_us, anon_us, most);
			expect(balance.keep <= most);
		}
	}
}

/* More is kept when swap costs more, however much that is already. */
static void test_grow_huge(void)
{
	static const u32 keeps[] = {
		3000000000u, 3817748593u, 3817748594u, 4000000000u, UINT32_MAX,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keeps); i++) {
		begin(keeps[i]);
		step(LONG_MS, 0, 1000000, UINT32_MAX);
		if (!expect(balance.keep >= keeps[i]))
			tap_note("%u instead of %u", balance.keep, keeps[i]);
	}
}

/* The dearer side is that, however dear both are. */
static void test_cost_huge(void)
{
	static const u64 less[] = { 1ull << 62, 1ull << 63 }, more = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(less); i++) {
		begin(1000);
		step(UINT32_MAX, more, less[i], 5000);
		expect_eq(balance.keep, 500);
		begin(1000);
		step(UINT32_MAX, less[i], more, 5000);
		expect_eq(balance.keep, 1253);
	}
}

static u64 random_us(void)
{
	return random_below(4) ? random_u64() >> (2 + random_below(62)) : 0;
}

/* follows() - what one step may do, if it was not the rest that decided */
static bool follows(const struct balance *old, const struct balance_news *news, u32 most)
{
	u32 keep = old->keep < most ? old->keep : most, want = keep;

	if (is_more(news->file_us, news->anon_us))
		want = keep / 2;
	else if (is_more(news->anon_us, news->file_us))
		want = grown(keep, most);
	return expect_eq(balance.keep, want);
}

/* check() - a step from @old by @news */
static void check(const struct balance *old, const struct balance_news *news, u32 most)
{
	bool calm = !news->short_of_memory && news->file_us <= LEAST_US;
	bool is_bad = news->anon_us / 1000 > news->ms / 2;
	enum balance_state is = balance_step(&balance, news, most);

	expect_eq(balance.calm, !calm ? 0 : old->calm < CALM ? old->calm + 1 : CALM);
	if (old->rest) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, old->rest - 1);
	} else if (is_bad && old->thrash == THRASHES - 1) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, REST);
	} else {
		expect_eq(is, balance.calm == CALM ? BALANCE_PLENTY : BALANCE_WORK);
		expect_eq(balance.rest, 0);
		expect_eq(balance.thrash, is_bad ? old->thrash + 1 : 0);
	}
	expect(balance.calm <= CALM && balance.rest <= REST && balance.thrash < THRASHES);
	expect(is == BALANCE_THRASH || balance.keep <= most);
	if (is == BALANCE_WORK)
		follows(old, news, most);
	else
		expect_eq(balance.keep, is == BALANCE_PLENTY ? most : old->keep);
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 100 : 2000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 most = random_length(INT32_MAX), share = random_below(100);

		balance_begin(&balance, random_below(2) ? most : 0);
		for (i = 0; i < 300; i++) {
			struct balance old = balance;
			struct balance_news news = {
				random_length(UINT32_MAX), random_us(), random_us(),
				random_below(100) < share,
			};

			if (!random_below(3))
				news.file_us = random_below(2 * LEAST_US);
			if (!random_below(3))
				news.anon_us = random_below(2) * (news.file_us + news.file_us / 4);
			check(&old, &news, random_below(5) ? most : random_below(most));
		}
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "at the beginning", test_begin },
		{ "memory is not plenty any more", test_plenty_ends },
		{ "plenty, short, and plenty again", test_plenty_again },
		{ "one side costs more", test_sides },
		{ "other apps are at the back", test_other_apps },
		{ "what is mostly waiting for swap", test_thrash_border },
		{ "thrashing begins, ends and comes back", test_thrash },
		{ "memory becomes plenty while nothing is done", test_thrash_calm },
		{ "systems whose costs are known", test_settles },
		{ "only one side costs anything", test_one_side },
		{ "one system after the other", test_other_system },
		{ "extremes", test_extremes },
		{ "extremes: what is kept grows", test_grow_huge },
		{ "extremes: costs of both sides", test_cost_huge },
		{ "random steps", test_random },
	};

	return tap_main("balance", cases, ARRAY_SIZE(cases), argc, argv);
}
