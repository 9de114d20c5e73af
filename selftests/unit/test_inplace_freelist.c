// SPDX-License-Identifier: GPL-2.0
/*
 * The free list: pictures of small media, every case at the border of a leaf, and random
 * operations, all compared with horrible_inplace_freelist.h.
 */
#include <errno.h>

#include <linux/bitops.h>

#include "harness.h"
#include "inplace_freelist.h"
#include "horrible_inplace_freelist.h"

#define LEAF	MTDC_LEAF_GRANULES

static const char * const policies[] = { "rotate", "best", "largest" };

/* A free list, its model, and a copy to compare with. */
struct rig {
	struct mtdc_freelist fl;
	enum mtdc_alloc_policy policy;
	struct horrible_freelist model;
	void *memory;
	size_t memory_bytes;
	struct mtdc_freelist old_fl;
	void *old_memory;
};

static void rig_init(struct rig *rig, u32 granules, u32 granule_bytes, u32 page_bytes,
		     enum mtdc_alloc_policy policy)
{
	rig->memory_bytes = mtdc_freelist_memory(granules);
	rig->memory = test_alloc(rig->memory_bytes);
	rig->old_memory = test_alloc(rig->memory_bytes);
	mtdc_freelist_init(&rig->fl, rig->memory, granules, granule_bytes, 8, page_bytes);
	rig->policy = policy;
	horrible_init(&rig->model, granules);
}

static void rig_exit(struct rig *rig)
{
	horrible_exit(&rig->model);
	free(rig->memory);
	free(rig->old_memory);
}

static void rig_remember(struct rig *rig)
{
	rig->old_fl = rig->fl;
	memcpy(rig->old_memory, rig->memory, rig->memory_bytes);
}

static size_t bits_at(const struct rig *rig)
{
	return (char *)rig->fl.bits - (char *)rig->memory;
}

/* The same granules are free; a search may have set the bits of the tree right. */
static bool rig_is_unchanged(const struct rig *rig)
{
	return expect_eq(rig->fl.free, rig->old_fl.free) &&
		expect_eq(rig->fl.fragments, rig->old_fl.fragments) &&
		expect_eq(rig->fl.cursor, rig->old_fl.cursor) &&
		expect(!memcmp(rig->old_memory + bits_at(rig), rig->fl.bits,
			       BITS_TO_LONGS(rig->fl.granules) * sizeof(long))) &&
		expect_eq(mtdc_freelist_check(&rig->fl), 0);
}

/* Compare the free list with the model. */
static bool rig_verify(struct rig *rig)
{
	struct mtdc_freelist *fl = &rig->fl;
	struct horrible_freelist *model = &rig->model;
	u32 i;

	horrible_scan(model, fl->granules);
	if (!expect_eq(mtdc_freelist_check(fl), 0) ||
	    !expect_eq(fl->free, model->free) ||
	    !expect_eq(fl->fragments, model->nruns) ||
	    !expect_eq(mtdc_freelist_largest(fl), horrible_largest(model).len))
		return false;
	for (i = 0; i < fl->granules; i++)
		if (!!model->used[i] == test_bit(i, fl->bits) && !expect_eq(i, -1))
			return false;
	return true;
}

static bool model_mark(struct rig *rig, const struct mtdc_extent *chain, int n, bool used)
{
	int i;
	u32 k;

	for (i = 0; i < n; i++) {
		if (!expect(chain[i].len) || !expect(chain[i].start < rig->fl.granules) ||
		    !expect(chain[i].len <= rig->fl.granules - chain[i].start))
			return false;
		for (k = 0; k < chain[i].len; k++) {
			if (!expect_eq(rig->model.used[chain[i].start + k], !used))
				return false;
			rig->model.used[chain[i].start + k] = used;
		}
	}
	return true;
}

static bool rig_free(struct rig *rig, const struct mtdc_extent *chain, int n)
{
	mtdc_freelist_free(&rig->fl, chain, n);
	return model_mark(rig, chain, n, false);
}

static bool rig_claim(struct rig *rig, const struct mtdc_extent *chain, int n)
{
	mtdc_freelist_claim(&rig->fl, chain, n);
	return model_mark(rig, chain, n, true);
}

/* The fragment of the model that begins there, or one of no length. */
static struct mtdc_extent run_at(const struct horrible_freelist *model, u32 start)
{
	u32 i;

	for (i = 0; i < model->nruns; i++)
		if (model->runs[i].start == start)
			return model->runs[i];
	return (struct mtdc_extent) { .start = start };
}

/*
 * Is this the largest fragment of the model? On larger media the search may miss it, but only for
 * one of the same length class.
 */
static bool check_largest(struct rig *rig, u32 start)
{
	struct mtdc_extent largest = horrible_largest(&rig->model);

	if (rig->fl.granules <= HORRIBLE_EXACT_LEAVES * LEAF)
		return expect_eq(start, largest.start);
	return expect_eq(horrible_class(run_at(&rig->model, start).len),
			 horrible_class(largest.len));
}

/* On larger media the search may miss the best fit, but only within the page's own class. */
static bool check_best(struct rig *rig, const struct mtdc_extent *got)
{
	const struct horrible_freelist *model = &rig->model;
	unsigned int class = horrible_class(horrible_tightest(model, got->len).len);
	u32 i;

	if (rig->fl.granules <= HORRIBLE_EXACT_LEAVES * LEAF)
		return expect_eq(got->start, horrible_best(model, got->len));
	for (i = 0; i < model->nruns; i++)
		if (model->runs[i].start == got->start)
			return expect(horrible_class(model->runs[i].len) == class ||
				      horrible_class(got->len) == class);
	return expect(!"begins where a fragment begins");
}

/* Has the policy chosen this fragment for a page that fits in one piece? */
static bool check_place(struct rig *rig, const struct mtdc_extent *got, u32 cursor)
{
	const struct horrible_freelist *model = &rig->model;
	const struct mtdc_freelist *fl = &rig->fl;
	u32 start;

	if (rig->policy == MTDC_ALLOC_LARGEST)
		return check_largest(rig, got->start);
	if (rig->policy == MTDC_ALLOC_BEST)
		return check_best(rig, got);

	start = horrible_rotate(model, fl, got->len, cursor);
	if (start == U32_MAX)
		return check_best(rig, got);
	/* Any number of the top class may be too short, and the search gives up. */
	return (fl->granules > HORRIBLE_EXACT_LEAVES * LEAF &&
		horrible_class_ceil(got->len) > HORRIBLE_CLASS_TOP) ||
		expect_eq(got->start, start);
}

/* Is this the right split? The model is still in the state before it. */
static bool check_chain(struct rig *rig, u32 bytes, const struct mtdc_extent *chain, int n,
			u32 cursor)
{
	const struct mtdc_freelist *fl = &rig->fl;
	int i;

	for (i = 0; i < n; i++) {
		u32 want = DIV_ROUND_UP(bytes + fl->header_bytes, fl->granule_bytes);
		struct mtdc_extent largest;

		horrible_scan(&rig->model, fl->granules);
		largest = horrible_largest(&rig->model);
		if (i == n - 1) {
			if (!expect_eq(chain[i].len, want) ||
			    !expect(largest.len >= want) ||
			    !check_place(rig, &chain[i], cursor))
				return false;
		} else if (!expect(largest.len < want) ||
			   !expect(chain[i].len * fl->granule_bytes >= MTDC_FRAGMENT_MIN) ||
			   !expect_eq(chain[i].len, run_at(&rig->model, chain[i].start).len) ||
			   !check_largest(rig, chain[i].start)) {
			return false;
		}
		bytes -= chain[i].len * fl->granule_bytes - fl->header_bytes;
		if (!model_mark(rig, &chain[i], 1, true))
			return false;
	}
	if (rig->policy == MTDC_ALLOC_ROTATE)
		cursor = chain[n - 1].start + chain[n - 1].len;
	return expect_eq(fl->cursor, cursor);
}

/*
 * rig_alloc() - allocate, and compare with the model
 * @full: compare everything; otherwise only check that nothing is allocated twice
 */
static bool rig_alloc(struct rig *rig, u32 bytes, unsigned int max, bool full,
		      struct mtdc_extent *chain, int *n)
{
	static const struct mtdc_extent guard = { 0xdeadbeef, 0xdeadbeef };
	u32 cursor = rig->fl.cursor;

	rig_remember(rig);
	if (max < MTDC_CHAIN_MAX)
		chain[max] = guard;
	*n = mtdc_freelist_alloc(&rig->fl, rig->policy, bytes, chain, max);
	if (max < MTDC_CHAIN_MAX && !expect_eq(chain[max].start, guard.start))
		return false;
	if (full) {
		horrible_scan(&rig->model, rig->fl.granules);
		if (!expect_eq(*n, horrible_fits(&rig->model, &rig->fl, bytes, max)))
			return false;
	}
	if (*n < 0)
		return expect_eq(*n, -ENOSPC) && rig_is_unchanged(rig);
	if (!expect(*n > 0) || !expect(*n <= (int)max))
		return false;
	return full ? check_chain(rig, bytes, chain, *n, cursor) :
		model_mark(rig, chain, *n, true);
}

/*
 * Pictures: a character for each granule, '.' free, '#' in use. After the allocation 0, 1, 2 are
 * the fragments of the new page in the order of the chain.
 */
struct picture {
	const char *why;
	enum mtdc_alloc_policy policy;
	u32 granule_bytes;
	u32 cursor;
	const char *before;
	u32 bytes;
	unsigned int max;
	int result;
	const char *after;
};

static void draw(const struct picture *picture)
{
	u32 granules = strlen(picture->before), i, k;
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	char *after = test_alloc(granules + 1);
	struct rig rig;
	int n;

	/* Pages of 1 KiB: nine granules of 128 bytes hold any page. */
	rig_init(&rig, granules, picture->granule_bytes, 1024, picture->policy);
	for (i = 0; i < granules; i++)
		if (picture->before[i] == '#')
			rig_claim(&rig, &(struct mtdc_extent) { i, 1 }, 1);
	rig.fl.cursor = picture->cursor;
	rig_remember(&rig);
	rig_alloc(&rig, picture->bytes, picture->max, true, chain, &n);
	expect_eq(n, picture->result);
	memcpy(after, picture->before, granules);
	for (i = 0; n > 0 && i < (u32)n; i++)
		for (k = 0; k < chain[i].len && chain[i].start + k < granules; k++)
			after[chain[i].start + k] = '0' + i;
	if (!expect(!strcmp(after, picture->after))) {
		tap_note("  got    %s", after);
		tap_note("  wanted %s", picture->after);
	}
	rig_verify(&rig);
	if (n > 0)
		rig_free(&rig, chain, n);
	rig_verify(&rig);
	if (tap.bad)
		tap_note("  in the picture \"%s\"", picture->why);
	free(after);
	rig_exit(&rig);
}

#define ROTATE	MTDC_ALLOC_ROTATE
#define BEST	MTDC_ALLOC_BEST
#define LARGEST	MTDC_ALLOC_LARGEST

static const struct picture pictures[] = {
	{ "the longest, cut", LARGEST, 128, 0,
	  "..#....#...", 120, 64, 1,
	  "..#0...#..." },
	{ "the lowest of two longest", LARGEST, 128, 0,
	  "..#...#...", 120, 64, 1,
	  "..#0..#..." },
	{ "the longest is just long enough", LARGEST, 128, 0,
	  "..#...#..", 376, 64, 1,
	  "..#000#.." },
	{ "one byte more, and it is split, the longest first", LARGEST, 128, 0,
	  "..#...#..", 377, 64, 2,
	  "1.#000#.." },
	{ "the rest of a split page goes to the longest", LARGEST, 128, 0,
	  ".#...#..#.", 480, 64, 2,
	  ".#000#1.#." },
	{ "every byte of the media", LARGEST, 128, 0,
	  "..#...#.", 744, 64, 3,
	  "11#000#2" },
	{ "a byte more than the media have", LARGEST, 128, 0,
	  "..#...#.", 745, 64, -ENOSPC,
	  "..#...#." },
	{ "room, but in too many pieces", LARGEST, 128, 0,
	  "..#...#.", 744, 2, -ENOSPC,
	  "..#...#." },
	{ "no fragment is allowed", LARGEST, 128, 0,
	  "...", 1, 0, -ENOSPC,
	  "..." },
	{ "nothing is free", LARGEST, 128, 0,
	  "###", 1, 64, -ENOSPC,
	  "###" },
	{ "the only granule", LARGEST, 128, 0,
	  ".", 120, 64, 1,
	  "0" },
	{ "more than the only granule", LARGEST, 128, 0,
	  ".", 121, 64, -ENOSPC,
	  "." },

	{ "the tightest", BEST, 128, 0,
	  "....#..#.", 120, 64, 1,
	  "....#..#0" },
	{ "the tightest, exactly", BEST, 128, 0,
	  "....#..#.", 248, 64, 1,
	  "....#00#." },
	{ "the next longer one", BEST, 128, 0,
	  ".....#.#...", 248, 64, 1,
	  ".....#.#00." },
	{ "the lowest of two", BEST, 128, 0,
	  "..#..#..", 248, 64, 1,
	  "00#..#.." },
	{ "split the longest first, the rest fits tightly", BEST, 128, 0,
	  "..#...#.", 480, 64, 2,
	  "..#000#1" },

	{ "on from the cursor", ROTATE, 128, 5,
	  "..........", 120, 64, 1,
	  ".....0...." },
	{ "the next fragment after the cursor", ROTATE, 128, 1,
	  "....##....", 376, 64, 1,
	  ".000##...." },
	{ "too little at the cursor", ROTATE, 128, 2,
	  "....##....", 376, 64, 1,
	  "....##000." },
	{ "too little up to the end, so from the start again", ROTATE, 128, 9,
	  "..........", 248, 64, 1,
	  "00........" },
	{ "the cursor is at the very end", ROTATE, 128, 10,
	  "..........", 248, 64, 1,
	  "00........" },
	{ "the cursor is at the end of whole words", ROTATE, 128, 64,
	  "................................................................", 120, 64, 1,
	  "0..............................................................." },
	{ "only the fragment that the cursor cuts in two is long enough", ROTATE, 128, 2,
	  ".....#####", 632, 64, 1,
	  "00000#####" },
	{ "where space is short the first that is no tight fit is passed over", ROTATE, 128, 0,
	  ".....###########..######################", 248, 64, 1,
	  ".....###########00######################" },
	{ "a granule more, and it is not short", ROTATE, 128, 0,
	  "......###########...####################", 248, 64, 1,
	  "00....###########...####################" },
	{ "short, but this one takes any page", ROTATE, 128, 0,
	  "##..........######################################", 248, 64, 1,
	  "##00........######################################" },
	{ "short, and this one is a granule too short for any page", ROTATE, 128, 0,
	  "##........#############..#########################", 248, 64, 1,
	  "##........#############00#########################" },
	{ "short, one and two granules too long: the next two classes are tight", ROTATE, 128, 0,
	  "#...##########################################..####", 248, 64, 1,
	  "#00.##########################################..####" },
	{ "short, none tight, none long: the best one", ROTATE, 128, 0,
	  "#.....####....##########################################", 248, 64, 1,
	  "#.....####00..##########################################" },
	{ "split, and the rest at the next place", ROTATE, 128, 8,
	  ".#...#..#.", 480, 64, 2,
	  ".#000#..#1" },

	/* Granules of 32 bytes: the minimum fragment has four. */
	{ "a first fragment that is not worth its header", LARGEST, 32, 0,
	  "...#...", 120, 64, -ENOSPC,
	  "...#..." },
	{ "a first fragment that just is, and a short last one", LARGEST, 32, 0,
	  "...#....", 152, 64, 2,
	  "11.#0000" },
	{ "a second fragment that is not, though a third would do", LARGEST, 32, 0,
	  "...#....#..", 280, 64, -ENOSPC,
	  "...#....#.." },
	{ "short fragments take short pages", ROTATE, 32, 4,
	  "...#####", 88, 64, 1,
	  "000#####" },
};

static void test_pictures(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pictures) && !tap.bad; i++)
		draw(&pictures[i]);
}

struct geometry {
	u32 granules;
	u32 granule_bytes;
	u32 page_bytes;
	const char *why;
};

static const struct geometry geometries[] = {
	{ 1, 16, 4096, "one granule" },
	{ 1, 8192, 4096, "one granule that holds any page" },
	{ 2, 4096, 4096, "a raw page is two granules" },
	{ 7, 512, 4096, "too small for a raw page" },
	{ 63, 12, 4096, "a bit less than a word" },
	{ 64, 12, 4096, "a word" },
	{ 65, 12, 4096, "a bit more than a word" },
	{ 300, 48, 4096, "a part of a leaf" },
	{ LEAF - 1, 12, 4096, "a granule less than a leaf" },
	{ LEAF, 12, 4096, "a leaf" },
	{ LEAF + 1, 12, 4096, "a granule in the second leaf" },
	{ LEAF + 31, 32, 4096, "32-bit words end elsewhere than 64-bit ones" },
	{ 2 * LEAF - 24, 64, 4096, "two leaves" },
	{ 2 * LEAF + 1, 12, 4096, "a granule in the third leaf of a tree for four" },
	{ 3 * LEAF, 8, 4096, "three leaves, and a raw page has the top class" },
	{ 4 * LEAF, 16, 65536, "four leaves, and pages as long as the media" },
	{ 4 * LEAF, 24, 4096, "four leaves" },
	{ 5 * LEAF, 12, 4096, "five leaves in a tree for eight" },
	{ 5 * LEAF + 40, 12, 4096, "six leaves in a tree for eight" },
	{ 6 * LEAF, 64, 4096, "six whole leaves" },
	{ 6 * LEAF - 72, 1, 512, "granules of a byte" },
	{ 8 * LEAF + 1, 12, 4096, "nine leaves in a tree for sixteen" },
	{ 13 * LEAF + 344, 192, 65536, "pages of 64 KiB" },
	{ 40000, 12, 4096, "as on a real device" },
};

static void test_fresh(void)
{
	unsigned int i, p;

	for (i = 0; i < ARRAY_SIZE(geometries); i++) {
		for (p = 0; p < MTDC_ALLOC_POLICIES; p++) {
			const struct geometry *geo = &geometries[i];
			struct rig rig;

			rig_init(&rig, geo->granules, geo->granule_bytes, geo->page_bytes, p);
			expect_eq(rig.fl.free, geo->granules);
			expect_eq(rig.fl.fragments, 1);
			expect_eq(mtdc_freelist_largest(&rig.fl), geo->granules);
			rig_verify(&rig);
			rig_exit(&rig);
		}
	}
}

/* A bit a granule, and 8 bytes for each node: at most 8 nodes in 7 are above the leaves. */
static void test_memory(void)
{
	static const u32 granules[] = {
		1, LEAF, LEAF + 1, 100000, 1U << 31, MTDC_GRANULES_MAX
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(granules); i++) {
		u64 leaves = granules[i] / MTDC_LEAF_GRANULES + 1;
		u64 least = granules[i] / 8 + 8 * leaves;
		u64 most = granules[i] / 8 + 8 + 8 * (leaves + 8 * leaves / 7 + 24);

		expect(mtdc_freelist_memory(granules[i]) >= least);
		expect(mtdc_freelist_memory(granules[i]) <= most);
	}
}

/*
 * More granules than an int can count: 40 GiB of 20 bytes each. A 32-bit program lacks the memory.
 */
static void test_huge(void)
{
	u32 granules = (1U << 31) + 1000;
	struct mtdc_extent chain[8];
	struct mtdc_freelist fl;
	void *memory;

	if (sizeof(long) < 8)
		return;
	memory = test_alloc(mtdc_freelist_memory(granules));
	mtdc_freelist_init(&fl, memory, granules, 20, 8, 4096);
	expect_eq(mtdc_freelist_check(&fl), 0);
	expect_eq(mtdc_freelist_largest(&fl), granules);
	expect_eq(mtdc_freelist_alloc(&fl, MTDC_ALLOC_ROTATE, 4096, chain, ARRAY_SIZE(chain)), 1);
	expect_eq(fl.free, granules - 206);
	free(memory);
}

/* A single fragment, then all; freed page by page, in all orders of three. */
static void test_merge(void)
{
	static const u8 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	static const struct mtdc_extent thirds[] = {
		{ 0, LEAF - 1 }, { LEAF - 1, LEAF + 2 }, { 2 * LEAF + 1, LEAF - 1 },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		struct rig rig;

		rig_init(&rig, 3 * LEAF, 16, 4096, MTDC_ALLOC_LARGEST);
		rig_claim(&rig, thirds, 3);
		rig_verify(&rig);
		expect_eq(rig.fl.free, 0);
		expect_eq(rig.fl.fragments, 0);
		for (k = 0; k < 3; k++) {
			rig_free(&rig, &thirds[orders[i][k]], 1);
			rig_verify(&rig);
		}
		expect_eq(rig.fl.fragments, 1);
		rig_exit(&rig);
	}
}

/* A hole, and a fragment, of every length at every offset from a border. */
static void test_borders(void)
{
	unsigned int all_used;
	struct rig rig;
	u32 start, len;

	for (all_used = 0; all_used < 2; all_used++) {
		rig_init(&rig, 3 * LEAF - 5, 16, 4096, MTDC_ALLOC_LARGEST);
		if (all_used)
			rig_claim(&rig, &(struct mtdc_extent) { 0, rig.fl.granules }, 1);
		for (start = LEAF - 3; start < LEAF + 3; start++) {
			for (len = 1; start + len <= rig.fl.granules; len++) {
				struct mtdc_extent extent = { start, len };

				/* Only lengths near the next border and the end, and a few more. */
				if (len > 5 && (start + len + 3) % LEAF > 6 && len % 61)
					continue;
				rig_remember(&rig);
				if (all_used)
					rig_free(&rig, &extent, 1);
				else
					rig_claim(&rig, &extent, 1);
				rig_verify(&rig);
				if (all_used)
					rig_claim(&rig, &extent, 1);
				else
					rig_free(&rig, &extent, 1);
				rig_is_unchanged(&rig);
			}
		}
		rig_exit(&rig);
	}
}

/* The longest allowed chain, then a longer one. */
static void test_longest_chain(void)
{
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	struct rig rig;
	u32 i;
	int n;

	/* Every other granule of 128 bytes is free, and holds 120 bytes. */
	rig_init(&rig, 4 * MTDC_CHAIN_MAX, 128, 65536, MTDC_ALLOC_ROTATE);
	for (i = 0; i < rig.fl.granules; i += 2)
		rig_claim(&rig, &(struct mtdc_extent) { i, 1 }, 1);
	rig_alloc(&rig, 120 * MTDC_CHAIN_MAX, MTDC_CHAIN_MAX, true, chain, &n);
	expect_eq(n, MTDC_CHAIN_MAX);
	rig_verify(&rig);
	rig_free(&rig, chain, n);
	rig_alloc(&rig, 120 * MTDC_CHAIN_MAX + 1, MTDC_CHAIN_MAX, true, chain, &n);
	expect_eq(n, -ENOSPC);
	rig_verify(&rig);
	rig_exit(&rig);
}

/*
 * Fragments of one length class, some of them too short. The search for a tight fit gives up after
 * a few leaves with only these; it must find a longer fragment instead.
 */
static void test_same_class(void)
{
	static const struct {
		const char *why;
		u32 stride;
		u32 runs[6];
		u32 len;
	} table[] = {
		{ "in one leaf, the tightest in the middle", 100,
		  { 64, 70, 69, 66, 68, 71 }, 65 },
		{ "in one leaf, two equally tight", 100,
		  { 64, 71, 66, 70, 66, 71 }, 66 },
		{ "in one leaf, the exact one is the last", 100,
		  { 64, 71, 67, 67, 67, 65 }, 65 },
		{ "the only fit is in the sixth leaf, and there is no longer class", 2 * LEAF,
		  { 30, 30, 30, 30, 30, 31 }, 31 },
		{ "there is a longer class", 2 * LEAF,
		  { 30, 30, 30, 30, 30, 40 }, 31 },
		{ "a tight one in the sixth leaf, a longer one in the first", 2 * LEAF,
		  { 40, 30, 30, 30, 30, 31 }, 31 },
		{ "within the top class, which has no end", 2 * LEAF,
		  { 520, 520, 520, 520, 520, 600 }, 600 },
		{ "within the top class, and several fit", 2 * LEAF,
		  { 520, 520, 520, 520, 601, 600 }, 599 },
		{ "too short everywhere by one", 2 * LEAF,
		  { 520, 520, 520, 520, 520, 520 }, 521 },
	};
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	unsigned int i, k, p;
	int n;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (p = 0; p < MTDC_ALLOC_POLICIES && !tap.bad; p++) {
			struct rig rig;

			rig_init(&rig, 6 * table[i].stride, 16, 65536, p);
			rig_claim(&rig, &(struct mtdc_extent) { 0, rig.fl.granules }, 1);
			for (k = 0; k < 6; k++)
				rig_free(&rig, &(struct mtdc_extent) {
					table[i].stride * k + 7, table[i].runs[k] }, 1);
			rig_alloc(&rig, table[i].len * 16 - 8, 1, true, chain, &n);
			rig_verify(&rig);
			if (tap.bad)
				tap_note("  in \"%s\", %s", table[i].why, policies[p]);
			rig_exit(&rig);
		}
	}
}

/* Half of the medium is bad: with each policy, a page finds a good place in the end. */
static void test_elsewhere(void)
{
	const u32 granules = 16 * LEAF, bad = granules / 2, len = 260;
	unsigned int policy, i;

	for (policy = 0; policy < MTDC_ALLOC_POLICIES; policy++) {
		struct mtdc_extent first, second;
		struct rig rig;

		rig_init(&rig, granules, 16, 4096, policy);
		for (i = 0; i < bad / len + 2; i++) {
			expect_eq(mtdc_freelist_alloc(&rig.fl, policy, 16 * len - 8, &first, 1),
				  1);
			expect_eq(mtdc_freelist_alloc(&rig.fl, MTDC_ALLOC_ROTATE, 16 * len - 8,
						      &second, 1), 1);
			mtdc_freelist_free(&rig.fl, &second, 1);
			mtdc_freelist_free(&rig.fl, &first, 1);
			expect_eq(mtdc_freelist_check(&rig.fl), 0);
			if (first.start >= bad || second.start >= bad)
				break;
		}
		if (!expect(i < bad / len + 2))
			tap_note("alloc=%s", policies[policy]);
		rig_exit(&rig);
	}
}

/* The checker notices damage of the free list. */
static void test_check_notices(void)
{
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	struct rig rig;
	size_t i;

	rig_init(&rig, 5 * LEAF + 40, 12, 4096, MTDC_ALLOC_LARGEST);
	for (i = 0; i < 3; i++)
		expect_eq(mtdc_freelist_alloc(&rig.fl, rig.policy, 500, chain, MTDC_CHAIN_MAX), 1);
	expect_eq(mtdc_freelist_check(&rig.fl), 0);
	rig.fl.bits[40] ^= 2;
	expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
	rig.fl.bits[40] ^= 2;
	rig.fl.free++;
	expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
	rig.fl.free--;
	rig.fl.fragments++;
	expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
	rig.fl.fragments--;
	/* The root has a bit too many, and the first leaf one that the root lacks. */
	for (i = 7; i < 9; i++) {
		rig.fl.classes[i] ^= 4;
		expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
		rig.fl.classes[i] ^= 4;
	}
	/* A fragment that no node knows of; a leaf that denies its granules in use. */
	for (i = 7; i < 9; i++)
		rig.fl.classes[i] &= BIT_ULL(63);
	expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
	for (i = 7; i < 9; i++)
		rig.fl.classes[i] = ~BIT_ULL(63);
	expect_eq(mtdc_freelist_check(&rig.fl), -EUCLEAN);
	/* Bits too many in all nodes do no harm. */
	for (i = 7; i < 9; i++)
		rig.fl.classes[i] = ~0ULL;
	expect_eq(mtdc_freelist_check(&rig.fl), 0);
	rig_exit(&rig);
}

struct page {
	struct mtdc_extent chain[MTDC_CHAIN_MAX];
	int n;
};

/* Write a page as the store does: free the old copy afterwards. */
static bool overwrite(struct rig *rig, struct page *page, u32 bytes, bool full)
{
	unsigned int max = random_below(8) ? MTDC_CHAIN_MAX : random_below(6);
	struct page new;

	if (!rig_alloc(rig, bytes, max, full, new.chain, &new.n))
		return false;
	if (new.n > 0) {
		if (!rig_free(rig, page->chain, page->n))
			return false;
		*page = new;
		return true;
	}
	if (!rig_free(rig, page->chain, page->n) ||
	    !rig_alloc(rig, bytes, max, full, new.chain, &new.n))
		return false;
	if (new.n > 0)
		*page = new;
	else if (!rig_claim(rig, page->chain, page->n))
		return false;
	return true;
}

static bool free_and_claim(struct rig *rig, struct page *page)
{
	rig_remember(rig);
	return rig_free(rig, page->chain, page->n) && rig_claim(rig, page->chain, page->n) &&
		rig_is_unchanged(rig);
}

static bool random_operation(struct rig *rig, struct page *page, u32 page_bytes, bool shrinking,
			     bool full)
{
	u32 dice = random_below(100);
	int n = page->n;

	if (n && dice < 5)
		return free_and_claim(rig, page);
	if (n && dice < (shrinking ? 60 : 12)) {
		page->n = 0;
		return rig_free(rig, page->chain, n);
	}
	return overwrite(rig, page, dice > 90 ? page_bytes : random_length(page_bytes), full);
}

static void random_operations(const struct geometry *geo, enum mtdc_alloc_policy policy, u64 ops)
{
	u32 every = geo->granules <= 2 * LEAF + 1 ? 1 : 4;
	u32 pages = (u64)geo->granules * geo->granule_bytes / 256 + 2;
	bool shrinking = false;
	struct page *page;
	struct rig rig;
	u64 i;

	pages = pages < 4096 ? pages : 4096;
	page = test_alloc(pages * sizeof(*page));
	rig_init(&rig, geo->granules, geo->granule_bytes, geo->page_bytes, policy);
	for (i = 0; i < ops; i++) {
		bool full = i % every == 0;

		/* Full media about half of the time, and all other degrees. */
		if (!random_below(4 * pages))
			shrinking = random_below(2);
		if (!random_operation(&rig, &page[random_below(pages)], geo->page_bytes,
				      shrinking, full) ||
		    (full && !rig_verify(&rig))) {
			tap_note("%s, operation %llu on %u granules of %u bytes: %s",
				 policies[policy], i, geo->granules, geo->granule_bytes, geo->why);
			break;
		}
	}
	for (i = 0; i < pages && !tap.bad; i++)
		rig_free(&rig, page[i].chain, page[i].n);
	if (!tap.bad) {
		rig_verify(&rig);
		expect_eq(rig.fl.fragments, 1);
	}
	rig_exit(&rig);
	free(page);
}

static void random_policy(enum mtdc_alloc_policy policy)
{
	u64 ops = tap.ops / ARRAY_SIZE(geometries) / MTDC_ALLOC_POLICIES + 1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(geometries) && !tap.bad; i++)
		random_operations(&geometries[i], policy, ops);
}

static void test_random_rotate(void)
{
	random_policy(MTDC_ALLOC_ROTATE);
}

static void test_random_best(void)
{
	random_policy(MTDC_ALLOC_BEST);
}

static void test_random_largest(void)
{
	random_policy(MTDC_ALLOC_LARGEST);
}

static const struct tap_case cases[] = {
	{ "fresh media are one fragment", test_fresh },
	{ "memory follows from the size", test_memory },
	{ "more granules than an int can count", test_huge },
	{ "placing a page, in pictures", test_pictures },
	{ "neighbours become one in any order", test_merge },
	{ "every way across a border of leaves", test_borders },
	{ "the longest chain, and a longer one", test_longest_chain },
	{ "fragments of one length class", test_same_class },
	{ "a bad place of any length is gone past", test_elsewhere },
	{ "the self-check notices damage", test_check_notices },
	{ "random operations against the model, alloc=rotate", test_random_rotate },
	{ "random operations against the model, alloc=best", test_random_best },
	{ "random operations against the model, alloc=largest", test_random_largest },
};

int main(int argc, char **argv)
{
	return tap_main("freelist", cases, ARRAY_SIZE(cases), argc, argv);
}
