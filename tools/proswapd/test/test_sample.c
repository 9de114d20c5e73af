// SPDX-License-Identifier: GPL-2.0
/*
 * The sample of a program's chunks that goes out to show a period: each rule at its border, and
 * programs whose memory comes back when they need it.
 */
#include "layout.h"
#include "periods.h"
#include "chunks.h"
#include "harness.h"

#define EVERY_MS (SAMPLE_WINDOWS * SAMPLE_WINDOW_MS)

/* Samples are looked at for a fifth of the time. */
static void test_time(void)
{
	static const struct {
		u32 now;
		bool is;
	} cases[] = {
		{ 0, true }, { 1, true }, { SAMPLE_WINDOW_MS - 1, true }, { SAMPLE_WINDOW_MS, false },
		{ EVERY_MS - 1, false }, { EVERY_MS, true }, { EVERY_MS + SAMPLE_WINDOW_MS - 1, true },
		{ EVERY_MS + SAMPLE_WINDOW_MS, false }, { 1000 * EVERY_MS - 1, false },
		{ 1000 * EVERY_MS, true },
	};
	u32 i, now, count = 0;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(sample_time(cases[i].now), cases[i].is))
			tap_note("%u ms", cases[i].now);
	for (now = 5; now < 20 * EVERY_MS; now += 10)
		count += sample_time(now);
	expect_eq(count, 20 * EVERY_MS / 10 / 5);
}

/* size() - the number of chunks of a sample, which must not change during the sample */
static u32 size(u32 n, u32 window)
{
	u32 nr, count = 0, first = window * EVERY_MS, last = first + SAMPLE_WINDOW_MS - 1;

	for (nr = 0; nr < n; nr++) {
		count += sample_has(nr, n, first);
		expect_eq(sample_has(nr, n, last), sample_has(nr, n, first));
	}
	return count;
}

static void test_size(void)
{
	u32 n, window, count;

	for (n = 0; n <= LAYOUT_CHUNKS; n += n < 3 * SAMPLE_CHUNKS ? 1 : 23) {
		for (window = 0; window < 5; window++) {
			count = size(n, window);
			/* All chunks of a small program; else 1 to 1.5 times SAMPLE_CHUNKS. */
			if (!expect(n < 2 * SAMPLE_CHUNKS ? count == n :
				    count >= SAMPLE_CHUNKS && count <= SAMPLE_CHUNKS * 3 / 2))
				tap_note("%u of %u chunks in window %u", count, n, window);
		}
	}
}

/* missed() - the number of chunks that are in none of several samples in a row */
static u32 missed(u32 n, u32 first, u32 windows)
{
	u32 nr, window, count = 0;

	for (nr = 0; nr < n; nr++) {
		for (window = first; window < first + windows; window++)
			if (sample_has(nr, n, window * EVERY_MS))
				break;
		count += window == first + windows;
	}
	return count;
}

/* all_come() - check that each chunk is in a sample after as many samples as cover the program */
static void all_come(u32 step)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		u32 n = step * SAMPLE_CHUNKS + i * (SAMPLE_CHUNKS - 1) / 2;

		if (!expect_eq(missed(n, random_below(2000), step), 0))
			tap_note("of %u chunks", n);
	}
}

static void test_all(void)
{
	u32 step;

	for (step = 1; step <= LAYOUT_CHUNKS / SAMPLE_CHUNKS; step++)
		if (step % 37)
			all_come(step);
}

/* The same, if the numbers of the samples share a factor with the step. */
static void test_all_factor(void)
{
	u32 step;

	for (step = 37; step <= LAYOUT_CHUNKS / SAMPLE_CHUNKS; step += 37)
		all_come(step);
}

static void test_push(void)
{
	static const struct {
		struct chunk chunk;
		u32 now;
		bool goes;
	} cases[] = {
		/* Nothing is in memory, or it is pushed out. */
		{ { 0 }, 10000, false },
		{ { .out = 1, .used_ms = 9000 }, 10000, false },
		{ { .in = 1, .pushed_ms = 9000 }, 10000, false },
		{ { .in = 1, .used_ms = 8000, .pushed_ms = 9000 }, 10000, false },
		/* It was never used. */
		{ { .in = 1 }, 10000, true },
		{ { .in = 1, .out = 2 }, 10000, true },
		{ { .in = 1 }, 50, true },
		{ { .in = 1, .gap_ms = 300 }, 450, true },
		/* It is in use. */
		{ { .in = 1, .used_ms = 10000 }, 10000, false },
		{ { .in = 1, .used_ms = 9901 }, 10000, false },
		{ { .in = 1, .used_ms = 9900 }, 10000, true },
		{ { .in = UINT32_MAX, .used_ms = 1 }, 10000, true },
		{ { .in = 1, .out = 2, .used_ms = 9900, .gap_ms = 1000 }, 10000, true },
		/* It was needed again at once. */
		{ { .in = 1, .used_ms = 9501, .gap_ms = 1 }, 10000, false },
		{ { .in = 1, .used_ms = 9501, .gap_ms = 300 }, 10000, false },
		{ { .in = 1, .used_ms = 9500, .gap_ms = 300 }, 10000, true },
		{ { .in = 1, .used_ms = 9901, .gap_ms = 301 }, 10000, false },
		{ { .in = 1, .used_ms = 9900, .gap_ms = 301 }, 10000, true },
		/* Across the wrap. */
		{ { .in = 1, .used_ms = UINT32_MAX - 48 }, 50, false },
		{ { .in = 1, .used_ms = UINT32_MAX - 49 }, 50, true },
		{ { .in = 1, .used_ms = UINT32_MAX - 448, .gap_ms = 300 }, 50, false },
		{ { .in = 1, .used_ms = UINT32_MAX - 449, .gap_ms = 300 }, 50, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(sample_push(&cases[i].chunk, cases[i].now), cases[i].goes))
			tap_note("case %u", i);
}

static void test_shows(void)
{
	static const struct {
		u32 gap, out;
		bool shows;
	} cases[] = {
		/* No use, or the first one; it went out by itself. */
		{ 0, 0, false }, { 0, 1000, false }, { 1000, 0, false },
		/* Back at once. */
		{ 1000, 1, false }, { 1000, 200, false }, { 1000, 201, true },
		{ 202, 201, true }, { 1000, 900, true }, { 120000, 119900, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct chunk_news news = {
			.came = 1, .gap_ms = cases[i].gap, .out_ms = cases[i].out,
		};

		if (!expect_eq(sample_shows(&news), cases[i].shows))
			tap_note("case %u", i);
	}
}

/* A program with room for all its memory: pushed chunks come back when they are needed. */
#define CHUNKS 320

static struct {
	u32 period_ms;		/* goes through its memory once; 0: always uses all of it */
	u32 late_ms;		/* from the look to the push */
	bool in[CHUNKS];
	struct chunk chunks[CHUNKS];
	struct period uses;
	u32 pushed;
} program;

static void program_begin(u32 period_ms, u32 late_ms)
{
	memset(&program, 0, sizeof(program));
	memset(program.in, true, sizeof(program.in));
	program.period_ms = period_ms;
	program.late_ms = late_ms;
}

/* is_needed() - does the program use the chunk after @from and not later than @until? */
static bool is_needed(u32 nr, u32 from, u32 until)
{
	u32 period = program.period_ms, at;

	if (!period)
		return true;
	at = nr * period / CHUNKS;
	return (from - at) / period != (until - at) / period;
}

/* program_look() - look at all chunks as automatic.c does while no period is known */
static void program_look(u32 now)
{
	u32 nr;

	for (nr = 0; nr < CHUNKS; nr++) {
		struct chunk *chunk = &program.chunks[nr];
		u32 in = program.in[nr] ? UINT32_MAX : 0;
		struct chunk_news news;

		chunk_look(chunk, in, ~in, now, 0, &news);
		if (sample_shows(&news))
			period_add(&program.uses, news.gap_ms * 1000ull);
		if (!sample_has(nr, CHUNKS, now) || !sample_push(chunk, now))
			continue;
		chunk->pushed_ms = now + program.late_ms;
		program.in[nr] = false;
		program.pushed++;
	}
}

/* program_run() - look each @tick ms or a little later, during @windows samples */
static void program_run(u32 tick, u32 windows)
{
	u32 last = (1 + random_below(1000)) * EVERY_MS, end = last + windows * EVERY_MS, now, nr;

	for (; last < end; last = now) {
		now = last + tick + random_below(tick / 10 + 1);
		for (nr = 0; nr < CHUNKS; nr++)
			program.in[nr] |= is_needed(nr, last, now);
		if (sample_time(now) && now < end)
			program_look(now);
	}
}

/* A period of a second is found by the daemon's rule: 64 events, and half of them agree. */
static void test_periodic(void)
{
	struct period_found found;
	u32 late, windows;

	for (late = 0; late < 2; late++) {
		for (windows = 1; windows <= 12; windows += 11) {
			program_begin(1000, late);
			program_run(SAMPLE_TICK_MS, windows);
			period_find(&program.uses, &found);
			if (!expect(found.us >= 900000 && found.us <= 1100000) ||
			    !expect(found.events >= 64 && found.share >= 500))
				tap_note("%u windows: %llu us, %u permille of %u", windows,
					 (unsigned long long)found.us, found.share, found.events);
		}
	}
}

/* nothing_shown() - a program that always uses all its memory shows no period */
static void nothing_shown(u32 tick, u32 late, u32 windows)
{
	program_begin(0, late);
	program_run(tick, windows);
	expect(program.pushed >= SAMPLE_CHUNKS);
	if (!expect_eq(program.uses.total, 0))
		tap_note("looked at each %u ms, pushed out %u ms later, %u windows", tick, late,
			 windows);
}

static void test_always(void)
{
	nothing_shown(SAMPLE_TICK_MS, 0, 1);
	nothing_shown(SAMPLE_TICK_MS, 1, 1);
}

/* The looks at a large process are late, and between two windows no looks happen. */
static void test_late(void)
{
	u32 tick;

	for (tick = 2 * SAMPLE_TICK_MS; tick <= 5 * SAMPLE_TICK_MS; tick += 50) {
		nothing_shown(tick, 0, 1);
		nothing_shown(tick, 1, 1);
	}
	nothing_shown(SAMPLE_TICK_MS, 0, 3);
	nothing_shown(SAMPLE_TICK_MS, 1, 3);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "a fifth of the time", test_time },
		{ "how large a sample is", test_size },
		{ "samples come by all chunks", test_all },
		{ "samples come by all chunks of the sizes that share a factor", test_all_factor },
		{ "what goes out", test_push },
		{ "what shows a period", test_shows },
		{ "the period of a program", test_periodic },
		{ "a program that uses all its memory all the time", test_always },
		{ "such a program, and looks that are late", test_late },
	};

	return tap_main("sample", cases, ARRAY_SIZE(cases), argc, argv);
}
