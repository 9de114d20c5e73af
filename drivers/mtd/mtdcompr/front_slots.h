/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that their owner has given up, until somebody forgets them.
 */
#ifndef MTDC_FRONT_SLOTS_H
#define MTDC_FRONT_SLOTS_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/types.h>

/* There is none. */
#define MTDC_SLOTS_NONE	U32_MAX

/**
 * struct mtdc_slots - pages that were given up
 * @bits: a bit for each page
 * @pages: how many pages there are
 * @noted: how many are given up
 * @next: where to look for the next one; belongs to who takes them
 *
 * @bits and @noted are changed by anyone at any time, @bits first.
 */
struct mtdc_slots {
	unsigned long *bits;
	u32 pages;
	atomic_t noted;
	u32 next;
};

size_t mtdc_slots_memory(u32 pages);
void mtdc_slots_init(struct mtdc_slots *slots, void *memory, u32 pages);
u32 mtdc_slots_take(struct mtdc_slots *slots);

/**
 * mtdc_slots_note() - a page is given up
 * @slots: the pages
 * @page: which; one that does not exist is ignored
 *
 * Context: any, atomic too.
 * Return: true if it was not before.
 */
static inline bool mtdc_slots_note(struct mtdc_slots *slots, unsigned long page)
{
	if (page >= slots->pages || test_and_set_bit(page, slots->bits))
		return false;
	atomic_inc(&slots->noted);
	/* Who takes them sees it, or is still to be called. */
	smp_mb__after_atomic();
	return true;
}

/**
 * mtdc_slots_take_page() - is this page given up?
 * @slots: the pages
 * @page: which
 *
 * To be asked before it is written, or what is new in it would be forgotten.
 *
 * Context: any; the caller excludes mtdc_slots_take(), up to when that page is forgotten.
 * Return: true if it was, and is not noted any more.
 */
static inline bool mtdc_slots_take_page(struct mtdc_slots *slots, u32 page)
{
	if (!test_bit(page, slots->bits) ||
	    !test_and_clear_bit(page, slots->bits))
		return false;
	atomic_dec(&slots->noted);
	return true;
}

#endif /* MTDC_FRONT_SLOTS_H */
