// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "extents.h"

/* A bin has extents whose sizes differ by up to an eighth: so many of them are tried first, */
#define TRIES_FIRST	4
/* and so many before a request fails. */
#define TRIES_LAST	64

static uint32_t words_of(uint32_t bits)
{
	return bits / 64 + !!(bits % 64);
}

/**
 * extents_memory() - how much memory do extents need?
 * @pages: the number of pages, up to EXTENTS_MOST
 * @node_bytes: bytes of a node, a multiple of 8, at least sizeof(struct extent)
 *
 * Return: the number of bytes.
 */
uint64_t extents_memory(uint32_t pages, size_t node_bytes)
{
	uint64_t bytes = (uint64_t)pages * node_bytes;
	unsigned int level;

	for (level = 0; level < EXTENTS_LEVELS; level++) {
		pages = words_of(pages);
		bytes += (uint64_t)pages * sizeof(uint64_t);
	}
	return bytes;
}

/**
 * extents_begin() - all pages are free
 * @extents: the allocator
 * @memory: zeroes, extents_memory() bytes, aligned to 8 bytes
 * @pages: the number of pages, up to EXTENTS_MOST
 * @node_bytes: as for extents_memory()
 */
void extents_begin(struct extents *extents, void *memory, uint32_t pages, size_t node_bytes)
{
	unsigned char *at = memory;
	unsigned int level;

	memset(extents, 0, sizeof(*extents));
	memset(extents->bins, 0xff, sizeof(extents->bins));
	extents->nodes = at;
	extents->node_bytes = node_bytes;
	extents->pages = pages;
	at += pages * node_bytes;
	for (level = 0; level < EXTENTS_LEVELS; level++) {
		extents->starts[level] = (uint64_t *)at;
		pages = words_of(pages);
		at += pages * sizeof(uint64_t);
	}
}

static void set_start(struct extents *extents, uint32_t page)
{
	unsigned int level;

	for (level = 0; level < EXTENTS_LEVELS; level++, page /= 64) {
		uint64_t *word = &extents->starts[level][page / 64], old = *word;

		*word = old | 1ULL << (page % 64);
		if (old)
			break;
	}
}

static void clear_start(struct extents *extents, uint32_t page)
{
	unsigned int level;

	for (level = 0; level < EXTENTS_LEVELS; level++, page /= 64) {
		uint64_t *word = &extents->starts[level][page / 64];

		*word &= ~(1ULL << (page % 64));
		if (*word)
			break;
	}
}

static uint32_t last_bit(uint64_t word)
{
	return 63 - (uint32_t)__builtin_clzll(word);
}

/* start_of() - the first page of the extent of @page, which is below top. Page 0 is a first one. */
static uint32_t start_of(const struct extents *extents, uint32_t page)
{
	unsigned int level = 0;
	uint64_t word;

	while (1) {
		word = extents->starts[level][page / 64] & (UINT64_MAX >> (63 - page % 64));
		if (word)
			break;
		page = page / 64 - 1;
		level++;
	}
	page = page / 64 * 64 + last_bit(word);
	while (level--)
		page = page * 64 + last_bit(extents->starts[level][page]);
	return page;
}

/* row_of() - the bin of extents of @pages. The sizes of a bin are from it to the next one's. */
static unsigned int row_of(uint32_t pages, unsigned int *column)
{
	unsigned int log = last_bit(pages);

	if (log < 3) {
		*column = pages;
		return 0;
	}
	*column = pages >> (log - 3) & 7;
	return log - 2;
}

static void put(struct extents *extents, uint32_t page)
{
	unsigned int column, row = row_of(extents_at(extents, page)->pages, &column);

	extents_link(extents, &extents->bins[row][column], page);
	extents->columns[row] |= (uint8_t)(1U << column);
	extents->rows |= 1U << row;
}

static void pull(struct extents *extents, uint32_t page)
{
	unsigned int column, row = row_of(extents_at(extents, page)->pages, &column);

	extents_unlink(extents, &extents->bins[row][column], page);
	if (extents->bins[row][column] != EXTENTS_NONE)
		return;
	extents->columns[row] &= (uint8_t)~(1U << column);
	if (!extents->columns[row])
		extents->rows &= ~(1U << row);
}

/* begin_free() - an extent that was part of another one begins, and is free */
static void begin_free(struct extents *extents, uint32_t page, uint32_t pages)
{
	struct extent *extent = extents_at(extents, page);

	extent->pages = pages;
	extent->taken = false;
	set_start(extents, page);
	put(extents, page);
}

/* among() - one of the bin of @pages that is large enough */
static uint32_t among(struct extents *extents, uint32_t pages, unsigned int tries)
{
	unsigned int column, row = row_of(pages, &column);
	uint32_t page = extents->bins[row][column];

	while (page != EXTENTS_NONE && tries--) {
		extents->looks++;
		if (extents_at(extents, page)->pages >= pages)
			return page;
		page = extents_at(extents, page)->next;
	}
	return EXTENTS_NONE;
}

/* above() - one of a higher bin than the bin of @pages: it is large enough */
static uint32_t above(const struct extents *extents, uint32_t pages)
{
	unsigned int column, row = row_of(pages, &column), columns;
	uint32_t rows;

	columns = extents->columns[row] & ~((2U << column) - 1);
	if (!columns) {
		rows = extents->rows & ~((2U << row) - 1);
		if (!rows)
			return EXTENTS_NONE;
		row = (unsigned int)__builtin_ctz(rows);
		columns = extents->columns[row];
	}
	return extents->bins[row][__builtin_ctz(columns)];
}

static void take_free(struct extents *extents, uint32_t page, uint32_t pages)
{
	struct extent *extent = extents_at(extents, page);

	pull(extents, page);
	if (extent->pages > pages)
		begin_free(extents, page + pages, extent->pages - pages);
}

/**
 * extents_take() - a free extent is taken
 * @extents: the allocator
 * @pages: how many pages, at least 1
 *
 * If the only extents that are large enough are larger by less than an eighth, and are behind many
 * in their bin that are not, they are not found.
 *
 * Return: the first page; EXTENTS_NONE, if no extent is large enough.
 */
uint32_t extents_take(struct extents *extents, uint32_t pages)
{
	uint32_t page = among(extents, pages, TRIES_FIRST);

	if (page == EXTENTS_NONE)
		page = above(extents, pages);
	if (page == EXTENTS_NONE && pages > extents->pages - extents->top)
		page = among(extents, pages, TRIES_LAST);
	if (page != EXTENTS_NONE) {
		take_free(extents, page, pages);
	} else {
		if (pages > extents->pages - extents->top)
			return EXTENTS_NONE;
		page = extents->top;
		extents->top += pages;
		set_start(extents, page);
	}
	extents_at(extents, page)->pages = pages;
	extents_at(extents, page)->taken = true;
	extents->used += pages;
	return page;
}

/**
 * extents_give() - a taken extent is free again, together with free ones beside it
 * @extents: the allocator
 * @page: its first page
 */
void extents_give(struct extents *extents, uint32_t page)
{
	uint32_t end = page + extents_at(extents, page)->pages, before;

	extents->used -= end - page;
	if (end < extents->top && !extents_at(extents, end)->taken) {
		pull(extents, end);
		clear_start(extents, end);
		end += extents_at(extents, end)->pages;
	}
	clear_start(extents, page);
	if (page) {
		before = start_of(extents, page - 1);
		if (!extents_at(extents, before)->taken) {
			pull(extents, before);
			clear_start(extents, before);
			page = before;
		}
	}
	if (end == extents->top)
		extents->top = page;
	else
		begin_free(extents, page, end - page);
}

/**
 * extents_split() - a taken extent becomes two, both of them taken
 * @extents: the allocator
 * @page: its first page
 * @pages: how many it keeps: at least 1, less than it has
 *
 * Return: the first page of the second one.
 */
uint32_t extents_split(struct extents *extents, uint32_t page, uint32_t pages)
{
	struct extent *extent = extents_at(extents, page);
	struct extent *second = extents_at(extents, page + pages);

	second->pages = extent->pages - pages;
	second->taken = true;
	extent->pages = pages;
	set_start(extents, page + pages);
	return page + pages;
}

/**
 * extents_grow() - a taken extent gets the free pages behind it
 * @extents: the allocator
 * @page: its first page
 * @pages: how many it is to have: more than it has
 *
 * Return: false, if there are not as many.
 */
bool extents_grow(struct extents *extents, uint32_t page, uint32_t pages)
{
	struct extent *extent = extents_at(extents, page);
	uint32_t end = page + extent->pages, more = pages - extent->pages;

	if (end == extents->top) {
		if (more > extents->pages - end)
			return false;
		extents->top += more;
	} else {
		if (extents_at(extents, end)->taken || extents_at(extents, end)->pages < more)
			return false;
		take_free(extents, end, more);
		clear_start(extents, end);
	}
	extent->pages = pages;
	extents->used += more;
	return true;
}

/**
 * extents_find() - which taken extent has this page?
 * @extents: the allocator
 * @page: any page
 *
 * Return: its first page; EXTENTS_NONE, if the page is free, or is none.
 */
uint32_t extents_find(const struct extents *extents, uint32_t page)
{
	if (page >= extents->top)
		return EXTENTS_NONE;
	page = start_of(extents, page);
	return extents_at(extents, page)->taken ? page : EXTENTS_NONE;
}
