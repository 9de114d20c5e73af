// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that their owner has given up, until somebody forgets them.
 *
 * The kernel says that a swap slot is free with spin locks held; forgetting its page
 * takes a mutex. So it is noted here, and taken from here later, at the latest when the
 * page is written again.
 *
 * This unit knows which pages were given up. What they are, it does not know.
 */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "front_slots.h"

/**
 * mtdc_slots_memory() - memory that is needed
 * @pages: number of pages
 *
 * Context: any.
 * Return: bytes, a multiple of a long's.
 */
size_t mtdc_slots_memory(u32 pages)
{
	return BITS_TO_LONGS((size_t)pages) * sizeof(long);
}

/**
 * mtdc_slots_init() - none is given up
 * @slots: the pages
 * @memory: as much as mtdc_slots_memory() says, zeroed
 * @pages: number of pages
 *
 * Context: any.
 */
void mtdc_slots_init(struct mtdc_slots *slots, void *memory, u32 pages)
{
	slots->bits = memory;
	slots->pages = pages;
	atomic_set(&slots->noted, 0);
	slots->next = 0;
}

/* find() - the first page from @from on that is given up */
static unsigned long find(const struct mtdc_slots *slots, u32 from)
{
	/* mtdc_slots_note() sets bits meanwhile. Nobody clears one, so what is found stays set. */
	return data_race(find_next_bit(slots->bits, slots->pages, from));
}

/**
 * mtdc_slots_take() - a page that is given up
 * @slots: the pages
 *
 * From where the last one was found, round once.
 *
 * Context: any; the caller excludes others who call it, and mtdc_slots_take_page().
 * Return: the page, which is not noted any more, or MTDC_SLOTS_NONE.
 */
u32 mtdc_slots_take(struct mtdc_slots *slots)
{
	unsigned long page;

	if (!atomic_read(&slots->noted))
		return MTDC_SLOTS_NONE;
	page = find(slots, slots->next);
	if (page >= slots->pages)
		page = find(slots, 0);
	if (page >= slots->pages)
		return MTDC_SLOTS_NONE;
	clear_bit(page, slots->bits);
	atomic_dec(&slots->noted);
	slots->next = page + 1;
	return page;
}
