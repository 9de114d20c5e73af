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
 * A complete tree in an array stands above the bitmap. The eight children of a node are one line of
 * the cache. The root is node 7, its children are 8 to 15, and the next level is 16 to 79. A leaf
 * covers MTDC_LEAF_GRANULES granules. A fragment counts for the leaf where it begins, however far
 * it reaches. classes[] has a bit for each length class in a leaf, and MTDC_USED if a granule there
 * is in use; a node above has the bits of its children. It finds the next fragment of some classes,
 * and the ends of a long fragment.
 *
 * A bit may be stale: it is set when a fragment appears, and stays when the fragment changes. A
 * search that finds no such fragment in a leaf looks at the whole leaf and sets its bits right. So
 * a change touches the words of its own bits, and a node or two. Each change leaves at most three
 * stale bits, and searches pay for each of them once. A single search has no other bound.
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

/* Set in classes[] where a leaf may have a granule in use. */
#define MTDC_USED		BIT_ULL(63)

/* Set where a fragment has room for a page of any length. */
#define MTDC_ROOMY		BIT_ULL(62)

/* Class of all fragments of 512 granules or more. */
#define MTDC_CLASS_TOP		56U

/* Leaves with fragments of its classes that one search looks into; other values were not tried. */
#define MTDC_TIGHT_TRIES	4U

/*
 * Leaves with fragments of the highest class that a search for the largest one looks into: with
 * fewer, alloc=rotate wears media of a few MiB less evenly (guest test wearlevel).
 */
#define MTDC_LARGEST_TRIES	16U

/* The same where a miss matters more, for the last piece of a page and for statistics: 70 us. */
#define MTDC_SURELY_TRIES	512U

/*
 * The rotating policy skips loose fits once less than 1/5 of the media is free. With more
 * free space, plain next-fit splits no page (1.00 fragments a page at 75 % full, 1.08 at
 * 90 %) and wears the media more evenly (Documentation/explanation/figures-inside.rst).
 */
#define MTDC_ROTATE_ROOM	5U

/* No such granule. */
#define MTDC_NOWHERE		U32_MAX

#define MTDC_ROOT		7U
#define MTDC_CHILDREN		8U

static u32 parent_of(u32 node)
{
	return node / MTDC_CHILDREN + MTDC_ROOT - 1;
}

static u32 first_child(u32 node)
{
	return (node - (MTDC_ROOT - 1)) * MTDC_CHILDREN;
}

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

/* The next sister, or the parent's next sister, and so on. Behind the last node comes the root. */
static u32 next_node(u32 node)
{
	while (++node % MTDC_CHILDREN == 0)
		node = parent_of(node - 1);
	return node;
}

/* First leaf from @leaf on with one of the classes in @want. */
static u32 next_leaf(const struct mtdc_freelist *fl, u32 leaf, u64 want)
{
	u32 node = fl->leaves + leaf;

	if (leaf_start(leaf) >= fl->granules)
		return MTDC_NOWHERE;
	while (!(fl->classes[node] & want)) {
		node = next_node(node);
		if (node == MTDC_ROOT)
			return MTDC_NOWHERE;
	}
	while (node < fl->leaves) {
		node = first_child(node);
		while (!(fl->classes[node] & want))
			node++;
	}
	return node - fl->leaves;
}

static u64 bits_of_children(const struct mtdc_freelist *fl, u32 node)
{
	const u64 *child = &fl->classes[first_child(node)];

	return child[0] | child[1] | child[2] | child[3] |
		child[4] | child[5] | child[6] | child[7];
}

static void set_bits(struct mtdc_freelist *fl, u32 leaf, u64 bits)
{
	u32 node = fl->leaves + leaf;

	fl->classes[node] = bits;
	do {
		node = parent_of(node);
		bits = bits_of_children(fl, node);
		if (fl->classes[node] == bits)
			break;
		fl->classes[node] = bits;
	} while (node != MTDC_ROOT);
}

/* Nearly always the leaf, or a node not far above it, has the bits already. */
static void add_bits(struct mtdc_freelist *fl, u32 leaf, u64 bits)
{
	u32 node = fl->leaves + leaf;

	while (bits & ~fl->classes[node]) {
		fl->classes[node] |= bits;
		if (node == MTDC_ROOT)
			break;
		node = parent_of(node);
	}
}

/* The bits of a fragment. */
static u64 bits_of(const struct mtdc_freelist *fl, u32 len)
{
	return BIT_ULL(class_of(len)) | (len >= fl->top ? MTDC_ROOMY : 0);
}

/* A fragment has appeared. */
static void add_run(struct mtdc_freelist *fl, u32 start, u32 len)
{
	add_bits(fl, start / MTDC_LEAF_GRANULES, bits_of(fl, len));
}

static u32 first_used(const struct mtdc_freelist *fl, u32 leaf)
{
	return find_next_zero_bit(fl->bits, leaf_end(fl, leaf), leaf_start(leaf));
}

static void clear_used(struct mtdc_freelist *fl, u32 leaf)
{
	set_bits(fl, leaf, fl->classes[fl->leaves + leaf] & ~MTDC_USED);
}

/* First granule in use after @granule, which is free. */
static u32 run_end(struct mtdc_freelist *fl, u32 granule)
{
	u32 leaf = granule / MTDC_LEAF_GRANULES;
	u32 end = leaf_end(fl, leaf);
	u32 at = find_next_zero_bit(fl->bits, end, granule);

	while (at >= end) {
		leaf = next_leaf(fl, leaf + 1, MTDC_USED);
		if (leaf == MTDC_NOWHERE)
			return fl->granules;
		end = leaf_end(fl, leaf);
		at = first_used(fl, leaf);
		if (at >= end)
			clear_used(fl, leaf);
	}
	return at;
}

/* Free granules from @granule on; counts up to @most. */
static u32 free_behind(const struct mtdc_freelist *fl, u32 granule, u32 most)
{
	u32 end = granule + min(fl->granules - granule, most);

	return find_next_zero_bit(fl->bits, end, granule) - granule;
}

/* Free granules right before @granule; counts up to @most. */
static u32 free_before(const struct mtdc_freelist *fl, u32 granule, u32 most)
{
	u32 first = granule - min(granule, most), at = granule;

	while (at > first) {
		u32 in_word = (at - 1) % BITS_PER_LONG + 1;
		unsigned long used = ~fl->bits[(at - 1) / BITS_PER_LONG] <<
			(BITS_PER_LONG - in_word);

		if (used)
			return min_t(u32, granule - at + BITS_PER_LONG - 1 - __fls(used), most);
		at -= in_word;
	}
	return granule - first;
}

/* Where to search from for fragments that begin at or after @from. */
static u32 skip_run(struct mtdc_freelist *fl, u32 from)
{
	bool inside = from && is_free(fl, from - 1) && is_free(fl, from);

	return inside ? run_end(fl, from) : from;
}

/* The next fragment that begins in @leaf at or after @at, which moves to its end. */
static bool next_run(struct mtdc_freelist *fl, u32 leaf, u32 *at, struct mtdc_extent *run)
{
	u32 end = leaf_end(fl, leaf);

	run->start = find_next_bit(fl->bits, end, *at);
	if (run->start >= end)
		return false;
	*at = run_end(fl, run->start);
	run->len = *at - run->start;
	return true;
}

/* The longest fragment that begins in @leaf, the first one of several. Sets the bits right. */
static struct mtdc_extent longest_in(struct mtdc_freelist *fl, u32 leaf)
{
	struct mtdc_extent best = { .len = 0 }, run;
	u32 at = skip_run(fl, leaf_start(leaf));
	u64 bits = 0;

	while (next_run(fl, leaf, &at, &run)) {
		bits |= bits_of(fl, run.len);
		if (run.len > best.len)
			best = run;
	}
	set_bits(fl, leaf, bits | (fl->classes[fl->leaves + leaf] & MTDC_USED));
	return best;
}

/* A fragment of so many granules has all the bits that a longer one has. */
static u32 long_run(const struct mtdc_freelist *fl)
{
	return max(fl->top, MTDC_LEAF_GRANULES);
}

/*
 * Take @len granules that are free from @start on. Of those that are free before and behind, up to
 * long_run() are counted in @before and @behind: a longer fragment has its bits already.
 */
static void take(struct mtdc_freelist *fl, u32 start, u32 len, u32 before, u32 behind)
{
	u32 first = start / MTDC_LEAF_GRANULES, last = (start + len - 1) / MTDC_LEAF_GRANULES;
	u32 leaf;

	bitmap_clear(fl->bits, start, len);
	for (leaf = first; leaf <= last; leaf++)
		add_bits(fl, leaf, MTDC_USED);
	if (before && before < long_run(fl))
		add_run(fl, start - before, before);
	if (behind)
		add_run(fl, start + len, behind);
	fl->free -= len;
	fl->fragments += !!before + !!behind - 1;
	/* While a long fragment is used up, no stale bit stays behind in each leaf. */
	if (behind && (start + len) / MTDC_LEAF_GRANULES != first)
		longest_in(fl, first);
}

static void give(struct mtdc_freelist *fl, u32 start, u32 len)
{
	u32 before = free_before(fl, start, long_run(fl));
	u32 behind = free_behind(fl, start + len, long_run(fl));

	bitmap_set(fl->bits, start, len);
	if (before < long_run(fl))
		add_run(fl, start - before, before + len + behind);
	fl->free += len;
	fl->fragments += 1 - !!before - !!behind;
}

/*
 * pick_largest() - the largest fragment, the lowest one of several; on full media its length is 0
 * @tries: how many leaves with fragments of the highest class it looks into: the others may have
 *	some that are longer by an eighth
 */
static struct mtdc_extent pick_largest(struct mtdc_freelist *fl, u32 tries)
{
	struct mtdc_extent best = { .len = 0 };
	u64 have;

	while (!best.len && (have = fl->classes[MTDC_ROOT] & ~(MTDC_USED | MTDC_ROOMY))) {
		u64 highest = BIT_ULL(fls64(have) - 1);
		u32 leaf = next_leaf(fl, 0, highest);

		for (; tries && leaf != MTDC_NOWHERE; leaf = next_leaf(fl, leaf + 1, highest)) {
			struct mtdc_extent run = longest_in(fl, leaf);

			if (!run.len || !(BIT_ULL(class_of(run.len)) & highest))
				continue;
			if (run.len > best.len)
				best = run;
			tries--;
		}
	}
	return best;
}

/*
 * pick_in_leaf() - the first fragment of @leaf at or after @from that fits
 * @tight: take the tightest one of the leaf instead of the first
 *
 * If none fits, the bits of the leaf are right afterwards.
 */
static bool pick_in_leaf(struct mtdc_freelist *fl, u32 leaf, u32 from, u32 len, u64 want,
			 bool tight, struct mtdc_extent *best)
{
	u32 at = skip_run(fl, leaf_start(leaf));
	struct mtdc_extent run;
	bool found = false;
	u64 bits = 0;

	while ((tight || !found) && next_run(fl, leaf, &at, &run)) {
		u64 its = bits_of(fl, run.len);

		bits |= its;
		if (run.start >= from && run.len >= len && (want & its) &&
		    (!found || run.len < best->len)) {
			*best = run;
			found = true;
		}
	}
	if (!found)
		set_bits(fl, leaf, bits | (fl->classes[fl->leaves + leaf] & MTDC_USED));
	return found;
}

/*
 * pick_from() - a fragment that fits, from @from on
 *
 * Looks into at most MTDC_TIGHT_TRIES leaves that have fragments of the classes in @want.
 */
static bool pick_from(struct mtdc_freelist *fl, u32 from, u32 len, u64 want, bool tight,
		      struct mtdc_extent *run)
{
	u32 leaf = from / MTDC_LEAF_GRANULES;
	unsigned int tries = 0;

	/* The cursor is at the end after the last granule was allocated. */
	if (from >= fl->granules)
		return false;
	while (tries < MTDC_TIGHT_TRIES) {
		leaf = next_leaf(fl, leaf, want);
		if (leaf == MTDC_NOWHERE)
			return false;
		if (pick_in_leaf(fl, leaf, from, len, want, tight, run))
			return true;
		tries += !!(fl->classes[fl->leaves + leaf] & want);
		leaf++;
	}
	return false;
}

/* A fragment of the tightest class that fits. */
static bool pick_best(struct mtdc_freelist *fl, u32 len, struct mtdc_extent *run)
{
	unsigned int class = class_of(len), ceil = class_ceil(len);

	/* Some fragments of the page's own class are too short, so give up after a few. */
	if (ceil != class && pick_from(fl, 0, len, BIT_ULL(class), true, run))
		return true;
	for (; ceil <= MTDC_CLASS_TOP; ceil++) {
		u64 fit = fl->classes[MTDC_ROOT] & GENMASK_ULL(MTDC_CLASS_TOP, ceil);

		if (!fit)
			break;
		ceil = __ffs64(fit);
		if (pick_from(fl, 0, len, BIT_ULL(ceil), true, run))
			return true;
	}
	return false;
}

/*
 * pick_rotate() - the next fragment after the cursor that can take @len
 *
 * Next-fit uses all free space before it comes back to a place, so it wears the media
 * evenly. But it cuts each long fragment that it meets, so on full media a page that does
 * not compress would have to be split. Where space is short, skip a fragment that is
 * neither a tight fit nor long enough for a page of any length.
 */
static bool pick_rotate(struct mtdc_freelist *fl, u32 len, struct mtdc_extent *run)
{
	unsigned int ceil = min(class_ceil(len), MTDC_CLASS_TOP);
	unsigned int roomy = min(class_ceil(fl->top), MTDC_CLASS_TOP);
	unsigned int loosest = min(ceil + 1, MTDC_CLASS_TOP);
	u64 want;

	if (fl->free > fl->granules / MTDC_ROTATE_ROOM)
		loosest = MTDC_CLASS_TOP;
	/* Not the page's own class: looking at fragments that are too short costs too much. */
	want = GENMASK_ULL(loosest, ceil) | GENMASK_ULL(MTDC_CLASS_TOP, roomy);

	if (fl->cursor < fl->granules && is_free(fl, fl->cursor)) {
		run->start = fl->cursor;
		run->len = free_behind(fl, fl->cursor, len + long_run(fl));
		if (run->len >= len && (want & BIT_ULL(class_of(run->len))))
			return true;
	}
	return pick_from(fl, fl->cursor, len, want, false, run) ||
		pick_from(fl, 0, len, want, false, run) ||
		pick_best(fl, len, run);
}

/* A fragment of at least @len granules, or else the largest one; @tries as in pick_largest(). */
static struct mtdc_extent pick(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy, u32 len,
			       u32 tries)
{
	struct mtdc_extent run, largest;

	if (policy == MTDC_ALLOC_BEST && pick_best(fl, len, &run))
		return run;
	if (policy == MTDC_ALLOC_ROTATE && pick_rotate(fl, len, &run))
		return run;
	largest = pick_largest(fl, tries);
	/* It may have missed the one that fits. */
	if (largest.len < len && pick_from(fl, 0, len, MTDC_ROOMY, false, &run))
		return run;
	return largest;
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
 * page is split, largest fragments first, so that the chain is short. A search may miss one that
 * is longer by less than an eighth, and then split a page that it had room for.
 *
 * Return: the number of fragments, or -ENOSPC and the same space is free as before.
 */
int mtdc_freelist_alloc(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy, u32 bytes,
			struct mtdc_extent *chain, unsigned int max)
{
	u32 least = DIV_ROUND_UP(MTDC_FRAGMENT_MIN, fl->granule_bytes);
	unsigned int n;

	for (n = 0; n < max; n++) {
		u32 len = DIV_ROUND_UP(bytes + fl->header_bytes, fl->granule_bytes);
		struct mtdc_extent run = { .len = 0 };

		if (len <= fl->free)
			run = pick(fl, policy, len,
				   n + 1 < max ? MTDC_LARGEST_TRIES : MTDC_SURELY_TRIES);
		if (run.len < min(len, least))
			break;
		chain[n].start = run.start;
		chain[n].len = min(run.len, len);
		/* The cursor may be within a fragment. */
		take(fl, run.start, chain[n].len, free_before(fl, run.start, long_run(fl)),
		     run.len - chain[n].len);
		if (run.len >= len) {
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
		give(fl, chain[n].start, chain[n].len);
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
	while (n--) {
		u32 end = chain[n].start + chain[n].len;

		take(fl, chain[n].start, chain[n].len,
		     free_before(fl, chain[n].start, long_run(fl)),
		     free_behind(fl, end, long_run(fl)));
	}
}

/**
 * mtdc_freelist_largest() - length of the largest free fragment
 * @fl: the free list
 *
 * Return: its length in granules, 0 on full media; on media of more than MTDC_SURELY_TRIES leaves
 * it may miss a longer one.
 */
u32 mtdc_freelist_largest(struct mtdc_freelist *fl)
{
	return pick_largest(fl, MTDC_SURELY_TRIES).len;
}

/**
 * mtdc_freelist_has_room() - is there surely a fragment for a page of any length?
 * @fl: the free list
 *
 * Return: true if there is; false if a search would have to look.
 */
bool mtdc_freelist_has_room(struct mtdc_freelist *fl)
{
	struct mtdc_extent run;

	return pick_from(fl, 0, fl->top, MTDC_ROOMY, false, &run);
}

static u32 leaves_of(u32 granules)
{
	return DIV_ROUND_UP(granules, MTDC_LEAF_GRANULES);
}

/* The node of the first leaf; the root is none. */
static u32 first_leaf(u32 granules)
{
	u32 node = first_child(MTDC_ROOT), level = MTDC_CHILDREN;

	for (; level < leaves_of(granules); level *= MTDC_CHILDREN)
		node = first_child(node);
	return node;
}

/* The last leaves that the medium reaches have sisters, which are looked at, too. */
static size_t nodes_for(u32 granules)
{
	return first_leaf(granules) + roundup(leaves_of(granules), MTDC_CHILDREN);
}

/**
 * mtdc_freelist_memory() - memory that a free list needs
 * @granules: size of the medium, at least 1
 *
 * Return: bytes.
 */
size_t mtdc_freelist_memory(u32 granules)
{
	return nodes_for(granules) * sizeof(u64) +
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
	fl->leaves = first_leaf(granules);
	fl->classes = memory;
	fl->bits = (unsigned long *)(fl->classes + nodes_for(granules));
	fl->free = granules;
	fl->fragments = 1;
	fl->cursor = 0;
	fl->granule_bytes = granule_bytes;
	fl->header_bytes = header_bytes;
	fl->top = DIV_ROUND_UP(page_bytes + header_bytes, granule_bytes);

	/* Leaf by leaf because bitmap_set() takes the length as an int. */
	for (leaf = 0; leaf_start(leaf) < granules; leaf++)
		bitmap_set(fl->bits, leaf_start(leaf), leaf_end(fl, leaf) - leaf_start(leaf));
	add_run(fl, 0, granules);
}

#ifdef MTDC_CHECKS
/* Has @leaf a bit for each fragment that begins there, and for a granule in use? */
static bool has_bits(const struct mtdc_freelist *fl, u32 leaf)
{
	u32 end = leaf_end(fl, leaf), at;
	u64 bits = first_used(fl, leaf) < end ? MTDC_USED : 0;

	for (at = leaf_start(leaf); at < end; at++) {
		if (is_free(fl, at) && (!at || !is_free(fl, at - 1)))
			bits |= bits_of(fl, find_next_zero_bit(fl->bits, fl->granules, at) - at);
	}
	return !(bits & ~fl->classes[fl->leaves + leaf]);
}

/**
 * mtdc_freelist_check() - walk the invariants
 * @fl: the free list
 *
 * Counts agree with the bitmap, each node with the nodes below it, and no bit is missing. Takes
 * time in proportion to the media.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_freelist_check(const struct mtdc_freelist *fl)
{
	size_t nodes = nodes_for(fl->granules), node;
	u32 free = 0, fragments = 0;
	u32 at, end, leaf;

	for (at = 0; at < fl->granules; at = end) {
		at = find_next_bit(fl->bits, fl->granules, at);
		if (at >= fl->granules)
			break;
		end = find_next_zero_bit(fl->bits, fl->granules, at);
		free += end - at;
		fragments++;
	}
	if (free != fl->free || fragments != fl->fragments)
		return -EUCLEAN;
	for (leaf = 0; leaf_start(leaf) < fl->granules; leaf++)
		if (!has_bits(fl, leaf))
			return -EUCLEAN;
	for (node = MTDC_ROOT; node < fl->leaves; node++) {
		u64 below = first_child(node) < nodes ? bits_of_children(fl, node) : 0;

		if (fl->classes[node] != below)
			return -EUCLEAN;
	}
	return 0;
}
#endif /* MTDC_CHECKS */
