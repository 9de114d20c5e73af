/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages of each block.
 */
#ifndef MTDC_LOG_RESIDENTS_H
#define MTDC_LOG_RESIDENTS_H

#include <linux/limits.h>
#include <linux/types.h>

/* No page. */
#define MTDC_RESIDENTS_NONE	U32_MAX

/**
 * struct mtdc_resident - a page's neighbours in its block's ring
 * @next: the next page, of the last one the first
 * @prev: the one before, of the first one the last
 */
struct mtdc_resident {
	u32 next;
	u32 prev;
};

/**
 * struct mtdc_residents - the pages of all blocks
 * @rings: a link for each page; it means something for residents only
 * @first: the first page of each block, or MTDC_RESIDENTS_NONE
 * @pages: number of pages
 * @blocks: number of blocks
 *
 * The caller serialises all access.
 */
struct mtdc_residents {
	struct mtdc_resident *rings;
	u32 *first;
	u32 pages;
	u32 blocks;
};

size_t mtdc_residents_memory(u32 pages, u32 blocks);
void mtdc_residents_init(struct mtdc_residents *residents, void *memory,
			 u32 pages, u32 blocks);
void mtdc_residents_add(struct mtdc_residents *residents, u32 block, u32 page);
void mtdc_residents_remove(struct mtdc_residents *residents, u32 block,
			   u32 page);
int mtdc_residents_check(const struct mtdc_residents *residents);

/* The page that has been in a block longest, or MTDC_RESIDENTS_NONE. */
static inline u32 mtdc_residents_first(const struct mtdc_residents *residents,
				       u32 block)
{
	return residents->first[block];
}

/* The page that came into a block last, or MTDC_RESIDENTS_NONE. */
static inline u32 mtdc_residents_last(const struct mtdc_residents *residents,
				      u32 block)
{
	u32 first = residents->first[block];

	return first == MTDC_RESIDENTS_NONE ? first :
		residents->rings[first].prev;
}

#endif /* MTDC_LOG_RESIDENTS_H */
