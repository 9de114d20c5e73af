// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithm 2's window: which page counts, how long it is, and when the next one begins.
 */
#include "harness.h"
#include "periods.h"

static void test_top(void)
{
	static const struct {
		u32 count;
		u64 mean, want_mean;
		u32 want_count;
	} cases[] = {
		{ 0, 5, 0, 0 }, { 1, 0, 0, 1 }, { 2, 700, 700, 2 }, { 2, 900, 700, 2 },
		{ 1, 100, 700, 2 }, { 3, 50, 50, 3 }, { UINT32_MAX, 9, 9, UINT32_MAX },
		{ UINT32_MAX, 8, 9, UINT32_MAX },
	};
	struct window_top top = { 0, 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		window_top_add(&top, cases[i].count, cases[i].mean);
		expect_eq(top.count, cases[i].want_count);
		expect_eq(top.mean_us, cases[i].want_mean);
	}
}

static void test_length(void)
{
	static const struct {
		struct window_top top;
		unsigned int alpha;
		u64 gamma, length, use;
		bool periodic;
	} cases[] = {
		{ { 0, 0 }, 1000, 700000, 700000, 700000, false },
		{ { 1, 9999999 }, 1000, 700000, 700000, 700000, false },
		{ { 2, 900000 }, 1000, 700000, 900000, 900000, true },
		{ { 2, 900000 }, 500, 700000, 900000, 450000, true },
		{ { 2, 900000 }, 0, 700000, 900000, 0, true },
		{ { 2, 900000 }, 3000, 700000, 900000, 2700000, true },
		{ { 2, 49999 }, 1000, 700000, 50000, 50000, true },
		{ { 2, 50000 }, 1000, 700000, 50000, 50000, true },
		{ { 2, 0 }, 1000, 700000, 50000, 50000, true },
		{ { 0, 0 }, 1000, 0, 50000, 50000, false },
		{ { 2, 120000000 }, 1000, 1, 120000000, 120000000, true },
		{ { 2, 120000001 }, 1000, 1, 120000000, 120000000, true },
		{ { 9, UINT64_MAX }, 1000, 1, 120000000, 120000000, true },
		{ { 0, 0 }, 1000, UINT64_MAX, 120000000, 120000000, false },
		{ { 2, 1000001 }, 333, 1, 1000001, 333000, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct window window = { 0 };

		expect(window_next(&window, 12345, &cases[i].top, cases[i].alpha, cases[i].gamma));
		expect_eq(window.periodic, cases[i].periodic);
		expect_eq(window.length_us, cases[i].length);
		if (!expect_eq(window.end_us, 12345 + cases[i].use))
			tap_note("case %u", i);
	}
}

/* Nothing changes before its end; the next one is as the page that is the top then. */
static void test_end(void)
{
	struct window_top top = { 0, 0 };
	struct window window = { 0 }, before;

	expect(window_next(&window, 1000, &top, 800, 1000000));
	expect_eq(window.end_us, 801000);
	before = window;
	top = (struct window_top){ 5, 200000 };
	expect(!window_next(&window, 1000, &top, 800, 1000000));
	expect(!window_next(&window, 800999, &top, 800, 1000000));
	expect(!memcmp(&window, &before, sizeof(window)));
	expect(window_next(&window, 801000, &top, 800, 1000000));
	expect(window.periodic);
	expect_eq(window.end_us, 961000);
	expect(!window_next(&window, 960999, &top, 800, 1000000));
	/* Late, and the period is lost. */
	top = (struct window_top){ 1, 0 };
	expect(window_next(&window, 5000000, &top, 800, 1000000));
	expect(!window.periodic);
	expect_eq(window.end_us, 5800000);
}

/* Windows side by side: none is missed, and none begins within another. */
static void test_random(void)
{
	unsigned int round;

	for (round = 0; round < 2000 && !tap.bad; round++) {
		struct window window = { 0 };
		u64 now = random_length(UINT32_MAX), end = 0;
		unsigned int alpha = random_below(2001), i;

		for (i = 0; i < 20; i++) {
			struct window_top top = { random_below(4), random_length(UINT32_MAX) };
			u64 gamma = random_length(100000000);
			bool begun = window_next(&window, now, &top, alpha, gamma);

			expect_eq(begun, now >= end);
			if (begun) {
				expect_eq(window.periodic, top.count > 1);
				end = now + window.length_us * alpha / 1000;
			}
			expect_eq(window.end_us, end);
			expect(window.length_us >= 50000 && window.length_us <= 120000000);
			now += random_below(2) ? random_length(300000000) : end - now;
			if ((s64)(now - end) < 0 && !random_below(3))
				now = end;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "the page with the most swap-outs", test_top },
		{ "how long it is", test_length },
		{ "when the next one begins", test_end },
		{ "random windows", test_random },
	};

	return tap_main("window", cases, ARRAY_SIZE(cases), argc, argv);
}
