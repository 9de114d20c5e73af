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
#define GROW_SLOW 32
#define HOLD 64
#define SETTLE 8
#define QUIET 32
#define LACKING 4
#define ROOM 2048
#define LEAST_US 2000

/* So long that no wait for swap in these cases is most of it. */
#define LONG_MS 1000000000

static struct balance balance;

/* room_step() - @file_us and @anon_us were read, and @room pages are free */
static enum balance_state room_step(s32 room, u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = {
		.ms = LONG_MS, .file_us = file_us, .anon_us = anon_us, .room = room,
	};

	return balance_step(&balance, &news, needed);
}

/* step() - in @ms; nothing is free beyond what has to be */
static enum balance_state step(u32 ms, u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = { .ms = ms, .file_us = file_us, .anon_us = anon_us };

	return balance_step(&balance, &news, needed);
}

/* short_step() - the kernel has looked for pages */
static enum balance_state short_step(s32 room, u64 file_us, u64 anon_us, u32 needed)
{
	struct balance_news news = {
		LONG_MS, file_us, anon_us, .room = room, .short_of_memory = true,
	};

	return balance_step(&balance, &news, needed);
}

/* calm_step() - the kernel had nothing to look for, and there is room */
static enum balance_state calm_step(u64 file_us, u64 anon_us, u32 needed)
{
	return room_step(INT32_MAX, file_us, anon_us, needed);
}

/* begin() - memory is short already, and @keep pages stay */
static void begin(u32 keep)
{
	balance_begin(&balance);
	balance.keep = keep;
	balance.calm = 0;
}

static void test_begin(void)
{
	static const u32 needs[] = { 0, 1, 5000, INT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		memset(&balance, 0xff, sizeof(balance));
		balance_begin(&balance);
		expect_eq(balance.keep, UINT32_MAX);
		expect_eq(balance.too_much, UINT32_MAX);
		expect_eq(balance.thrash + balance.rest + balance.settle + balance.held, 0);
		expect_eq(balance.quiet, QUIET);
		expect_eq(calm_step(0, 0, needs[i]), BALANCE_PLENTY);
		/* Without a cost all stays, however short memory is. */
		expect_eq(short_step(-5000, LEAST_US, 1000000, needs[i]), BALANCE_WORK);
		expect_eq(balance.keep, UINT32_MAX);
	}
	/* What is needed grows and shrinks with the apps: no limit comes of that. */
	expect_eq(step(LONG_MS, 0, 0, 7000), BALANCE_WORK);
	expect_eq(step(LONG_MS, 0, 0, 300), BALANCE_WORK);
	expect_eq(step(LONG_MS, 0, 1000000, 9000), BALANCE_WORK);
	expect_eq(balance.keep, UINT32_MAX);
}

/* What ends plenty: the kernel looks for pages, files cost time, or what is out has no room. */
static void test_plenty_ends(void)
{
	static const struct {
		u64 file_us, anon_us;
		s32 room;
		u32 needed;
		bool is_short, ends;
	} cases[] = {
		{ 0, 0, 5000, 1000, true, true }, { 0, 0, 5000, 1000, false, false },
		{ LEAST_US, 0, 5000, 1000, false, false },
		{ LEAST_US + 1, 0, 5000, 1000, false, true },
		{ 0, 1000000, 5000, 1000, false, false },
		{ LEAST_US, 1000000, 5000, 1000, false, false },
		{ LEAST_US + 1, 1000000, 5000, 1000, true, true },
		{ UINT64_MAX, 0, 5000, 1000, false, true },
		/* Room for all that is needed. */
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
			LONG_MS, cases[i].file_us, cases[i].anon_us, cases[i].room,
			cases[i].is_short,
		};

		balance_begin(&balance);
		state = balance_step(&balance, &news, cases[i].needed);
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

	balance_begin(&balance);
	expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
	for (round = 1; round <= 3; round++) {
		expect_eq(step(LONG_MS, 10000, 0, 1000), BALANCE_WORK);
		expect_eq(balance.keep, 1000 >> round);
		for (i = 1; i < CALM; i++)
			expect_eq(calm_step(0, 0, 1000), BALANCE_WORK);
		/* Short once more: from the beginning. What is kept stays as it is. */
		expect_eq(round % 2 ? short_step(5000, 0, 0, 1000) : room_step(999, 0, 0, 1000),
			  BALANCE_WORK);
		for (i = 1; i < CALM; i++) {
			expect_eq(calm_step(LEAST_US, LEAST_US, 1000), BALANCE_WORK);
			expect_eq(balance.keep, 1000 >> round);
		}
		expect_eq(calm_step(0, 0, 1000), BALANCE_PLENTY);
		expect_eq(balance.keep, 1000 >> round);
		for (i = 0; i < 100; i++)
			expect_eq(calm_step(0, i * 1000, 1000), BALANCE_PLENTY);
		expect_eq(balance.calm, CALM);
	}
}

/* What each side costs, and what is kept then of 10000, with no room. */
static void test_sides(void)
{
	static const struct {
		u64 file_us, anon_us;
		u32 keep, want;
	} cases[] = {
		/* No cost at all. */
		{ 0, 0, 1000, 1000 }, { 2000, 0, 1000, 1000 }, { 0, 2000, 1000, 1000 },
		{ 2001, 0, 1000, 500 }, { 0, 2001, 1000, 1032 },
		/* More by a quarter, which is rounded down. */
		{ 10000, 10000, 1000, 1000 }, { 12500, 10000, 1000, 1000 },
		{ 12501, 10000, 1000, 500 }, { 10000, 12500, 1000, 1000 },
		{ 10000, 12501, 1000, 1032 }, { 12503, 10003, 1000, 1000 },
		{ 12504, 10003, 1000, 500 }, { 10003, 12503, 1000, 1000 },
		{ 10003, 12504, 1000, 1032 }, { 2001, 1600, 1000, 500 },
		{ 2001, 1601, 1000, 1000 },
		/* Half is rounded down; where hardly any is kept that is not it. */
		{ 5000, 0, 1001, 500 }, { 5000, 0, 130, 65 }, { 5000, 0, 129, 64 },
		{ 5000, 0, 128, 128 }, { 5000, 0, 1, 1 }, { 5000, 0, 0, 0 },
		{ 5000, 0, 10000, 5000 },
		/* What is kept grows slowly, until it is all. */
		{ 0, 5000, 0, 32 }, { 0, 5000, 7, 39 }, { 0, 5000, 9967, 9999 },
		{ 0, 5000, 9999, 10031 }, { 0, 5000, 10000, 10000 },
		/* More may be kept than there is now: half of that is left. */
		{ 0, 0, 20000, 20000 }, { 5000, 0, 20000, 5000 }, { 0, 5000, 20000, 20000 },
		{ 5000, 0, UINT32_MAX, 5000 }, { 0, 5000, UINT32_MAX, UINT32_MAX },
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

/* Growth into room: of 10000, by an eighth and 128, or by half of the room. */
static void test_room(void)
{
	static const struct {
		s32 room;
		u64 file_us, anon_us;
		u32 keep, want;
		bool is_short;
	} cases[] = {
		{ 1, 0, 2001, 0, 128, false }, { 1, 0, 2001, 7, 135, false },
		{ 1, 0, 2001, 8, 137, false }, { 1, 0, 2001, 1000, 1253, false },
		{ 507, 0, 2001, 1000, 1253, false }, { 508, 0, 2001, 1000, 1254, false },
		{ 509, 0, 2001, 1000, 1254, false }, { 6000, 0, 2001, 1000, 4000, false },
		{ 1, 0, 2001, 9999, 11376, false }, { 1, 0, 2001, 10000, 10000, false },
		{ 6000, 0, 2001, 10000, 10000, false },
		{ INT32_MAX, 0, 2001, 1000, 1000 + INT32_MAX / 2, false },
		/* Nothing is waited for; the kernel looks for pages, but files are quiet. */
		{ 6000, 0, 2000, 1000, 1000, false }, { 6000, 0, 1000000, 1000, 4000, true },
		{ 0, 0, 1000000, 1000, 1032, true },
		/* It does, and files are not. */
		{ 6000, 2001, 1000000, 1000, 1000, true }, { 0, 2001, 1000000, 1000, 1000, true },
		/* With room swap may cost as much as files; without it has to cost more. */
		{ 1, 5000, 5000, 1000, 1253, false }, { 1, 6000, 5000, 1000, 1253, false },
		{ 1, 2500, 2001, 1000, 1253, false }, { 0, 5000, 5000, 1000, 1000, false },
		{ 0, 5000, 6250, 1000, 1000, false }, { 0, 5000, 6251, 1000, 1032, false },
		{ -1, 0, 6251, 1000, 1032, false }, { -1, 0, 2000, 1000, 1000, false },
		{ -5000, 0, 6251, 1000, 1032, false }, { -5000, 0, 6251, 1000, 1032, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = {
			LONG_MS, cases[i].file_us, cases[i].anon_us, cases[i].room,
			cases[i].is_short,
		};

		begin(cases[i].keep);
		/* Files that were read again now, and not before, do not change that. */
		if (cases[i].room < 0)
			expect(news.file_us <= LEAST_US);
		expect_eq(balance_step(&balance, &news, 10000), BALANCE_WORK);
		if (!expect_eq(balance.keep, cases[i].want))
			tap_note("case %u", i);
		expect_eq(balance.too_much, UINT32_MAX);
	}
}

/* What is not free any more is given back, if files were read again not long ago. */
static void test_lacks(void)
{
	static const struct {
		s32 room;
		u32 keep, needed, want;
	} cases[] = {
		{ 0, 1000, 10000, 1000 }, { 1, 1000, 10000, 1000 }, { -1, 1000, 10000, 999 },
		{ -300, 1000, 10000, 700 }, { -999, 1000, 10000, 1 }, { -1000, 1000, 10000, 0 },
		{ -1001, 1000, 10000, 0 }, { -INT32_MAX, 1000, 10000, 0 },
		{ -300, UINT32_MAX, 10000, 9700 }, { -300, 9000, 1000, 700 },
		{ -300, 129, 10000, 0 }, { -100, 129, 10000, 29 }, { -100, 128, 10000, 128 },
		{ -100, 10000, 128, 10000 }, { -100, 10000, 0, 10000 },
	};
	unsigned int i, quiet;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool falls = cases[i].want != cases[i].keep;
		u32 kept = cases[i].keep < cases[i].needed ? cases[i].keep : cases[i].needed;

		for (quiet = 0; quiet <= QUIET; quiet++) {
			u32 want = quiet < QUIET - 1 ? cases[i].want : cases[i].keep;

			begin(cases[i].keep);
			balance.quiet = quiet;
			balance.held = 5;
			room_step(cases[i].room, 0, 0, cases[i].needed);
			if (!expect_eq(balance.keep, want))
				tap_note("case %u, quiet %u", i, quiet);
			expect_eq(balance.too_much, falls && quiet < QUIET - 1 ? kept : UINT32_MAX);
			expect_eq(balance.held, falls && quiet < QUIET - 1 ? 0 : 5);
			expect_eq(balance.settle, 0);
		}
	}
	/* Also while files pay for what was before, each time, and if swap costs more. */
	begin(1000);
	room_step(-100, 5000, 0, 1000);
	expect_eq(balance.keep, 500);
	room_step(-100, 5000, 0, 1000);
	expect_eq(balance.keep, 400);
	room_step(-100, 5000, 90000, 1000);
	expect_eq(balance.keep, 300);
	expect_eq(balance.too_much, 400);
}

/* Files pay for what was before: half goes again after eight switches, not after seven. */
static void test_settle(void)
{
	unsigned int i, round;

	begin(16000);
	for (round = 1; round <= 6; round++) {
		expect_eq(step(LONG_MS, 10000, 0, 16000), BALANCE_WORK);
		expect_eq(balance.settle, SETTLE);
		for (i = 1; i < SETTLE; i++) {
			expect_eq(balance.keep, 16000 >> round);
			expect_eq(balance.too_much, 16000 >> (round - 1));
			expect_eq(step(LONG_MS, 10000, 0, 16000), BALANCE_WORK);
			expect_eq(balance.settle, SETTLE - i);
		}
		expect_eq(balance.keep, 16000 >> round);
	}
	/* It passes while nothing is done, too. */
	begin(1000);
	step(LONG_MS, 10000, 0, 1000);
	balance.rest = SETTLE;
	for (i = 0; i < SETTLE; i++)
		expect_eq(step(LONG_MS, 10000, 0, 1000), BALANCE_THRASH);
	expect_eq(balance.keep, 500);
	expect_eq(step(LONG_MS, 10000, 0, 1000), BALANCE_WORK);
	expect_eq(balance.keep, 250);
}

/* It is quiet from the first switch on in which files cost nothing. */
static void test_quiet(void)
{
	unsigned int i;

	begin(1000);
	step(LONG_MS, LEAST_US, 0, 1000);
	expect_eq(balance.quiet, QUIET);
	step(LONG_MS, LEAST_US + 1, 0, 100);
	for (i = 0; i < QUIET + 5; i++) {
		expect_eq(balance.quiet, i < QUIET ? i : QUIET);
		step(LONG_MS, LEAST_US, 0, 1000);
	}
	step(LONG_MS, LEAST_US + 1, UINT32_MAX, 1000);
	expect_eq(balance.quiet, 0);
	/* All the while, what is kept falls by what is not free. */
	begin(1000);
	step(LONG_MS, LEAST_US + 1, UINT32_MAX, 1000);
	for (i = 1; i < QUIET + 5; i++) {
		room_step(-10, 0, 0, 1000);
		expect_eq(balance.keep, 1000 - 10 * (i < QUIET ? i : QUIET - 1));
	}
}

/* With less than what was too much all is well; only slowly more is tried. */
static void test_too_much(void)
{
	u32 too_much = 1000, end;
	unsigned int i, round;

	begin(1000);
	step(LONG_MS, 10000, 0, 100000);
	expect_eq(balance.keep, 500);
	expect_eq(balance.too_much, 1000);
	/* An eighth less, rounded up, in steps as ever. */
	room_step(1, 0, 10000, 100000);
	expect_eq(balance.keep, 690);
	room_step(1, 0, 10000, 100000);
	expect_eq(balance.keep, 875);
	expect_eq(balance.held, 2);
	/* Where it is not tried, nothing is held. */
	room_step(1, 0, LEAST_US, 100000);
	short_step(1, 0, 10000, 100000);
	room_step(1, 0, 10000, 875);
	expect_eq(balance.keep, 875);
	expect_eq(balance.too_much, 1000);
	balance.held = 0;
	for (round = 0; round < 20; round++) {
		end = too_much - too_much / 8;
		for (i = 1; i < HOLD; i++) {
			room_step(5000, 0, 10000, 100000);
			if (!expect_eq(balance.keep, end))
				tap_note("round %u, %u", round, i);
			expect_eq(balance.too_much, too_much);
		}
		too_much += too_much / 8 + GROW_LEAST;
		room_step(50000, 0, 10000, 100000);
		expect_eq(balance.too_much, too_much);
		expect_eq(balance.held, 0);
		expect_eq(balance.keep, too_much - too_much / 8);
	}
	/* As much is too much once more: from the beginning. */
	balance.held = HOLD - 2;
	room_step(-100, LEAST_US + 1, 10000, 100000);
	expect_eq(balance.held, 0);
	expect_eq(balance.too_much, end = too_much - too_much / 8);
	expect_eq(balance.keep, end - 100);
	/* There is no such limit at the end of numbers. */
	begin(1000);
	balance.too_much = 3817748594u;
	balance.held = HOLD - 1;
	room_step(1, 0, 10000, UINT32_MAX);
	expect_eq(balance.too_much, UINT32_MAX);
	balance.keep = UINT32_MAX - 1;
	room_step(1, 0, 10000, UINT32_MAX);
	expect_eq(balance.keep, UINT32_MAX);
}

/* How much that is not needed goes out: all, while files are read again, or what lacks in room. */
static void test_goes_out(void)
{
	static const struct {
		s32 room;
		u32 want;
	} cases[] = {
		{ ROOM + 1, 0 }, { ROOM, 0 }, { ROOM - 1, 1 }, { 1, ROOM - 1 }, { 0, ROOM },
		{ -1, ROOM + 1 }, { -5000, ROOM + 5000 }, { INT32_MAX, 0 },
		{ ROOM - INT32_MAX, INT32_MAX },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct balance_news news = { .ms = LONG_MS, .room = cases[i].room };

		balance_begin(&balance);
		expect_eq(balance_lacks(&balance, &news), cases[i].want);
		balance_step(&balance, &news, 1000);
		expect_eq(balance_lacks(&balance, &news), cases[i].want);
		step(LONG_MS, LEAST_US + 1, 0, 1000);
		for (j = 0; j < 2 * LACKING; j++) {
			expect_eq(balance_lacks(&balance, &news),
				  j < LACKING ? UINT32_MAX : cases[i].want);
			step(LONG_MS, LEAST_US, 1000000, 1000);
		}
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
	begin(UINT32_MAX);
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
	unsigned int i;
	u32 keep;

	expect_eq(bad(), BALANCE_WORK);
	expect_eq(bad(), BALANCE_WORK);
	keep = balance.keep;
	expect_eq(bad(), BALANCE_THRASH);
	expect_eq(balance.keep, keep);
	expect_eq(balance.rest, REST);
	keep = balance.keep;
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
	balance.keep = 800;
	expect_eq(step(1000, 100000, 0, 1000), BALANCE_WORK);
	expect_eq(balance.keep, 400);
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
	expect_eq(balance.keep, 200 + (THRASHES - 1) * GROW_SLOW);
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

		/* It grows below, and falls above, but not where hardly any is kept. */
		if (is_more(part(anon, noise), part(file, -noise)))
			may_grow = k + 1;
		if (is_more(part(anon, -noise), part(file, noise)))
			must_grow = k + 1;
		if (k <= GROW_LEAST)
			continue;
		if (may_fall == system->most && is_more(part(file, noise), part(anon, -noise)))
			may_fall = k - 1;
		if (must_fall == system->most && is_more(part(file, -noise), part(anon, noise)))
			must_fall = k - 1;
	}
	/* One that may fall by a half is the lowest of those. */
	bounds.low = may_fall < system->most ? (may_fall + 1) / 2 : system->most;
	if (must_grow < bounds.low)
		bounds.low = must_grow;
	bounds.high = must_fall;
	if (may_grow && may_grow - 1 + GROW_SLOW > bounds.high)
		bounds.high = may_grow - 1 + GROW_SLOW;
	if (bounds.high > system->most)
		bounds.high = system->most;
	bounds.rests = !noise && (!may_grow || may_grow - 1 + GROW_SLOW <= may_fall);
	return bounds;
}

static u64 noisy(u64 us, int noise)
{
	return part(us, (int)random_below(2 * noise + 1) - noise);
}

/* kept() - of what the system needs */
static u32 kept(const struct system *system)
{
	return balance.keep < system->most ? balance.keep : system->most;
}

/* run() - one switch; returns what both sides have cost */
static u64 run(const struct system *system)
{
	u32 keep = kept(system);
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

/* settle() - from wherever it is it gets there step by step, and stays there */
static void settle(const struct system *system)
{
	struct bounds limits = bounds(system);
	unsigned int i, moves = 0, rounds = 400;
	u32 before;
	u64 sum = 0;

	/* In small steps, and at first only as far as what was too much before allows. */
	for (i = 0; i < system->most / GROW_SLOW + 40 * HOLD; i++)
		run(system);
	for (i = 0; i < rounds; i++) {
		before = kept(system);
		sum += run(system);
		moves += kept(system) != before;
		if (!expect(kept(system) >= limits.low && kept(system) <= limits.high))
			tap_note("%s: %u is not from %u to %u", system->name, kept(system),
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
		balance_begin(&balance);
		settle(&systems[i]);
	}
}

/* One side only: all is kept in the end, or hardly any. */
static void test_one_side(void)
{
	static const struct system files = { "", always, never, 10000, 0, false };
	static const struct system swap = { "", never, always, 10000, 0, false };
	unsigned int i;

	begin(10000);
	for (i = 0; i < 6 * SETTLE; i++) {
		expect(balance.keep > GROW_LEAST);
		run(&files);
	}
	for (i = 0; i < 100; i++) {
		run(&files);
		expect_eq(balance.keep, 10000 / 128);
	}
	/* What was too much is no limit for ever. */
	for (i = 0; i < 21 * HOLD; i++) {
		u32 before = balance.keep;

		expect(balance.keep < 10000);
		run(&swap);
		expect(balance.keep >= before);
	}
	for (i = 0; i < 40; i++)
		run(&swap);
	expect(balance.keep >= 10000);
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

/*
 * A memory of so many pages. Apps at the back need some, and keep what they may; files need some in
 * each switch, and others are read once and fill what is free, until the kernel takes them back.
 */
#define MEMORY 60000
#define RESERVE (MEMORY / 16)
#define LOW (MEMORY / 64)
#define HIGH (MEMORY / 48)

struct memory {
	u32 anon, files, once;		/* needed at the back; files; files read once */
	u32 anon_us, file_us;		/* what a page costs */
	s64 kept, cached, rest;		/* in memory: of anon, of files, and other files */
};

/* memory_switch() - an app comes to the front: it needs a quarter of all, and keep is kept then */
static enum balance_state memory_switch(struct memory *m)
{
	s64 in = (m->anon - m->kept) / 4, back = m->files - m->cached, take;
	struct balance_news news = { .ms = LONG_MS };
	enum balance_state state;
	s64 total = MEMORY;

	m->kept += in;
	m->cached += back;
	m->rest += m->once;
	/* The kernel takes files: those that are read once, and then others. */
	if (total - m->kept - m->cached - m->rest < LOW) {
		take = HIGH - (total - m->kept - m->cached - m->rest);
		news.short_of_memory = true;
		if (m->rest >= take) {
			m->rest -= take;
		} else {
			m->cached -= take - m->rest;
			m->rest = 0;
		}
	}
	news.room = total - m->kept - m->cached - m->rest - RESERVE;
	news.file_us = back * m->file_us;
	news.anon_us = in * m->anon_us;
	state = balance_step(&balance, &news, m->anon);
	if (state == BALANCE_WORK && m->kept > balance.keep)
		m->kept = balance.keep;
	return state;
}

static void memory_run(struct memory *m, unsigned int switches)
{
	while (switches--)
		memory_switch(m);
}

/* Both fit: all stays. */
static void test_memory_fits(void)
{
	struct memory m = { 20000, 20000, 0, 20, 200, 20000, 20000, 0 };

	begin(UINT32_MAX);
	memory_run(&m, 1000);
	expect_eq(m.kept, 20000);
	expect_eq(m.cached, 20000);
	/* Beside what is read once, too: that shall not take what apps need. */
	m.once = 3000;
	memory_run(&m, 1000);
	expect_eq(m.kept, 20000);
	expect_eq(balance.keep, UINT32_MAX);
}

/* Both do not fit, and files are dearer: they get what they need, apps at most the rest. */
static void test_memory_files(void)
{
	struct memory m = { 40000, 30000, 0, 20, 200, 40000, 0, 0 };
	unsigned int i;

	begin(UINT32_MAX);
	memory_run(&m, 1000);
	for (i = 0; i < 500; i++) {
		memory_run(&m, 1);
		if (!expect(m.cached >= 28000 && m.kept <= 32000))
			tap_note("switch %u: %d of files, %d of apps", i, (int)m.cached, (int)m.kept);
	}
}

/* Files that were needed are not any more: apps get back what they need. */
static void memory_back(u32 once)
{
	struct memory m = { 40000, 30000, once, 20, 200, 40000, 0, 0 };
	u32 before;

	begin(UINT32_MAX);
	memory_run(&m, 1000);
	before = m.kept;
	expect(balance.keep < 30000);
	/* As the kernel finds out: they are taken before others. */
	m.rest += m.cached;
	m.cached = 0;
	m.files = 0;
	memory_run(&m, 4000);
	if (!expect(balance.keep >= 36000))
		tap_note("%u read once: %u were kept, and %u are", once, before, balance.keep);
}

static void test_memory_back(void)
{
	memory_back(0);
}

/* The same while others are read once, in each switch: the kernel always looks for pages then. */
static void test_memory_once(void)
{
	memory_back(500);
	memory_back(4000);
}

/* Nothing is wanted, all is, and costs without end: each of them with each. */
static void test_extremes(void)
{
	static const u64 costs[] = {
		0, LEAST_US, LEAST_US + 1, UINT32_MAX, 1ull << 63, UINT64_MAX,
	};
	static const u32 sizes[] = { 0, 1, 127, 128, INT32_MAX, UINT32_MAX - 1, UINT32_MAX };
	static const u32 times[] = { 0, 1, UINT32_MAX };
	static const s32 rooms[] = { -INT32_MAX, -1, 0, 1, INT32_MAX };
	unsigned int n = ARRAY_SIZE(costs), i, j, k;

	for (i = 0; i < n * n * ARRAY_SIZE(sizes) * ARRAY_SIZE(times); i++) {
		u32 needed = sizes[i / n / n / ARRAY_SIZE(times)];
		struct balance_news news = {
			.ms = times[i / n / n % ARRAY_SIZE(times)],
			.file_us = costs[i % n], .anon_us = costs[i / n % n],
		};

		for (j = 0; j < ARRAY_SIZE(sizes) * ARRAY_SIZE(rooms); j++) {
			u32 keep = sizes[j % ARRAY_SIZE(sizes)];

			news.room = rooms[j / ARRAY_SIZE(sizes)];
			for (k = 0; k < 4; k++) {
				news.short_of_memory = k & 1;
				begin(keep);
				if (k & 2)
					balance.too_much = keep;
				expect_eq(balance_step(&balance, &news, needed), BALANCE_WORK);
				expect(keep < needed || balance.keep <= keep);
				expect(news.anon_us > LEAST_US || balance.keep <= keep);
				balance.thrash = THRASHES - 1;
				balance_step(&balance, &news, needed);
				balance_begin(&balance);
				balance_step(&balance, &news, needed);
				expect(balance.keep == UINT32_MAX || balance.keep < needed);
			}
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
		begin(keeps[i]);
		calm_step(0, 1000000, UINT32_MAX);
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
		expect_eq(balance.keep, 1032);
	}
}

static u64 random_us(void)
{
	return random_below(4) ? random_u64() >> (2 + random_below(62)) : 0;
}

/* grown() - growth of @keep, up to a part of what was too much, of which @held is how long ago */
static u32 grown(const struct balance *old, s32 room, u32 *too_much)
{
	u64 keep = old->keep, pages = keep / 8 + GROW_LEAST, end;

	if (*too_much != UINT32_MAX && old->held + 1 >= HOLD) {
		end = (u64)*too_much + *too_much / 8 + GROW_LEAST;
		*too_much = end < UINT32_MAX ? end : UINT32_MAX;
	}
	if (room <= 0)
		pages = GROW_SLOW;
	else if (pages < room / 2)
		pages = room / 2;
	/* What is no limit any more is one of numbers, in that step. */
	end = old->too_much == UINT32_MAX ? UINT32_MAX : *too_much - *too_much / 8;
	if (keep >= end)
		return keep;
	keep += pages;
	return keep < end ? keep : end;
}

/* follows() - what one step may do, if it was not the rest that decided */
static bool follows(const struct balance *old, const struct balance_news *news, u32 needed)
{
	u32 keep = old->keep < needed ? old->keep : needed, want = old->keep;
	u32 too_much = old->too_much;
	bool file = is_more(news->file_us, news->anon_us);
	bool anon = is_more(news->anon_us, news->file_us);

	if (file && old->settle <= 1 && keep > GROW_LEAST) {
		want = keep / 2;
		too_much = keep;
	} else if (news->room < 0 && balance.quiet < QUIET && keep > GROW_LEAST) {
		want = keep + (s64)news->room > 0 ? keep + news->room : 0;
		too_much = keep;
	} else if (old->keep < needed && news->anon_us > LEAST_US && !file &&
		   (!news->short_of_memory || balance.quiet == QUIET) &&
		   (news->room > 0 || anon)) {
		want = grown(old, news->room, &too_much);
	}
	return expect_eq(balance.keep, want) & expect_eq(balance.too_much, too_much);
}

/* check() - a step from @old by @news */
static void check(const struct balance *old, const struct balance_news *news, u32 needed)
{
	bool cost = news->file_us > LEAST_US;
	bool calm = !news->short_of_memory && !cost && news->room > 0 && news->room >= (s64)needed;
	bool is_bad = news->anon_us / 1000 > news->ms / 2;
	enum balance_state is = balance_step(&balance, news, needed);

	expect_eq(balance.calm, !calm ? 0 : old->calm < CALM ? old->calm + 1 : CALM);
	expect_eq(balance.quiet, cost ? 0 : old->quiet < QUIET ? old->quiet + 1 : QUIET);
	if (old->rest) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, old->rest - 1);
	} else if (balance.calm == CALM) {
		expect_eq(is, BALANCE_PLENTY);
		expect_eq(balance.rest + balance.thrash, 0);
	} else if (is_bad && old->thrash == THRASHES - 1) {
		expect_eq(is, BALANCE_THRASH);
		expect_eq(balance.rest, REST);
	} else {
		expect_eq(is, BALANCE_WORK);
		expect_eq(balance.rest, 0);
		expect_eq(balance.thrash, is_bad ? old->thrash + 1 : 0);
	}
	expect(balance.calm <= CALM && balance.rest <= REST && balance.thrash < THRASHES);
	expect(balance.settle <= SETTLE && balance.held < HOLD);
	if (is == BALANCE_WORK)
		follows(old, news, needed);
	else
		expect(balance.keep == old->keep && balance.too_much == old->too_much);
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 100 : 2000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 needed = random_length(INT32_MAX), share = random_below(100);

		balance_begin(&balance);
		if (random_below(2))
			balance.keep = random_length(needed);
		for (i = 0; i < 300; i++) {
			struct balance old = balance;
			struct balance_news news = {
				random_length(UINT32_MAX), random_us(), random_us(),
				random_length(INT32_MAX), random_below(100) < share,
			};

			if (random_below(2))
				news.room = random_below(3) ? -news.room : 0;
			if (!random_below(3))
				news.file_us = random_below(2 * LEAST_US);
			if (!random_below(3))
				news.anon_us = random_below(2) * (news.file_us + news.file_us / 4);
			check(&old, &news, random_below(5) ? needed : random_below(needed));
			expect_eq(balance_lacks(&balance, &news),
				  balance.quiet < LACKING ? UINT32_MAX :
				  news.room < ROOM ? (s64)ROOM - news.room : 0);
		}
	}
}

/* The end of numbers: as little room as there can be. It comes last, as it may end the suite. */
static void test_least_room(void)
{
	struct balance_news news = { .ms = LONG_MS, .room = INT32_MIN };

	begin(1000);
	balance.quiet = 0;
	expect_eq(balance_step(&balance, &news, 1000), BALANCE_WORK);
	expect_eq(balance.keep, 0);
	balance.quiet = QUIET;
	expect_eq(balance_lacks(&balance, &news), ROOM + (u32)INT32_MAX + 1);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "at the beginning", test_begin },
		{ "memory is not plenty any more", test_plenty_ends },
		{ "plenty, short, and plenty again", test_plenty_again },
		{ "one side costs more", test_sides },
		{ "what is kept grows into room", test_room },
		{ "what is not free any more", test_lacks },
		{ "files pay for what was before", test_settle },
		{ "files are quiet", test_quiet },
		{ "what was too much, and more after a while", test_too_much },
		{ "how much that is not needed goes out", test_goes_out },
		{ "other apps are at the back", test_other_apps },
		{ "what is mostly waiting for swap", test_thrash_border },
		{ "thrashing begins, ends and comes back", test_thrash },
		{ "memory becomes plenty while nothing is done", test_thrash_calm },
		{ "systems whose costs are known", test_settles },
		{ "only one side costs anything", test_one_side },
		{ "one system after the other", test_other_system },
		{ "a memory in which all fits", test_memory_fits },
		{ "a memory for which files are too large", test_memory_files },
		{ "files that nobody needs any more", test_memory_back },
		{ "files that nobody needs again, in each switch", test_memory_once },
		{ "extremes", test_extremes },
		{ "extremes: what is kept grows", test_grow_huge },
		{ "extremes: costs of both sides", test_cost_huge },
		{ "random steps", test_random },
		{ "extremes: as little room as can be", test_least_room },
	};

	return tap_main("balance", cases, ARRAY_SIZE(cases), argc, argv);
}
