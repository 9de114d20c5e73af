// SPDX-License-Identifier: GPL-2.0
/* Static wear levelling in place: each page is moved in its turn, as often as configured. */
#include "harness.h"
#include "inplace_drift.h"

#define PAGES	100U

static bool stored[PAGES];
static unsigned int asked;

static bool is_stored(const void *arg, u32 page)
{
	expect(arg == stored && page < PAGES);
	asked++;
	return stored[page];
}

static void test_turns(void)
{
	static const u32 steps[] = { 1, 2, 16, 1000 };
	struct mtdc_drift drift;
	unsigned int i;
	u32 writes, due;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		mtdc_drift_init(&drift, PAGES, steps[i]);
		for (writes = 0, due = 0; writes < 10000; writes++)
			due += mtdc_drift_due(&drift);
		expect_eq(due, 10000 / steps[i]);
	}
	mtdc_drift_init(&drift, PAGES, 0);
	for (writes = 0; writes < 10000; writes++)
		expect(!mtdc_drift_due(&drift));
}

/* All stored pages, in order, and no other pages; no search is long. */
static void test_order(void)
{
	struct mtdc_drift drift;
	u32 page, last = PAGES, turns[PAGES] = { 0 }, i;

	mtdc_drift_init(&drift, PAGES, 1);
	expect_eq(mtdc_drift_next(&drift, is_stored, stored), MTDC_DRIFT_NONE);
	for (i = 0; i < PAGES; i++)
		stored[i] = i > 70 || i % 3 == 0;
	for (i = 0; i < 1000; i++) {
		asked = 0;
		page = mtdc_drift_next(&drift, is_stored, stored);
		expect(asked <= 32);
		if (page == MTDC_DRIFT_NONE)
			continue;
		expect(page < PAGES && stored[page] && page != last);
		turns[page]++;
		last = page;
	}
	for (i = 0; i < PAGES; i++)
		expect(stored[i] ? turns[i] >= 18 && turns[i] <= 19 : !turns[i]);
}

static void test_one_page(void)
{
	struct mtdc_drift drift;

	stored[0] = true;
	mtdc_drift_init(&drift, 1, 1);
	expect_eq(mtdc_drift_next(&drift, is_stored, stored), 0);
	expect_eq(mtdc_drift_next(&drift, is_stored, stored), 0);
	stored[0] = false;
	asked = 0;
	expect_eq(mtdc_drift_next(&drift, is_stored, stored), MTDC_DRIFT_NONE);
	expect_eq(asked, 1);
}

static const struct tap_case cases[] = {
	{ "so many writes for each move", test_turns },
	{ "all stored pages in turn, and no others", test_order },
	{ "one page", test_one_page },
};

int main(int argc, char **argv)
{
	return tap_main("drift", cases, ARRAY_SIZE(cases), argc, argv);
}
