/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where each logical page is.
 */
#ifndef MTDC_MAP_H
#define MTDC_MAP_H

#include <linux/types.h>

#include "inplace_freelist.h"

/**
 * enum mtdc_kind - how a logical page is kept; the slots of the map have three bits for it
 * @MTDC_NONE: not at all: never written, or erased
 * @MTDC_FILL: as a word in the map, no media
 * @MTDC_RAW: on the media, as it is
 * @MTDC_COMPRESSED: on the media, compressed
 * @MTDC_LOST: its contents could not be kept; reads fail until it is written again
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
 * Versions of a page have numbers below this. All pages share one counter. The modulus is
 * prime: otherwise a page that is rewritten in a cycle with others could get the same number
 * each time, and a write that the media dropped would go unnoticed.
 */
#define MTDC_GENERATIONS	1021U

/* A slot has 17 bits for the length of a payload. */
#define MTDC_PAGE_BYTES_MAX	0x1ffffU

/**
 * mtdc_is_stored() - is a page of this kind on the media?
 * @kind: how it is kept
 *
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
 * @generation: version of the contents, below MTDC_GENERATIONS, for raw and compressed pages
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
 * It does if it had no space and found some, or gives some back. A page that takes the space
 * of its old copy shows nothing: it finds that on full media, too.
 *
 * Return: true if it does.
 */
static inline bool mtdc_place_gains(const struct mtdc_place *old, const struct mtdc_place *new)
{
	if (!old->n)
		return new->n;
	return mtdc_place_granules(new) < mtdc_place_granules(old);
}

/**
 * struct mtdc_link - a fragment of a split page, or the word of a filled page
 * @extent: where the fragment is; or the two halves of the word
 * @next: the next link of the chain, or of the unused links
 */
struct mtdc_link {
	struct mtdc_extent extent;
	u32 next;
};

/**
 * struct mtdc_map - the map of one device
 * @entries: a slot for each logical page
 * @links: for split pages, and for words that a slot has no room for
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
