/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Free space of the media, in granules, and the policies that allocate it.
 */
#ifndef MTDC_INPLACE_FREELIST_H
#define MTDC_INPLACE_FREELIST_H

#include <linux/limits.h>
#include <linux/types.h>

/* Granules of one leaf: the unit that is rescanned when one of its bits changes. */
#define MTDC_LEAF_GRANULES	512U

/* The largest medium: granules, and the first one past a leaf, fit a u32. */
#define MTDC_GRANULES_MAX	(U32_MAX - MTDC_LEAF_GRANULES)

/*
 * A fragment of a split page is never smaller than this, its header
 * included, unless it is the last one of its chain. Below it the headers
 * would cost more than the space is worth (Documentation/figures.rst).
 */
#define MTDC_FRAGMENT_MIN	128U

/* Longest chain of fragments that one page may be split into. */
#define MTDC_CHAIN_MAX		64U

/**
 * enum mtdc_alloc_policy - which free fragment a page is stored in
 * @MTDC_ALLOC_ROTATE: the next one after the cursor that fits tightly, or
 *	that is so long that a tight fit is no concern; wears media evenly
 *	and splits few pages
 * @MTDC_ALLOC_BEST: the lowest one of the tightest length class; for media
 *	that do not wear
 * @MTDC_ALLOC_LARGEST: the longest one; what the 2008 paper does
 * @MTDC_ALLOC_POLICIES: their number
 */
enum mtdc_alloc_policy {
	MTDC_ALLOC_ROTATE,
	MTDC_ALLOC_BEST,
	MTDC_ALLOC_LARGEST,
	MTDC_ALLOC_POLICIES
};

/**
 * struct mtdc_extent - a run of granules
 * @start: first granule
 * @len: number of granules
 */
struct mtdc_extent {
	u32 start;
	u32 len;
};

/**
 * struct mtdc_freelist - the free fragments of one medium
 * @bits: a bit for each granule, set while it is free
 * @classes: OR tree over the leaves: which length classes of free fragments
 *	begin below a node, and whether any granule there is in use
 * @longest: MAX tree over the leaves: the longest fragment that begins there,
 *	in granules
 * @granules: size of the medium
 * @leaves: number of leaves, a power of two
 * @free: free granules
 * @fragments: free fragments
 * @cursor: granule where the rotating policy goes on
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes at the start of each allocated fragment that carry no
 *	payload
 * @top: length in granules from which a fragment takes any page whole
 * @roomy: the length classes of which every fragment does
 * @policy: which free fragment to take
 *
 * The caller serialises all access.
 */
struct mtdc_freelist {
	unsigned long *bits;
	u64 *classes;
	u32 *longest;
	u32 granules;
	u32 leaves;
	u32 free;
	u32 fragments;
	u32 cursor;
	u32 granule_bytes;
	u32 header_bytes;
	u32 top;
	u64 roomy;
	enum mtdc_alloc_policy policy;
};

size_t mtdc_freelist_memory(u32 granules);
void mtdc_freelist_init(struct mtdc_freelist *fl, void *memory, u32 granules,
			u32 granule_bytes, u32 header_bytes, u32 page_bytes,
			enum mtdc_alloc_policy policy);
int mtdc_freelist_alloc(struct mtdc_freelist *fl, u32 bytes,
			struct mtdc_extent *chain, unsigned int max);
int mtdc_freelist_alloc_elsewhere(struct mtdc_freelist *fl, u32 bytes,
				  struct mtdc_extent *chain, unsigned int max);
void mtdc_freelist_free(struct mtdc_freelist *fl,
			const struct mtdc_extent *chain, unsigned int n);
void mtdc_freelist_claim(struct mtdc_freelist *fl,
			 const struct mtdc_extent *chain, unsigned int n);
int mtdc_freelist_check(const struct mtdc_freelist *fl);

/**
 * mtdc_freelist_largest() - length of the largest free fragment
 * @fl: the free list
 *
 * Context: any; the caller serialises.
 * Return: its length in granules, 0 on full media.
 */
static inline u32 mtdc_freelist_largest(const struct mtdc_freelist *fl)
{
	return fl->longest[1];
}

#endif /* MTDC_INPLACE_FREELIST_H */
