// SPDX-License-Identifier: GPL-2.0
/*
 * The map: each kind of page stored and looked up, the pool of links to its last one, and random
 * operations compared with a map that keeps everything unpacked.
 */
#include <errno.h>

#include "harness.h"
#include "map.h"

#define GRANULE		12U
#define HEADER		8U

/* The map must not write more extents than it was asked for. */
static const struct mtdc_extent guard = { 0xdeadbeef, 0xdeadbeef };

struct rig {
	struct mtdc_map map;
	void *memory;
	size_t memory_bytes;
	void *old_memory;
	struct mtdc_map old_map;
};

static void rig_init(struct rig *rig, u32 pages, u32 nlinks)
{
	rig->memory_bytes = mtdc_map_memory(pages, nlinks);
	rig->memory = test_alloc(rig->memory_bytes);
	rig->old_memory = test_alloc(rig->memory_bytes);
	mtdc_map_init(&rig->map, rig->memory, pages, nlinks, GRANULE, HEADER);
}

static void rig_exit(struct rig *rig)
{
	free(rig->memory);
	free(rig->old_memory);
}

static void rig_remember(struct rig *rig)
{
	rig->old_map = rig->map;
	memcpy(rig->old_memory, rig->memory, rig->memory_bytes);
}

static bool rig_is_unchanged(const struct rig *rig)
{
	return expect_eq(rig->map.nunused, rig->old_map.nunused) &&
		expect_eq(rig->map.unused, rig->old_map.unused) &&
		expect(!memcmp(rig->memory, rig->old_memory, rig->memory_bytes));
}

static struct mtdc_place fill_place(u64 word)
{
	return (struct mtdc_place) { .kind = MTDC_FILL, .word = word };
}

/* A page in @n fragments that are just long enough, beginning at @start. */
static struct mtdc_place stored_place(enum mtdc_kind kind, u32 bytes, u32 generation,
				      unsigned int n, u32 start)
{
	struct mtdc_place place = {
		.kind = kind, .bytes = bytes, .generation = generation, .n = n,
	};
	u32 part = DIV_ROUND_UP(bytes, n), i;

	for (i = 0; i < n; i++) {
		place.chain[i].start = start - 7 * i;
		place.chain[i].len = DIV_ROUND_UP(part + HEADER, GRANULE);
	}
	return place;
}

static bool is_stored(const struct mtdc_place *place)
{
	return place->kind == MTDC_RAW || place->kind == MTDC_COMPRESSED;
}

/* Links needed: one for each of several fragments, and one for a 64-bit word. */
static unsigned int links_for(const struct mtdc_place *place)
{
	if (place->kind == MTDC_FILL)
		return place->word >> 63 && (u32)place->word != place->word >> 32;
	return is_stored(place) && place->n > 1 ? place->n : 0;
}

/* Does the map return the stored place of @page? */
static bool expect_place(const struct mtdc_map *map, u32 page, const struct mtdc_place *want)
{
	struct mtdc_place got;
	u32 i;

	/* Poison, so that a field that is not set can't be right by chance. */
	memset(&got, 0xa5, sizeof(got));
	for (i = 0; i < MTDC_CHAIN_MAX; i++)
		got.chain[i] = guard;
	mtdc_map_get(map, page, &got);
	if (!expect_eq(got.kind, want->kind) ||
	    !expect_eq(mtdc_map_kind(map, page), want->kind) ||
	    !expect_eq(got.n, is_stored(want) ? want->n : 0))
		return false;
	if (want->kind == MTDC_FILL && !expect(got.word == want->word))
		return false;
	if (!is_stored(want))
		return true;
	if (!expect_eq(got.bytes, want->bytes) ||
	    !expect_eq(got.generation, want->generation % MTDC_GENERATIONS))
		return false;
	for (i = 0; i < MTDC_CHAIN_MAX; i++) {
		const struct mtdc_extent *extent = i < want->n ? &want->chain[i] : &guard;

		if (!expect_eq(got.chain[i].start, extent->start) ||
		    !expect_eq(got.chain[i].len, extent->len))
			return false;
	}
	return true;
}

/* Store and look up a page between two neighbours, which must not change. */
static void round_trip(const struct mtdc_place *place, const char *why)
{
	const struct mtdc_place left = stored_place(MTDC_RAW, 4096, 1, 3, 1000);
	const struct mtdc_place right = fill_place(~0ULL);
	const struct mtdc_place none = { .kind = MTDC_NONE };
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 3, 3 + MTDC_CHAIN_MAX);
	expect_eq(mtdc_map_set(&rig.map, 0, &left), 0);
	expect_eq(mtdc_map_set(&rig.map, 2, &right), 0);
	for (i = 0; i < 3; i++) {
		expect_eq(mtdc_map_set(&rig.map, 1, place), 0);
		expect_place(&rig.map, 1, place);
		expect_place(&rig.map, 0, &left);
		expect_place(&rig.map, 2, &right);
		expect_eq(mtdc_map_check(&rig.map), 0);
		expect_eq(rig.map.nunused, MTDC_CHAIN_MAX - links_for(place));
		if (i == 1) {
			expect_eq(mtdc_map_set(&rig.map, 1, &none), 0);
			expect_place(&rig.map, 1, &none);
			expect_eq(rig.map.nunused, MTDC_CHAIN_MAX);
		}
	}
	if (tap.bad)
		tap_note("  with %s", why);
	rig_exit(&rig);
}

static void test_kinds(void)
{
	static const struct {
		const char *why;
		enum mtdc_kind kind;
		u32 bytes;
		u32 generation;
		unsigned int n;
		u32 start;
	} table[] = {
		{ "a raw page", MTDC_RAW, 4096, 5, 1, 100 },
		{ "a compressed page", MTDC_COMPRESSED, 800, 5, 1, 100 },
		{ "one byte at the very start", MTDC_COMPRESSED, 1, 0, 1, 0 },
		{ "the longest payload", MTDC_RAW, MTDC_PAGE_BYTES_MAX, 1, 1, 1 },
		{ "the last generation", MTDC_COMPRESSED, 800, MTDC_GENERATIONS - 1, 1, 1 },
		{ "generations come round", MTDC_COMPRESSED, 800, MTDC_GENERATIONS, 1, 1 },
		{ "a generation of 32 bits", MTDC_COMPRESSED, 800, 0xffffffff, 1, 1 },
		{ "the highest granule", MTDC_COMPRESSED, 800, 0, 1, 0xfffffffe },
		{ "as many bits as can be", MTDC_COMPRESSED, MTDC_PAGE_BYTES_MAX,
		  MTDC_GENERATIONS - 1, 1, 0xffffffff },
		{ "two fragments", MTDC_COMPRESSED, 800, 7, 2, 100000 },
		{ "two fragments of a raw page", MTDC_RAW, 4096, 7, 2, 100000 },
		{ "the longest chain", MTDC_RAW, 65536, 7, MTDC_CHAIN_MAX, 0xfffffffe },
		{ "lost", MTDC_LOST, 0, 0, 0, 0 },
		{ "none", MTDC_NONE, 0, 0, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table) && !tap.bad; i++) {
		struct mtdc_place place = { .kind = table[i].kind };

		if (is_stored(&place))
			place = stored_place(table[i].kind, table[i].bytes, table[i].generation,
					     table[i].n, table[i].start);
		round_trip(&place, table[i].why);
	}
}

static void test_words(void)
{
	static const struct {
		const char *why;
		u64 word;
		unsigned int links;
	} table[] = {
		{ "zeros, as most", 0, 0 },
		{ "63 bits", ~0ULL >> 1, 0 },
		{ "ones, one 32-bit word twice", ~0ULL, 0 },
		{ "the sign of a 32-bit word, twice", 0x8000000080000000ULL, 0 },
		{ "a 32-bit word twice, with that sign", 0xdeadbeefdeadbeefULL, 0 },
		{ "a 32-bit word twice, without", 0x1234567812345678ULL, 0 },
		{ "only the sign", 1ULL << 63, 1 },
		{ "64 bits", 0xfedcba9876543210ULL, 1 },
		{ "ones but for the lowest bit", ~1ULL, 1 },
		{ "the upper half", 0xffffffff00000000ULL, 1 },
		{ "looks like a slot of a stored page", 0x2000000000000001ULL, 0 },
		{ "looks like a slot with a link", 0x2800000000000000ULL, 0 },
		{ "looks like a granule and the end of a chain", 0x80000000ffffffffULL, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table) && !tap.bad; i++) {
		struct mtdc_place place = fill_place(table[i].word);

		if (!expect_eq(links_for(&place), table[i].links))
			tap_note("  with %s", table[i].why);
		round_trip(&place, table[i].why);
	}
}

/* A new map of any size is empty. */
static void test_fresh(void)
{
	static const u32 sizes[][2] = { { 1, 0 }, { 1, 1 }, { 5, 2 }, { 1000, 300 } };
	const struct mtdc_place none = { .kind = MTDC_NONE };
	unsigned int i;
	u32 page;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct rig rig;

		rig_init(&rig, sizes[i][0], sizes[i][1]);
		expect_eq(mtdc_map_check(&rig.map), 0);
		expect_eq(rig.map.nunused, sizes[i][1]);
		for (page = 0; page < sizes[i][0]; page++)
			expect_place(&rig.map, page, &none);
		rig_exit(&rig);
	}
}

/* Steps on three pages that share ten links. */
static void test_pool(void)
{
	enum { WORD = 0, LONG_WORD = 1000 };
	static const struct {
		const char *why;
		u32 page;
		unsigned int n;	/* fragments, or one of the values below */
		int result;
		u32 left;
	} steps[] = {
		{ "six of ten", 0, 6, 0, 4 },
		{ "five of four", 1, 5, -ENOSPC, 4 },
		{ "one fragment needs no link", 1, 1, 0, 4 },
		{ "four of four", 1, 4, 0, 0 },
		{ "two of none", 2, 2, -ENOSPC, 0 },
		{ "one of none", 2, 1, 0, 0 },
		{ "seven of the page's own six", 0, 7, -ENOSPC, 0 },
		{ "six of its own six", 0, 6, 0, 0 },
		{ "two of its own six", 0, 2, 0, 4 },
		{ "six of two of its own and four", 0, 6, 0, 0 },
		{ "a long word of none", 2, LONG_WORD, -ENOSPC, 0 },
		{ "a long word takes one of the page's own", 1, LONG_WORD, 0, 3 },
		{ "a long word of that one", 1, LONG_WORD, 0, 3 },
		{ "four of that one and three", 1, 4, 0, 0 },
		{ "a filled page gives them back", 1, WORD, 0, 4 },
		{ "one fragment gives them back", 0, 1, 0, 10 },
		{ "all ten", 2, 10, 0, 0 },
		{ "eleven of all ten, its own", 2, 11, -ENOSPC, 0 },
		{ "all back", 2, WORD, 0, 10 },
	};
	struct mtdc_place now[3] = { };
	struct rig rig;
	unsigned int i;
	u32 page;

	rig_init(&rig, 3, 10);
	for (i = 0; i < ARRAY_SIZE(steps) && !tap.bad; i++) {
		struct mtdc_place place;

		if (steps[i].n == WORD || steps[i].n == LONG_WORD)
			place = fill_place(steps[i].n == WORD ? i : ~1ULL - i);
		else
			place = stored_place(MTDC_COMPRESSED, 800, i, steps[i].n, 1000 * i + 999);
		page = steps[i].page;
		rig_remember(&rig);
		expect_eq(mtdc_map_room(&rig.map, page),
			  rig.map.nunused + links_for(&now[page]));
		expect_eq(mtdc_map_has_room(&rig.map, page, &place), !steps[i].result);
		expect_eq(mtdc_map_set(&rig.map, page, &place), steps[i].result);
		if (steps[i].result)
			rig_is_unchanged(&rig);
		else
			now[page] = place;
		expect_eq(rig.map.nunused, steps[i].left);
		for (page = 0; page < 3; page++)
			expect_place(&rig.map, page, &now[page]);
		expect_eq(mtdc_map_check(&rig.map), 0);
		if (tap.bad)
			tap_note("  in step \"%s\"", steps[i].why);
	}
	rig_exit(&rig);
}

/* A map without links still stores pages that need none. */
static void test_no_links(void)
{
	struct mtdc_place one = stored_place(MTDC_RAW, 4096, 1, 1, 5);
	struct mtdc_place two = stored_place(MTDC_RAW, 4096, 1, 2, 50);
	struct mtdc_place word = fill_place(~0ULL), long_word = fill_place(~1ULL);
	struct rig rig;

	rig_init(&rig, 1, 0);
	expect_eq(mtdc_map_set(&rig.map, 0, &two), -ENOSPC);
	expect_eq(mtdc_map_set(&rig.map, 0, &one), 0);
	expect_eq(mtdc_map_set(&rig.map, 0, &two), -ENOSPC);
	expect_eq(mtdc_map_set(&rig.map, 0, &long_word), -ENOSPC);
	expect_place(&rig.map, 0, &one);
	expect_eq(mtdc_map_set(&rig.map, 0, &word), 0);
	expect_place(&rig.map, 0, &word);
	expect_eq(mtdc_map_check(&rig.map), 0);
	rig_exit(&rig);
}

/* The checker finds links that are lost, shared, in a ring, or out of range. */
static void test_check_notices(void)
{
	struct mtdc_place first = stored_place(MTDC_COMPRESSED, 800, 1, 3, 100);
	struct mtdc_place second = stored_place(MTDC_COMPRESSED, 800, 1, 3, 200);
	struct mtdc_map *map;
	struct rig rig;
	u32 head, next;

	rig_init(&rig, 2, 10);
	map = &rig.map;
	mtdc_map_set(map, 0, &first);
	mtdc_map_set(map, 1, &second);
	head = (u32)map->entries[0];
	next = map->links[head].next;
	expect_eq(mtdc_map_check(map), 0);

	map->links[head].next = 0xffffffff;	/* two are lost */
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[head].next = head;		/* a ring */
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[head].next = 10;		/* past the last one */
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[head].next = (u32)map->entries[1];
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[head].next = next;
	map->links[next].extent.len -= 10;	/* too short for the payload */
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[next].extent.len += 10;
	map->nunused++;
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->nunused--;
	next = map->links[map->unused].next;
	map->links[map->unused].next = map->unused;
	expect_eq(mtdc_map_check(map), -EUCLEAN);
	map->links[map->unused].next = next;
	expect_eq(mtdc_map_check(map), 0);
	rig_exit(&rig);
}

static struct mtdc_place random_place(void)
{
	u32 n = random_below(4) ? 1 : random_length(MTDC_CHAIN_MAX);
	u64 word;

	switch (random_below(8)) {
	case 0:
		return (struct mtdc_place) { .kind = MTDC_NONE };
	case 1:
		return (struct mtdc_place) { .kind = MTDC_LOST };
	case 2:
		word = random_u64() >> (random_below(2) ? 0 : random_below(64));
		if (random_below(2))
			word = word << 32 | (u32)word;
		return fill_place(word);
	case 3:
		return stored_place(MTDC_RAW, 4096, random_u64(), n, random_u64());
	default:
		return stored_place(MTDC_COMPRESSED, n - 1 + random_length(65536), random_u64(), n,
				    random_u64());
	}
}

static u32 horrible_unused(const struct mtdc_place *places, u32 pages, u32 nlinks)
{
	u32 i;

	for (i = 0; i < pages; i++)
		nlinks -= links_for(&places[i]);
	return nlinks;
}

static bool random_step(struct rig *rig, struct mtdc_place *places, bool full)
{
	u32 pages = rig->map.pages, nlinks = rig->map.nlinks;
	u32 page = random_below(pages), i;
	struct mtdc_place place = random_place();
	u32 links = rig->map.nunused + links_for(&places[page]);
	bool room = links_for(&place) <= links;

	if (full)
		rig_remember(rig);
	if (!expect_eq(mtdc_map_room(&rig->map, page), links) ||
	    !expect_eq(mtdc_map_has_room(&rig->map, page, &place), room) ||
	    !expect_eq(mtdc_map_set(&rig->map, page, &place), room ? 0 : -ENOSPC))
		return false;
	if (room)
		places[page] = place;
	else if (full && !rig_is_unchanged(rig))
		return false;
	if (!expect_place(&rig->map, page, &places[page]))
		return false;
	if (!full)
		return true;
	for (i = 0; i < pages; i++)
		if (!expect_place(&rig->map, i, &places[i]))
			return false;
	return expect_eq(rig->map.nunused, horrible_unused(places, pages, nlinks)) &&
		expect_eq(mtdc_map_check(&rig->map), 0);
}

static void test_random(void)
{
	static const u32 sizes[][2] = {
		{ 1, 64 }, { 3, 10 }, { 8, 200 }, { 200, 500 }, { 5000, 64 },
	};
	u64 ops = tap.ops / ARRAY_SIZE(sizes) + 1, k;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes) && !tap.bad; i++) {
		struct mtdc_place *places = test_alloc(sizes[i][0] * sizeof(*places));
		struct rig rig;

		rig_init(&rig, sizes[i][0], sizes[i][1]);
		for (k = 0; k < ops; k++) {
			if (!random_step(&rig, places, k % (2 * sizes[i][0]) == 0)) {
				tap_note("operation %llu on %u pages with %u links", k,
					 sizes[i][0], sizes[i][1]);
				break;
			}
		}
		rig_exit(&rig);
		free(places);
	}
}

/*
 * Swap rewrites ranges whose length is a power of two. If such a length were a multiple of the
 * number of generations, each page would get the same generation again, and a write that the media
 * dropped would pass for the new version.
 */
static void test_generations(void)
{
	unsigned int k;

	for (k = 0; k < 32; k++)
		if (!expect((1U << k) % MTDC_GENERATIONS != 0))
			break;
}

/* Writing a page to its own place again and again gains no space for other pages. */
static void test_gains(void)
{
	static const struct {
		u32 old_bytes, new_bytes;
		unsigned int old_n, new_n;
		bool gains;
	} table[] = {
		{ 0, 0, 0, 0, false },
		{ 0, 1000, 0, 1, true },
		{ 1000, 0, 1, 0, true },
		{ 1000, 1000, 1, 1, false },
		{ 1000, 1000 - GRANULE, 1, 1, true },
		{ 1000, 1000 + GRANULE, 1, 1, false },
		/* Each fragment has a header. */
		{ 1000, 1000, 1, 2, false },
		{ 1000, 1000, 2, 1, true },
		{ 1000, 600, 2, 4, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct mtdc_place old = { .kind = MTDC_FILL }, new = { .kind = MTDC_FILL };

		if (table[i].old_n)
			old = stored_place(MTDC_RAW, table[i].old_bytes, 1, table[i].old_n, 500);
		if (table[i].new_n)
			new = stored_place(MTDC_RAW, table[i].new_bytes, 2, table[i].new_n, 900);
		if (!expect_eq(mtdc_place_gains(&old, &new), table[i].gains))
			tap_note("row %u\n", i);
	}
}

static const struct tap_case cases[] = {
	{ "a new map is empty", test_fresh },
	{ "all kinds there and back", test_kinds },
	{ "words that fit and words that do not", test_words },
	{ "the pool of links runs out", test_pool },
	{ "no links at all", test_no_links },
	{ "what shows that there is space", test_gains },
	{ "generations do not repeat in a cyclic rewrite", test_generations },
	{ "the self-check notices damage", test_check_notices },
	{ "random operations against the model", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("map", cases, ARRAY_SIZE(cases), argc, argv);
}
