// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages are in a block.
 *
 * The map says where a page is; this unit has the reverse of it, for whoever
 * empties a block. It knows pages and blocks by their numbers and nothing else,
 * takes no lock, sleeps, allocates and prints nothing.
 *
 * A page is in one block at most, so two numbers for each page are enough: the
 * pages of a block are a ring, in the order in which they came.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "log_residents.h"

/**
 * mtdc_residents_memory() - memory that the rings take
 * @pages: number of pages
 * @blocks: number of blocks
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_residents_memory(u32 pages, u32 blocks)
{
	return (size_t)pages * sizeof(struct mtdc_resident) +
		(size_t)blocks * sizeof(u32);
}

/**
 * mtdc_residents_init() - set up blocks without pages
 * @residents: the pages of all blocks
 * @memory: mtdc_residents_memory() bytes, aligned for a u32, in use for as
 *	long as @residents is
 * @pages: number of pages
 * @blocks: number of blocks
 *
 * Context: any.
 */
void mtdc_residents_init(struct mtdc_residents *residents, void *memory,
			 u32 pages, u32 blocks)
{
	u32 i;

	residents->rings = memory;
	residents->first = (u32 *)(residents->rings + pages);
	residents->pages = pages;
	residents->blocks = blocks;
	for (i = 0; i < blocks; i++)
		residents->first[i] = MTDC_RESIDENTS_NONE;
}

/**
 * mtdc_residents_add() - a page has come into a block
 * @residents: the pages of all blocks
 * @block: the block
 * @page: the page, which is in none
 *
 * Context: any; the caller serialises.
 */
void mtdc_residents_add(struct mtdc_residents *residents, u32 block, u32 page)
{
	struct mtdc_resident *rings = residents->rings;
	u32 first = residents->first[block];

	if (first == MTDC_RESIDENTS_NONE) {
		rings[page].next = page;
		rings[page].prev = page;
		residents->first[block] = page;
		return;
	}
	rings[page].next = first;
	rings[page].prev = rings[first].prev;
	rings[rings[first].prev].next = page;
	rings[first].prev = page;
}

/**
 * mtdc_residents_remove() - a page is no longer in its block
 * @residents: the pages of all blocks
 * @block: the block
 * @page: the page, which is in it
 *
 * Context: any; the caller serialises.
 */
void mtdc_residents_remove(struct mtdc_residents *residents, u32 block,
			   u32 page)
{
	struct mtdc_resident *rings = residents->rings;
	struct mtdc_resident *ring = &rings[page];

	if (ring->next == page) {
		residents->first[block] = MTDC_RESIDENTS_NONE;
		return;
	}
	rings[ring->next].prev = ring->prev;
	rings[ring->prev].next = ring->next;
	if (residents->first[block] == page)
		residents->first[block] = ring->next;
}

#ifdef MTDC_CHECKS
/* Number of pages in a ring, or more than there are if it is none. */
static u32 ring_length(const struct mtdc_residents *residents, u32 first)
{
	u32 page = first, n = 0;

	do {
		u32 next;

		if (page >= residents->pages)
			return U32_MAX;
		next = residents->rings[page].next;
		if (next >= residents->pages ||
		    residents->rings[next].prev != page)
			return U32_MAX;
		page = next;
	} while (++n <= residents->pages && page != first);
	return n;
}

/**
 * mtdc_residents_check() - walk the invariants
 * @residents: the pages of all blocks
 *
 * Each ring is closed, and all together have no more pages than there are.
 *
 * Context: any; the caller serialises. Takes time in proportion to the pages.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_residents_check(const struct mtdc_residents *residents)
{
	u32 block, left = residents->pages;

	for (block = 0; block < residents->blocks; block++) {
		u32 first = residents->first[block];
		u32 n = first == MTDC_RESIDENTS_NONE ? 0 :
			ring_length(residents, first);

		if (n > left)
			return -EUCLEAN;
		left -= n;
	}
	return 0;
}
#endif /* MTDC_CHECKS */
