// SPDX-License-Identifier: GPL-2.0
/*
 * The heap as a program sees it: each function of marvin.h, on both roads that trap.
 */
#include <dirent.h>
#include "heaps.h"

/* A space that is rounded to whole MiB, and page sizes of both roads. */
#define SPACE (32U << 20)

static void test_new(void)
{
	static const size_t sizes[] = {
		0, 1, 15, 16, 17, 100, 512, 4000, 4096, 4097, 70000, 3 << 20,
	};
	uint8_t *objects[ARRAY_SIZE(sizes)];
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		objects[i] = marvin_new(heap, sizes[i]);
		expect(objects[i] && !((uintptr_t)objects[i] % 16));
		expect(is_zeroes(objects[i], sizes[i]));
		expect(marvin_size(heap, objects[i]) >= sizes[i]);
		fill(objects[i], sizes[i], i);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		expect(check(objects[i], sizes[i], i));
	expect_eq(stats().objects, ARRAY_SIZE(sizes));
	errno = 0;
	expect(!marvin_new(heap, SPACE + 1) && errno == ENOMEM);
	expect(!marvin_new(heap, SIZE_MAX) && errno == ENOMEM);
	expect(strstr(said, "no room") != NULL);
	/* It is said once. */
	expect_eq(said_n, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		marvin_free(heap, objects[i]);
	expect_eq(stats().objects, 0);
	expect_eq(stats().bytes, 0);
	end();
}
ON_ROADS(test_new)

/* Memory that another object had reads as zeroes, wherever its bytes were. */
static void test_zeroes(void)
{
	static const size_t sizes[] = { 24, 4096, 50000, 2 << 20 };
	unsigned int i, how;
	uint8_t *object;

	begin();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (how = 0; how < 3; how++) {
			object = make(sizes[i], how);
			if (how == 1)
				ticks(TICKS);
			if (how == 2)
				away();
			marvin_free(heap, object);
			object = marvin_new(heap, sizes[i]);
			expect(is_zeroes(object, sizes[i]));
			away();
			expect(is_zeroes(object, sizes[i]));
			marvin_free(heap, object);
		}
	}
	end();
}
ON_ROADS(test_zeroes)

/*
 * An object in the place of others is saved as soon as the first one was, however many there were.
 */
static void test_place(void)
{
	uint8_t *object = NULL;
	unsigned int i;

	begin();
	for (i = 0; i < 6; i++) {
		marvin_free(heap, object);
		object = make(60000, i);
		ticks(PAGE_TICKS);
		expect_eq(stats().unsaved, 0);
		expect(check(object, 60000, i));
	}
	end();
}
ON_ROADS(test_place)

/*
 * In the background all that was not used for a tick leaves, however often it was written before.
 */
static void test_leaves_soon(void)
{
	uint8_t *object;

	begin();
	object = make(60000, 1);
	expect_eq(marvin_background(heap, true), 0);
	fill(object, 60000, 2);
	ticks(1);
	expect_eq(stats().unsaved, 0);
	expect(check(object, 60000, 2));
	expect_eq(marvin_background(heap, false), 0);
	fill(object, 60000, 3);
	ticks(PAGE_TICKS);
	expect(stats().unsaved >= 60000);
	expect(check(object, 60000, 3));
	end();
}
ON_ROADS(test_leaves_soon)

static void resize_to(uint8_t **object, size_t *bytes, size_t to)
{
	size_t kept = *bytes < to ? *bytes : to, was = marvin_size(heap, *object), i;
	bool right = true;
	uint8_t *new = marvin_resize(heap, *object, to);

	if (!expect(new))
		return;
	for (i = 0; i < kept; i++)
		right = right && new[i] == byte_of(i, 5);
	expect(right);
	expect(is_zeroes(new + (was < to ? was : to), to - (was < to ? was : to)));
	fill(new, to, 5);
	*object = new;
	*bytes = to;
}

static void test_resize(void)
{
	size_t bytes = 100;
	uint8_t *object, *block;
	unsigned int i;

	begin();
	object = make(bytes, 5);
	for (i = 0; i < 200; i++) {
		if (i % 8 == 3)
			ticks(TICKS);
		if (i % 8 == 7)
			away();
		resize_to(&object, &bytes, random_length(300000));
	}
	block = make(10000, 1);
	errno = 0;
	expect(!marvin_resize(heap, object, SPACE + 1) && errno == ENOMEM);
	expect(check(object, bytes, 5));
	expect(!marvin_resize(heap, object + 16, 10) && errno == EINVAL);
	expect(!marvin_resize(heap, &bytes, 10) && errno == EINVAL);
	expect_eq(stats().objects, 2);
	expect(marvin_resize(heap, NULL, 10));
	expect_eq(stats().objects, 3);
	expect(check(block, 10000, 1));
	end();
}
ON_ROADS(test_resize)

static void test_aligned(void)
{
	static const size_t bad[] = { 0, 3, 48, 2 << 20, SIZE_MAX };
	size_t align;
	unsigned int i;
	uint8_t *object;

	begin();
	for (align = 1; align <= 1 << 20; align *= 2) {
		object = marvin_new_aligned(heap, 5000, align);
		expect(object && !((uintptr_t)object % align));
		expect(is_zeroes(object, 5000));
		fill(object, 5000, 1);
		if (align % 4 == 0)
			marvin_free(heap, object);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		errno = 0;
		expect(!marvin_new_aligned(heap, 10, bad[i]) && errno == EINVAL);
	}
	end();
}
ON_ROADS(test_aligned)

static void test_addresses(void)
{
	uint8_t *object, *wrong[5];
	int here;
	unsigned int i;

	begin();
	object = make(100000, 1);
	expect(marvin_owns(heap, object) && marvin_owns(heap, object + 99999));
	expect(!marvin_owns(heap, &here) && !marvin_owns(heap, NULL));
	expect(!marvin_owns(heap, heap->space - 1));
	expect(!marvin_owns(heap, heap->space + SPACE));
	expect_eq(marvin_size(heap, object + 16), 0);
	expect_eq(marvin_size(heap, &here), 0);
	marvin_free(heap, NULL);
	expect_eq(said_n, 0);
	wrong[0] = object + 16;
	wrong[1] = object + 4096;
	wrong[2] = (uint8_t *)&here;
	wrong[3] = heap->space + SPACE;
	wrong[4] = heap->space + SPACE / 2;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		marvin_free(heap, wrong[i]);
		expect_eq(said_n, i + 1);
		expect(strstr(said, "no object begins") != NULL);
	}
	expect_eq(stats().objects, 1);
	expect(check(object, 100000, 1));
	marvin_free(heap, object);
	marvin_free(heap, object);
	expect_eq(said_n, i + 1);
	expect_eq(stats().objects, 0);
	expect_eq(stats().bytes, 0);
	end();
}
ON_ROADS(test_addresses)

/* all_bytes() - of pages, whatever their state */
static uint64_t all_bytes(void)
{
	struct marvin_stats now = stats();

	return now.unsaved + now.saved + now.given;
}

static void test_life(void)
{
	uint64_t written, loaded;
	uint8_t *object;

	begin();
	object = make(100000, 3);
	ticks(2);
	expect_eq(stats().written, 0);
	expect(stats().unsaved >= 100000);
	ticks(2);
	expect_eq(stats().unsaved, 0);
	written = stats().written;
	expect(written >= 100000);
	/* Memory is given to the kernel, or this road has to be told to take it. */
	expect(road == MARVIN_ROAD_WP ? stats().saved == 0 : stats().given == 0);
	expect(marvin_drop(heap, UINT64_MAX) >= 100000);
	expect_eq(stats().saved, 0);
	expect_eq(stats().loads, 0);
	expect(check(object, 100000, 3));
	loaded = stats().loaded;
	expect(loaded >= 100000 && stats().loads > 0);
	/* The program only read it: the tick writes nothing. */
	ticks(TICKS);
	expect_eq(stats().written, written);
	expect_eq(stats().write_traps, 0);
	fill(object, 100000, 4);
	expect(stats().write_traps > 0);
	expect(stats().unsaved >= 100000);
	ticks(20);
	expect(stats().written > written);
	marvin_drop(heap, UINT64_MAX);
	expect(check(object, 100000, 4));
	marvin_free(heap, object);
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_life)

/* Bytes that are written again as they were are not written to the store again. */
static void test_same(void)
{
	uint64_t written;
	uint8_t *object;

	begin();
	object = make(100000, 3);
	ticks(TICKS);
	written = stats().written;
	fill(object, 100000, 3);
	ticks(TICKS * 2);
	expect_eq(stats().written, written);
	expect_eq(stats().unsaved, 0);
	memset(object, 0, 100000);
	ticks(TICKS * 8);
	expect_eq(stats().unsaved, 0);
	/* The first and the last page have the ends of other places. */
	expect(stats().written <= written + 2 * page_bytes());
	expect(stats().zeroes > 0);
	marvin_drop(heap, UINT64_MAX);
	expect(is_zeroes(object, 100000));
	end();
}
ON_ROADS(test_same)

static void test_struct_sizes(void)
{
	union { struct marvin_stats s; struct marvin_info i; uint8_t bytes[512]; } at;
	size_t size, i;
	bool same;

	begin();
	marvin_free(heap, make(1000, 1));
	make(100, 1);
	for (size = 0; size <= sizeof(at); size++) {
		memset(&at, 0xee, sizeof(at));
		at.s.size = size;
		expect_eq(marvin_stats(heap, &at.s), size < sizeof(size_t) ? -EINVAL : 0);
		same = true;
		for (i = size < sizeof(at.s) ? size : sizeof(at.s); i < sizeof(at); i++)
			same = same && (i < sizeof(size_t) || at.bytes[i] == 0xee);
		expect(same);
		expect_eq(at.s.size, size);
		if (size >= offsetof(struct marvin_stats, bytes))
			expect_eq(at.s.objects, 1);
		memset(&at, 0xee, sizeof(at));
		at.i.size = size;
		expect_eq(marvin_info(heap, &at.i), size < sizeof(size_t) ? -EINVAL : 0);
		for (i = size < sizeof(at.i) ? size : sizeof(at.i); i < sizeof(at); i++)
			same = same && (i < sizeof(size_t) || at.bytes[i] == 0xee);
		expect(same);
	}
	end();
}
ON_ROADS(test_struct_sizes)

static int open_as(struct marvin_options with)
{
	struct marvin *other;
	int err = marvin_open(&other, &with);

	if (err)
		expect(!other);
	else
		marvin_close(other);
	return err;
}

static void test_options(void)
{
	struct { struct marvin_options options; char later[100]; } newer;
	struct marvin_options with = options();
	struct marvin *other;

	with.space = 1;
	expect_eq(open_as(with), -EINVAL);
	with.space = UINT64_MAX;
	expect_eq(open_as(with), -EINVAL);
	with = options();
	with.store = "/nonexistent/file";
	expect_eq(open_as(with), -ENOENT);
	with.store = "/dev/null";
	expect_eq(open_as(with), -EINVAL);
	with = options();
	with.road = 99;
	expect_eq(open_as(with), -EOPNOTSUPP);
	/* Older programs know fewer options, newer ones more. */
	with = options();
	with.size = offsetof(struct marvin_options, space);
	with.space = 1;
	with.road = 99;
	expect_eq(open_as(with), 0);
	with.size--;
	expect_eq(open_as(with), -EINVAL);
	memset(&newer, 0xff, sizeof(newer));
	newer.options = options();
	newer.options.size = sizeof(newer);
	expect_eq(open_as(newer.options), 0);
	begin();
	with = options();
	expect_eq(marvin_open(&other, &with), -EBUSY);
	expect(!other);
	end();
	/* The smallest space, and one that is no whole number of pages. */
	with = options();
	with.space = (uint64_t)sysconf(_SC_PAGESIZE);
	expect_eq(open_as(with), 0);
	with.space = 3 * with.space + 100;
	expect_eq(open_as(with), 0);
	unlink(path);
}
ON_ROADS(test_options)

static void test_info(void)
{
	struct marvin_info info = MARVIN_INFO;
	static const char *const names[] = { "auto", "wp", "signal", "none", "unknown" };
	unsigned int i;

	begin();
	expect_eq(marvin_info(heap, &info), 0);
	expect_eq(info.road, road);
	expect(info.saves);
	expect_eq(info.space, SPACE);
	expect(info.page && !(info.page % (size_t)sysconf(_SC_PAGESIZE)));
	expect(road == MARVIN_ROAD_WP || !info.system_calls);
	end();
	for (i = 0; i < ARRAY_SIZE(names); i++)
		expect(!strcmp(marvin_road_name(i), names[i]));
}
ON_ROADS(test_info)

/* through_pipe() - the kernel reads memory, and writes it back elsewhere */
static bool through_pipe(const uint8_t *from, uint8_t *to, size_t bytes)
{
	int fds[2];
	bool right;

	if (pipe(fds))
		return false;
	right = write(fds[1], from, bytes) == (ssize_t)bytes &&
		read(fds[0], to, bytes) == (ssize_t)bytes;
	close(fds[0]);
	close(fds[1]);
	return right;
}

static void test_pin(void)
{
	uint8_t *from, *to;

	begin();
	from = make(20000, 1);
	to = make(20000, 2);
	away();
	expect_eq(marvin_pin(heap, from, 20000), 0);
	expect_eq(marvin_pin(heap, to, 20000), 0);
	expect(through_pipe(from, to, 20000));
	/* Pinned pages are neither saved nor given. */
	ticks(TICKS * 8);
	expect(stats().unsaved >= 40000);
	marvin_drop(heap, UINT64_MAX);
	expect(through_pipe(to, from, 20000));
	expect_eq(marvin_pin(heap, from, 20000), 0);
	marvin_unpin(heap, from, 20000);
	ticks(TICKS * 8);
	expect(stats().unsaved >= 40000);
	marvin_unpin(heap, from, 20000);
	marvin_unpin(heap, to, 20000);
	ticks(TICKS * 8);
	expect_eq(stats().unsaved, 0);
	marvin_drop(heap, UINT64_MAX);
	expect(check(from, 20000, 1));
	expect(check(to, 20000, 1));
	end();
}
ON_ROADS(test_pin)

/* Without a pin, too, where the heap says so. */
static void test_system_calls(void)
{
	struct marvin_info info = MARVIN_INFO;
	uint8_t *from, *to;

	begin();
	marvin_info(heap, &info);
	from = make(20000, 1);
	to = make(20000, 2);
	away();
	if (info.system_calls) {
		expect(through_pipe(from, to, 20000));
		expect(check(to, 20000, 1));
	} else {
		errno = 0;
		expect(!through_pipe(from, to, 20000) && errno == EFAULT);
	}
	end();
}
ON_ROADS(test_system_calls)

static void test_pin_range(void)
{
	uint8_t *object, *page;
	unsigned int i;

	begin();
	object = make(100000, 1);
	page = page_in(object, 0);
	expect_eq(marvin_pin(heap, &i, 1), -EINVAL);
	expect_eq(marvin_pin(heap, heap->space - 1, 2), -EINVAL);
	expect_eq(marvin_pin(heap, heap->space + SPACE - 1, 2), -EINVAL);
	expect_eq(marvin_pin(heap, object, SIZE_MAX), -EINVAL);
	expect_eq(marvin_pin(heap, object, 0), 0);
	marvin_unpin(heap, object, 0);
	marvin_unpin(heap, &i, 1);
	expect_eq(marvin_prefetch(heap, &i, 1), -EINVAL);
	expect_eq(marvin_cold(heap, &i, 1), -EINVAL);
	/* The library ignores an unpin without a pin. */
	marvin_unpin(heap, object, 100000);
	expect_eq(marvin_pin(heap, page, 1), 0);
	expect_eq(heap->pages[page_nr(page)].pins, 1);
	/* All of the pages, or none. */
	for (i = 1; i < UINT16_MAX; i++)
		marvin_pin(heap, page, 1);
	expect_eq(heap->pages[page_nr(page)].pins, UINT16_MAX);
	expect_eq(marvin_pin(heap, page, 1), -EOVERFLOW);
	expect_eq(marvin_pin(heap, object, 100000), -EOVERFLOW);
	expect_eq(heap->pages[page_nr(object)].pins, 0);
	expect_eq(heap->pages[page_nr(object) + 2].pins, 0);
	for (i = 0; i < UINT16_MAX; i++)
		marvin_unpin(heap, page, 1);
	marvin_unpin(heap, page, 1);
	expect_eq(heap->pages[page_nr(page)].pins, 0);
	/* A pin that ends after the object did. */
	expect_eq(marvin_pin(heap, object, 100000), 0);
	marvin_free(heap, object);
	marvin_unpin(heap, object, 100000);
	expect_eq(heap->pages[page_nr(page)].pins, 0);
	end();
}
ON_ROADS(test_pin_range)

static void use_pinned(uint8_t *object)
{
	MARVIN_PINNED pin = marvin_pinned(heap, object, 100);

	expect_eq(pin.err, 0);
	expect_eq(heap->pages[page_nr(object)].pins, 1);
}

static void test_pinned(void)
{
	uint8_t *object;

	begin();
	object = make(100, 1);
	use_pinned(object);
	expect_eq(heap->pages[page_nr(object)].pins, 0);
	end();
}
ON_ROADS(test_pinned)

/* reads_of() - how often the store is read while an object is used */
static unsigned int reads_of(uint8_t *object, size_t bytes)
{
	unsigned int before = reads;

	expect(check(object, bytes, 1));
	return reads - before;
}

static void test_prefetch(void)
{
	unsigned int before;
	uint8_t *object;

	begin();
	object = make(1 << 20, 1);
	away();
	before = reads;
	expect_eq(marvin_prefetch(heap, object, 1 << 20), 0);
	expect(reads > before && reads <= before + (1 << 20) / ROAD_WINDOW_BYTES + 1);
	expect_eq(reads_of(object, 1 << 20), 0);
	away();
	before = reads;
	expect_eq(marvin_fetch(heap), 0);
	expect(reads > before);
	expect_eq(reads_of(object, 1 << 20), 0);
	/* In a sequence parts grow, as long as that takes no longer. */
	away();
	before = reads;
	expect(check(object, 1 << 20, 1));
	expect(reads - before <= (1 << 20) / (2 * 4096) + 10);
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_prefetch)

/* unsaved_in() - pages that are all in an object of a MiB */
static unsigned int unsaved_in(uint8_t *object)
{
	uint32_t page = page_nr(object) + 1, end = page_nr(object + (1 << 20));
	unsigned int n = 0;

	for (; page < end; page++)
		n += !(heap->pages[page].flags & PAGE_CLEAN);
	return n;
}

static void test_cold(void)
{
	uint8_t *object;

	begin();
	object = make(1 << 20, 1);
	ticks(1);
	expect(unsaved_in(object) > 0);
	expect_eq(marvin_cold(heap, object, 1 << 20), 0);
	ticks(1);
	expect_eq(unsaved_in(object), 0);
	/* The first and the last page may have other objects, too. */
	expect(marvin_drop(heap, UINT64_MAX) >= (1 << 20) - 2 * page_bytes());
	expect(check(object, 1 << 20, 1));
	end();
}
ON_ROADS(test_cold)

static void test_drop(void)
{
	uint64_t got;
	uint8_t *object;

	begin();
	object = make(4 << 20, 1);
	expect_eq(marvin_drop(heap, UINT64_MAX), 0);
	ticks(TICKS);
	expect_eq(marvin_drop(heap, 0), 0);
	got = marvin_drop(heap, 100000);
	/* A run is taken as a whole. */
	expect(got >= 100000 && got <= 100000 + (1 << 20));
	expect_eq(stats().dropped, got);
	expect_eq(reads_of(object + (3 << 20), 1 << 20), 0);
	got += marvin_drop(heap, UINT64_MAX);
	expect(got >= 4 << 20);
	expect_eq(marvin_drop(heap, UINT64_MAX), 0);
	expect(check(object, 4 << 20, 1));
	end();
}
ON_ROADS(test_drop)

static void test_background(void)
{
	uint8_t *object;

	begin();
	object = make(4 << 20, 1);
	/* It is in use until now. */
	expect_eq(marvin_background(heap, true), 0);
	expect(stats().given >= 4 << 20);
	expect(stats().dropped >= 4 << 20);
	expect(reads_of(object, 4 << 20) > 0);
	expect_eq(marvin_background(heap, true), 0);
	expect_eq(marvin_background(heap, false), 0);
	expect_eq(marvin_fetch(heap), 0);
	expect_eq(reads_of(object, 4 << 20), 0);
	end();
}
ON_ROADS(test_background)

/* Ticks come by themselves, and rarely in the background. */
static void test_thread(void)
{
	struct marvin_options with = options();
	unsigned int tries = 200;
	uint64_t before;
	uint8_t *object;

	with.no_thread = false;
	with.foreground_ms = 20;
	with.background_ms = 60000;
	begin_with(with);
	object = make(100000, 1);
	while ((stats().ticks < TICKS || stats().unsaved) && --tries)
		sleep_ms(20);
	expect(tries && stats().written >= 100000);
	marvin_drop(heap, UINT64_MAX);
	expect(check(object, 100000, 1));
	expect_eq(marvin_background(heap, true), 0);
	sleep_ms(200);
	before = stats().ticks;
	sleep_ms(300);
	expect_eq(stats().ticks, before);
	marvin_background(heap, false);
	tries = 200;
	while (stats().ticks < before + 2 && --tries)
		sleep_ms(20);
	expect(tries);
	expect(check(object, 100000, 1));
	end();
}
ON_ROADS(test_thread)

static void test_two_heaps(void)
{
	struct marvin_options with;
	struct marvin *first;
	uint8_t *one, *two;

	begin();
	first = heap;
	one = make(50000, 1);
	with = options();
	with.store = "/var/tmp/";
	begin_with(with);
	two = make(50000, 2);
	expect(marvin_owns(heap, two) && !marvin_owns(heap, one));
	expect(!marvin_owns(first, two) && marvin_owns(first, one));
	away();
	expect_eq(stats().objects, 1);
	marvin_free(heap, one);
	expect(strstr(said, "no object begins") != NULL);
	expect(check(one, 50000, 1));
	expect(check(two, 50000, 2));
	expect_eq(marvin_close(heap), 0);
	heap = first;
	away();
	expect(check(one, 50000, 1));
	end();
}
ON_ROADS(test_two_heaps)

static unsigned int entries(const char *dir)
{
	DIR *open = opendir(dir);
	unsigned int n = 0;

	while (open && readdir(open))
		n++;
	closedir(open);
	return n;
}

/* The heap after the last possible one is refused, and leaves no thread and no file. */
static void test_many_heaps(void)
{
	struct marvin_options with = options();
	struct marvin *heaps[17];
	unsigned int most = road == MARVIN_ROAD_SIGNAL ? 3 : 16, round, i, n;
	unsigned int files = entries("/proc/self/fd"), threads = entries("/proc/self/task");

	with.store = "/var/tmp/";
	with.space = 1 << 20;
	for (round = 0; round < 2; round++) {
		for (n = 0; n < ARRAY_SIZE(heaps); n++)
			if (marvin_open(&heaps[n], &with))
				break;
		expect_eq(n, most);
		expect_eq(marvin_open(&heaps[n], &with), -EMFILE);
		for (i = 0; i < n; i++)
			expect_eq(marvin_close(heaps[i]), 0);
	}
	expect_eq(entries("/proc/self/fd"), files);
	/* A thread that was joined may be listed for a moment. */
	for (i = 0; i < 1000 && entries("/proc/self/task") > threads; i++)
		sleep_ms(10);
	expect(entries("/proc/self/task") <= threads);
}
ON_ROADS(test_many_heaps)

static void test_close(void)
{
	struct stat st;

	expect_eq(marvin_close(NULL), -EINVAL);
	begin();
	make(100000, 1);
	away();
	expect(!stat(path, &st) && st.st_size > 100000);
	expect_eq(marvin_close(heap), 0);
	expect(!stat(path, &st) && st.st_size == 0);
	/* The store is free. */
	begin();
	expect(is_zeroes(marvin_new(heap, 100000), 100000));
	end();
}
ON_ROADS(test_close)

static void test_no_store(void)
{
	struct marvin_options with = options();
	struct marvin_info info = MARVIN_INFO;
	uint8_t *object;

	with.store = NULL;
	with.no_thread = false;
	begin_with(with);
	marvin_info(heap, &info);
	expect_eq(info.road, MARVIN_ROAD_NONE);
	expect(!info.saves && info.system_calls);
	object = make(100000, 1);
	expect_eq(marvin_tick(heap, 1000), -EROFS);
	expect_eq(marvin_background(heap, true), -EROFS);
	expect_eq(marvin_drop(heap, UINT64_MAX), 0);
	expect_eq(marvin_fetch(heap), 0);
	expect_eq(marvin_pin(heap, object, 100000), 0);
	marvin_unpin(heap, object, 100000);
	expect_eq(marvin_cold(heap, object, 100000), 0);
	expect(stats().unsaved >= 100000);
	expect_eq(all_bytes(), stats().unsaved);
	object = marvin_resize(heap, object, 300000);
	expect(check(object, 100000, 1) && is_zeroes(object + 110000, 190000));
	marvin_free(heap, object);
	expect(is_zeroes(marvin_new(heap, 300000), 300000));
	end();
}

#define OBJECTS 120

struct object {
	uint8_t *at;
	size_t bytes;
	unsigned int seed;
	bool zeroes;
};

static bool is_right(const struct object *object)
{
	return object->zeroes ? is_zeroes(object->at, object->bytes) :
				check(object->at, object->bytes, object->seed);
}

static void remake(struct object *object, uint64_t *state, unsigned int seed)
{
	static const size_t sizes[] = { 1, 40, 500, 2048, 4096, 9000, 70000, 700000 };

	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	object->bytes = sizes[*state >> 61];
	object->at = marvin_new(heap, object->bytes);
	object->seed = seed;
	object->zeroes = true;
}

static void grow(struct object *object, size_t bytes)
{
	uint8_t *new = marvin_resize(heap, object->at, bytes);

	if (!new)
		return;
	object->at = new;
	object->bytes = bytes < object->bytes ? bytes : object->bytes;
}

/* step() - something happens to an object; false: it was not as it should be */
static bool step(struct object *object, uint64_t *state, unsigned int seed)
{
	unsigned int what;

	if (!object->at) {
		remake(object, state, seed);
		return object->at && is_right(object);
	}
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	what = (unsigned int)(*state >> 60);
	if (what < 2) {
		marvin_free(heap, object->at);
		object->at = NULL;
		return true;
	}
	if (what < 6) {
		fill(object->at, object->bytes, seed);
		object->seed = seed;
		object->zeroes = false;
	} else if (what == 6) {
		if (marvin_pin(heap, object->at, object->bytes))
			return false;
		marvin_unpin(heap, object->at, object->bytes);
	} else if (what == 7) {
		grow(object, (size_t)(*state >> 40 & 0xffff) + 1);
	} else if (what == 8) {
		return !marvin_prefetch(heap, object->at, object->bytes);
	} else if (what == 9) {
		marvin_cold(heap, object->at, object->bytes);
	}
	return is_right(object);
}

/* ThreadSanitizer takes ten times as long. */
#ifdef __SANITIZE_THREAD__
#define STEPS 2000
#else
#define STEPS 20000
#endif

static unsigned int steps(void)
{
	return (unsigned int)tap_env("STEPS", getenv("QUICK") ? STEPS / 4 : STEPS);
}

/* let_go() - the kernel drops given pages, as if memory were short */
static void let_go(void)
{
	madvise(heap->space, heap->high * heap->page_bytes, MADV_PAGEOUT);
}

static void test_random(void)
{
	static struct object objects[OBJECTS];
	unsigned int i, wrong = 0;
	uint64_t state = tap.seed, bytes = 0;

	begin();
	memset(objects, 0, sizeof(objects));
	for (i = 0; i < steps(); i++) {
		wrong += !step(&objects[random_below(OBJECTS)], &state, i);
		if (i % 16 == 0)
			marvin_tick(heap, 1000);
		if (i % 64 == 0)
			marvin_drop(heap, random_below(4 << 20));
		if (i % 256 == 0)
			let_go();
	}
	for (i = 0; i < OBJECTS; i++) {
		wrong += objects[i].at && !is_right(&objects[i]);
		bytes += objects[i].at != NULL;
	}
	expect_eq(wrong, 0);
	expect_eq(stats().objects, bytes);
	tap_note("%s: written %llu, dropped %llu, loads %llu, loaded %llu",
		 marvin_road_name(road), (unsigned long long)stats().written,
		 (unsigned long long)stats().dropped, (unsigned long long)stats().loads,
		 (unsigned long long)stats().loaded);
	expect(stats().loads > 10);
	for (i = 0; i < OBJECTS; i++)
		marvin_free(heap, objects[i].at);
	expect_eq(stats().objects, 0);
	expect_eq(stats().bytes, 0);
	expect_eq(stats().lost, 0);
	end();
}
ON_ROADS(test_random)

static _Atomic bool stop;

static void *tick_all(void *arg)
{
	while (!stop) {
		marvin_tick(heap, 100);
		marvin_drop(heap, 1 << 20);
		stats();
		sleep_ms(1);
	}
	return arg;
}

struct user {
	pthread_t thread;
	uint64_t seed;
	unsigned int wrong;
};

static void *use(void *arg)
{
	struct object objects[24] = { { NULL } };
	struct user *user = arg;
	unsigned int i;

	for (i = 0; i < steps() / 4; i++)
		user->wrong += !step(&objects[i * 7 % 24 * (i % 100 < 50)], &user->seed, i);
	for (i = 0; i < 24; i++) {
		user->wrong += objects[i].at && !is_right(&objects[i]);
		marvin_free(heap, objects[i].at);
	}
	return NULL;
}

static void test_threads(void)
{
	struct user users[4] = { { .seed = 1 }, { .seed = 2 }, { .seed = 3 }, { .seed = 4 } };
	struct marvin_options with = options();
	pthread_t ticker;
	unsigned int i;

	with.no_thread = false;
	with.foreground_ms = 5;
	begin_with(with);
	stop = false;
	pthread_create(&ticker, NULL, tick_all, NULL);
	for (i = 0; i < ARRAY_SIZE(users); i++)
		pthread_create(&users[i].thread, NULL, use, &users[i]);
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		pthread_join(users[i].thread, NULL);
		expect_eq(users[i].wrong, 0);
	}
	stop = true;
	pthread_join(ticker, NULL);
	expect_eq(stats().objects, 0);
	expect_eq(stats().bytes, 0);
	expect_eq(stats().lost, 0);
	expect(stats().loads > 0);
	end();
}
ON_ROADS(test_threads)

static const struct tap_case cases[] = {
	{ "new objects", test_new_on_roads },
	{ "memory of freed objects", test_zeroes_on_roads },
	{ "an object in the place of others", test_place_on_roads },
	{ "written in the background", test_leaves_soon_on_roads },
	{ "other sizes", test_resize_on_roads },
	{ "alignment", test_aligned_on_roads },
	{ "addresses of objects, and others", test_addresses_on_roads },
	{ "the life of an object", test_life_on_roads },
	{ "bytes that are the same again", test_same_on_roads },
	{ "structs of other versions", test_struct_sizes_on_roads },
	{ "options", test_options_on_roads },
	{ "what a heap is", test_info_on_roads },
	{ "pins", test_pin_on_roads },
	{ "system calls without a pin", test_system_calls_on_roads },
	{ "pins: how many, and where", test_pin_range_on_roads },
	{ "pins that end with a block", test_pinned_on_roads },
	{ "reading ahead", test_prefetch_on_roads },
	{ "cold memory", test_cold_on_roads },
	{ "dropping", test_drop_on_roads },
	{ "the background", test_background_on_roads },
	{ "the heap's thread", test_thread_on_roads },
	{ "two heaps", test_two_heaps_on_roads },
	{ "many heaps", test_many_heaps_on_roads },
	{ "closing", test_close_on_roads },
	{ "no store", test_no_store },
	{ "random use", test_random_on_roads },
	{ "random use by threads", test_threads_on_roads },
};

int main(int argc, char **argv)
{
	return tap_main("heap", cases, ARRAY_SIZE(cases), argc, argv);
}
