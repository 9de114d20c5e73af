// SPDX-License-Identifier: GPL-2.0
/*
 * Where each logical page is.
 *
 * This unit knows logical pages and the fragments that hold them; it does not
 * know what is in a fragment or whether it is free. It takes no lock, sleeps,
 * allocates and prints nothing.
 *
 * The keys are the numbers from 0 to the size of the device, and nothing may
 * be allocated when one is set, so the tree is of the flattest kind: one node
 * with a slot for each page. A slot has 64 bits:
 *
 *   bit  63     1: the page is one word over and over, and bits 62..0 are it
 *   bits 62..60 otherwise, SLOT_* below
 *   bit  59     it did not fit: bits 31..0 are its first link
 *   bits 58..42 bytes of payload
 *   bits 41..32 generation
 *   bits 31..0  first granule; or half the word, for SLOT_FILL of a word of
 *               two equal halves
 *
 * An all-zero slot is an unwritten page. A page in one fragment, as nearly
 * all are, costs nothing else: the fragment's length follows from the
 * payload's. The chain of a split page is a chain of links from a fixed pool,
 * and so is, in a single link, a word that the slot has no room for.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "map.h"

#define SLOT_WORD63		BIT_ULL(63)
#define SLOT_LINKED		BIT_ULL(59)
#define SLOT_KIND_SHIFT		60
#define SLOT_BYTES_SHIFT	42
#define SLOT_BYTES_MASK		((u64)MTDC_PAGE_BYTES_MAX)
#define SLOT_GENERATION_SHIFT	32
#define SLOT_GENERATION_MASK	0x3ffU

enum { SLOT_NONE, SLOT_FILL, SLOT_RAW, SLOT_COMPRESSED, SLOT_LOST };

/* End of a chain of links. */
#define MTDC_NO_LINK		U32_MAX

static unsigned int slot_kind(u64 slot)
{
	return slot >> SLOT_KIND_SHIFT & 7;
}

/**
 * mtdc_map_kind() - how a logical page is kept
 * @map: the map
 * @page: the logical page, below @map->pages
 *
 * Context: any; the caller serialises.
 * Return: the kind.
 */
enum mtdc_kind mtdc_map_kind(const struct mtdc_map *map, u32 page)
{
	u64 slot = map->entries[page];

	if (slot & SLOT_WORD63)
		return MTDC_FILL;
	switch (slot_kind(slot)) {
	case SLOT_NONE:
		return MTDC_NONE;
	case SLOT_FILL:
		return MTDC_FILL;
	case SLOT_RAW:
		return MTDC_RAW;
	case SLOT_COMPRESSED:
		return MTDC_COMPRESSED;
	default:
		return MTDC_LOST;
	}
}

static bool is_linked(u64 slot)
{
	return !(slot & SLOT_WORD63) && (slot & SLOT_LINKED);
}

static bool fits_slot(u64 word)
{
	return !(word & SLOT_WORD63) || (u32)word == word >> 32;
}

/* How many links it takes to say this. */
static unsigned int links_for(const struct mtdc_place *place)
{
	if (place->kind == MTDC_FILL)
		return !fits_slot(place->word);
	return mtdc_is_stored(place->kind) && place->n > 1 ? place->n : 0;
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

static u64 stored_slot(const struct mtdc_place *place, u32 start)
{
	u64 kind = place->kind == MTDC_RAW ? SLOT_RAW : SLOT_COMPRESSED;

	return kind << SLOT_KIND_SHIFT |
		(place->n > 1 ? SLOT_LINKED : 0) |
		(u64)place->bytes << SLOT_BYTES_SHIFT |
		(u64)(place->generation % MTDC_GENERATIONS) <<
			SLOT_GENERATION_SHIFT |
		start;
}

static unsigned int links_of(const struct mtdc_map *map, u64 slot)
{
	unsigned int n = 0;
	u32 link;

	if (!is_linked(slot))
		return 0;
	for (link = (u32)slot; link != MTDC_NO_LINK; n++)
		link = map->links[link].next;
	return n;
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
static u32 make_links(struct mtdc_map *map, const struct mtdc_extent *chain,
		      unsigned int n)
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
	u64 slot = (u64)SLOT_FILL << SLOT_KIND_SHIFT;
	struct mtdc_extent halves = { .start = word >> 32, .len = (u32)word };

	if (!(word & SLOT_WORD63))
		return word | SLOT_WORD63;
	if (fits_slot(word))
		return slot | (u32)word;
	return slot | SLOT_LINKED | make_links(map, &halves, 1);
}

/**
 * mtdc_map_get() - look a page up
 * @map: the map
 * @page: the logical page, below @map->pages
 * @place: where it is
 *
 * Context: any; the caller serialises.
 */
void mtdc_map_get(const struct mtdc_map *map, u32 page,
		  struct mtdc_place *place)
{
	u64 slot = map->entries[page];
	u32 link;

	place->kind = mtdc_map_kind(map, page);
	place->n = 0;
	if (place->kind == MTDC_FILL)
		place->word = fill_word(map, slot);
	if (!mtdc_is_stored(place->kind))
		return;

	place->bytes = slot >> SLOT_BYTES_SHIFT & SLOT_BYTES_MASK;
	place->generation = slot >> SLOT_GENERATION_SHIFT &
		SLOT_GENERATION_MASK;
	if (!is_linked(slot)) {
		place->chain[0].start = (u32)slot;
		place->chain[0].len = DIV_ROUND_UP(place->bytes +
						   map->header_bytes,
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
 * Context: any; the caller serialises.
 * Return: number of links.
 */
unsigned int mtdc_map_room(const struct mtdc_map *map, u32 page)
{
	return map->nunused + links_of(map, map->entries[page]);
}

/**
 * mtdc_map_has_room() - would this place find its links?
 * @map: the map
 * @page: the logical page that it is for; its present links would be reused
 * @place: the place
 *
 * Context: any; the caller serialises.
 * Return: true if mtdc_map_set() would succeed.
 */
bool mtdc_map_has_room(const struct mtdc_map *map, u32 page,
		       const struct mtdc_place *place)
{
	unsigned int n = links_for(place);

	return !n || n <= mtdc_map_room(map, page);
}

/**
 * mtdc_map_set() - say where a page is from now on
 * @map: the map
 * @page: the logical page, below @map->pages
 * @place: where it is
 *
 * Context: any; the caller serialises.
 * Return: 0, or -ENOSPC with nothing changed when it finds no links.
 */
int mtdc_map_set(struct mtdc_map *map, u32 page, const struct mtdc_place *place)
{
	u64 slot = 0;

	if (!mtdc_map_has_room(map, page, place))
		return -ENOSPC;

	drop_links(map, map->entries[page]);
	if (place->kind == MTDC_FILL)
		slot = fill_slot(map, place->word);
	else if (place->kind == MTDC_LOST)
		slot = (u64)SLOT_LOST << SLOT_KIND_SHIFT;
	else if (mtdc_is_stored(place->kind))
		slot = stored_slot(place, place->n == 1 ?
				   place->chain[0].start :
				   make_links(map, place->chain, place->n));
	map->entries[page] = slot;
	return 0;
}

/**
 * mtdc_map_memory() - memory that a map needs
 * @pages: number of logical pages
 * @nlinks: number of links
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_map_memory(u32 pages, u32 nlinks)
{
	return (size_t)pages * sizeof(u64) +
		(size_t)nlinks * sizeof(struct mtdc_link);
}

/**
 * mtdc_map_init() - set up a map with no page written
 * @map: the map
 * @memory: mtdc_map_memory() bytes, zeroed, aligned for u64; the map uses
 *	them for as long as it is used itself
 * @pages: number of logical pages
 * @nlinks: number of links; below MTDC_CHAIN_MAX no page can be split at will
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of a fragment's header
 *
 * Context: any.
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
 * Every link is unused or in exactly one chain, and the chains of stored
 * pages hold payloads of the length that their slot says.
 *
 * Context: any; the caller serialises. Takes time in proportion to the pages.
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
		bool filled = slot_kind(slot) == SLOT_FILL;
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
