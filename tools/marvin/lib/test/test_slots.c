// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are taken and given, against an array of bytes.
 */
#include "harness.h"
#include "../age.h"
#include "../slots.h"

#define PAGES 1000U

static uint64_t bits[(PAGES + 63) / 64];
static uint8_t model[PAGES];

static uint32_t model_take(uint32_t pages)
{
	uint32_t page, n = 0;

	for (page = 0; page < PAGES; page++) {
		n = model[page] ? 0 : n + 1;
		if (n == pages) {
			memset(model + page + 1 - pages, 1, pages);
			return page + 1 - pages;
		}
	}
	return SLOTS_NONE;
}

static void test_random(void)
{
	struct { uint32_t page, pages; } taken[200] = { 0 };
	struct slots slots;
	uint32_t step, i, used = 0, wrong = 0;

	memset(bits, 0, sizeof(bits));
	memset(model, 0, sizeof(model));
	slots_begin(&slots, bits, PAGES);
	for (step = 0; step < 100000; step++) {
		i = random_below(200);
		if (taken[i].pages) {
			slots_give(&slots, taken[i].page, taken[i].pages);
			memset(model + taken[i].page, 0, taken[i].pages);
			used -= taken[i].pages;
			taken[i].pages = 0;
			continue;
		}
		taken[i].pages = random_below(random_below(10) ? 8 : 300) + 1;
		taken[i].page = slots_take(&slots, taken[i].pages);
		wrong += taken[i].page != model_take(taken[i].pages);
		if (taken[i].page == SLOTS_NONE)
			taken[i].pages = 0;
		used += taken[i].pages;
		wrong += slots.used != used;
	}
	for (i = 0; i < PAGES; i++)
		wrong += slots_has(&slots, i) != model[i];
	expect_eq(wrong, 0);
}

static void test_runs(void)
{
	struct slots slots;
	uint32_t pages = 0;

	memset(bits, 0, sizeof(bits));
	slots_begin(&slots, bits, 130);
	expect_eq(slots_run(&slots, 0, &pages), SLOTS_NONE);
	expect_eq(slots_take(&slots, 130), 0);
	expect_eq(slots_take(&slots, 1), SLOTS_NONE);
	expect_eq(slots_run(&slots, 0, &pages), 0);
	expect_eq(pages, 130);
	slots_give(&slots, 0, 64);
	expect_eq(slots_run(&slots, 0, &pages), 64);
	expect_eq(pages, 66);
	expect_eq(slots_take(&slots, 65), SLOTS_NONE);
	expect_eq(slots_take(&slots, 64), 0);
}

/* As the paper's runtime has it: cold after three ticks without a use. */
static void test_age(void)
{
	uint32_t word = ENTRY_OCCUPIED | ENTRY_READ | ENTRY_WRITTEN | ENTRY_DIRTY;
	unsigned int tick;

	for (tick = 0; tick < 4; tick++) {
		expect(!age_settled(word) && !age_cold(word));
		word = age_shift(word);
	}
	expect(age_settled(word) && age_cold(word));
	expect_eq(word & (ENTRY_OCCUPIED | ENTRY_READ | ENTRY_WRITTEN | ENTRY_DIRTY),
		  ENTRY_OCCUPIED | ENTRY_DIRTY);
	word = age_shift(word | ENTRY_READ);
	expect(age_settled(word) && !age_cold(word));
}

static const struct tap_case cases[] = {
	{ "random takes and gives", test_random },
	{ "runs", test_runs },
	{ "ages", test_age },
};

int main(int argc, char **argv)
{
	return tap_main("slots", cases, ARRAY_SIZE(cases), argc, argv);
}
