/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Swap slots that the kernel has freed, and whose pages the store still has.
 *
 * Functions without a Context line may be called in any context.
 */
#ifndef MTDC_FRONT_SLOTS_H
#define MTDC_FRONT_SLOTS_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/types.h>

/* mtdc_slots_take() found no page. */
#define MTDC_SLOTS_NONE	U32_MAX

/**
 * struct mtdc_slots - the freed slots of one device
 * @bits: a bit for each page, set if its slot is freed
 * @pages: number of pages
 * @noted: number of bits that are set
 * @next: where mtdc_slots_take() starts to look; belongs to its callers
 *
 * @bits and @noted change at any time without a lock, @bits first.
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
 * mtdc_slots_note() - a slot is freed
 * @slots: the slots
 * @page: its page; one that does not exist is ignored
 *
 * Context: any, atomic too.
 * Return: true if the slot was not noted before.
 */
static inline bool mtdc_slots_note(struct mtdc_slots *slots, unsigned long page)
{
	if (page >= slots->pages || test_and_set_bit(page, slots->bits))
		return false;
	atomic_inc(&slots->noted);
	/* Make the bit visible before the caller looks whether the work is pending. */
	smp_mb__after_atomic();
	return true;
}

/**
 * mtdc_slots_take_page() - take one page out, if its slot is freed
 * @slots: the slots
 * @page: the page
 *
 * Each write to a page calls this first: otherwise the new contents would be forgotten later.
 *
 * Context: any; the caller excludes mtdc_slots_take() until the page is forgotten.
 * Return: true if the slot was freed; it is not noted any more.
 */
static inline bool mtdc_slots_take_page(struct mtdc_slots *slots, u32 page)
{
	if (!test_bit(page, slots->bits) || !test_and_clear_bit(page, slots->bits))
		return false;
	atomic_dec(&slots->noted);
	return true;
}

#endif /* MTDC_FRONT_SLOTS_H */
