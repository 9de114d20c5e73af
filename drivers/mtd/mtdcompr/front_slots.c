// SPDX-License-Identifier: GPL-2.0
/*
 * Swap slots that the kernel has freed, and whose pages the store still has.
 *
 * The kernel reports a free slot with spin locks held, and forgetting the page takes a mutex. So
 * front_blk.c notes the slot here and forgets its page later, at the latest before the
 * page is written again.
 *
 * This file owns the bitmap. It is pure: it takes no lock and never calls the store.
 */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "front_slots.h"

/**
 * mtdc_slots_memory() - memory that the bitmap needs
 * @pages: number of pages
 *
 * Return: bytes, a multiple of a long's.
 */
size_t mtdc_slots_memory(u32 pages)
{
	return BITS_TO_LONGS((size_t)pages) * sizeof(long);
}

/**
 * mtdc_slots_init() - begin without freed slots
 * @slots: the slots
 * @memory: mtdc_slots_memory() bytes, zeroed
 * @pages: number of pages
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
	/* mtdc_slots_note() sets bits meanwhile; none is cleared, so a bit that is found stays. */
	return data_race(find_next_bit(slots->bits, slots->pages, from));
}

/**
 * mtdc_slots_take() - take any page whose slot is freed
 * @slots: the slots
 *
 * The search goes round once, from behind the page that was found last.
 *
 * Context: any; the caller excludes other calls of this and of mtdc_slots_take_page().
 * Return: the page, whose slot is not noted any more, or MTDC_SLOTS_NONE.
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
