// SPDX-License-Identifier: GPL-2.0
/*
 * Where each logical page is.
 *
 * This file owns the map from logical pages to fragments on the media. store.c reads it,
 * inplace_store.c and the log change it. It never looks into a fragment and does not know
 * which space is free. It also runs in user space, so it must not take a lock, sleep,
 * allocate or print. The caller serialises all calls; they are safe in any context.
 *
 * Pages have the numbers from 0 to the size of the device, and nothing can be allocated when
 * a page is written. So the map is an array with a slot of 64 bits for each page:
 *
 *   bit  63     1: the page is one word over and over, and bits 62..0 are the word
 *   bits 62..60 otherwise, the enum mtdc_kind
 *   bit  59     the slot has no room for it: bits 31..0 are its first link
 *   bits 58..42 bytes of payload
 *   bits 41..32 generation
 *   bits 31..0  first granule; for MTDC_FILL, half of a word of two equal halves
 *
 * A slot of zeros is an unwritten page. Nearly all pages are in one fragment and need
 * nothing else: the length of the fragment follows from the payload's. The fragments of a
 * split page are in a chain of links from a fixed pool. A word that the slot has no room for
 * takes one link.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "map.h"

#define SLOT_WORD63		BIT_ULL(63)
#define SLOT_LINKED		BIT_ULL(59)
#define SLOT_KIND_SHIFT		60
#define SLOT_KIND_MASK		7U
#define SLOT_BYTES_SHIFT	42
#define SLOT_BYTES_MASK		((u64)MTDC_PAGE_BYTES_MAX)
#define SLOT_GENERATION_SHIFT	32
#define SLOT_GENERATION_MASK	0x3ffU

/* End of a chain of links. */
#define MTDC_NO_LINK		U32_MAX

static enum mtdc_kind slot_kind(u64 slot)
{
	return slot & SLOT_WORD63 ? MTDC_FILL : slot >> SLOT_KIND_SHIFT & SLOT_KIND_MASK;
}

static bool is_linked(u64 slot)
{
	return !(slot & SLOT_WORD63) && (slot & SLOT_LINKED);
}

/**
 * mtdc_map_kind() - how a logical page is kept
 * @map: the map
 * @page: the logical page, below @map->pages
 *
 * Return: the kind.
 */
enum mtdc_kind mtdc_map_kind(const struct mtdc_map *map, u32 page)
{
	return slot_kind(map->entries[page]);
}

static bool fits_slot(u64 word)
{
	return !(word & SLOT_WORD63) || (u32)word == word >> 32;
}

static u64 fill_word(const struct mtdc_map *map, u64 slot)
{
	const struct mtdc_extent *extent;

	if (slot & SLOT_WORD63)
		return slot & ~SLOT_WORD63;
	if (!is_linked(slot))
		return (u64)(u32)slot << 32 | (u32)slot;
	extent = &map->links[(u32)slot].extent;
	return (u64)extent->start << 32 | extent->len;
}

static void drop_links(struct mtdc_map *map, u64 slot)
{
	u32 link, next;

	if (!is_linked(slot))
		return;
	for (link = (u32)slot; link != MTDC_NO_LINK; link = next) {
		next = map->links[link].next;
		map->links[link].next = map->unused;
		map->unused = link;
		map->nunused++;
	}
}

/* Chain up links for @n extents; the caller knows that there are enough. */
static u32 make_links(struct mtdc_map *map, const struct mtdc_extent *chain, unsigned int n)
{
	u32 head = MTDC_NO_LINK;

	while (n--) {
		u32 link = map->unused;

		map->unused = map->links[link].next;
		map->nunused--;
		map->links[link].extent = chain[n];
		map->links[link].next = head;
		head = link;
	}
	return head;
}

static u64 fill_slot(struct mtdc_map *map, u64 word)
{
	u64 slot = (u64)MTDC_FILL << SLOT_KIND_SHIFT;
	struct mtdc_extent halves = { .start = word >> 32, .len = (u32)word };

	if (!(word & SLOT_WORD63))
		return word | SLOT_WORD63;
	if (fits_slot(word))
		return slot | (u32)word;
	return slot | SLOT_LINKED | make_links(map, &halves, 1);
}

static u64 stored_slot(struct mtdc_map *map, const struct mtdc_place *place)
{
	u64 slot = (u64)place->kind << SLOT_KIND_SHIFT |
		(u64)place->bytes << SLOT_BYTES_SHIFT |
		(u64)(place->generation % MTDC_GENERATIONS) << SLOT_GENERATION_SHIFT;

	if (place->n == 1)
		return slot | place->chain[0].start;
	return slot | SLOT_LINKED | make_links(map, place->chain, place->n);
}

/**
 * mtdc_map_get() - look a page up
 * @map: the map
 * @page: the logical page, below @map->pages
 * @place: where it is
 */
void mtdc_map_get(const struct mtdc_map *map, u32 page, struct mtdc_place *place)
{
	u64 slot = map->entries[page];
	u32 link;

	place->kind = slot_kind(slot);
	place->n = 0;
	if (place->kind == MTDC_FILL)
		place->word = fill_word(map, slot);
	if (!mtdc_is_stored(place->kind))
		return;

	place->bytes = slot >> SLOT_BYTES_SHIFT & SLOT_BYTES_MASK;
	place->generation = slot >> SLOT_GENERATION_SHIFT & SLOT_GENERATION_MASK;
	if (!is_linked(slot)) {
		place->chain[0].start = (u32)slot;
		place->chain[0].len = DIV_ROUND_UP(place->bytes + map->header_bytes,
						   map->granule_bytes);
		place->n = 1;
		return;
	}
	for (link = (u32)slot; link != MTDC_NO_LINK && place->n < MTDC_CHAIN_MAX;
	     link = map->links[link].next)
		place->chain[place->n++] = map->links[link].extent;
}

/**
 * mtdc_map_room() - how many links could this page have?
 * @map: the map
 * @page: the logical page; its present links would be reused
 *
 * Return: number of links.
 */
unsigned int mtdc_map_room(const struct mtdc_map *map, u32 page)
{
	u64 slot = map->entries[page];
	unsigned int n = map->nunused;
	u32 link;

	if (!is_linked(slot))
		return n;
	for (link = (u32)slot; link != MTDC_NO_LINK; link = map->links[link].next)
		n++;
	return n;
}

/**
 * mtdc_map_has_room() - are there enough links for this place?
 * @map: the map
 * @page: the logical page that it is for; its present links would be reused
 * @place: the place
 *
 * Return: true if mtdc_map_set() would succeed.
 */
bool mtdc_map_has_room(const struct mtdc_map *map, u32 page, const struct mtdc_place *place)
{
	unsigned int n = 0;

	if (place->kind == MTDC_FILL)
		n = !fits_slot(place->word);
	else if (mtdc_is_stored(place->kind) && place->n > 1)
		n = place->n;
	return !n || n <= mtdc_map_room(map, page);
}

/**
 * mtdc_map_set() - say where a page is from now on
 * @map: the map
 * @page: the logical page, below @map->pages
 * @place: where it is
 *
 * Return: 0, or -ENOSPC with nothing changed if there are too few links.
 */
int mtdc_map_set(struct mtdc_map *map, u32 page, const struct mtdc_place *place)
{
	u64 slot = (u64)place->kind << SLOT_KIND_SHIFT;

	if (!mtdc_map_has_room(map, page, place))
		return -ENOSPC;

	drop_links(map, map->entries[page]);
	if (place->kind == MTDC_FILL)
		slot = fill_slot(map, place->word);
	else if (mtdc_is_stored(place->kind))
		slot = stored_slot(map, place);
	map->entries[page] = slot;
	return 0;
}

/**
 * mtdc_map_memory() - memory that a map needs
 * @pages: number of logical pages
 * @nlinks: number of links
 *
 * Return: bytes.
 */
size_t mtdc_map_memory(u32 pages, u32 nlinks)
{
	return (size_t)pages * sizeof(u64) + (size_t)nlinks * sizeof(struct mtdc_link);
}

/**
 * mtdc_map_init() - set up a map with no page written
 * @map: the map
 * @memory: mtdc_map_memory() bytes, zeroed, aligned for u64; the map uses them until its end
 * @pages: number of logical pages
 * @nlinks: number of links; a page is split into at most as many fragments
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of a fragment's header
 */
void mtdc_map_init(struct mtdc_map *map, void *memory, u32 pages, u32 nlinks,
		   u32 granule_bytes, u32 header_bytes)
{
	u32 i;

	map->entries = memory;
	map->links = (struct mtdc_link *)(map->entries + pages);
	map->pages = pages;
	map->nlinks = nlinks;
	map->unused = nlinks ? 0 : MTDC_NO_LINK;
	map->nunused = nlinks;
	map->granule_bytes = granule_bytes;
	map->header_bytes = header_bytes;
	for (i = 0; i < nlinks; i++)
		map->links[i].next = i + 1 < nlinks ? i + 1 : MTDC_NO_LINK;
}

#ifdef MTDC_CHECKS
/**
 * mtdc_map_check() - walk the invariants
 * @map: the map
 *
 * Each link is unused or in exactly one chain, and the chain of a stored page has room for
 * the payload that its slot gives the length of. Takes time in proportion to the pages.
 *
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_map_check(const struct mtdc_map *map)
{
	u32 chained = 0, unused = 0;
	u32 link, page;

	for (link = map->unused; link != MTDC_NO_LINK;
	     link = map->links[link].next)
		if (link >= map->nlinks || ++unused > map->nlinks)
			return -EUCLEAN;
	if (unused != map->nunused)
		return -EUCLEAN;

	for (page = 0; page < map->pages; page++) {
		u64 slot = map->entries[page];
		bool filled = slot_kind(slot) == MTDC_FILL;
		u64 room = 0;

		if (!is_linked(slot))
			continue;
		for (link = (u32)slot; link != MTDC_NO_LINK;
		     link = map->links[link].next) {
			if (link >= map->nlinks || ++chained > map->nlinks)
				return -EUCLEAN;
			room += (u64)map->links[link].extent.len *
				map->granule_bytes - map->header_bytes;
		}
		if (!filled && room < (slot >> SLOT_BYTES_SHIFT & SLOT_BYTES_MASK))
			return -EUCLEAN;
	}
	return chained + unused == map->nlinks ? 0 : -EUCLEAN;
}
#endif /* MTDC_CHECKS */
