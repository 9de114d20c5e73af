/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Extents: runs of whole pages, taken or free. PURE: no lock, no system call, and the memory is the
 * caller's. Each operation takes a bounded number of steps, however many extents there are.
 *
 * The pages from "top" on were never taken, or are free up to the end. Below, each page belongs to
 * one extent, and two free extents are never side by side. A bitmap has a bit for the first page of
 * each extent; five more bitmaps above it have a bit for each word that is not 0, so the extent of
 * any page is found by its bits alone. All else about an extent is in the node of its first page.
 * Nodes of other pages are neither read nor written.
 */
#ifndef MARVIN_EXTENTS_H
#define MARVIN_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXTENTS_NONE	UINT32_MAX
#define EXTENTS_MOST	(1U << 31)	/* pages */
#define EXTENTS_LEVELS	6		/* 64^6 > 2^31 */
#define EXTENTS_COLUMNS	8
#define EXTENTS_ROWS	30		/* the row of 2^31 pages is the last */

/* The beginning of a node. While the extent is taken, all but pages and taken is the owner's. */
struct extent {
	uint32_t pages;
	uint32_t prev, next;		/* first pages in the same list, or EXTENTS_NONE */
	uint8_t taken;
	uint8_t use;
	uint16_t first;
};

struct extents {
	unsigned char *nodes;
	size_t node_bytes;
	uint64_t *starts[EXTENTS_LEVELS];
	uint32_t pages;
	uint32_t top;			/* all pages from here on are free, and in no extent */
	uint32_t used;			/* pages of taken extents */
	uint32_t rows;			/* bit: the row has a free extent */
	uint64_t looks;			/* members of bins that were looked at, ever */
	uint8_t columns[EXTENTS_ROWS];	/* bit: the bin has one */
	uint32_t bins[EXTENTS_ROWS][EXTENTS_COLUMNS];
};

uint64_t extents_memory(uint32_t pages, size_t node_bytes);
void extents_begin(struct extents *extents, void *memory, uint32_t pages, size_t node_bytes);
uint32_t extents_take(struct extents *extents, uint32_t pages);
void extents_give(struct extents *extents, uint32_t page);
uint32_t extents_split(struct extents *extents, uint32_t page, uint32_t pages);
bool extents_grow(struct extents *extents, uint32_t page, uint32_t pages);
uint32_t extents_find(const struct extents *extents, uint32_t page);

static inline struct extent *extents_at(const struct extents *extents, uint32_t page)
{
	return (struct extent *)(extents->nodes + page * extents->node_bytes);
}

/* extents_link() - an extent becomes the first of a list */
static inline void extents_link(struct extents *extents, uint32_t *list, uint32_t page)
{
	struct extent *extent = extents_at(extents, page);

	extent->prev = EXTENTS_NONE;
	extent->next = *list;
	if (*list != EXTENTS_NONE)
		extents_at(extents, *list)->prev = page;
	*list = page;
}

/* extents_unlink() - an extent leaves its list */
static inline void extents_unlink(struct extents *extents, uint32_t *list, uint32_t page)
{
	const struct extent *extent = extents_at(extents, page);

	if (extent->prev == EXTENTS_NONE)
		*list = extent->next;
	else
		extents_at(extents, extent->prev)->next = extent->next;
	if (extent->next != EXTENTS_NONE)
		extents_at(extents, extent->next)->prev = extent->prev;
}

#endif
