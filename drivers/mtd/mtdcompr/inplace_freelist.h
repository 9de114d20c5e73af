/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Free space of the media, in granules, and the policies that allocate it.
 */
#ifndef MTDC_INPLACE_FREELIST_H
#define MTDC_INPLACE_FREELIST_H

#include <linux/limits.h>
#include <linux/types.h>

/* Granules of one leaf: the unit that a search looks into. */
#define MTDC_LEAF_GRANULES	512U

/* The largest medium: granules, and the first one past a leaf, fit a u32. */
#define MTDC_GRANULES_MAX	(U32_MAX - MTDC_LEAF_GRANULES)

/*
 * The smallest fragment of a split page, with its header; the last fragment of a chain may
 * be smaller. Below it the headers cost more than the space is worth
 * (Documentation/explanation/figures-inside.rst).
 */
#define MTDC_FRAGMENT_MIN	128U

/* Longest chain of fragments that one page may be split into. */
#define MTDC_CHAIN_MAX		64U

/**
 * enum mtdc_alloc_policy - which free fragment a page gets
 * @MTDC_ALLOC_ROTATE: the next one after the cursor that is a tight fit, or long enough for
 *	any page; wears media evenly and splits few pages
 * @MTDC_ALLOC_BEST: the lowest one of the tightest length class; for media
 *	that do not wear
 * @MTDC_ALLOC_LARGEST: the longest one, as in the paper of 2008
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
 * @classes: for each node of the tree: a bit for each length class of the fragments that begin
 *	below it, and one if a granule there is in use; further bits may be set
 * @granules: size of the medium
 * @leaves: the node of the first leaf
 * @free: free granules
 * @fragments: free fragments
 * @cursor: granule where the rotating policy continues
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of the header at the start of each fragment in use
 * @top: granules that the largest page takes in one fragment
 *
 * The caller serialises all access.
 */
struct mtdc_freelist {
	unsigned long *bits;
	u64 *classes;
	u32 granules;
	u32 leaves;
	u32 free;
	u32 fragments;
	u32 cursor;
	u32 granule_bytes;
	u32 header_bytes;
	u32 top;
};

size_t mtdc_freelist_memory(u32 granules);
void mtdc_freelist_init(struct mtdc_freelist *fl, void *memory, u32 granules, u32 granule_bytes,
			u32 header_bytes, u32 page_bytes);
int mtdc_freelist_alloc(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy, u32 bytes,
			struct mtdc_extent *chain, unsigned int max);
void mtdc_freelist_free(struct mtdc_freelist *fl,
			const struct mtdc_extent *chain, unsigned int n);
void mtdc_freelist_claim(struct mtdc_freelist *fl,
			 const struct mtdc_extent *chain, unsigned int n);
u32 mtdc_freelist_largest(struct mtdc_freelist *fl);
bool mtdc_freelist_has_room(struct mtdc_freelist *fl);
int mtdc_freelist_check(const struct mtdc_freelist *fl);

#endif /* MTDC_INPLACE_FREELIST_H */
