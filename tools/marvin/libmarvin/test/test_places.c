// SPDX-License-Identifier: GPL-2.0
/*
 * Places that are taken, given and resized, against an array with a number for each grain, and a
 * space of bytes that have to be zeroes where a place is said to be fresh.
 */
#include <sys/mman.h>
#include "harness.h"
#include "../places.h"

#define GRAIN		16U
#define OBJECTS		3000U

struct object {
	uint64_t at;
	size_t asked, bytes;		/* bytes: what places_find() says */
};

/* A space of bytes, and what the test knows of it. Grain g is of object owner[g] - 1. */
struct space {
	struct places places;
	void *memory;
	uint32_t pages, page_bytes;
	uint32_t *owner;
	uint8_t *bytes;
	struct object objects[OBJECTS];
	uint32_t count;
	uint64_t total;
	uint32_t wrong;
};

static void *memory_for(uint32_t pages, uint32_t page_bytes)
{
	return test_alloc(places_memory(pages, page_bytes));
}

static struct space *space_begin(uint32_t pages, uint32_t page_bytes)
{
	struct space *space = test_alloc(sizeof(*space));

	space->pages = pages;
	space->page_bytes = page_bytes;
	space->memory = memory_for(pages, page_bytes);
	space->owner = test_alloc((size_t)pages * page_bytes / GRAIN * sizeof(*space->owner));
	space->bytes = test_alloc((size_t)pages * page_bytes);
	places_begin(&space->places, space->memory, pages, page_bytes);
	return space;
}

static void space_end(struct space *space)
{
	free(space->bytes);
	free(space->owner);
	free(space->memory);
	free(space);
}

/* wrong() - one thing that is not so; the first one says which */
static void wrong(struct space *space, bool is, const char *what)
{
	if (is && !space->wrong++)
		tap_note("wrong: %s", what);
}

static void own(struct space *space, uint64_t at, size_t bytes, uint32_t from, uint32_t to)
{
	uint64_t grain = at / GRAIN, end = (at + bytes + GRAIN - 1) / GRAIN;

	for (; grain < end; grain++) {
		wrong(space, space->owner[grain] != from, "an overlap");
		space->owner[grain] = to;
	}
}

/* discard() - pages are reported: none of them has an object */
static void discard(struct space *space, struct places_range unused)
{
	uint64_t grains = space->page_bytes / GRAIN, grain;
	uint32_t page;

	for (page = unused.page; page < unused.page + unused.pages; page++)
		wrong(space, places_used(&space->places, page), "a reported page is used");
	for (grain = unused.page * grains; grain < (unused.page + unused.pages) * grains; grain++)
		wrong(space, space->owner[grain], "a reported page has an object");
	memset(space->bytes + (size_t)unused.page * space->page_bytes, 0,
	       (size_t)unused.pages * space->page_bytes);
}

static void check_zeroes(struct space *space, uint64_t from, uint64_t to, const char *what)
{
	for (; from < to; from++)
		if (space->bytes[from]) {
			wrong(space, true, what);
			return;
		}
}

static void check_find(struct space *space, uint32_t i)
{
	struct object *object = &space->objects[i];
	uint64_t inside = object->at + random_below(object->asked), at = 0;
	size_t bytes = 0;

	wrong(space, !places_find(&space->places, inside, &at, &bytes), "not found");
	wrong(space, at != object->at || bytes != object->bytes, "another one found");
	wrong(space, !places_used(&space->places, inside / space->page_bytes), "not used");
}

static bool take(struct space *space, uint32_t i, size_t bytes, size_t align)
{
	struct object *object = &space->objects[i];
	bool fresh = false;
	uint64_t at;

	at = align ? places_take_aligned(&space->places, bytes, align, &fresh) :
		     places_take(&space->places, bytes, &fresh);
	if (at == PLACES_NONE)
		return false;
	wrong(space, at % (align > GRAIN ? align : GRAIN), "alignment");
	wrong(space, at + bytes > (uint64_t)space->pages * space->page_bytes, "out of the space");
	object->asked = bytes;
	object->at = at;
	wrong(space, !places_find(&space->places, at, &at, &object->bytes), "not found at once");
	wrong(space, at != object->at || object->bytes < bytes, "too small");
	own(space, at, object->bytes, 0, i + 1);
	if (fresh)
		check_zeroes(space, at, at + object->bytes, "fresh, but no zeroes");
	memset(space->bytes + at, 0xa5, object->bytes);
	space->count++;
	space->total += object->bytes;
	return true;
}

static void give(struct space *space, uint32_t i)
{
	struct object *object = &space->objects[i];
	struct places_range unused;
	uint64_t at = object->at;
	size_t bytes;

	wrong(space, places_give(&space->places, at + 1 + random_below(object->bytes - 1), &unused),
	      "a middle is given");
	own(space, at, object->bytes, i + 1, 0);
	wrong(space, !places_give(&space->places, at, &unused), "not given");
	discard(space, unused);
	wrong(space, places_give(&space->places, at, &unused), "given twice");
	wrong(space, places_find(&space->places, at, &at, &bytes), "found after it is given");
	space->count--;
	space->total -= object->bytes;
	object->asked = 0;
}

static void resize(struct space *space, uint32_t i, size_t bytes)
{
	struct object *object = &space->objects[i];
	struct places_range unused;
	uint64_t zeroes, at, from;
	size_t now;

	if (!places_resize(&space->places, object->at, bytes, &unused, &zeroes))
		return;
	wrong(space, !places_find(&space->places, object->at, &at, &now), "not found, resized");
	wrong(space, at != object->at || now < bytes, "too small, resized");
	own(space, object->at, object->bytes, i + 1, 0);
	own(space, object->at, now, 0, i + 1);
	discard(space, unused);
	if (now > object->bytes) {
		from = zeroes > object->at + object->bytes ? zeroes : object->at + object->bytes;
		check_zeroes(space, from, object->at + now, "added, but no zeroes");
		memset(space->bytes + object->at + object->bytes, 0xa5, now - object->bytes);
	}
	space->total += now;
	space->total -= object->bytes;
	object->asked = bytes;
	object->bytes = now;
}

static void trim(struct space *space)
{
	struct places_range unused;

	while (places_trim(&space->places, &unused)) {
		wrong(space, !unused.pages, "trimmed nothing");
		discard(space, unused);
	}
}

/* check_pages() - for each page, used or not; an object is where the model has one */
static void check_pages(struct space *space)
{
	uint32_t page, grain, grains = space->page_bytes / GRAIN;
	uint64_t at;
	size_t bytes;

	for (page = 0; page < space->pages; page++) {
		bool used = false;

		for (grain = 0; grain < grains; grain++)
			used |= space->owner[(uint64_t)page * grains + grain] != 0;
		wrong(space, used != places_used(&space->places, page), "used or not");
		grain = random_below(grains);
		wrong(space, places_find(&space->places,
					 (uint64_t)page * space->page_bytes + grain * GRAIN, &at,
					 &bytes) !=
		      !!space->owner[(uint64_t)page * grains + grain], "found or not");
	}
	wrong(space, space->places.objects != space->count, "number of objects");
	wrong(space, space->places.bytes != space->total, "bytes of objects");
}

/* check_extents() - the extents cover all pages up to top, and no two free ones are neighbours */
static void check_extents(struct space *space)
{
	const struct extents *extents = &space->places.extents;
	bool free_before = false;
	uint32_t page = 0, used = 0;

	while (page < extents->top) {
		const struct extent *extent = extents_at(extents, page);

		wrong(space, !(extents->starts[0][page / 64] >> (page % 64) & 1), "no start");
		wrong(space, !extent->pages, "an empty extent");
		wrong(space, !extent->taken && free_before, "free extents side by side");
		wrong(space, extents_find(extents, page + extent->pages - 1) !=
		      (extent->taken ? page : EXTENTS_NONE), "the extent of a page");
		free_before = !extent->taken;
		used += extent->taken ? extent->pages : 0;
		if (!extent->pages)
			break;
		page += extent->pages;
	}
	wrong(space, page != extents->top || free_before, "top");
	wrong(space, used != extents->used, "pages that are used");
}

static void check_all_free(struct space *space)
{
	struct object *object = &space->objects[0];
	uint32_t i;

	for (i = 0; i < OBJECTS; i++)
		if (space->objects[i].asked)
			give(space, i);
	trim(space);
	check_extents(space);
	check_pages(space);
	expect_eq(space->places.extents.top, 0);
	expect_eq(space->places.extents.used, 0);
	expect_eq(space->places.extents.rows, 0);
	/* All of the space is one extent again. */
	expect(take(space, 0, (size_t)space->pages * space->page_bytes, 0));
	expect_eq(object->at, 0);
	give(space, 0);
	trim(space);
	expect_eq(space->places.extents.top, 0);
}

static size_t random_bytes(const struct space *space)
{
	uint32_t limit = space->page_bytes * 40;

	return random_length(random_below(4) ? 2000 : limit);
}

static void random_steps(struct space *space, uint64_t steps)
{
	uint64_t step;

	for (step = 0; step < steps; step++) {
		uint32_t i = random_below(OBJECTS);
		size_t align = random_below(8) ? 0 : 1U << random_below(18);

		if (!space->objects[i].asked) {
			if (!take(space, i, random_bytes(space), align))
				trim(space);
		} else if (!random_below(3)) {
			resize(space, i, random_below(2) ? random_bytes(space) :
			       space->objects[i].asked + random_below(space->page_bytes));
		} else {
			check_find(space, i);
			give(space, i);
		}
		if (!random_below(500))
			trim(space);
		if (step % (steps / 8) == 0) {
			check_extents(space);
			check_pages(space);
		}
	}
}

static void test_random(void)
{
	static const struct { uint32_t pages, page_bytes; } spaces[] = {
		{ 8192, 4096 }, { 1500, 4096 }, { 64, 4096 }, { 1, 4096 },
		{ 3000, 16384 }, { 100, 16384 }, { 700, 65536 }, { 40, 65536 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		struct space *space = space_begin(spaces[i].pages, spaces[i].page_bytes);

		random_steps(space, tap.ops / 20);
		check_all_free(space);
		if (!expect_eq(space->wrong, 0))
			tap_note("%u pages of %u", space->pages, space->page_bytes);
		space_end(space);
	}
}

/* Nothing but objects of one size, until the space is full. */
static void test_full(void)
{
	static const size_t sizes[] = { 1, 16, 100, 512, 1000, 4096, 5000, 30000, 65536, 70000 };
	struct space *space;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		space = space_begin(64, 4096);
		for (n = 0; n < OBJECTS && take(space, n, sizes[i], 0); n++)
			;
		/* At least 3/4 of it; of the largest, three fit, with colours. */
		if (n < OBJECTS)
			expect(n * sizes[i] >= 64 * 4096 * 3 / 4 - 4096);
		check_extents(space);
		check_pages(space);
		check_all_free(space);
		expect_eq(space->wrong, 0);
		space_end(space);
	}
}

/* Each size up to 16 pages gets the smallest slot. Runs are not too long, and not too short. */
static void test_classes(void)
{
	uint32_t page_bytes, bytes, class, stride, pages, wrong = 0;

	for (bytes = 1; bytes <= 16 << 16; bytes++) {
		class = class_of(bytes);
		wrong += class >= CLASSES_PLAIN || class_stride(class) < bytes;
		wrong += class && class_stride(class - 1) >= bytes;
		wrong += bytes > 112 && (class_stride(class) - bytes) * 8 >= class_stride(class);
	}
	expect_eq(wrong, 0);
	for (page_bytes = 4096; page_bytes <= 65536; page_bytes *= 2) {
		for (class = 0; class < CLASSES; class++) {
			stride = class_stride(class);
			/* Neither of these is used with such pages. */
			if (stride > 16 * page_bytes + 64 ||
			    (class >= CLASSES_PLAIN && 2 * stride > page_bytes))
				continue;
			pages = class_pages(stride, page_bytes);
			if (!pages || pages > 66)
				tap_note("stride %u, page %u: %u pages", stride, page_bytes, pages);
			wrong += !pages || pages * page_bytes / stride > page_bytes / 16;
			wrong += stride < page_bytes && pages > 16;
			wrong += stride >= page_bytes && pages * page_bytes / stride < 4;
			wrong += pages > 66;
			wrong += class < CLASSES_PLAIN && stride >= 512 && stride % 64 &&
				 stride % 64 != 32;
			wrong += class >= CLASSES_PLAIN && pages * page_bytes % stride;
		}
	}
	expect_eq(wrong, 0);
}

/* spread() - in how many of 64 sets of a cache objects begin, if not too many do in any of them */
static uint32_t spread(void *memory, uint32_t pages, uint32_t page_bytes, size_t bytes)
{
	enum { OBJECTS_EACH = 50 };
	uint32_t sets[64] = { 0 }, used = 0, i;
	struct places places;
	bool fresh;

	memset(memory, 0, places_memory(pages, page_bytes));
	places_begin(&places, memory, pages, page_bytes);
	for (i = 0; i < 64 * OBJECTS_EACH; i++)
		sets[places_take(&places, bytes, &fresh) / 64 % 64]++;
	for (i = 0; i < 64; i++) {
		used += sets[i] != 0;
		if (sets[i] > 3 * OBJECTS_EACH)
			return 0;
	}
	return used;
}

/* If all objects began with a page, all of them would be in one set. */
static void test_sets(void)
{
	enum { PAGES = 1 << 16 };
	uint32_t page_bytes, class, bytes, used;

	for (page_bytes = 4096; page_bytes <= 65536; page_bytes *= 4) {
		void *memory = memory_for(PAGES, page_bytes);

		for (class = 0; class < CLASSES_PLAIN; class++) {
			bytes = class_stride(class);
			if (bytes > 18 * page_bytes || (bytes < 512 && bytes != 64))
				continue;
			used = spread(memory, PAGES, page_bytes, bytes);
			if (!expect(used >= 60))
				tap_note("%u bytes, page %u: %u sets", bytes, page_bytes, used);
		}
		free(memory);
	}
}

static void test_wrong_pointers(void)
{
	struct places places;
	struct places_range unused = { 0 };
	void *memory = memory_for(1000, 4096);
	uint64_t small, large, at;
	size_t bytes;
	bool fresh;

	places_begin(&places, memory, 1000, 4096);
	expect(!places_give(&places, 0, &unused));
	expect(!places_find(&places, 0, &at, &bytes));
	small = places_take(&places, 100, &fresh);
	large = places_take(&places, 200000, &fresh);
	expect(!places_give(&places, small + 16, &unused));
	expect(!places_give(&places, small + 1, &unused));
	expect(!places_give(&places, small + 112, &unused));
	expect(!places_give(&places, large + 16, &unused));
	expect(!places_give(&places, large + 4096, &unused));
	expect(!places_give(&places, 999 * 4096, &unused));
	expect(!places_give(&places, 1000 * 4096, &unused));
	expect(!places_give(&places, UINT64_MAX, &unused));
	expect(!places_find(&places, UINT64_MAX, &at, &bytes));
	expect(places_find(&places, large + 199999, &at, &bytes));
	expect(at == large && bytes == 200000);
	expect(!places_find(&places, large + 200000, &at, &bytes));
	expect(places_give(&places, large, &unused) && !places_give(&places, large, &unused));
	expect(places_give(&places, small, &unused) && !places_give(&places, small, &unused));
	expect_eq(places_take(&places, SIZE_MAX, &fresh), PLACES_NONE);
	expect_eq(places_take(&places, SIZE_MAX - 4096, &fresh), PLACES_NONE);
	expect_eq(places_take_aligned(&places, SIZE_MAX, 1 << 20, &fresh), PLACES_NONE);
	expect_eq(places_take_aligned(&places, 16, 1 << 21, &fresh), PLACES_NONE);
	free(memory);
}

/* An object that is made and freed again and again costs no discarded page. */
static void test_kept(void)
{
	static const size_t sizes[] = { 64, 4096, 60000, 200000 };
	struct places places;
	struct places_range unused;
	void *memory = memory_for(1000, 4096);
	unsigned int i, n;
	uint64_t at, again;
	bool fresh;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(memory, 0, places_memory(1000, 4096));
		places_begin(&places, memory, 1000, 4096);
		at = places_take(&places, sizes[i], &fresh);
		expect(fresh);
		for (n = 0; n < 100; n++) {
			expect(places_give(&places, at, &unused) && !unused.pages);
			again = places_take(&places, sizes[i], &fresh);
			expect(again / 4096 == at / 4096 && !fresh);
			at = again;
		}
		expect(places_give(&places, at, &unused) && !unused.pages);
		expect(places_trim(&places, &unused) && unused.pages);
		expect(!places_trim(&places, &unused));
		expect_eq(places.extents.top, 0);
		places_take(&places, sizes[i], &fresh);
		expect(fresh);
	}
	/* A large one is not kept. */
	at = places_take(&places, 1 << 20, &fresh);
	expect(places_give(&places, at, &unused) && unused.pages == 257);
	free(memory);
}

/* Holes in the bin of the request that are too small, and no other room. */
static void test_bins(void)
{
	enum { N = 1000 };
	struct places places;
	struct places_range unused;
	void *memory = memory_for(N * 130, 4096);
	static uint64_t at[N];
	uint64_t before, most = 0;
	uint32_t i, wrong = 0;
	bool fresh;

	places_begin(&places, memory, N * 130, 4096);
	for (i = 0; i < N; i++) {
		at[i] = places_take_aligned(&places, (128 + i % 2) * 4096, 4096, &fresh);
		places_take_aligned(&places, 4096, 4096, &fresh);
	}
	while (places_take_aligned(&places, 4096, 4096, &fresh) != PLACES_NONE)
		;
	for (i = 0; i < N; i++)
		wrong += !places_give(&places, at[i], &unused) || !unused.pages;
	for (i = 129; i < 142; i++) {
		before = places.extents.looks;
		at[0] = places_take_aligned(&places, i * 4096, 4096, &fresh);
		wrong += (at[0] == PLACES_NONE) != (i > 129);
		if (places.extents.looks - before > most)
			most = places.extents.looks - before;
	}
	expect(most >= 64 && most <= 4 + 64);
	expect_eq(wrong, 0);
	free(memory);
}

/* 1,000,000 objects, and holes that are too small: a take looks at a few of them at most. */
static void test_steps(void)
{
	enum { N = 1000000, PAGES = 4 * N };
	struct places places;
	struct places_range unused;
	void *memory = memory_for(PAGES, 4096);
	uint64_t *at = test_alloc(N * sizeof(*at)), before, most = 0;
	uint32_t i, wrong = 0;
	bool fresh;

	places_begin(&places, memory, PAGES, 4096);
	for (i = 0; i < N; i++) {
		before = places.extents.looks;
		at[i] = places_take_aligned(&places, 3000 + i % 2 * 3000, 4096, &fresh);
		wrong += at[i] == PLACES_NONE;
		if (places.extents.looks - before > most)
			most = places.extents.looks - before;
	}
	/* Every second one goes: 500,000 holes. */
	for (i = 0; i < N; i += 2)
		wrong += !places_give(&places, at[i], &unused);
	while (places_trim(&places, &unused))
		;
	for (i = 0; i < N; i += 2) {
		before = places.extents.looks;
		at[i] = places_take(&places, random_length(200000), &fresh);
		if (places.extents.looks - before > most)
			most = places.extents.looks - before;
	}
	/* A run of up to 64 pages has up to 7 shorter lengths; each of them may try 4 and 64. */
	expect(most <= 8 * (4 + 64));
	tap_note("at most %llu extents looked at", (unsigned long long)most);
	for (i = 0; i < N; i++)
		wrong += at[i] != PLACES_NONE && !places_give(&places, at[i], &unused);
	while (places_trim(&places, &unused))
		;
	expect_eq(wrong, 0);
	expect_eq(places.extents.top, 0);
	expect_eq(places.objects, 0);
	free(at);
	free(memory);
}

/* As many pages as there may be. Only the metadata of used pages gets memory. */
static void test_most_pages(void)
{
	size_t length = places_memory(EXTENTS_MOST, 65536), bytes;
	uint64_t all = (uint64_t)EXTENTS_MOST << 16, at, end, found;
	struct places places;
	struct places_range unused;
	unsigned char *memory, core[64];
	bool fresh;

	if (sizeof(size_t) < 8) {
		tap_note("not with addresses of 32 bits");
		return;
	}
#ifdef __SANITIZE_THREAD__
	tap_note("not with ThreadSanitizer, which has no such addresses");
	return;
#endif
	memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!expect(memory != MAP_FAILED))
		return;
	places_begin(&places, memory, EXTENTS_MOST, 65536);
	/* There is room for lines in the last page, so it does not get one more. */
	at = places_take(&places, all - 65536 - 40000, &fresh);
	end = places_take(&places, 65536, &fresh);
	expect(at < 40000 && end == all - 65536 && fresh);
	expect_eq(places_take(&places, 1, &fresh), PLACES_NONE);
	expect(places_find(&places, end - 40001, &found, &bytes) && found == at);
	expect_eq(bytes, end - 40000);
	expect(places_find(&places, end, &found, &bytes) && found == end && bytes == 65536);
	expect(places_give(&places, at, &unused) && unused.pages == EXTENTS_MOST - 1);
	expect(!mincore(memory + length / 8192 * 4096, sizeof(core) * 4096, core));
	expect(!memchr(core, 1, sizeof(core)));
	at = places_take(&places, 100, &fresh);
	expect(at < 65536);
	expect(places_give(&places, at, &unused) && places_give(&places, end, &unused));
	while (places_trim(&places, &unused))
		;
	expect_eq(places.extents.top, 0);
	expect_eq(places_take(&places, all, &fresh), 0);
	munmap(memory, length);
}

static const struct tap_case cases[] = {
	{ "random takes, gives and resizes", test_random },
	{ "a full space", test_full },
	{ "classes of size", test_classes },
	{ "sets of a cache", test_sets },
	{ "pointers that are none", test_wrong_pointers },
	{ "empty extents are kept", test_kept },
	{ "a bin of holes", test_bins },
	{ "a bounded number of steps", test_steps },
	{ "as many pages as there may be", test_most_pages },
};

int main(int argc, char **argv)
{
	return tap_main("places", cases, ARRAY_SIZE(cases), argc, argv);
}
