// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of given-up pages: after random operations the same slots are taken as in a plain array,
 * each once, and none is left out for ever.
 */
#include "harness.h"
#include "front_slots.h"

#include <linux/bitops.h>

static void test_random(void)
{
	const u32 pages = 1 + random_below(300);
	struct mtdc_slots slots;
	unsigned long *memory = test_alloc(mtdc_slots_memory(pages));
	u8 *noted = test_alloc(pages);
	u32 n = 0, i, page;

	memset(memory, 0, mtdc_slots_memory(pages));
	memset(noted, 0, pages);
	mtdc_slots_init(&slots, memory, pages);
	for (i = 0; i < 3000; i++) {
		page = random_below(pages);
		switch (random_below(4)) {
		case 0:
		case 1:
			expect(mtdc_slots_note(&slots, page) == !noted[page]);
			n += !noted[page];
			noted[page] = 1;
			break;
		case 2:
			expect(mtdc_slots_take_page(&slots, page) == noted[page]);
			n -= noted[page];
			noted[page] = 0;
			break;
		default:
			page = mtdc_slots_take(&slots);
			expect((page == MTDC_SLOTS_NONE) == !n);
			if (page == MTDC_SLOTS_NONE)
				break;
			expect(page < pages && noted[page]);
			noted[page] = 0;
			n--;
		}
		expect_eq(atomic_read(&slots.noted), (int)n);
	}
	while (n--) {
		page = mtdc_slots_take(&slots);
		expect(page < pages && noted[page]);
		noted[page] = 0;
	}
	expect_eq(mtdc_slots_take(&slots), MTDC_SLOTS_NONE);
	free(noted);
	free(memory);
}

static void test_programs(void)
{
	int i;

	for (i = 0; i < 200; i++)
		test_random();
}

static void test_what_does_not_exist(void)
{
	unsigned long bits[2] = { 0, 0 };
	struct mtdc_slots slots;

	mtdc_slots_init(&slots, bits, 3);
	expect(!mtdc_slots_note(&slots, 3));
	expect(!mtdc_slots_note(&slots, ~0UL));
	expect_eq(mtdc_slots_take(&slots), MTDC_SLOTS_NONE);
	expect(mtdc_slots_note(&slots, 2));
	expect_eq(mtdc_slots_take(&slots), 2U);
}

/* Each slot gets its turn, even if the others are given up again and again. */
static void test_turns(void)
{
	unsigned long bits[2] = { 0, 0 };
	struct mtdc_slots slots;
	u32 i, page;

	mtdc_slots_init(&slots, bits, 40);
	mtdc_slots_note(&slots, 39);
	for (i = 0; i < 40; i++) {
		mtdc_slots_note(&slots, i % 20);
		page = mtdc_slots_take(&slots);
		if (page == 39)
			return;
	}
	expect(!"it is never taken");
}

static const struct tap_case cases[] = {
	{ "random programs against an array", test_programs },
	{ "pages that do not exist are ignored", test_what_does_not_exist },
	{ "each page gets its turn", test_turns },
};

int main(int argc, char **argv)
{
	return tap_main("slots", cases, ARRAY_SIZE(cases), argc, argv);
}
