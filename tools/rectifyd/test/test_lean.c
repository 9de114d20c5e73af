// SPDX-License-Identifier: GPL-2.0
/*
 * lean_step(): when the kernel should reclaim anonymous pages before files.
 */
#include "balance.h"
#include "harness.h"

static unsigned int steps_on(struct lean *lean, unsigned int n, u64 file_us, u64 anon_us)
{
	unsigned int on = 0;

	while (n--)
		on += lean_step(lean, file_us, anon_us);
	return on;
}

static void test_nothing(void)
{
	struct lean lean = { 0 };

	expect_eq(steps_on(&lean, 100, 0, 0), 0);
	expect_eq(steps_on(&lean, 100, 1500, 0), 0);
	expect_eq(steps_on(&lean, 100, 0, 50000), 0);
}

/* Files are read again, so lean starts; then swap costs some time, but less than files did. */
static void test_helps(void)
{
	struct lean lean = { 0 };

	expect_eq(steps_on(&lean, 5, 200000, 10000), 5);
	expect_eq(steps_on(&lean, 100, 20000, 60000), 100);
	expect_eq(steps_on(&lean, 100, 1000, 4000), 100);
}

/* The reclaimed anonymous pages are needed: lean ends soon, each time. */
static void test_harms(void)
{
	struct lean lean = { 0 };
	unsigned int turn;

	for (turn = 0; turn < 6; turn++) {
		expect(steps_on(&lean, 100, 100000, 0) > 50 && lean.on);
		expect(steps_on(&lean, 100, 0, 100000) < 32 && !lean.on);
	}
}

/* Lean starts when files cost an eighth of swap, and ends when swap costs 16 times as much. */
static void test_border(void)
{
	struct lean lean = { 0 };

	expect_eq(steps_on(&lean, 100, 10000, 82000), 0);
	expect(steps_on(&lean, 100, 10600, 80000) > 50);
	expect(lean.on);
	expect_eq(steps_on(&lean, 100, 20000, 310000), 100);
	steps_on(&lean, 200, 20000, 340000);
	expect(!lean.on);
	/* The border of LEAN_LEAST_US. */
	lean = (struct lean){ 0 };
	expect_eq(steps_on(&lean, 100, 4900, 0), 0);
	expect(steps_on(&lean, 100, 5200, 0) > 50);
}

static void test_huge(void)
{
	struct lean lean = { 0 };

	steps_on(&lean, 1000, UINT64_MAX, UINT64_MAX);
	steps_on(&lean, 1000, UINT64_MAX, 0);
	expect(lean.on);
	steps_on(&lean, 1000, 0, UINT64_MAX);
	expect(!lean.on);
}

static const struct tap_case cases[] = {
	{ "no cost", test_nothing },
	{ "lean helps", test_helps },
	{ "lean harms", test_harms },
	{ "the borders of start and end", test_border },
	{ "huge costs", test_huge },
};

int main(int argc, char **argv)
{
	return tap_main("lean", cases, ARRAY_SIZE(cases), argc, argv);
}
