// SPDX-License-Identifier: GPL-2.0
/*
 * Free space of the media.
 *
 * This unit knows granules: which of them are free, where a run of free ones
 * ("a free fragment") begins, and which fragment a page should go to. It does
 * not know pages, headers' contents or the media, takes no lock, sleeps,
 * allocates and prints nothing, so it runs in user space as it is.
 *
 * The truth is a bitmap with a bit for each granule. Neighbouring fragments
 * need no merging: they are one run of set bits as soon as they touch. A list
 * or tree of fragment nodes would be the obvious choice, but the number of
 * fragments has no useful bound, and in the swap-out path nothing may be
 * allocated; a bitmap has a fixed size, known at attach, and can't run out.
 *
 * Above the bitmap stand two complete binary trees in arrays (root at 1, the
 * children of n at 2n and 2n + 1), with a leaf for MTDC_LEAF_GRANULES granules.
 * A fragment belongs to the leaf in which it begins, however far it reaches.
 *
 *   classes[]  OR of one bit for each length class present, and MTDC_USED
 *              where a granule is in use. It answers "the next fragment of
 *              these classes after here" and "the end of this fragment".
 *   longest[]  MAX of the fragments' lengths. It answers "the largest".
 *
 * A change of bits rescans at most the leaves it touches and the one where
 * the fragment before it begins; everything else is O(log n).
 *
 * Length classes are exact below 8 granules and have eight steps an octave
 * above, so a fit found by class wastes at most an eighth of the fragment.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "inplace_freelist.h"

/* Set in classes[] where a leaf has a granule in use. */
#define MTDC_USED		BIT_ULL(63)

/* Class of every fragment that is too long to need telling apart. */
#define MTDC_CLASS_TOP		56U

/* How many leaves are tried for a fit within the page's own length class. */
#define MTDC_TIGHT_TRIES	4U

/*
 * The rotating policy is choosy once less than 1/5 of the media is free. With
 * more, plain next-fit splits no page (1.00 fragments a page at 75 % full,
 * 1.08 at 90 %), and wears more evenly (Documentation/figures.rst).
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

/* The lowest class whose every member has at least @len granules. */
static unsigned int class_ceil(u32 len)
{
	unsigned int class = class_of(len);

	return class == class_of(len - 1) ? class + 1 : class;
}

static u32 bytes_to_granules(const struct mtdc_freelist *fl, u32 bytes)
{
	return DIV_ROUND_UP(bytes, fl->granule_bytes);
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

/* First granule in use after @leaf, all of which from some granule on is free. */
static u32 run_tail(const struct mtdc_freelist *fl, u32 leaf)
{
	leaf = next_leaf(fl, leaf + 1, MTDC_USED);
	if (leaf == MTDC_NOWHERE)
		return fl->granules;
	return find_next_zero_bit(fl->bits, leaf_end(fl, leaf),
				  leaf_start(leaf));
}

/* First granule after the fragment that @granule is in. */
static u32 run_end(const struct mtdc_freelist *fl, u32 granule)
{
	u32 leaf = granule / MTDC_LEAF_GRANULES;
	u32 end = leaf_end(fl, leaf);
	u32 at = find_next_zero_bit(fl->bits, end, granule);

	return at < end ? at : run_tail(fl, leaf);
}

/* Last granule in use in [@from, @to), or MTDC_NOWHERE; @from begins a leaf. */
static u32 last_used(const struct mtdc_freelist *fl, u32 from, u32 to)
{
	while (to > from) {
		u32 word = (to - 1) / BITS_PER_LONG;
		unsigned long used = ~fl->bits[word];

		used &= BITMAP_LAST_WORD_MASK(to);
		if (used)
			return word * BITS_PER_LONG + __fls(used);
		to = word * BITS_PER_LONG;
	}
	return MTDC_NOWHERE;
}

/* First granule of the fragment that @granule is in. */
static u32 run_start(const struct mtdc_freelist *fl, u32 granule)
{
	u32 leaf = granule / MTDC_LEAF_GRANULES;
	u32 at = last_used(fl, leaf_start(leaf), granule);

	if (at != MTDC_NOWHERE)
		return at + 1;
	leaf = prev_leaf(fl, leaf, MTDC_USED);
	if (leaf == MTDC_NOWHERE)
		return 0;
	return last_used(fl, leaf_start(leaf), leaf_end(fl, leaf)) + 1;
}

/*
 * A walk over the fragments that begin in one leaf. An edge is a granule that
 * is free where the one before it is not, or the reverse; fragments are from
 * one edge to the next. Edges are looked for a word at a time and inlined:
 * cheaper than two bit searches for each fragment.
 */
struct walk {
	const struct mtdc_freelist *fl;
	unsigned long edges;	/* of this word, those not visited yet */
	unsigned long carry;	/* the last bit of this word */
	u32 word;
	u32 words;		/* first word after the leaf */
	u32 leaf;
};

static __always_inline bool next_edge(struct walk *walk, u32 *at)
{
	while (!walk->edges) {
		unsigned long bits;

		if (++walk->word >= walk->words)
			return false;
		bits = walk->fl->bits[walk->word];
		walk->edges = bits ^ (bits << 1 | walk->carry);
		walk->carry = bits >> (BITS_PER_LONG - 1);
	}
	*at = walk->word * BITS_PER_LONG + __ffs(walk->edges);
	walk->edges &= walk->edges - 1;
	return true;
}

/* Begin with the first fragment that begins at or after @from, in @leaf. */
static __always_inline void walk_from(struct walk *walk,
				      const struct mtdc_freelist *fl,
				      u32 leaf, u32 from)
{
	unsigned long bits = fl->bits[from / BITS_PER_LONG];
	bool inside = from && is_free(fl, from - 1);
	unsigned long carry = from % BITS_PER_LONG ? 0 : inside;
	u32 at;

	walk->fl = fl;
	walk->leaf = leaf;
	walk->word = from / BITS_PER_LONG;
	walk->words = BITS_TO_LONGS(leaf_end(fl, leaf));
	walk->edges = bits ^ (bits << 1 | carry);
	walk->edges &= BITMAP_FIRST_WORD_MASK(from);
	walk->carry = bits >> (BITS_PER_LONG - 1);
	if (inside)
		next_edge(walk, &at);
}

static __always_inline bool next_run(struct walk *walk,
				     struct mtdc_extent *run)
{
	u32 end;

	if (!next_edge(walk, &run->start))
		return false;
	if (!next_edge(walk, &end))
		end = run_tail(walk->fl, walk->leaf);
	run->len = end - run->start;
	return true;
}

static void set_node(struct mtdc_freelist *fl, u32 leaf, u64 classes,
		     u32 longest)
{
	u32 node = leaf + fl->leaves;

	if (fl->classes[node] == classes && fl->longest[node] == longest)
		return;
	fl->classes[node] = classes;
	fl->longest[node] = longest;
	for (node /= 2; node; node /= 2) {
		u64 both = fl->classes[2 * node] | fl->classes[2 * node + 1];
		u32 most = max(fl->longest[2 * node],
			       fl->longest[2 * node + 1]);

		if (fl->classes[node] == both && fl->longest[node] == most)
			break;
		fl->classes[node] = both;
		fl->longest[node] = most;
	}
}

static bool has_used(const struct mtdc_freelist *fl, u32 leaf)
{
	u32 end = leaf_end(fl, leaf);
	u32 at = leaf_start(leaf);

	/* Nearly always the first word tells. */
	if (end - at >= BITS_PER_LONG && ~fl->bits[at / BITS_PER_LONG])
		return true;
	return find_next_zero_bit(fl->bits, end, at) < end;
}

static void summarise(const struct mtdc_freelist *fl, u32 leaf, u64 *classes,
		      u32 *longest)
{
	struct mtdc_extent run;
	struct walk walk;

	*longest = 0;
	*classes = 0;
	walk_from(&walk, fl, leaf, leaf_start(leaf));
	while (next_run(&walk, &run)) {
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

static void set_used(struct mtdc_freelist *fl, u32 leaf, bool used)
{
	u32 node = leaf + fl->leaves;
	u64 old = fl->classes[node];

	if (!(old & MTDC_USED) == used)
		set_node(fl, leaf, old ^ MTDC_USED, fl->longest[node]);
}

/* Rescan whatever a change of the bits in [@start, @start + @len) altered. */
static void rescan_range(struct mtdc_freelist *fl, u32 start, u32 len,
			 bool now_free)
{
	u32 first = start / MTDC_LEAF_GRANULES;
	u32 last = (start + len - 1) / MTDC_LEAF_GRANULES;
	u32 leaf;

	/*
	 * Whether a leaf has a granule in use has to be right in all of them
	 * before a run is followed from one into the next.
	 */
	for (leaf = first; leaf <= last; leaf++)
		set_used(fl, leaf, !now_free || has_used(fl, leaf));

	/* The fragment after the change may begin one granule past it. */
	if (start + len < fl->granules)
		last = (start + len) / MTDC_LEAF_GRANULES;
	for (leaf = first; leaf <= last; leaf++)
		rescan(fl, leaf);
	if (start && is_free(fl, start - 1)) {
		leaf = run_start(fl, start - 1) / MTDC_LEAF_GRANULES;
		if (leaf < first)
			rescan(fl, leaf);
	}
}

/* Returns how many free fragments there are beside the range. */
static unsigned int count_borders(struct mtdc_freelist *fl, u32 start, u32 len,
				  bool now_free)
{
	unsigned int neighbours = 0;

	if (start && is_free(fl, start - 1))
		neighbours++;
	if (start + len < fl->granules && is_free(fl, start + len))
		neighbours++;
	if (now_free) {
		fl->free += len;
		fl->fragments += 1 - neighbours;
	} else {
		fl->free -= len;
		fl->fragments += neighbours - 1;
	}
	return neighbours;
}

/*
 * add_alone() - a fragment has come that has no free neighbour
 *
 * If it is in one leaf, and not all of it, then nothing else has changed there.
 */
static bool add_alone(struct mtdc_freelist *fl, u32 start, u32 len)
{
	u32 leaf = start / MTDC_LEAF_GRANULES;
	u32 node = leaf + fl->leaves;
	u32 end = leaf_end(fl, leaf);

	if (start + len > end || len == end - leaf_start(leaf))
		return false;
	set_node(fl, leaf, fl->classes[node] | BIT_ULL(class_of(len)),
		 max(fl->longest[node], len));
	return true;
}

static void mark(struct mtdc_freelist *fl, u32 start, u32 len, bool now_free)
{
	if (now_free)
		bitmap_set(fl->bits, start, len);
	else
		bitmap_clear(fl->bits, start, len);
	if (!count_borders(fl, start, len, now_free) && now_free &&
	    add_alone(fl, start, len))
		return;
	rescan_range(fl, start, len, now_free);
}

/* The largest fragment; the lowest one of several. */
static bool pick_largest(const struct mtdc_freelist *fl,
			 struct mtdc_extent *run)
{
	u32 longest = fl->longest[1];
	struct walk walk;
	u32 node = 1;

	if (!longest)
		return false;
	while (node < fl->leaves) {
		node *= 2;
		if (fl->longest[node] != longest)
			node++;
	}
	walk_from(&walk, fl, node - fl->leaves, leaf_start(node - fl->leaves));
	while (next_run(&walk, run))
		if (run->len == longest)
			return true;
	return false;
}

/*
 * pick_in_leaf() - the first fragment of @leaf at or after @from that fits
 * @tight: take the tightest one of the leaf instead of the first
 */
static bool pick_in_leaf(const struct mtdc_freelist *fl, u32 leaf, u32 from,
			 u32 len, u64 want, bool tight,
			 struct mtdc_extent *best)
{
	struct mtdc_extent run;
	bool found = false;
	struct walk walk;

	walk_from(&walk, fl, leaf, max(leaf_start(leaf), from));
	while ((tight || !found) && next_run(&walk, &run)) {
		if (run.len >= len && (want & BIT_ULL(class_of(run.len))) &&
		    (!found || run.len < best->len)) {
			*best = run;
			found = true;
		}
	}
	return found;
}

/* The next fragment of the classes in @want that fits, from @from to the end. */
static bool pick_from(const struct mtdc_freelist *fl, u32 from, u32 len,
		      u64 want, unsigned int tries, struct mtdc_extent *run)
{
	u32 leaf = from / MTDC_LEAF_GRANULES;

	/* The cursor is there when the last granule was allocated. */
	if (from >= fl->granules)
		return false;
	while (tries--) {
		leaf = next_leaf(fl, leaf, want);
		if (leaf == MTDC_NOWHERE)
			return false;
		if (pick_in_leaf(fl, leaf, from, len, want, false, run))
			return true;
		leaf++;
	}
	return false;
}

/* The tightest class that has a fragment of @len granules. */
static bool pick_best(const struct mtdc_freelist *fl, u32 len,
		      struct mtdc_extent *run)
{
	unsigned int ceil = class_ceil(len);
	u64 want;
	u32 leaf = 0;
	unsigned int i;

	/* Members of the page's own class may be a little too short. */
	for (i = 0; ceil != class_of(len) && i < MTDC_TIGHT_TRIES; i++) {
		want = BIT_ULL(class_of(len));
		leaf = next_leaf(fl, leaf, want);
		if (leaf == MTDC_NOWHERE)
			break;
		if (pick_in_leaf(fl, leaf++, 0, len, want, true, run))
			return true;
	}
	if (ceil > MTDC_CLASS_TOP)
		return pick_largest(fl, run) && run->len >= len;
	want = fl->classes[1] & GENMASK_ULL(MTDC_CLASS_TOP, ceil);
	if (!want)
		return pick_largest(fl, run) && run->len >= len;
	want = BIT_ULL(__ffs64(want));
	return pick_in_leaf(fl, next_leaf(fl, 0, want), 0, len, want, true,
			    run);
}

/*
 * pick_rotate() - the next fragment after the cursor that can take @len
 *
 * Next-fit sweeps over all free space before it comes back to a place, which
 * is what wear levelling asks for, but it cuts every long fragment that it
 * meets, so on full media a page that does not compress has to be split. So
 * where space is short a fragment is passed over when it is neither a tight
 * fit nor long enough to take a page of any length.
 */
static bool pick_rotate(const struct mtdc_freelist *fl, u32 len,
			struct mtdc_extent *run)
{
	unsigned int ceil = min(class_ceil(len), MTDC_CLASS_TOP);
	unsigned int loosest = min(ceil + 1, MTDC_CLASS_TOP);
	u64 want = fl->roomy;

	if (fl->free > fl->granules / MTDC_ROTATE_ROOM)
		loosest = MTDC_CLASS_TOP;
	/*
	 * Not the page's own class, some of which are too short: looking at
	 * them in vain costs more than the tighter fit is worth.
	 */
	want |= GENMASK_ULL(loosest, ceil);

	if (fl->cursor < fl->granules && is_free(fl, fl->cursor)) {
		run->start = fl->cursor;
		run->len = run_end(fl, fl->cursor) - fl->cursor;
		if (run->len >= len && (want & BIT_ULL(class_of(run->len))))
			return true;
	}
	return pick_from(fl, fl->cursor, len, want, MTDC_TIGHT_TRIES, run) ||
		pick_from(fl, 0, len, want, MTDC_TIGHT_TRIES, run) ||
		pick_best(fl, len, run);
}

/* A fragment of at least @len granules, cut to that length, or none. */
static bool take_whole(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy,
		       u32 len, struct mtdc_extent *out)
{
	struct mtdc_extent run;
	bool found;

	if (fl->longest[1] < len)
		return false;
	switch (policy) {
	case MTDC_ALLOC_LARGEST:
		found = pick_largest(fl, &run);
		break;
	case MTDC_ALLOC_BEST:
		found = pick_best(fl, len, &run);
		break;
	default:
		found = pick_rotate(fl, len, &run);
		break;
	}
	if (!found)
		return false;
	out->start = run.start;
	out->len = len;
	mark(fl, out->start, len, false);
	return true;
}

/* The largest fragment, cut only if it is longer than @len. */
static bool take_largest(struct mtdc_freelist *fl, u32 len, u32 least,
			 struct mtdc_extent *out)
{
	if (fl->longest[1] < least || !pick_largest(fl, out))
		return false;
	out->len = min(out->len, len);
	mark(fl, out->start, out->len, false);
	return true;
}

static int alloc(struct mtdc_freelist *fl, enum mtdc_alloc_policy policy,
		 u32 bytes, struct mtdc_extent *chain, unsigned int max)
{
	u32 len = bytes_to_granules(fl, bytes + fl->header_bytes);
	u32 least = bytes_to_granules(fl, MTDC_FRAGMENT_MIN);
	unsigned int n;

	if (len > fl->free)
		return -ENOSPC;
	for (n = 0; n < max; n++) {
		if (take_whole(fl, policy, len, &chain[n])) {
			if (policy == MTDC_ALLOC_ROTATE)
				fl->cursor = chain[n].start + chain[n].len;
			return n + 1;
		}
		if (!take_largest(fl, len, least, &chain[n]))
			break;
		bytes -= chain[n].len * fl->granule_bytes - fl->header_bytes;
		len = bytes_to_granules(fl, bytes + fl->header_bytes);
	}
	mtdc_freelist_free(fl, chain, n);
	return -ENOSPC;
}

/**
 * mtdc_freelist_alloc() - take free space for a page
 * @fl: the free list
 * @bytes: payload to be stored, without headers, at least 1
 * @chain: the fragments taken, in the order of the payload; each begins with
 *	@fl->header_bytes, the rest holds payload
 * @max: number of elements that @chain has room for
 *
 * The page goes into one fragment if the largest one is long enough; which
 * one says the policy. Otherwise it is split, largest fragments first, so
 * that the chain is as short as it can be.
 *
 * Context: any; the caller serialises.
 * Return: the number of fragments, or -ENOSPC with nothing changed.
 */
int mtdc_freelist_alloc(struct mtdc_freelist *fl, u32 bytes,
			struct mtdc_extent *chain, unsigned int max)
{
	return alloc(fl, fl->policy, bytes, chain, max);
}

/**
 * mtdc_freelist_alloc_elsewhere() - take other space than was tried last
 * @fl: the free list
 * @bytes: as in mtdc_freelist_alloc()
 * @chain: the fragments taken
 * @max: number of elements that @chain has room for
 *
 * By the rotating policy, whatever @fl->policy is: the others would come back
 * to the same place each time, and to the one beside it.
 *
 * Context: any; the caller serialises.
 * Return: the number of fragments, or -ENOSPC with nothing changed.
 */
int mtdc_freelist_alloc_elsewhere(struct mtdc_freelist *fl, u32 bytes,
				  struct mtdc_extent *chain, unsigned int max)
{
	return alloc(fl, MTDC_ALLOC_ROTATE, bytes, chain, max);
}

/**
 * mtdc_freelist_free() - give space back
 * @fl: the free list
 * @chain: the fragments
 * @n: their number
 *
 * A fragment becomes one with the free space beside it at once.
 *
 * Context: any; the caller serialises. Every granule must be in use.
 */
void mtdc_freelist_free(struct mtdc_freelist *fl,
			const struct mtdc_extent *chain, unsigned int n)
{
	while (n--)
		mark(fl, chain[n].start, chain[n].len, true);
}

/**
 * mtdc_freelist_claim() - take exactly these fragments
 * @fl: the free list
 * @chain: the fragments
 * @n: their number
 *
 * Undoes mtdc_freelist_free() when nothing was allocated in between.
 *
 * Context: any; the caller serialises. Every granule must be free.
 */
void mtdc_freelist_claim(struct mtdc_freelist *fl,
			 const struct mtdc_extent *chain, unsigned int n)
{
	while (n--)
		mark(fl, chain[n].start, chain[n].len, false);
}

static u32 leaves_for(u32 granules)
{
	return roundup_pow_of_two(DIV_ROUND_UP(granules, MTDC_LEAF_GRANULES));
}

/*
 * Nodes of a tree: those above the leaves, and the leaves that the medium
 * reaches. Each of these has a sibling, and no walk goes to any other, so long
 * as none begins past the medium.
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
 * Context: any.
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
 * @memory: mtdc_freelist_memory() bytes, zeroed, aligned for u64; the free
 *	list uses them for as long as it is used itself
 * @granules: size of the medium, at least 1, at most MTDC_GRANULES_MAX
 * @granule_bytes: bytes of a granule
 * @header_bytes: bytes of the header of a fragment
 * @page_bytes: largest payload that will be asked for
 * @policy: which free fragment to take
 *
 * Context: any.
 */
void mtdc_freelist_init(struct mtdc_freelist *fl, void *memory, u32 granules,
			u32 granule_bytes, u32 header_bytes, u32 page_bytes,
			enum mtdc_alloc_policy policy)
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
	fl->roomy = GENMASK_ULL(MTDC_CLASS_TOP,
				min(class_ceil(fl->top), MTDC_CLASS_TOP));
	fl->policy = policy;

	/*
	 * Leaf by leaf: the kernel takes the length for an int. And all of it before the
	 * first rescan(), which looks beyond its leaf.
	 */
	for (leaf = 0; leaf_start(leaf) < granules; leaf++)
		bitmap_set(fl->bits, leaf_start(leaf),
			   leaf_end(fl, leaf) - leaf_start(leaf));
	for (leaf = 0; leaf_start(leaf) < granules; leaf++)
		rescan(fl, leaf);
}

#ifdef MTDC_CHECKS
/**
 * mtdc_freelist_check() - walk the invariants
 * @fl: the free list
 *
 * Counts agree with the bitmap, and each node with what is below it.
 *
 * Context: any; the caller serialises. Takes time in proportion to the media.
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
		if (run_end(fl, at) != end || run_start(fl, end - 1) != at)
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
