// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of each block, compared with plain lists.
 */
#include <errno.h>

#include "harness.h"
#include "log_residents.h"

#define PAGES	200U
#define BLOCKS	12U

/* A block's pages in the order of their arrival. */
struct list {
	u32 pages[PAGES];
	u32 n;
};

static struct mtdc_residents residents;
static struct list lists[BLOCKS];
static u32 home[PAGES];		/* block of each page, or BLOCKS */

static void create(void)
{
	u32 i;

	mtdc_residents_init(&residents, test_alloc(mtdc_residents_memory(PAGES, BLOCKS)), PAGES,
			    BLOCKS);
	memset(lists, 0, sizeof(lists));
	for (i = 0; i < PAGES; i++)
		home[i] = BLOCKS;
}

static void add(u32 block, u32 page)
{
	mtdc_residents_add(&residents, block, page);
	lists[block].pages[lists[block].n++] = page;
	home[page] = block;
}

static void remove_page(u32 page)
{
	struct list *list = &lists[home[page]];
	u32 i;

	mtdc_residents_remove(&residents, home[page], page);
	for (i = 0; list->pages[i] != page; i++)
		;
	memmove(&list->pages[i], &list->pages[i + 1], (list->n - i - 1) * sizeof(u32));
	list->n--;
	home[page] = BLOCKS;
}

static void compare(u32 block)
{
	const struct list *list = &lists[block];
	u32 page = mtdc_residents_first(&residents, block), i;

	if (!list->n) {
		expect_eq(page, MTDC_RESIDENTS_NONE);
		expect_eq(mtdc_residents_last(&residents, block), MTDC_RESIDENTS_NONE);
		return;
	}
	for (i = 0; i < list->n && !tap.bad; i++) {
		expect_eq(page, list->pages[i]);
		page = residents.rings[page].next;
	}
	expect_eq(page, list->pages[0]);
	expect_eq(mtdc_residents_last(&residents, block), list->pages[list->n - 1]);
}

static void test_random(void)
{
	u64 left;

	create();
	for (left = tap.ops; left && !tap.bad; left--) {
		u32 page = random_below(PAGES);
		/* Some blocks have many pages, some one or none. */
		u32 block = random_below(1 + random_below(BLOCKS));

		if (home[page] != BLOCKS)
			remove_page(page);
		else
			add(block, page);
		compare(block);
		if (!(left & 255)) {
			for (block = 0; block < BLOCKS; block++)
				compare(block);
			expect_eq(mtdc_residents_check(&residents), 0);
		}
	}
	free(residents.rings);
}

/* The checker finds each damage. */
static void test_check(void)
{
	u32 i;

	create();
	for (i = 0; i < 10; i++)
		add(i % 2, i);
	expect_eq(mtdc_residents_check(&residents), 0);
	residents.rings[4].next = 5;
	expect_eq(mtdc_residents_check(&residents), -EUCLEAN);
	residents.rings[4].next = PAGES;
	expect_eq(mtdc_residents_check(&residents), -EUCLEAN);
	residents.rings[4].next = 6;
	expect_eq(mtdc_residents_check(&residents), 0);
	residents.first[3] = PAGES;
	expect_eq(mtdc_residents_check(&residents), -EUCLEAN);
	free(residents.rings);
}

static const struct tap_case cases[] = {
	{ "random pages come and go", test_random },
	{ "the checker finds damage", test_check },
};

int main(int argc, char **argv)
{
	return tap_main("residents", cases, ARRAY_SIZE(cases), argc, argv);
}
