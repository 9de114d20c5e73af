// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "slots.h"

static uint64_t bit(uint32_t page)
{
	return 1ULL << (page % 64);
}

/**
 * slots_begin() - all pages are free
 * @slots: what is begun
 * @bits: zeroes, a bit for each page, in whole words
 * @pages: their number, less than SLOTS_NONE
 */
void slots_begin(struct slots *slots, uint64_t *bits, uint32_t pages)
{
	memset(slots, 0, sizeof(*slots));
	slots->bits = bits;
	slots->pages = pages;
}

/**
 * slots_has() - is a page taken?
 * @slots: all pages
 * @page: one of them
 */
bool slots_has(const struct slots *slots, uint32_t page)
{
	return slots->bits[page / 64] & bit(page);
}

/* next() - the first page from @page on that is taken, or free; or the number of pages */
static uint32_t next(const struct slots *slots, uint32_t page, bool taken)
{
	while (page < slots->pages) {
		uint64_t word = slots->bits[page / 64] ^ (taken ? 0 : UINT64_MAX);

		word &= UINT64_MAX << (page % 64);
		if (word) {
			page = page / 64 * 64 + (uint32_t)__builtin_ctzll(word);
			break;
		}
		page = (page / 64 + 1) * 64;
	}
	return page < slots->pages ? page : slots->pages;
}

static void set(struct slots *slots, uint32_t page, uint32_t pages, bool taken)
{
	uint32_t i;

	for (i = page; i < page + pages; i++) {
		if (taken)
			slots->bits[i / 64] |= bit(i);
		else
			slots->bits[i / 64] &= ~bit(i);
	}
}

/**
 * slots_take() - the lowest pages, side by side, that are free
 * @slots: all pages
 * @pages: how many, at least 1
 *
 * Low ones keep the store small.
 *
 * Return: the first one; SLOTS_NONE, if there are not as many side by side.
 */
uint32_t slots_take(struct slots *slots, uint32_t pages)
{
	uint32_t page = next(slots, slots->low, false), end;

	slots->low = page;
	while (page < slots->pages && pages <= slots->pages - page) {
		end = next(slots, page, true);
		if (end - page >= pages) {
			set(slots, page, pages, true);
			slots->used += pages;
			return page;
		}
		page = next(slots, end, false);
	}
	return SLOTS_NONE;
}

/**
 * slots_give() - pages are free again
 * @slots: all pages
 * @page: the first one
 * @pages: how many; all of them are taken
 */
void slots_give(struct slots *slots, uint32_t page, uint32_t pages)
{
	set(slots, page, pages, false);
	slots->used -= pages;
	if (page < slots->low)
		slots->low = page;
}

/**
 * slots_run() - pages side by side that are taken
 * @slots: all pages
 * @from: where to look from
 * @pages: how many there are, filled in
 *
 * Return: the first one; SLOTS_NONE, if there are none.
 */
uint32_t slots_run(const struct slots *slots, uint32_t from, uint32_t *pages)
{
	uint32_t page = next(slots, from, true);

	if (page == slots->pages)
		return SLOTS_NONE;
	*pages = next(slots, page, false) - page;
	return page;
}
