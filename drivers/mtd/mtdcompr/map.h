/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where each logical page is.
 */
#ifndef MTDC_MAP_H
#define MTDC_MAP_H

#include <linux/types.h>

#include "inplace_freelist.h"

/**
 * enum mtdc_kind - how a logical page is kept
 * @MTDC_NONE: not at all: never written, or erased
 * @MTDC_FILL: as a word in the map, no media
 * @MTDC_RAW: on the media as it is
 * @MTDC_COMPRESSED: on the media, compressed
 * @MTDC_LOST: its contents could not be kept; reading it is an error until it
 *	is written again
 * @MTDC_KINDS: their number
 */
enum mtdc_kind {
	MTDC_NONE,
	MTDC_FILL,
	MTDC_RAW,
	MTDC_COMPRESSED,
	MTDC_LOST,
	MTDC_KINDS
};

/*
 * Versions of a page are told apart modulo this. They are counted over all
 * pages; a prime, so that rewriting pages in a cycle does not give each of them
 * the same number again and again, under which a write that the media dropped
 * would go unnoticed.
 */
#define MTDC_GENERATIONS	1021U

/* The largest page that a slot has room to say the length of. */
#define MTDC_PAGE_BYTES_MAX	0x1ffffU

/**
 * mtdc_is_stored() - is a page that is kept like this on the media?
 * @kind: how it is kept
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool mtdc_is_stored(enum mtdc_kind kind)
{
	return kind == MTDC_RAW || kind == MTDC_COMPRESSED;
}

/**
 * struct mtdc_place - a logical page's entry, unpacked
 * @kind: how it is kept
 * @bytes: length of the payload on the media, for raw and compressed pages
 * @generation: version of the contents, below MTDC_GENERATIONS, for the same
 * @word: the word of a filled page
 * @n: number of fragments, for raw and compressed pages
 * @chain: the fragments
 */
struct mtdc_place {
	enum mtdc_kind kind;
	u32 bytes;
	u32 generation;
	u64 word;
	unsigned int n;
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
};

/**
 * mtdc_place_granules() - how much of the media does a page take?
 * @place: its place
 *
 * Context: any.
 * Return: granules, 0 for a page that needs no media.
 */
static inline u32 mtdc_place_granules(const struct mtdc_place *place)
{
	u32 granules = 0;
	unsigned int i;

	for (i = 0; i < place->n; i++)
		granules += place->chain[i].len;
	return granules;
}

/**
 * mtdc_place_gains() - does a page that goes to another place show that there is space?
 * @old: where it was
 * @new: where it is
 *
 * It does if it leaves some, or has found some where it had none. One that takes the place of
 * its old copy finds it on full media, too, and as often as it is written.
 *
 * Context: any.
 * Return: true if it does.
 */
static inline bool mtdc_place_gains(const struct mtdc_place *old,
				    const struct mtdc_place *new)
{
	if (!old->n)
		return new->n;
	return mtdc_place_granules(new) < mtdc_place_granules(old);
}

/**
 * struct mtdc_link - a fragment of a page that has several
 * @extent: where it is; or the two halves of a word that fills a page
 * @next: the next one of the chain, or of the unused ones
 */
struct mtdc_link {
	struct mtdc_extent extent;
	u32 next;
};

/**
 * struct mtdc_map - the map of one device
 * @entries: a packed entry for each logical page
 * @links: what the slots have no room for
 * @pages: number of logical pages
 * @nlinks: number of links
 * @unused: first unused link
 * @nunused: number of unused links
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of a fragment's header
 *
 * The caller serialises all access.
 */
struct mtdc_map {
	u64 *entries;
	struct mtdc_link *links;
	u32 pages;
	u32 nlinks;
	u32 unused;
	u32 nunused;
	u32 granule_bytes;
	u32 header_bytes;
};

size_t mtdc_map_memory(u32 pages, u32 nlinks);
void mtdc_map_init(struct mtdc_map *map, void *memory, u32 pages, u32 nlinks,
		   u32 granule_bytes, u32 header_bytes);
void mtdc_map_get(const struct mtdc_map *map, u32 page,
		  struct mtdc_place *place);
int mtdc_map_set(struct mtdc_map *map, u32 page,
		 const struct mtdc_place *place);
unsigned int mtdc_map_room(const struct mtdc_map *map, u32 page);
bool mtdc_map_has_room(const struct mtdc_map *map, u32 page,
		       const struct mtdc_place *place);
enum mtdc_kind mtdc_map_kind(const struct mtdc_map *map, u32 page);
int mtdc_map_check(const struct mtdc_map *map);

#endif /* MTDC_MAP_H */
