// SPDX-License-Identifier: GPL-2.0
/*
 * Free space of media that are rewritten in place.
 *
 * This file owns the table of free granules and chooses which of them a page gets;
 * inplace_store.c calls it. It never looks at a page or at the media. It also runs in user
 * space, so it must not take a lock, sleep, allocate or print. The caller serialises all
 * calls; they are safe in any context.
 *
 * A run of free granules is a free fragment. The table is a bitmap, with a bit set for each
 * free granule, because its size is fixed at attach and nothing can be allocated during
 * swap-out: a list or tree of fragments could outgrow its memory. Fragments that touch are
 * one run of set bits and need no merging.
 *
 * Two complete binary trees in arrays stand above the bitmap. The root is node 1, the
 * children of node n are 2n and 2n + 1, and a leaf covers MTDC_LEAF_GRANULES granules. A
 * fragment counts for the leaf where it begins, however far it reaches.
 *
 *   classes[]  OR of a bit for each length class present, and MTDC_USED if a granule is in
 *              use: finds the next fragment of some classes, and the end of a fragment
 *   longest[]  MAX of the fragments' lengths: finds the largest fragment
 *
 * A change rescans the leaves that it touches and the leaf where the fragment before it
 * begins. Everything else is O(log n).
 *
 * Length classes are exact below 8 granules and have eight steps an octave above, so a
 * fragment found by its class is at most an eighth longer than needed.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "inplace_freelist.h"

/* Set in classes[] where a leaf has a granule in use. */
#define MTDC_USED		BIT_ULL(63)

/* Class of all fragments of 512 granules or more: each has room for any page. */
#define MTDC_CLASS_TOP		56U

/* Leaves that one search looks into: bounds its time; other values were not tried. */
#define MTDC_TIGHT_TRIES	4U

/*
 * The rotating policy skips loose fits once less than 1/5 of the media is free. With more
 * free space, plain next-fit splits no page (1.00 fragments a page at 75 % full, 1.08 at
 * 90 %) and wears the media more evenly (Documentation/explanation/figures-inside.rst).
 */
#define MTDC_ROTATE_ROOM	5U

/* No such granule. */
#define MTDC_NOWHERE		U32_MAX

static unsigned int class_of(u32 len)
{
	unsigned int octave;

	if (len < 8)
		return len;
	octave = ilog2(len);
	return min(8 * (octave - 2) + ((len >> (octave - 3)) & 7),
		   MTDC_CLASS_TOP);
}

/* The lowest class that has only fragments of @len granules or more. */
static unsigned int class_ceil(u32 len)
{
	unsigned int class = class_of(len);

	return class == class_of(len - 1) ? class + 1 : class;
}

static u32 leaf_start(u32 leaf)
{
	return leaf * MTDC_LEAF_GRANULES;
}

static u32 leaf_end(const struct mtdc_freelist *fl, u32 leaf)
{
	return min(fl->granules - leaf_start(leaf), MTDC_LEAF_GRANULES) +
		leaf_start(leaf);
}

static bool is_free(const struct mtdc_freelist *fl, u32 granule)
{
	return test_bit(granule, fl->bits);
}

/* First leaf from @leaf on with one of the classes in @want. */
static u32 next_leaf(const struct mtdc_freelist *fl, u32 leaf, u64 want)
{
	u32 node = leaf + fl->leaves;

	if (leaf_start(leaf) >= fl->granules)
		return MTDC_NOWHERE;
	while (!(fl->classes[node] & want)) {
		while (node & 1)
			node >>= 1;
		if (!node)
			return MTDC_NOWHERE;
		node++;
	}
	while (node < fl->leaves) {
		node *= 2;
		if (!(fl->classes[node] & want))
			node++;
	}
	return node - fl->leaves;
}

/* Last leaf before @leaf with one of the classes in @want. */
static u32 prev_leaf(const struct mtdc_freelist *fl, u32 leaf, u64 want)
{
	u32 node = leaf + fl->leaves;

	do {
		while (node && !(node & 1))
			node >>= 1;
		if (node <= 1)
			return MTDC_NOWHERE;
		node--;
	} while (!(fl->classes[node] & want));

	while (node < fl->leaves) {
		node = 2 * node + 1;
		if (!(fl->classes[node] & want))
			node--;
	}
	return node - fl->leaves;
}

/* First granule in use after @granule, which is free. */
static u32 run_end(const struct mtdc_freelist *fl, u32 granule)
{
	u32 leaf = granule / MTDC_LEAF_GRANULES;
	u32 end = leaf_end(fl, leaf);
	u32 at = find_next_zero_bit(fl->bits, end, granule);

	if (at < end)
		return at;
	leaf = next_leaf(fl, leaf + 1, MTDC_USED);
	if (leaf == MTDC_NOWHERE)
		return fl->granules;
	return find_next_zero_bit(fl->bits, leaf_end(fl, leaf), leaf_start(leaf));
}

/* Where to search from for fragments that begin at or after @from. */
static u32 skip_run(const struct mtdc_freelist *fl, u32 from)
{
	bool inside = from && is_free(fl, from - 1) && is_free(fl, from);

	return inside ? run_end(fl, from) : from;
}

/* The next fragment that begins in @leaf at or after @at, which moves to its end. */
static bool next_run(const struct mtdc_freelist *fl, u32 leaf, u32 *at, struct mtdc_extent *run)
{
	u32 end = leaf_end(fl, leaf);

	run->start = find_next_bit(fl->bits, end, *at);
	if (run->start >= end)
		return false;
	*at = run_end(fl, run->start);
	run->len = *at - run->start;
	return true;
}

static void set_node(struct mtdc_freelist *fl, u32 leaf, u64 classes, u32 longest)
{
	u32 node = leaf + fl->leaves;

	if (fl->classes[node] == classes && fl->longest[node] == longest)
		return;
	fl->classes[node] = classes;
	fl->longest[node] = longest;
	for (node /= 2; node; node /= 2) {
		u64 both = fl->classes[2 * node] | fl->classes[2 * node + 1];
		u32 most = max(fl->longest[2 * node], fl->longest[2 * node + 1]);

		if (fl->classes[node] == both && fl->longest[node] == most)
			break;
		fl->classes[node] = both;
		fl->longest[node] = most;
	}
}

static bool has_used(const struct mtdc_freelist *fl, u32 leaf)
{
	u32 end = leaf_end(fl, leaf);

	return find_next_zero_bit(fl->bits, end, leaf_start(leaf)) < end;
}

/* Compute the node of @leaf from the fragments that begin there. */
static void summarise(const struct mtdc_freelist *fl, u32 leaf, u64 *classes, u32 *longest)
{
	u32 at = skip_run(fl, leaf_start(leaf));
	struct mtdc_extent run;

	*longest = 0;
	*classes = 0;
	while (next_run(fl, leaf, &at, &run)) {
		*classes |= BIT_ULL(class_of(run.len));
		*longest = max(*longest, run.len);
	}
}

/* Look at the fragments of @leaf again; its MTDC_USED is right already. */
static void rescan(struct mtdc_freelist *fl, u32 leaf)
{
	u64 classes;
	u32 longest;

	summarise(fl, leaf, &classes, &longest);
	classes |= fl->classes[leaf + fl->leaves] & MTDC_USED;
	set_node(fl, leaf, classes, longest);
}

/* Rescan the leaves that a change of the bits in [@start, @end) alters. */
static void rescan_range(struct mtdc_freelist *fl, u32 start, u32 end, bool now_free)
{
	u32 first = start / MTDC_LEAF_GRANULES;
	u32 last = (end - 1) / MTDC_LEAF_GRANULES;
	u32 leaf;

	/* rescan() follows fragments from leaf to leaf, so set MTDC_USED in all leaves first. */
	for (leaf = first; leaf <= last; leaf++) {
		u32 node = leaf + fl->leaves;
		u64 classes = fl->classes[node] & ~MTDC_USED;

		if (!now_free || has_used(fl, leaf))
			classes |= MTDC_USED;
		set_node(fl, leaf, classes, fl->longest[node]);
	}

	/* The fragment after the change may begin one granule past it. */
	if (end < fl->granules)
		last = end / MTDC_LEAF_GRANULES;
	for (leaf = first; leaf <= last; leaf++)
		rescan(fl, leaf);
	/* A fragment that reaches into @first begins in the last leaf before it that has any. */
	if (first && is_free(fl, start - 1) && is_free(fl, leaf_start(first) - 1))
		rescan(fl, prev_leaf(fl, first, ~MTDC_USED));
}

static void mark(struct mtdc_freelist *fl, u32 start, u32 len, bool now_free)
{
	unsigned int neighbours = 0;
	u32 end = start + len;

	if (now_free)
		bitmap_set(fl->bits, start, len);
	else
		bitmap_clear(fl->bits, start, len);
	if (start && is_free(fl, start - 1))
		neighbours++;
	if (end < fl->granules && is_free(fl, end))
		neighbours++;
	fl->free += now_free ? len : -len;
	fl->fragments += now_free ? 1 - neighbours : neighbours - 1;
	rescan_range(fl, start, end, now_free);
}

/* The largest fragment, the lowest one of several; there is one. */
static struct mtdc_extent pick_largest(const struct mtdc_freelist *fl)
{
	struct mtdc_extent run;
	u32 node = 1, at;

	while (node < fl->leaves) {
		node *= 2;
		if (fl->longest[node] != fl->longest[1])
			node++;
	}
	at = skip_run(fl, leaf_start(node - fl->leaves));
	do
		next_run(fl, node - fl->leaves, &at, &run);
	while (run.len != fl->longest[1]);
	return run;
}

/*
 * pick_in_leaf() - the first fragment of @leaf at or after @from that fits
 * @tight: take the tightest one of the leaf instead of the first
 */
static bool pick_in_leaf(const struct mtdc_freelist *fl, u32 leaf, u32 from, u32 len, u64 want,
			 bool tight, struct mtdc_extent *best)
{
	u32 at = skip_run(fl, max(leaf_start(leaf), from));
	struct mtdc_extent run;
	bool found = false;

	while ((tight || !found) && next_run(fl, leaf, &at, &run)) {
		if (run.len >= len && (want & BIT_ULL(class_of(run.len))) &&
		    (!found || run.len < best->len)) {
			*best = run;
			found = true;
		}
	}
	return found;
}

/*
 * pick_from() - a fragment that fits, from @from on
 *
 * Looks into at most MTDC_TIGHT_TRIES leaves that have fragments of the classes in @want.
 */
static bool pick_from(const struct mtdc_freelist *fl, u32 from, u32 len, u64 want, bool tight,
		      struct mtdc_extent *run)
{
	u32 leaf = from / MTDC_LEAF_GRANULES;
	unsigned int tries;

	/* The cursor is at the end after the last granule was allocated. */
	if (from >= fl->granules)
		return false;
	for (tries = 0; tries < MTDC_TIGHT_TRIES; tries++) {
		leaf = next_leaf(fl, leaf, want);
		if (leaf == MTDC_NOWHERE)
			return false;
		if (pick_in_leaf(fl, leaf++, from, len, want, tight, run))
			return true;
	}
	return false;
}

/* A fragment of the tightest class that fits; the largest fragment does. */
static struct mtdc_extent pick_best(const struct mtdc_freelist *fl, u32 len)
{
	unsigned int class = class_of(len), ceil = class_ceil(len);
	struct mtdc_extent run;
	u64 fit;

	/* Some fragments of the page's own class are too short, so give up after a few. */
	if (ceil != class && pick_from(fl, 0, len, BIT_ULL(class), true, &run))
		return run;
	fit = ceil > MTDC_CLASS_TOP ? 0 : fl->classes[1] & GENMASK_ULL(MTDC_CLASS_TOP, ceil);
	if (!fit || !pick_from(fl, 0, len, BIT_ULL(__ffs64(fit)), true, &run))
		return pick_largest(fl);
	return run;
}

/*
 * pick_rotate() - the next fragment after the cursor that can take @len
 *
 * Next-fit uses all free space before it comes back to a place, so it wears the media
 * evenly. But it cuts each long fragment that it meets, so on full media a page that does
 * not compress would have to be split. Where space is short, skip a fragment that is
 * neither a tight fit nor long enough for a page of any length.
 */
static struct mtdc_extent pick_rotate(const struct mtdc_freelist *fl, u32 len)
{
	unsigned int ceil = min(class_ceil(len), MTDC_CLASS_TOP);
	unsigned int roomy = min(class_ceil(fl->top), MTDC_CLASS_TOP);
	unsigned int loosest = min(ceil + 1, MTDC_CLASS_TOP);
	struct mtdc_extent run;
	u64 want;

	if (fl->free > fl->granules / MTDC_ROTATE_ROOM)
		loosest = MTDC_CLASS_TOP;
	/* Not the page's own class: looking at fragments that are too short costs too much. */
	want = GENMASK_ULL(loosest, ceil) | GENMASK_ULL(MTDC_CLASS_TOP, roomy);

	if (fl->cursor < fl->granules && is_free(fl, fl->cursor)) {
		run.start = fl->cursor;
		run.len = run_end(fl, fl->cursor) - fl->cursor;
		if (run.len >= len && (want & BIT_ULL(class_of(run.len))))
			return run;
	}
	if (pick_from(fl, fl->cursor, len, want, false, &run) ||
	    pick_from(fl, 0, len, want, false, &run))
		return run;
	return pick_best(fl, len);
}

/* A fragment of at least @len granules; there is one. */
static struct mtdc_extent pick(const struct mtdc_freelist *fl, enum mtdc_alloc_policy policy,
			       u32 len)
{
	switch (policy) {
	case MTDC_ALLOC_LARGEST:
		return pick_largest(fl);
	case MTDC_ALLOC_BEST:
		return pick_best(fl, len);
	default:
		return pick_rotate(fl, len);
	}
}

/**
 * mtdc_freelist_alloc() - take free space for a page
 * @fl: the free list
 * @policy: which free fragment to take
 * @bytes: payload to be stored, without headers, at least 1
 * @chain: the fragments taken, in the order of the payload; each begins with
 *	@fl->header_bytes, the rest holds payload
 * @max: number of elements that @chain has room for
 *
 * If a free fragment is long enough for the page, the policy chooses one. Otherwise the
 * page is split, largest fragments first, so that the chain is as short as possible.
 *
 * Return: the number of fragments, or -ENOSPC with nothing changed.
 */
int mtdc_freelist_alloc(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy, u32 bytes,
			struct mtdc_extent *chain, unsigned int max)
{
	u32 least = DIV_ROUND_UP(MTDC_FRAGMENT_MIN, fl->granule_bytes);
	unsigned int n;

	for (n = 0; n < max; n++) {
		u32 len = DIV_ROUND_UP(bytes + fl->header_bytes, fl->granule_bytes);
		bool whole = fl->longest[1] >= len;

		if (len > fl->free || (!whole && fl->longest[1] < least))
			break;
		chain[n] = whole ? pick(fl, policy, len) : pick_largest(fl);
		chain[n].len = min(chain[n].len, len);
		mark(fl, chain[n].start, chain[n].len, false);
		if (whole) {
			if (policy == MTDC_ALLOC_ROTATE)
				fl->cursor = chain[n].start + chain[n].len;
			return n + 1;
		}
		bytes -= chain[n].len * fl->granule_bytes - fl->header_bytes;
	}
	mtdc_freelist_free(fl, chain, n);
	return -ENOSPC;
}

/**
 * mtdc_freelist_free() - give space back
 * @fl: the free list
 * @chain: the fragments, all in use; a fragment merges with free space beside it at once
 * @n: their number
 */
void mtdc_freelist_free(struct mtdc_freelist *fl, const struct mtdc_extent *chain, unsigned int n)
{
	while (n--)
		mark(fl, chain[n].start, chain[n].len, true);
}

/**
 * mtdc_freelist_claim() - take exactly these fragments
 * @fl: the free list
 * @chain: the fragments, all free: undoes mtdc_freelist_free() before another allocation
 * @n: their number
 */
void mtdc_freelist_claim(struct mtdc_freelist *fl, const struct mtdc_extent *chain,
			 unsigned int n)
{
	while (n--)
		mark(fl, chain[n].start, chain[n].len, false);
}

static u32 leaves_for(u32 granules)
{
	return roundup_pow_of_two(DIV_ROUND_UP(granules, MTDC_LEAF_GRANULES));
}

/*
 * Nodes of a tree: those above the leaves, and the leaves that the medium reaches, made even
 * because a search also looks at the sibling of a node. A search that begins within the
 * medium reaches no other node.
 */
static size_t nodes_for(u32 granules)
{
	size_t used = DIV_ROUND_UP(granules, MTDC_LEAF_GRANULES);

	return leaves_for(granules) + used + (used & 1);
}

/**
 * mtdc_freelist_memory() - memory that a free list needs
 * @granules: size of the medium, at least 1
 *
 * Return: bytes.
 */
size_t mtdc_freelist_memory(u32 granules)
{
	return nodes_for(granules) * (sizeof(u64) + sizeof(u32)) +
		BITS_TO_LONGS(granules) * sizeof(unsigned long);
}

/**
 * mtdc_freelist_init() - set up a free list with all of the medium free
 * @fl: the free list
 * @memory: mtdc_freelist_memory() bytes, zeroed, aligned for u64; the free list uses them
 *	until its end
 * @granules: size of the medium, at least 1, at most MTDC_GRANULES_MAX
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of the header of a fragment
 * @page_bytes: largest payload that will be asked for
 */
void mtdc_freelist_init(struct mtdc_freelist *fl, void *memory, u32 granules, u32 granule_bytes,
			u32 header_bytes, u32 page_bytes)
{
	u32 leaf;

	fl->granules = granules;
	fl->leaves = leaves_for(granules);
	fl->classes = memory;
	fl->bits = (unsigned long *)(fl->classes + nodes_for(granules));
	fl->longest = (u32 *)(fl->bits + BITS_TO_LONGS(granules));
	fl->free = granules;
	fl->fragments = 1;
	fl->cursor = 0;
	fl->granule_bytes = granule_bytes;
	fl->header_bytes = header_bytes;
	fl->top = DIV_ROUND_UP(page_bytes + header_bytes, granule_bytes);

	/*
	 * Leaf by leaf because bitmap_set() takes the length as an int. Set all bits before the
	 * first rescan(), which follows the fragment beyond its leaf.
	 */
	for (leaf = 0; leaf_start(leaf) < granules; leaf++)
		bitmap_set(fl->bits, leaf_start(leaf), leaf_end(fl, leaf) - leaf_start(leaf));
	for (leaf = 0; leaf_start(leaf) < granules; leaf++)
		rescan(fl, leaf);
}

#ifdef MTDC_CHECKS
/**
 * mtdc_freelist_check() - walk the invariants
 * @fl: the free list
 *
 * Counts agree with the bitmap, and each node with the nodes or bits below it. Takes time in
 * proportion to the media.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_freelist_check(const struct mtdc_freelist *fl)
{
	size_t nodes = nodes_for(fl->granules);
	u32 free = 0, fragments = 0;
	u32 at, end;
	size_t node;

	for (at = 0; at < fl->granules; at = end) {
		at = find_next_bit(fl->bits, fl->granules, at);
		if (at >= fl->granules)
			break;
		end = find_next_zero_bit(fl->bits, fl->granules, at);
		if (run_end(fl, at) != end)
			return -EUCLEAN;
		free += end - at;
		fragments++;
	}
	if (free != fl->free || fragments != fl->fragments)
		return -EUCLEAN;

	for (node = nodes - 1; node; node--) {
		u64 classes = 0;
		u32 longest = 0;

		if (node < fl->leaves && 2 * node < nodes) {
			classes = fl->classes[2 * node] |
				fl->classes[2 * node + 1];
			longest = max(fl->longest[2 * node],
				      fl->longest[2 * node + 1]);
		} else if (node >= fl->leaves &&
			   leaf_start(node - fl->leaves) < fl->granules) {
			summarise(fl, node - fl->leaves, &classes, &longest);
			if (has_used(fl, node - fl->leaves))
				classes |= MTDC_USED;
		}
		if (fl->classes[node] != classes ||
		    fl->longest[node] != longest)
			return -EUCLEAN;
	}
	return 0;
}
#endif /* MTDC_CHECKS */
