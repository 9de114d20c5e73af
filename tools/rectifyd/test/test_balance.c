// SPDX-License-Identifier: GPL-2.0
/*
 * How many needed pages apps at the back keep: each rule of balance.c at its border, then simulated
 * systems with known costs. "Others" are pages that are not known to be needed.
 */
#include "balance.h"
#include "harness.h"
#include "tree.h"

/* Longer than twice all waits for swap below, so that no switch counts as thrashing. */
#define LONG_MS 1000000000

static struct balance balance;

/* step() - a switch that took @ms, without free pages beyond the reserve */
static enum balance_state step(u32 ms, u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = { .ms = ms, .file_us = file_us, .anon_us = anon_us };

	return balance_step(&balance, &news, needed);
}

/* short_step() - a switch during which the kernel reclaimed pages */
static enum balance_state short_step(s32 room, u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = {
		.ms = LONG_MS, .file_us = file_us, .anon_us = anon_us, .room = room,
		.short_of_memory = true,
	};

	return balance_step(&balance, &news, needed);
}

/* calm_step() - a switch without reclaim and with much free memory */
static enum balance_state calm_step(u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = {
		.ms = LONG_MS, .file_us = file_us, .anon_us = anon_us, .room = INT32_MAX,
	};

	return balance_step(&balance, &news, needed);
}

/* begin() - memory is short already, and @keep pages stay */
static void begin(u32 keep)
{
	balance_begin(&balance);
	balance.keep = keep;
	balance.calm = 0;
}

/* cost() - a switch with the same costs as the mean; @pages of files were read again */
static enum balance_state cost(s32 room, u64 file_us, u32 pages, u64 hot_us, u32 needed)
{
	struct balance_news news = {
		.ms = LONG_MS, .file_us = file_us, .file_pages = pages, .hot_us = hot_us,
		.room = room,
	};

	balance.file_us = file_us;
	balance.hot_us = hot_us;
	return balance_step(&balance, &news, needed);
}

/* too_much() - files cost more, and @pages of them were read again: keep less, if allowed */
static void too_much(u32 pages)
{
	expect_eq(cost(0, 20000, pages, 0, UINT32_MAX), BALANCE_WORK);
}

/* too_few() - swap costs more: keep more, if allowed */
static void too_few(void)
{
	expect_eq(cost(0, 0, 0, 20000, UINT32_MAX), BALANCE_WORK);
}

/* nothing() - @n switches without any cost, with means of 0 */
static void nothing(unsigned int n)
{
	while (n--)
		expect_eq(cost(0, 0, 0, 0, UINT32_MAX), BALANCE_WORK);
}

static void test_begin(void)
{
	static const u32 needs[] = { 0, 1, 5000, INT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		memset(&balance, 0xff, sizeof(balance));
		balance_begin(&balance);
		expect_eq(balance.keep, UINT32_MAX);
		expect_eq(balance.next_hold, BALANCE_HOLD);
		expect_eq(balance.calm, BALANCE_CALM);
		expect_eq(balance.thrash + balance.rest + balance.grown, 0);
		expect_eq(balance.hold + balance.give, 0);
		expect_eq(balance.file_us + balance.hot_us + balance.cold_us, 0);
		expect_eq(calm_step(0, 0, needs[i]), BALANCE_PLENTY);
		/* Without a cost of files all pages stay, however short memory is. */
		expect_eq(short_step(-5000, BALANCE_FELT_US, 1000000, needs[i]), BALANCE_WORK);
		expect_eq(balance.keep, UINT32_MAX);
		expect(!balance.give);
	}
	/* The number of needed pages changes with the apps; that sets no limit. */
	expect_eq(step(LONG_MS, 0, 0, 7000), BALANCE_WORK);
	expect_eq(step(LONG_MS, 0, 0, 300), BALANCE_WORK);
	expect_eq(cost(0, 0, 0, 1000000, 9000), BALANCE_WORK);
	expect_eq(balance.keep, UINT32_MAX);
}

/*
 * Reads of files do not count in an app's first visit. With MGLRU they count only after as many
 * switches as there are apps since the last start of an app.
 */
static void test_counts(void)
{
	static const struct {
		bool generations;
		u32 visit, since_new, apps;
		bool counts;
	} cases[] = {
		{ false, 1, 0, 1, false }, { false, 1, 20, 8, false }, { false, 2, 0, 8, true },
		{ false, 2, 1, 8, true }, { true, 1, 20, 8, false }, { true, 2, 1, 8, false },
		{ true, 2, 7, 8, false }, { true, 2, 8, 8, true }, { true, 9, 100, 8, true },
		{ true, 2, 1, 1, true }, { true, UINT32_MAX, UINT32_MAX, 32, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(balance_counts(cases[i].generations, cases[i].visit,
					      cases[i].since_new, cases[i].apps),
			       cases[i].counts))
			tap_note("case %u", i);
}

/* Reads by other processes are no cost of the app. */
static void test_limit(void)
{
	static const struct {
		u64 file_us, waited_us, want_us;
		u32 pages, want;
	} cases[] = {
		{ 0, 0, 0, 0, 0 }, { 50000, 50000, 50000, 300, 300 },
		{ 50000, 90000, 50000, 300, 300 }, { 50000, 0, 0, 300, 0 },
		{ 49999, 25000, 25000, 300, 150 }, { 1, 0, 0, 1, 0 },
		{ UINT32_MAX * 1000ull, 999, 999, UINT32_MAX, 0 },
		{ 4000000000000, 2000000000000, 2000000000000, 4000000000u, 1999999999 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			.file_us = cases[i].file_us, .file_pages = cases[i].pages,
		};

		balance_limit(&news, cases[i].waited_us);
		if (!expect_eq(news.file_us, cases[i].want_us) ||
		    !expect_eq(news.file_pages, cases[i].want))
			tap_note("case %u", i);
	}
}

/* Plenty ends if the kernel reclaims, files cost time, or needed pages do not fit into memory. */
static void test_plenty_ends(void)
{
	static const struct {
		u64 file_us, anon_us;
		s32 room;
		u32 needed;
		bool is_short, ends;
	} cases[] = {
		{ 0, 0, 5000, 1000, true, true }, { 0, 0, 5000, 1000, false, false },
		{ BALANCE_LEAST_US, 0, 5000, 1000, false, false },
		{ BALANCE_LEAST_US + 1, 0, 5000, 1000, false, true },
		{ 0, 1000000, 5000, 1000, false, false },
		{ BALANCE_LEAST_US, 1000000, 5000, 1000, false, false },
		{ BALANCE_LEAST_US + 1, 1000000, 5000, 1000, true, true },
		{ UINT64_MAX, 0, 5000, 1000, false, true },
		/* Room for exactly the needed pages, and for one less. */
		{ 0, 0, 1000, 1000, false, false }, { 0, 0, 999, 1000, false, true },
		{ 0, 0, 1, 0, false, false }, { 0, 0, 0, 0, false, true },
		{ 0, 0, -1, 0, false, true }, { 0, 0, -1, 1000, false, true },
		{ 0, 0, INT32_MAX, INT32_MAX, false, false },
		{ 0, 0, INT32_MAX, INT32_MAX + 1u, false, true },
		{ 0, 0, -INT32_MAX, UINT32_MAX, false, true },
	};
	enum balance_state state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			.ms = LONG_MS, .file_us = cases[i].file_us, .anon_us = cases[i].anon_us,
			.room = cases[i].room, .short_of_memory = cases[i].is_short,
		};

		balance_begin(&balance);
		state = balance_step(&balance, &news, cases[i].needed);
		if (!expect_eq(state == BALANCE_WORK, cases[i].ends) ||
		    !expect_eq(state == BALANCE_PLENTY, !cases[i].ends))
			tap_note("case %u", i);
		expect_eq(balance.calm, BALANCE_CALM * !cases[i].ends);
	}
}

/* Memory is plenty after eight calm switches, not after seven; and it is short again at once. */
static void test_plenty_again(void)
{
	unsigned int i, round;

	balance_begin(&balance);
	balance.keep = 700;
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	for (round = 1; round <= 3; round++) {
		expect_eq(step(LONG_MS, 10000, 0, 1000), BALANCE_WORK);
		for (i = 1; i < BALANCE_CALM; i++)
			expect_eq(calm_step(0, 0, 1000), BALANCE_WORK);
		/* Memory gets short again: the count starts anew. */
		expect_eq(round % 2 ? short_step(5000, 0, 0, 1000) : step(LONG_MS, 0, 0, 1000),
			  BALANCE_WORK);
		for (i = 1; i < BALANCE_CALM; i++)
			expect_eq(calm_step(BALANCE_LEAST_US, BALANCE_LEAST_US, 1000), BALANCE_WORK);
		expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
		for (i = 0; i < 100; i++)
			expect_eq(calm_step(0, i * 1000, 1000), BALANCE_PLENTY);
		expect_eq(balance.calm, BALANCE_CALM);
	}
	/* While memory is plenty, costs do not change @keep. */
	balance.hot_us = 1000000;
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	balance.file_us = 10000000;
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	expect_eq(balance.keep, 700);
	/* Plenty resets the count of thrashing switches. */
	balance.thrash = BALANCE_THRASHES - 1;
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	expect_eq(balance.thrash, 0);
}

/* The three means decay with 1/8 per switch, in each state. */
static void test_means(void)
{
	static const struct {
		u64 old, now, want;
	} cases[] = {
		{ 0, 0, 0 }, { 0, 7, 0 }, { 0, 8, 1 }, { 0, 8000, 1000 }, { 8, 0, 7 }, { 7, 0, 7 },
		{ 15, 15, 15 }, { 16, 0, 14 }, { 8000, 0, 7000 }, { 8000, 8000, 8000 },
		{ 8001, 8001, 8001 }, { 20000, 8000, 18500 },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX },
		{ 0, UINT64_MAX, UINT64_MAX / 8 }, { UINT64_MAX, 0, UINT64_MAX - UINT64_MAX / 8 },
	};
	enum balance_state state;
	unsigned int i, n;

	for (i = 0; i < 3 * ARRAY_SIZE(cases); i++) {
		u64 old = cases[i / 3].old, now = cases[i / 3].now, want = cases[i / 3].want;
		struct balance_news news = {
			.ms = LONG_MS, .file_pages = 1, .file_us = now, .hot_us = now,
			.cold_us = now, .room = INT32_MAX,
		};

		balance_begin(&balance);
		balance.file_us = old;
		balance.hot_us = old;
		balance.cold_us = old;
		balance.rest = i % 3 == 1;
		if (i % 3 == 2)
			news.room = 0;
		state = balance_step(&balance, &news, 0);
		expect(state != BALANCE_PLENTY || (!(i % 3) && now <= BALANCE_LEAST_US));
		expect_eq(state == BALANCE_THRASH, i % 3 == 1);
		if (!expect_eq(balance.file_us, want) || !expect_eq(balance.hot_us, want) ||
		    !expect_eq(balance.cold_us, want))
			tap_note("%llu and %llu", old, now);
	}
	/* If each switch costs twice BALANCE_FELT_US, the mean exceeds it after six switches. */
	begin(1000);
	for (n = 0; n < 100 && balance.keep == 1000; n++) {
		struct balance_news news = {
			.ms = LONG_MS, .file_pages = 1, .file_us = 2 * BALANCE_FELT_US,
		};

		balance_step(&balance, &news, 1000);
	}
	expect_eq(n, 6);
	/* Without new costs the mean falls to about 0. */
	for (n = 0; n < 100; n++)
		step(LONG_MS, 0, 0, 1000);
	expect(balance.file_us < 8);
}

/* Files cost more than swap, in the mean and now: the number of pages that stay then. */
static void test_falls(void)
{
	static const struct {
		u64 file_us, now_us, hot_us;
		u32 keep, pages, want;
	} cases[] = {
		/* The border of BALANCE_FELT_US. */
		{ 0, 0, 0, 1000, 10, 1000 }, { 8000, 8000, 0, 1000, 10, 1000 },
		{ 8001, 8001, 0, 1000, 10, 980 },
		{ 0, 64007, 0, 1000, 10, 1000 }, { 0, 64008, 0, 1000, 10, 980 },
		{ 20000, 8000, 0, 1000, 10, 1000 }, { 20000, 8001, 0, 1000, 10, 980 },
		{ UINT64_MAX, 0, 0, 1000, 10, 1000 },
		/* The border of a quarter more, which is rounded down. */
		{ 12500, 12500, 10000, 1000, 10, 1000 }, { 12501, 12501, 10000, 1000, 10, 980 },
		{ 12503, 12503, 10003, 1000, 10, 1000 }, { 12504, 12504, 10003, 1000, 10, 980 },
		{ 8001, 8001, 6400, 1000, 10, 980 }, { 8001, 8001, 6401, 1000, 10, 1000 },
		{ 1ull << 63, 1ull << 63, 1ull << 62, 1000, 10, 980 },
		{ 1ull << 63, 1ull << 63, 1ull << 63, 1000, 10, 1000 },
		{ UINT64_MAX, UINT64_MAX, 1ull << 63, 1000, 10, 980 },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX, 1000, 10, 1000 },
		/* Two pages less for each page that was read, down to 0. */
		{ 9000, 9000, 0, 1000, 0, 1000 }, { 9000, 9000, 0, 1000, 1, 998 },
		{ 9000, 9000, 0, 1000, 499, 2 }, { 9000, 9000, 0, 1000, 500, 0 },
		{ 9000, 9000, 0, 1001, 500, 1 }, { 9000, 9000, 0, 1000, 501, 0 },
		{ 9000, 9000, 0, 1000, 1u << 31, 0 }, { 9000, 9000, 0, 1000, UINT32_MAX, 0 },
		/* With 128 kept pages or less, no change: these are not what files lack. */
		{ 9000, 9000, 0, 129, 1, 127 }, { 9000, 9000, 0, 128, 1, 128 },
		{ 9000, 9000, 0, 1, 1, 1 }, { 9000, 9000, 0, 0, 1, 0 },
		/* @keep above the 10000 needed pages sets no limit: start from 10000. */
		{ 9000, 9000, 0, 10000, 10, 9980 }, { 9000, 9000, 0, 10001, 10, 9980 },
		{ 9000, 9000, 0, UINT32_MAX, 10, 9980 }, { 9000, 9000, 0, UINT32_MAX, 0, 10000 },
		{ 8000, 8000, 0, UINT32_MAX, 10, UINT32_MAX },
	};
	static const s32 rooms[] = { INT32_MIN, -1, 0, 1, BALANCE_ROOM - 1, BALANCE_ROOM, BALANCE_ROOM + 1, INT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			.ms = LONG_MS, .file_pages = cases[i].pages, .file_us = cases[i].now_us,
			.hot_us = cases[i].hot_us,
		};

		begin(cases[i].keep);
		balance.file_us = cases[i].file_us;
		balance.hot_us = cases[i].hot_us;
		expect_eq(balance_step(&balance, &news, 10000), BALANCE_WORK);
		if (!expect_eq(balance.keep, cases[i].want))
			tap_note("case %u", i);
		expect_eq(balance.next_hold, BALANCE_HOLD);
		if (cases[i].want == cases[i].keep)
			continue;
		expect_eq(balance.hold, BALANCE_HOLD);
	}
	/* With BALANCE_ROOM free pages files do not lack memory: no change. */
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		begin(1000);
		cost(rooms[i], 9000, 10, 5000, 10000);
		if (!expect_eq(balance.keep, rooms[i] < BALANCE_ROOM ? 980 : 1000))
			tap_note("room for %d", rooms[i]);
		expect_eq(balance.hold, rooms[i] < BALANCE_ROOM ? BALANCE_HOLD : 0);
	}
	/* The 128 pages count also if the apps need no more. */
	begin(20000);
	cost(0, 9000, 1, 0, 128);
	expect_eq(balance.keep, 20000);
	cost(0, 9000, 1, 0, 129);
	expect_eq(balance.keep, 127);
}

/* @keep falls with each switch while files cost more, but not during a rest or plenty. */
static void test_falls_on(void)
{
	unsigned int i;

	begin(16000);
	for (i = 1; i <= 20; i++) {
		too_much(100);
		expect_eq(balance.keep, 16000 - 200 * i);
		expect_eq(balance.hold, BALANCE_HOLD);
	}
	balance.rest = 3;
	for (i = 0; i < 3; i++)
		expect_eq(cost(0, 20000, 100, 0, 16000), BALANCE_THRASH);
	balance.calm = BALANCE_CALM;
	balance.file_us = 20000;
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	balance.calm = 0;
	balance.file_us = 1000000;
	short_step(0, BALANCE_FELT_US, 0, 16000);
	expect_eq(balance.keep, 12000);
	/* It falls to less than BALANCE_GROW_LEAST. */
	for (i = 1; i <= 200; i++)
		too_much(100);
	expect_eq(balance.keep, 0);
	begin(1000);
	for (i = 1; i <= 200; i++)
		too_much(50);
	expect_eq(balance.keep, 100);
}

/* Swap costs more, or there is room: the new @keep if 10000 pages are needed. */
static void test_grows(void)
{
	static const struct {
		s32 room;
		u64 file_us, hot_us;
		u32 keep, want;
	} cases[] = {
		/* The border of BALANCE_FELT_US. */
		{ 0, 0, 0, 1000, 1000 }, { 0, 0, 8000, 1000, 1000 }, { 0, 0, 8001, 1000, 1253 },
		{ -1, 0, 8000, 1000, 1000 }, { -1, 0, 8001, 1000, 1253 },
		{ INT32_MIN, 0, 8000, 1000, 1000 }, { INT32_MIN, 0, 8001, 1000, 1253 },
		/* The border of twice the cost of files. */
		{ 0, 4000, 8001, 1000, 1000 }, { 0, 3999, 8001, 1000, 1253 },
		{ 0, 10000, 20001, 1000, 1000 }, { 0, 10000, 20002, 1000, 1253 },
		{ 0, 1ull << 63, UINT64_MAX, 1000, 1000 },
		{ 0, (1ull << 63) - 2, UINT64_MAX, 1000, 1253 },
		/* With room BALANCE_LEAST_US is enough, if files do not cost more. */
		{ 1, 0, 2000, 1000, 1000 }, { 1, 0, 2001, 1000, 1253 },
		{ INT32_MAX, 0, 2000, 1000, 1000 }, { 1, 8000, 2001, 1000, 1253 },
		{ 1, 8001, 2001, 1000, 1000 }, { 1, 10000, 8000, 1000, 1253 },
		{ 1, 10001, 8000, 1000, 1000 },
		/* It grows by an eighth and 128 while it is below the needed 10000. */
		{ 0, 0, 9000, 0, 128 }, { 0, 0, 9000, 7, 135 }, { 0, 0, 9000, 8, 137 },
		{ 0, 0, 9000, 9999, 11376 }, { 0, 0, 9000, 10000, 10000 },
		{ 0, 0, 9000, 20000, 20000 }, { 0, 0, 9000, UINT32_MAX, UINT32_MAX },
		/* It grows by half of the room, if that is more. */
		{ 1, 0, 9000, 0, 128 }, { 257, 0, 9000, 0, 128 }, { 258, 0, 9000, 0, 129 },
		{ 507, 0, 9000, 1000, 1253 }, { 508, 0, 9000, 1000, 1254 },
		{ 6000, 0, 9000, 1000, 4000 }, { 6000, 0, 9000, 10000, 10000 },
		{ -6000, 0, 9000, 1000, 1253 }, { INT32_MAX, 0, 9000, 1000, 1000 + INT32_MAX / 2 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].keep);
		expect_eq(cost(cases[i].room, cases[i].file_us, 0, cases[i].hot_us, 10000),
			  BALANCE_WORK);
		if (!expect_eq(balance.keep, cases[i].want))
			tap_note("case %u", i);
		expect_eq(balance.grown, cases[i].want > cases[i].keep ? BALANCE_GROWN : 0);
	}
	/* Files cost more in the mean, but not now. */
	begin(1000);
	balance.file_us = 20000;
	balance.hot_us = 9000;
	short_step(1, BALANCE_FELT_US, 0, 10000);
	expect_eq(balance.keep, 1253);
	/* The cost of others does not count as a cost of swap. */
	begin(1000);
	for (i = 0; i < 100; i++) {
		struct balance_news news = {
			.ms = LONG_MS, .anon_us = 1000000, .cold_us = 1000000, .room = i % 2 * 1000,
		};

		expect_eq(balance_step(&balance, &news, 10000), BALANCE_WORK);
	}
	expect_eq(balance.keep, 1000);
}

/* After a fall @keep grows in the eighth switch, not in the seventh. */
static void test_hold(void)
{
	unsigned int i;

	begin(10000);
	too_much(10);
	for (i = 1; i < BALANCE_HOLD; i++) {
		expect_eq(balance.hold, BALANCE_HOLD + 1 - i);
		too_few();
		expect_eq(balance.keep, 9980);
	}
	too_few();
	expect(balance.keep > 9980);
	/* Into room it grows at once. */
	begin(10000);
	too_much(10);
	cost(0, 0, 0, 20000, 20000);
	expect_eq(balance.keep, 9980);
	cost(1, 0, 0, 20000, 20000);
	expect(balance.keep > 9980);
	expect_eq(balance.hold, BALANCE_HOLD - 2);
	/* Switches during plenty or a rest do not count; those without a cost do. */
	for (i = 0; i < 2 * BALANCE_HOLD; i++) {
		balance.calm = BALANCE_CALM;
		expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
		balance.rest = 1;
		expect_eq(step(LONG_MS, 0, 0, 1000), BALANCE_THRASH);
	}
	expect_eq(balance.hold, BALANCE_HOLD - 2);
	nothing(BALANCE_HOLD - 2);
	expect_eq(balance.hold, 0);
	nothing(1);
	expect_eq(balance.hold, 0);
}

/* If @keep falls soon after it grew, the next growth waits four times as long. */
static void test_longer_hold(void)
{
	unsigned int hold, i;
	u32 keep;

	begin(100000);
	too_much(10);
	expect_eq(balance.hold, BALANCE_HOLD);
	for (hold = BALANCE_HOLD * BALANCE_HOLD_MORE; hold <= BALANCE_HOLD_MOST; hold *= BALANCE_HOLD_MORE) {
		keep = balance.keep;
		for (i = 1; i < hold / BALANCE_HOLD_MORE; i++)
			too_few();
		expect_eq(balance.keep, keep);
		too_few();
		expect(balance.keep > keep);
		too_much(10);
		if (!expect_eq(balance.hold, hold) || !expect_eq(balance.next_hold, hold))
			tap_note("instead of %u", hold);
		/* A second fall does not lengthen the wait: it is not due to the growth. */
		keep = balance.keep;
		too_much(10);
		expect_eq(balance.keep, keep - 20);
		expect_eq(balance.hold, hold);
	}
}

/* A growth was too much if a fall follows within fifteen switches, not in the sixteenth. */
static void test_grown(void)
{
	unsigned int n;

	for (n = 1; n <= 2 * BALANCE_GROWN; n++) {
		begin(10000);
		too_few();
		expect_eq(balance.grown, BALANCE_GROWN);
		nothing(n - 1);
		expect_eq(balance.grown, n <= BALANCE_GROWN ? BALANCE_GROWN + 1 - n : 0);
		too_much(10);
		if (!expect_eq(balance.hold, n < BALANCE_GROWN ? BALANCE_HOLD * BALANCE_HOLD_MORE : BALANCE_HOLD))
			tap_note("after %u switches", n);
		expect_eq(balance.next_hold, balance.hold);
		expect_eq(balance.grown, 0);
	}
	/* Switches during a rest or plenty count, too; each growth starts the count anew. */
	begin(10000);
	too_few();
	balance.rest = 4;
	for (n = 0; n < 4; n++)
		expect_eq(step(LONG_MS, 0, 0, 10000), BALANCE_THRASH);
	expect_eq(balance.grown, BALANCE_GROWN - 4);
	balance.calm = BALANCE_CALM;
	expect_eq(calm_step(0, 0, 10000), BALANCE_PLENTY);
	expect_eq(balance.grown, BALANCE_GROWN - 5);
	too_few();
	expect_eq(balance.grown, BALANCE_GROWN);
}

/* However often growth was too much, the wait for the next one is bounded. */
static void test_longest_hold(void)
{
	unsigned int i;

	begin(1000000);
	for (i = 0; i < 20; i++) {
		balance.hold = 0;
		too_few();
		too_much(10);
		if (!expect(balance.hold <= BALANCE_HOLD_MOST && balance.next_hold <= BALANCE_HOLD_MOST))
			tap_note("%u switches after %u times", balance.hold, i + 1);
	}
	expect(balance.hold > BALANCE_HOLD_MOST / BALANCE_HOLD_MORE);
}

/* Others go out if files cost more, until others cost more themselves. */
static void test_give(void)
{
	static const struct {
		bool give;
		u64 file_us, cold_us;
		bool want;
	} cases[] = {
		{ false, 0, 0, false }, { true, 0, 0, true },
		{ false, 8000, 0, false }, { false, 8001, 0, true }, { true, 8000, 0, true },
		{ false, 12500, 10000, false }, { false, 12501, 10000, true },
		{ false, 12503, 10003, false }, { false, 12504, 10003, true },
		{ true, 12500, 10000, true }, { true, 12501, 10000, true },
		{ true, 0, 8000, true }, { true, 0, 8001, false }, { false, 0, 20000, false },
		{ true, 4000, 8001, true }, { true, 3999, 8001, false },
		{ true, 10000, 20001, true }, { true, 10000, 20002, false },
		{ false, 10000, 10000, false }, { true, 10000, 10000, true },
		{ false, UINT64_MAX, UINT64_MAX, false }, { true, UINT64_MAX, UINT64_MAX, true },
		{ false, UINT64_MAX, 1ull << 63, true }, { true, 1ull << 62, UINT64_MAX, false },
	};
	unsigned int i;

	for (i = 0; i < 3 * ARRAY_SIZE(cases); i++) {
		u64 file_us = cases[i / 3].file_us, cold_us = cases[i / 3].cold_us;
		struct balance_news news = {
			.ms = LONG_MS, .file_us = file_us, .cold_us = cold_us,
		};

		begin(1000);
		balance.give = cases[i / 3].give;
		balance.file_us = file_us;
		balance.cold_us = cold_us;
		/* Neither the cost of needed pages nor a rest matters here. */
		balance.hot_us = i % 3 ? UINT64_MAX : 0;
		balance.rest = i % 3 == 2;
		balance_step(&balance, &news, 1000);
		if (!expect_eq(balance.give, cases[i / 3].want))
			tap_note("case %u", i / 3);
	}
	/* The mean decides, not the cost of one switch. */
	begin(1000);
	balance.file_us = 20000;
	step(LONG_MS, 0, 0, 1000);
	expect(balance.give);
	for (i = 0; i < 100; i++)
		step(LONG_MS, 0, 0, 1000);
	expect(balance.give);
	balance.cold_us = 20000;
	calm_step(0, 0, 1000);
	expect(!balance.give);
	for (i = 0; i < 100; i++)
		step(LONG_MS, 0, 0, 1000);
	expect(!balance.give);
}

/* others_step() - a switch with these costs of files and of others, equal to the means */
static void others_step(u64 file_us, u64 cold_us)
{
	struct balance_news news = { .ms = LONG_MS, .file_us = file_us, .cold_us = cold_us };

	balance.file_us = file_us;
	balance.cold_us = cold_us;
	balance_step(&balance, &news, 1000);
}

/*
 * Others stay on trial. The cost of files during that time gives a credit: when others go out
 * again, they may cost four times as much before they stay again.
 */
static void test_give_again(void)
{
	u64 credit_us = 0;
	unsigned int n, turn;

	begin(1000);
	for (turn = 0; turn < 12; turn++) {
		others_step(30000 + turn, 20000);
		credit_us += turn ? BALANCE_TRUST * (30000 + turn) : 0;
		expect(balance.give);
		expect_eq(balance.credit_us, credit_us);
		for (n = 0; n < 1000 && balance.give; n++)
			others_step(0, 20000);
		expect_eq(n, credit_us ? (credit_us + 19999) / 20000 : 1);
		credit_us = 0;
		for (n = 0; n < turn; n++) {
			others_step(20000, 20000);
			credit_us = credit_us - credit_us / BALANCE_LATELY + BALANCE_TRUST * 20000;
			expect_eq(balance.credit_us, credit_us);
		}
		expect(!balance.give);
		credit_us -= credit_us / BALANCE_LATELY;
	}
	/* The credit is bounded, and does not overflow. */
	for (n = 0; n < 1000; n++)
		others_step(20000, 20000);
	expect(balance.credit_us <= BALANCE_LATELY * BALANCE_TRUST * 20000);
	for (n = 0; n < 3; n++)
		others_step(UINT64_MAX, UINT64_MAX);
	expect_eq(balance.credit_us, UINT64_MAX);
}

static void test_gives(void)
{
	static const struct {
		s32 room;
		u64 file_us;
		bool want;
	} cases[] = {
		{ BALANCE_ROOM, BALANCE_LEAST_US, false }, { BALANCE_ROOM - 1, 0, true }, { BALANCE_ROOM, BALANCE_LEAST_US + 1, true },
		{ BALANCE_ROOM - 1, BALANCE_LEAST_US + 1, true }, { BALANCE_ROOM + 1, 0, false }, { INT32_MAX, 0, false },
		{ INT32_MAX, UINT64_MAX, true }, { 1, 0, true }, { 0, 0, true }, { -1, 0, true },
		{ INT32_MIN, 0, true }, { INT32_MIN, UINT64_MAX, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			.file_us = cases[i].file_us, .room = cases[i].room, .hot_us = UINT64_MAX,
		};

		balance_begin(&balance);
		expect(!balance_gives(&balance, &news));
		balance.give = true;
		if (!expect_eq(balance_gives(&balance, &news), cases[i].want))
			tap_note("case %u", i);
	}
}

/* If files need all memory, @keep falls to BALANCE_GROW_LEAST or less from any value. */
static void test_keeps(void)
{
	static const u32 keeps[] = { 0, 1, BALANCE_GROW_LEAST - 1, BALANCE_GROW_LEAST, BALANCE_GROW_LEAST + 1, UINT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keeps); i++) {
		begin(keeps[i]);
		cost(0, 20000, UINT32_MAX, 0, UINT32_MAX);
		expect(balance.keep <= BALANCE_GROW_LEAST);
	}
}

/* others() - two switches without cost, @few and then @many needed pages: @want stay at least */
static void others(u32 few, u32 many, u32 want)
{
	expect_eq(step(LONG_MS, 0, 0, few), BALANCE_WORK);
	expect_eq(step(LONG_MS, 0, 0, many), BALANCE_WORK);
	if (!expect(balance.keep >= want))
		tap_note("%u of %u stay instead of %u", balance.keep, many, want);
}

/* Without a cost all needed pages stay, also if fewer were at the back for a while. */
static void test_other_apps(void)
{
	/* The large app comes to the front, and goes to the back again. */
	begin(1000);
	others(100, 1000, 1000);
	/* At the beginning no page is known to be needed. */
	begin(UINT32_MAX);
	others(0, 1000, 1000);
	/* A cost has lowered @keep to 500, and it stays there. */
	begin(1000);
	too_much(250);
	expect_eq(balance.keep, 500);
	others(100, 1000, 500);
}

/*
 * A switch counts as thrashing if swap took more than half of its time; both in milliseconds,
 * rounded down.
 */
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
		for (n = 1; n < BALANCE_THRASHES; n++) {
			expect_eq(step(cases[i].ms, 0, cases[i].anon_us, 1000), BALANCE_WORK);
			expect_eq(balance.thrash, n * cases[i].bad);
		}
		state = step(cases[i].ms, 0, cases[i].anon_us, 1000);
		if (!expect_eq(state == BALANCE_THRASH, cases[i].bad) ||
		    !expect_eq(state == BALANCE_WORK, !cases[i].bad))
			tap_note("%llu us in %u ms", (u64)cases[i].anon_us, cases[i].ms);
	}
}

/* bad() - a switch in which swap took most of the time */
static enum balance_state bad(void)
{
	return step(1000, 0, 600000, 1000);
}

/* thrash() - thrashing is seen, and a rest of BALANCE_REST switches follows whatever happens */
static void thrash(void)
{
	u32 keep = balance.keep;
	unsigned int i;

	expect_eq(bad(), BALANCE_WORK);
	expect_eq(bad(), BALANCE_WORK);
	/* The costs of a rest do not change @keep. */
	balance.file_us = 1000000;
	expect_eq(step(1000, 1000000, 600000, 1000), BALANCE_THRASH);
	expect_eq(balance.keep, keep);
	expect_eq(balance.rest, BALANCE_REST);
	for (i = 0; i < BALANCE_REST; i++) {
		balance.file_us = i % 2 * 1000000;
		balance.hot_us = !(i % 2) * 1000000;
		expect_eq(i % 3 ? bad() : step(LONG_MS, i % 2 * 100000, 0, 1000), BALANCE_THRASH);
		expect_eq(balance.thrash, 0);
		expect_eq(balance.rest, BALANCE_REST - 1 - i);
	}
	expect_eq(balance.keep, keep);
	balance.file_us = 0;
	balance.hot_us = 0;
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
	/* After the rest three more such switches start the next one, */
	for (i = 0; i < 3; i++)
		thrash();
	/* or @keep changes again. */
	balance.keep = 800;
	too_much(100);
	expect_eq(balance.keep, 600);
	thrash();
}

/* If memory becomes plenty during a rest, that shows when the rest is over. */
static void test_thrash_calm(void)
{
	unsigned int i;

	begin(200);
	for (i = 0; i < BALANCE_THRASHES; i++)
		bad();
	for (i = 0; i < BALANCE_REST; i++) {
		expect_eq(calm_step(0, 0, 1000), BALANCE_THRASH);
		expect_eq(balance.calm, i + 1 < BALANCE_CALM ? i + 1 : BALANCE_CALM);
	}
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	expect_eq(balance.keep, 200);
	/* With too few calm switches during the rest, memory is not plenty. */
	begin(200);
	for (i = 0; i < BALANCE_THRASHES; i++)
		bad();
	for (i = 0; i < BALANCE_REST; i++)
		expect_eq(i < BALANCE_REST - 2 ? bad() : calm_step(0, 0, 1000), BALANCE_THRASH);
	expect_eq(calm_step(0, 0, 1000), BALANCE_WORK);
	expect_eq(balance.calm, 3);
}

/*
 * A simulated memory, in pages. Apps at the back need some pages, and keep balance.keep of them;
 * their others go out if balance_gives(). Each switch reads the same files again, and reads some
 * more files once; these fill free memory until the kernel reclaims them.
 */
#define MEMORY 60000
#define RESERVE (MEMORY / 16)
#define LOW (MEMORY / 64)
#define HIGH (MEMORY / 48)

struct memory {
	u32 anon, files, once;		/* needed by apps; by files; files read once per switch */
	u32 anon_us, file_us;		/* time to read a page */
	u32 others, others_back;	/* others; how many come back per switch, at most */
	u32 noise;			/* files vary by so many permille from switch to switch */
	bool fixed;			/* do not call balance_step() */
	s64 kept, cached, rest, cold;	/* in memory: of anon, files, once, others */
	u64 waited_us;
	unsigned int falls, grows, gives;	/* how often keep fell, keep grew, give changed */
	unsigned int grown, fell;	/* switches since keep grew, and fell */
	u32 hold;			/* balance.hold after the last fall */
};

/* watch() - note a step from @old, and check that too much growth makes the next hold longer */
static void watch(struct memory *m, const struct balance *old, const struct balance_news *news)
{
	m->grown++;
	m->fell++;
	m->gives += balance.give != old->give;
	if (balance.keep > old->keep) {
		m->grows++;
		if (news->room <= 0 && !expect(m->fell >= m->hold))
			tap_note("%u switches after it fell, of %u", m->fell, m->hold);
		m->grown = 0;
	} else if (balance.hold && balance.hold == balance.next_hold) {
		m->falls++;
		if (m->grown < BALANCE_GROWN && m->grows && m->hold <= BALANCE_HOLD_MOST / BALANCE_HOLD_MORE &&
		    !expect(balance.hold > m->hold))
			tap_note("%u switches after %u", balance.hold, m->hold);
		expect(balance.hold >= m->hold);
		m->hold = balance.hold;
		m->fell = 0;
		m->grown = BALANCE_GROWN;
	}
}

/* reclaim() - the kernel reclaims files: those read once first; false if memory is not low */
static bool reclaim(struct memory *m)
{
	s64 room = MEMORY - m->kept - m->cold - m->cached - m->rest, take = HIGH - room;

	if (room >= LOW)
		return false;
	if (m->rest >= take) {
		m->rest -= take;
	} else {
		m->cached -= take - m->rest;
		m->rest = 0;
	}
	if (m->cached < 0)
		m->cached = 0;
	return true;
}

/* memory_switch() - an app comes to the front and reads a quarter of the missing pages */
static enum balance_state memory_switch(struct memory *m)
{
	s64 in = (m->anon - m->kept + 3) / 4, cold = m->others - m->cold, back, files = m->files;
	struct balance_news news = { .ms = LONG_MS };
	enum balance_state state = BALANCE_WORK;
	struct balance old = balance;

	files += files * ((int)random_below(2 * m->noise + 1) - (int)m->noise) / 1000;
	back = files > m->cached ? files - m->cached : 0;
	if (cold > m->others_back)
		cold = m->others_back;
	m->kept += in;
	m->cold += cold;
	m->cached += back;
	m->rest += m->once;
	news.short_of_memory = reclaim(m);
	news.room = MEMORY - m->kept - m->cold - m->cached - m->rest - RESERVE;
	news.file_pages = back;
	news.file_us = back * m->file_us;
	news.hot_us = in * m->anon_us;
	news.cold_us = cold * m->anon_us;
	news.anon_us = news.hot_us + news.cold_us;
	m->waited_us += news.file_us + news.anon_us;
	if (!m->fixed) {
		state = balance_step(&balance, &news, m->anon);
		watch(m, &old, &news);
	}
	if (state != BALANCE_WORK)
		return state;
	if (m->kept > balance.keep)
		m->kept = balance.keep;
	if (balance_gives(&balance, &news))
		m->cold = 0;
	return state;
}

static void memory_run(struct memory *m, unsigned int switches)
{
	while (switches--)
		memory_switch(m);
}

/* begins() - apps at the back have @keep pages and all others; no file is cached */
static void begins(struct memory *m, u32 keep)
{
	begin(keep);
	m->kept = keep < m->anon ? keep : m->anon;
	m->cold = m->others;
}

/* cheapest() - the least cost of a switch with a fixed part of the needed pages kept */
static u64 cheapest(const struct memory *m)
{
	u64 least = UINT64_MAX;
	unsigned int part;

	for (part = 0; part <= 10; part++) {
		struct memory one = *m;

		one.fixed = true;
		begins(&one, m->anon / 10 * part);
		memory_run(&one, 100);
		one.waited_us = 0;
		memory_run(&one, 200);
		if (one.waited_us / 200 < least)
			least = one.waited_us / 200;
	}
	return least;
}

/* settles() - after some time a switch costs not much more than cheapest() */
static void settles(const struct memory *system, u32 keep)
{
	struct memory m = *system;
	u64 least = cheapest(&m), us;

	begins(&m, keep);
	memory_run(&m, 1000);
	m.waited_us = 0;
	memory_run(&m, 1000);
	us = m.waited_us / 1000;
	/*
	 * keep falls by FOR_ONE (2) pages for each page that files lack, and grows only if swap
	 * costs TOO_MUCH (2) times as much as files: a factor of 4. Costs of files and of swap up
	 * to BALANCE_FELT_US do not count.
	 */
	if (!expect(us <= 4 * least + 2 * BALANCE_FELT_US))
		tap_note("%u of %u us, %u files of %u us, noise %u, once %u, keep %u: %llu for %llu us",
			 m.anon, m.anon_us, m.files, m.file_us, m.noise, m.once, keep, us, least);
}

static void test_systems(void)
{
	static const u32 anons[] = { 100, 20000, 40000, 60000 };
	static const u32 files[] = { 0, 5000, 20000, 30000, 50000, 70000 };
	static const u32 costs[][2] = { { 20, 200 }, { 100, 100 }, { 200, 50 }, { 5, 500 } };
	unsigned int i, j, k, other;

	for (i = 0; i < ARRAY_SIZE(anons); i++) {
		for (j = 0; j < ARRAY_SIZE(files); j++) {
			for (k = 0; k < ARRAY_SIZE(costs); k++) {
				for (other = 0; other < 4; other++) {
					struct memory m = {
						anons[i], files[j], other / 2 * 2000, costs[k][0],
						costs[k][1], .noise = other % 2 * 50,
					};

					settles(&m, UINT32_MAX);
					settles(&m, anons[i] / 2);
				}
			}
		}
	}
}

/* Apps and files fit: all pages stay. */
static void test_memory_fits(void)
{
	struct memory m = { .anon = 20000, .files = 20000, .anon_us = 20, .file_us = 200 };

	begins(&m, UINT32_MAX);
	m.cached = 20000;
	memory_run(&m, 1000);
	expect_eq(m.kept, 20000);
	expect_eq(m.cached, 20000);
	/* Files that are read once must not evict needed pages of apps. */
	m.once = 3000;
	memory_run(&m, 1000);
	expect_eq(m.kept, 20000);
	expect_eq(balance.keep, UINT32_MAX);
}

/* Files need the memory and get it; keep grows again more and more rarely. */
static void memory_files(u32 noise, u32 once)
{
	struct memory m = { 40000, 30000, once, 20, 200, .noise = noise };
	unsigned int i, short_of_files = 0;

	begins(&m, UINT32_MAX);
	for (i = 0; i < 8; i++)
		memory_run(&m, 1);
	expect(balance.keep <= MEMORY - 30000);
	memory_run(&m, 1000);
	m.falls = 0;
	m.grows = 0;
	for (i = 0; i < 2000; i++) {
		memory_run(&m, 1);
		short_of_files += m.cached + 2000 < m.files;
		expect(balance.keep > BALANCE_GROW_LEAST && balance.keep < 36000);
	}
	/* keep grows too much once or twice, which takes some switches each time. */
	if (!expect(m.falls <= 4 && m.grows <= 20 && short_of_files <= 40))
		tap_note("%u permille, %u once: %u falls, %u grows; short of files: %u", noise,
			 once, m.falls, m.grows, short_of_files);
	expect(balance.next_hold >= 512);
}

static void test_memory_files(void)
{
	memory_files(0, 0);
	memory_files(0, 500);
	memory_files(20, 0);
	memory_files(20, 500);
}

/* Swap costs, and files do not: in the end all pages stay, though read-once files fill memory. */
static void test_memory_swap(void)
{
	static const u32 onces[] = { 0, 500, 4000 }, keeps[] = { 0, 100, 10000, 35000 };
	unsigned int i, n;
	u32 before;

	for (i = 0; i < ARRAY_SIZE(onces) * ARRAY_SIZE(keeps); i++) {
		struct memory m = {
			.anon = 40000, .once = onces[i / ARRAY_SIZE(keeps)], .anon_us = 200,
			.rest = MEMORY,
		};

		begins(&m, keeps[i % ARRAY_SIZE(keeps)]);
		for (n = 0; n < 100 && balance.keep < m.anon; n++) {
			before = balance.keep;
			memory_run(&m, 1);
			expect(balance.keep >= before);
		}
		if (!expect(n < 50))
			tap_note("%u read once: %u after %u switches", m.once, balance.keep, n);
		memory_run(&m, 500);
		expect_eq(m.kept, m.anon);
		expect_eq(m.falls, 0);
	}
}

/* Files are no longer needed: apps get their pages back as soon as keep may grow again. */
static void memory_back(u32 once)
{
	struct memory m = {
		.anon = 40000, .files = 30000, .once = once, .anon_us = 100, .file_us = 200,
	};
	u32 before;

	begins(&m, UINT32_MAX);
	memory_run(&m, 500);
	before = balance.keep;
	expect(before < 30000);
	/* The kernel now reclaims them like files that are read once. */
	m.rest += m.cached;
	m.cached = 0;
	m.files = 0;
	memory_run(&m, balance.hold + 100);
	if (!expect(balance.keep >= 39000))
		tap_note("%u read once: %u were kept, and %u are", once, before, balance.keep);
}

static void test_memory_back(void)
{
	memory_back(0);
	/* The same while files are read once, so that the kernel always reclaims. */
	memory_back(500);
	memory_back(4000);
}

/* The cost of files that are read for the first time pushes no needed page out. */
static void test_start(void)
{
	unsigned int i, n, costs;

	for (n = 0; n < 40; n++) {
		balance_begin(&balance);
		/* The apps' needed pages get known; then files cost just BALANCE_FELT_US. */
		for (i = 0; i < n; i++)
			cost(-1000, 1000000 + i, 5000, 0, i * BALANCE_GROW_LEAST / n);
		for (i = 0; i < 300; i++)
			short_step(i % 2 * 2000 - 1000, BALANCE_FELT_US, 0, 20000);
		expect_eq(balance.keep, UINT32_MAX);
	}
	/* A single switch counts only if it costs more than eight times BALANCE_FELT_US. */
	for (costs = 8 * BALANCE_FELT_US + 7; costs <= 8 * BALANCE_FELT_US + 8; costs++) {
		balance_begin(&balance);
		for (i = 0; i < 300; i++) {
			struct balance_news news = {
				.ms = LONG_MS, .file_pages = 5000, .file_us = i ? BALANCE_FELT_US : costs,
			};

			balance_step(&balance, &news, 20000);
		}
		expect_eq(balance.keep, costs < 8 * BALANCE_FELT_US + 8 ? UINT32_MAX : 10000);
	}
	/* Simulated: files fill free memory step by step. */
	for (n = 100; n <= 25000; n *= 2) {
		struct memory m = { .anon = 20000, .anon_us = 20, .file_us = 20 };

		begins(&m, UINT32_MAX);
		for (m.files = 0; m.files < 25000; m.files += n)
			memory_run(&m, 1);
		memory_run(&m, 500);
		expect_eq(m.kept, 20000);
		expect_eq(m.falls, 0);
		expect_eq(balance.keep, UINT32_MAX);
	}
}

/* Others go out to make room for files, if apps do not use them again. */
static void test_memory_others(void)
{
	static const u32 costs[][2] = { { 20, 200 }, { 100, 100 }, { 200, 50 } };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct memory m = {
			20000, 30000, 0, costs[i][0], costs[i][1], .others = 20000,
		};

		begins(&m, UINT32_MAX);
		for (n = 0; n < 10 && m.cold; n++)
			memory_run(&m, 1);
		expect(n < 10);
		/* There is room now, so the needed pages come back. */
		memory_run(&m, 300);
		expect_eq(m.cold, 0);
		expect_eq(m.cached, 30000);
		if (!expect(m.kept >= 19000))
			tap_note("%d us: %d are kept", m.anon_us, (int)m.kept);
		memory_run(&m, 1000);
		expect_eq(m.gives, 1);
	}
}

/* Apps use the others again, which costs more than files: they stay. */
static void test_memory_others_back(void)
{
	static const u32 costs[][2] = { { 100, 100 }, { 200, 50 }, { 400, 50 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		struct memory m = {
			20000, 30000, 0, costs[i][0], costs[i][1],
			.others = 20000, .others_back = 20000,
		};

		begins(&m, UINT32_MAX);
		memory_run(&m, 1000);
		m.gives = 0;
		memory_run(&m, 1000);
		expect_eq(m.gives, 0);
		expect(!balance.give);
		expect_eq(m.cold, 20000);
	}
}

/* All combinations of extreme costs, sizes and free memory. */
static void test_extremes(void)
{
	static const u64 costs[] = { 0, BALANCE_FELT_US + 1, UINT32_MAX, 1ull << 63, UINT64_MAX };
	static const u32 sizes[] = { 0, 1, 128, 129, INT32_MAX, UINT32_MAX - 1, UINT32_MAX };
	static const s32 rooms[] = { INT32_MIN, -1, 0, 1, INT32_MAX };
	unsigned int n = ARRAY_SIZE(costs), i, j, k;

	for (i = 0; i < n * n * n * ARRAY_SIZE(sizes); i++) {
		u32 needed = sizes[i / n / n / n];
		struct balance_news news = {
			.file_us = costs[i % n], .hot_us = costs[i / n % n],
			.cold_us = costs[i / n / n % n],
		};

		for (j = 0; j < ARRAY_SIZE(sizes) * ARRAY_SIZE(rooms); j++) {
			u32 keep = sizes[j % ARRAY_SIZE(sizes)];

			news.room = rooms[j / ARRAY_SIZE(sizes)];
			news.file_pages = sizes[(i + j) % ARRAY_SIZE(sizes)];
			for (k = 0; k < 4; k++) {
				begin(keep);
				if (k & 1) {
					balance.file_us = UINT64_MAX;
					balance.hot_us = UINT64_MAX;
					balance.cold_us = UINT64_MAX;
				}
				if (k & 2)
					balance.next_hold = BALANCE_HOLD_MOST;
				expect_eq(balance_step(&balance, &news, needed), BALANCE_WORK);
				expect(keep < needed || balance.keep <= keep);
				expect(balance.hold || balance.keep >= keep);
				expect(balance.hot_us > BALANCE_LEAST_US || balance.keep <= keep);
				expect(balance.file_us > BALANCE_FELT_US || balance.keep >= keep);
			}
		}
	}
}

/* @keep grows without overflow. */
static void test_grow_huge(void)
{
	static const u32 keeps[] = {
		3000000000u, 3817748593u, 3817748594u, 4000000000u, UINT32_MAX - 1, UINT32_MAX,
	};
	unsigned int i, room;

	for (i = 0; i < ARRAY_SIZE(keeps); i++) {
		for (room = 0; room < 2; room++) {
			u64 want = (u64)keeps[i] + keeps[i] / 8 + BALANCE_GROW_LEAST;

			if (room && want < (u64)keeps[i] + INT32_MAX / 2)
				want = (u64)keeps[i] + INT32_MAX / 2;
			if (keeps[i] == UINT32_MAX || want > UINT32_MAX)
				want = UINT32_MAX;
			begin(keeps[i]);
			cost(room * INT32_MAX, 0, 0, UINT64_MAX, UINT32_MAX);
			expect_eq(balance.keep, want);
		}
	}
}

static u64 random_us(void)
{
	return random_below(4) ? random_u64() >> (2 + random_below(62)) : 0;
}

/* of_late() - the mean after one more switch */
static u64 of_late(u64 old, u64 now)
{
	return old / 8 * 7 + old % 8 + now / 8;
}

static bool is_more(u64 us, u64 other_us)
{
	return us > BALANCE_FELT_US && us > other_us + other_us / 4;
}

/* falls() - check a step that made @keep fall from @kept */
static bool falls(const struct balance *old, const struct balance_news *news, u32 kept)
{
	bool too_much = old->grown > 1;
	bool longer = too_much && old->next_hold <= BALANCE_HOLD_MOST / BALANCE_HOLD_MORE;
	s64 want = (s64)kept - 2 * (s64)news->file_pages;

	expect(balance.next_hold > old->next_hold || !longer);
	expect(balance.next_hold == old->next_hold || too_much);
	return expect_eq(balance.keep, want > 0 ? want : 0) &
	       expect_eq(balance.hold, balance.next_hold) & expect_eq(balance.grown, 0);
}

/* follows() - check @keep, @hold and @grown after a step in state BALANCE_WORK */
static bool follows(const struct balance *old, const struct balance_news *news, u32 needed)
{
	u64 file = balance.file_us, hot = balance.hot_us, want = old->keep;
	u32 keep = old->keep < needed ? old->keep : needed;
	u32 hold = old->hold ? old->hold - 1 : 0;
	bool more = is_more(file, hot) && news->file_us > BALANCE_FELT_US, grows = false;

	if (more && keep > BALANCE_GROW_LEAST && news->room < BALANCE_ROOM)
		return falls(old, news, keep);
	if (!more && old->keep < needed)
		grows = news->room > 0 ? hot > BALANCE_LEAST_US :
			!hold && hot > BALANCE_FELT_US && hot >= 2 * file + 2;
	if (grows)
		want += news->room / 2 > (s64)want / 8 + BALANCE_GROW_LEAST ? news->room / 2 :
			want / 8 + BALANCE_GROW_LEAST;
	return expect_eq(balance.keep, want < UINT32_MAX ? want : UINT32_MAX) &
	       expect_eq(balance.hold, hold) & expect_eq(balance.next_hold, old->next_hold) &
	       expect_eq(balance.grown, grows ? BALANCE_GROWN : old->grown ? old->grown - 1 : 0);
}

/* is_alike() - check that a step in another state did not change @keep */
static void is_alike(const struct balance *old)
{
	expect_eq(balance.keep, old->keep);
	expect_eq(balance.hold, old->hold);
	expect_eq(balance.next_hold, old->next_hold);
	expect_eq(balance.grown, old->grown ? old->grown - 1 : 0);
}

/* credit() - the expected credit_us after a step from @old */
static u64 credit(const struct balance *old, const struct balance_news *news)
{
	u64 more_us, sum_us;

	if (old->give)
		return old->credit_us > news->cold_us ? old->credit_us - news->cold_us : 0;
	if (!old->stopped)
		return 0;
	return __builtin_mul_overflow(news->file_us, BALANCE_TRUST, &more_us) ||
	       __builtin_add_overflow(old->credit_us - old->credit_us / BALANCE_LATELY, more_us, &sum_us) ?
	       UINT64_MAX : sum_us;
}

/* check() - do a step from @old with @news, and check all fields */
static void check(const struct balance *old, const struct balance_news *news, u32 needed)
{
	bool dear = news->file_us > BALANCE_LEAST_US;
	bool calm = !news->short_of_memory && !dear && news->room > 0 && news->room >= (s64)needed;
	bool is_bad = news->anon_us / 1000 > news->ms / 2;
	enum balance_state is = balance_step(&balance, news, needed);

	expect_eq(balance.calm, !calm ? 0 : old->calm < BALANCE_CALM ? old->calm + 1 : BALANCE_CALM);
	expect_eq(balance.file_us, of_late(old->file_us, news->file_us));
	expect_eq(balance.hot_us, of_late(old->hot_us, news->hot_us));
	expect_eq(balance.cold_us, of_late(old->cold_us, news->cold_us));
	expect_eq(balance.give, is_more(balance.file_us, balance.cold_us) ||
		  (old->give && (balance.credit_us || balance.cold_us <= BALANCE_FELT_US ||
				 balance.cold_us < 2 * balance.file_us + 2)));
	expect_eq(balance.credit_us, credit(old, news));
	expect_eq(balance.stopped, old->stopped || (old->give && !balance.give));
	if (old->rest) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, old->rest - 1);
	} else if (balance.calm == BALANCE_CALM) {
		expect_eq(is, BALANCE_PLENTY);
		expect_eq(balance.rest + balance.thrash, 0);
	} else if (is_bad && old->thrash == BALANCE_THRASHES - 1) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, BALANCE_REST);
	} else {
		expect_eq(is, BALANCE_WORK);
		expect_eq(balance.rest, 0);
		expect_eq(balance.thrash, is_bad ? old->thrash + 1 : 0);
	}
	expect(balance.calm <= BALANCE_CALM && balance.rest <= BALANCE_REST && balance.thrash < BALANCE_THRASHES);
	expect_eq(balance_gives(&balance, news), balance.give && (dear || news->room < BALANCE_ROOM));
	if (is == BALANCE_WORK)
		follows(old, news, needed);
	else
		is_alike(old);
}

/* random_news() - any values, often near the borders of the rules */
static struct balance_news random_news(u32 share)
{
	struct balance_news news = {
		.ms = random_length(UINT32_MAX), .file_pages = random_length(UINT32_MAX),
		.file_us = random_us(), .anon_us = random_us(), .hot_us = random_us(),
		.cold_us = random_us(), .room = random_length(INT32_MAX),
		.short_of_memory = random_below(100) < share,
	};

	if (random_below(2))
		news.room = random_below(3) ? -news.room : 0;
	if (!random_below(4))
		news.room = random_below(2 * BALANCE_ROOM);
	if (!random_below(3))
		news.file_us = random_below(2 * BALANCE_LEAST_US);
	if (!random_below(3))
		news.file_us = random_below(20 * BALANCE_FELT_US);
	if (!random_below(3))
		news.hot_us = random_below(3) * (news.file_us + news.file_us / 4);
	if (!random_below(3))
		news.cold_us = random_below(3) * (news.file_us + news.file_us / 4);
	return news;
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 100 : 1000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 needed = random_length(INT32_MAX), share = random_below(100);

		balance_begin(&balance);
		if (random_below(2))
			balance.keep = random_length(needed);
		for (i = 0; i < 300; i++) {
			struct balance old = balance;
			struct balance_news news = random_news(share);

			check(&old, &news, random_below(5) ? needed : random_below(needed));
			/* Huge means would hide all later costs, so replace them at times. */
			if (!random_below(20))
				balance.file_us = random_below(3 * BALANCE_FELT_US);
			if (!random_below(20))
				balance.hot_us = random_below(3 * BALANCE_FELT_US);
			if (!random_below(20))
				balance.cold_us = random_below(3 * BALANCE_FELT_US);
		}
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "at the beginning", test_begin },
		{ "reads of files that count", test_counts },
		{ "files that other processes have read", test_limit },
		{ "memory is not plenty any more", test_plenty_ends },
		{ "plenty, short, and plenty again", test_plenty_again },
		{ "means of the costs", test_means },
		{ "files cost more, and less is kept", test_falls },
		{ "files cost more, switch after switch", test_falls_on },
		{ "swap costs more, and more is kept", test_grows },
		{ "no growth for some time after a fall", test_hold },
		{ "longer waits after too much growth", test_longer_hold },
		{ "which growth was too much", test_grown },
		{ "others go out", test_give },
		{ "others stay on trial", test_give_again },
		{ "others go out only if memory is short", test_gives },
		{ "hardly any is kept", test_keeps },
		{ "other apps are at the back", test_other_apps },
		{ "which switch counts as thrashing", test_thrash_border },
		{ "thrashing begins, ends and comes back", test_thrash },
		{ "memory becomes plenty during a rest", test_thrash_calm },
		{ "systems whose costs are known", test_systems },
		{ "a memory in which all fits", test_memory_fits },
		{ "a memory that files need", test_memory_files },
		{ "a memory that only apps need", test_memory_swap },
		{ "files that are no longer needed", test_memory_back },
		{ "a cost only at the start", test_start },
		{ "others that are not used again", test_memory_others },
		{ "others that are used again", test_memory_others_back },
		{ "extremes", test_extremes },
		{ "extremes: growth without overflow", test_grow_huge },
		{ "random steps", test_random },
		{ "the longest wait after too much growth", test_longest_hold },
	};

	return tap_main("balance", cases, ARRAY_SIZE(cases), argc, argv);
}
