// SPDX-License-Identifier: GPL-2.0
/*
 * How long an app waited: by the pressure of its group, and by delay accounting.
 */
#include "costs.h"
#include "harness.h"
#include "tree.h"

static void test_since(void)
{
	static const struct {
		u64 memory_us, io_us, system_us, want;
	} cases[] = {
		{ 0, 0, 0, 0 },
		/* Reads of files that were in use count in memory and in io. */
		{ 80000, 80000, 5000, 85000 },
		/* Decompression of pages that were not in use is system time. */
		{ 0, 0, 60000, 60000 }, { 30000, 0, 60000, 60000 },
		/* Direct reclaim, and waits for other tasks that reclaim. */
		{ 200000, 0, 60000, 200000 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct costs before = { COSTS_PRESSURE, 700, 800, 900 }, now = before;

		now.memory_us += cases[i].memory_us;
		now.io_us += cases[i].io_us;
		now.system_us += cases[i].system_us;
		if (!expect_eq(costs_since(&before, &now), cases[i].want))
			tap_note("case %u", i);
	}
}

/* The cost is 0 if the group was made anew, or if the source of the figures is another one. */
static void test_other(void)
{
	struct costs before = { COSTS_PRESSURE, 700, 800, 900 };
	struct costs now = { COSTS_PRESSURE, 1, 900, 999 };

	expect_eq(costs_since(&before, &now), 0);
	now = (struct costs){ COSTS_PRESSURE, 700, 1, 999 };
	expect_eq(costs_since(&before, &now), 0);
	now = (struct costs){ COSTS_PRESSURE, 700, 800, 1 };
	expect_eq(costs_since(&before, &now), 0);
	now = (struct costs){ COSTS_FAULTS, 7000, 8000, 9000 };
	expect_eq(costs_since(&before, &now), 0);
}

static void test_delay(void)
{
	static const char *const behind =
		"S 1 7 7 0 -1 4194560 100 0 5 0 11 12 0 0 20 0 1 0 444 5000 60 18446744073709551615 1 1 0 0 0 0 0 4096 0 1 0 0 17 0 0 0";
	char text[512];

	snprintf(text, sizeof(text), "7 (a program) %s 345 0 0 1 2 3 4 5 6 7 0\n", behind);
	expect_eq(costs_delay(text), 345);
	snprintf(text, sizeof(text), "7 (a) 1 ) (b 2) %s 9876543210 0 0 1\n", behind);
	expect_eq(costs_delay(text), 9876543210);
	snprintf(text, sizeof(text), "7 (cut) %s", behind);
	expect_eq(costs_delay(text), 0);
	expect_eq(costs_delay(""), 0);
	expect_eq(costs_delay("7 (x)"), 0);
}

static void test_generations(void)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
		/* The kernel writes a hexadecimal number; bit 0 is the main switch. */
		{ "0x0007\n", true }, { "0x0001\n", true }, { "0x0005\n", true }, { "0x0006\n", false },
		{ "0x0000\n", false }, { "", false }, { "\n", false }, { "y\n", false },
	};
	unsigned int i;

	tree_make();
	expect(!costs_generations());
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_put("/sys/kernel/mm/lru_gen/enabled", cases[i].text);
		if (!expect_eq(costs_generations(), cases[i].want))
			tap_note("case %u", i);
	}
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "waits by pressure", test_since },
	{ "another group or another source", test_other },
	{ "delay accounting", test_delay },
	{ "is MGLRU in use?", test_generations },
};

int main(int argc, char **argv)
{
	return tap_main("costs", cases, ARRAY_SIZE(cases), argc, argv);
}
