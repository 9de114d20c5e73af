// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of each block.
 *
 * The map says where a page is; this unit owns the reverse of it, for emptying a block.
 * log_blocks.c changes it, the other files of the log read it. It knows pages and blocks by their
 * numbers only. It takes no lock, sleeps, allocates and prints nothing.
 *
 * A page is in one block at most, so two numbers for each page suffice: the pages of a block are a
 * ring, in the order of their coming.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "log_residents.h"

/* Bytes of memory that the rings take. */
size_t mtdc_residents_memory(u32 pages, u32 blocks)
{
	return (size_t)pages * sizeof(struct mtdc_resident) +
		(size_t)blocks * sizeof(u32);
}

/* Set up blocks without pages. @memory is aligned for a u32, and @residents goes on using it. */
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

/* A page, which is in no block, has come into one. */
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

/* A page is no longer in its block. */
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

/* Is each ring closed, and have all together no more pages than exist? 0 or -EUCLEAN. */
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
