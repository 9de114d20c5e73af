// SPDX-License-Identifier: GPL-2.0
/*
 * A heap as a whole: its memory and its store.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>
#include "files.h"
#include "fork.h"
#include "heap.h"
#include "load.h"
#include "sum.h"
#include "worker.h"

#define SPACE_DEFAULT (sizeof(void *) > 4 ? 1ULL << 30 : 128ULL << 20)
#define FOREGROUND_MS 5000U
#define BACKGROUND_MS 30000U
#define SILENT_S 60
/* New pages are put in place together: zero pages take no memory. */
#define ZEROES_LEAST 16U
#define ZEROES_MOST 512U
/* Pages whose memory is discarded with the lock. */
#define DISCARD 2048U

/**
 * heap_say() - tell the program, or the user
 * @heap: the heap
 * @format: as for printf
 */
void heap_say(struct marvin *heap, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	files_say(heap->options.say, text);
}

/**
 * heap_is_due() - may the heap say this again?
 * @heap: the heap
 * @what: which message
 *
 * Context: any.
 */
bool heap_is_due(struct marvin *heap, enum said what)
{
	uint32_t now_s = (uint32_t)(heap_now_ms() / 1000);
	uint32_t until_s = atomic_load(&heap->silent_s[what]);

	return now_s >= until_s &&
	       atomic_compare_exchange_strong(&heap->silent_s[what], &until_s, now_s + SILENT_S);
}

/**
 * heap_use() - pages are used from now on, on a road that does not see their first use
 * @heap: the heap
 * @page: the first one
 * @pages: how many
 */
void heap_use(struct marvin *heap, uint32_t page, uint32_t pages)
{
	uint32_t end = page + pages;
	int state;

	if (heap->road.ops->traps_new)
		return;
	state = heap_lock(heap);
	for (; page < end; page++)
		if (!(heap->pages[page].flags & (PAGE_MAPPED | PAGE_LOST)))
			page_map(&heap->pages[page]);
	if (end > heap->high)
		heap->high = end;
	heap_unlock(heap, state);
}

static void discard_some(struct marvin *heap, uint32_t page, uint32_t pages)
{
	int state = heap_lock(heap), err;
	uint32_t i;

	for (i = page; i < page + pages; i++) {
		if (heap->pages[i].flags & PAGE_LOST)
			heap->road.ops->cure(&heap->road, heap_at(heap, i));
		page_discard(&heap->pages[i], heap->stores.top);
	}
	err = heap->road.ops->discard(&heap->road, heap_at(heap, page), pages * heap->page_bytes);
	/* Locked memory stays: its next owner has to clear it. */
	for (i = page; err && i < page + pages; i++) {
		page_map(&heap->pages[i]);
		heap->dirty = true;
	}
	if (err && heap->road.ops->unprotect)
		heap->road.ops->unprotect(&heap->road, heap_at(heap, page),
					  pages * heap->page_bytes);
	heap_unlock(heap, state);
}

/**
 * heap_discard() - forget the bytes of pages
 * @heap: the heap
 * @page: the first one
 * @pages: how many
 *
 * Context: with the lock of the places, so that no object gets the pages meanwhile.
 */
void heap_discard(struct marvin *heap, uint32_t page, uint32_t pages)
{
	uint32_t n;

	for (; pages; page += n, pages -= n) {
		n = pages < DISCARD ? pages : DISCARD;
		discard_some(heap, page, n);
	}
}

/**
 * heap_trim() - discard pages that are free, and were kept for the next objects
 * @heap: the heap
 *
 * Context: with the lock of the places.
 *
 * Return: were there any?
 */
bool heap_trim(struct marvin *heap)
{
	struct places_range unused;
	bool any = false;

	while (places_trim(&heap->places, &unused)) {
		heap_discard(heap, unused.page, unused.pages);
		any = true;
	}
	return any;
}

static void *map(uint64_t bytes)
{
	void *at;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void unmap(void *at, uint64_t bytes)
{
	if (at)
		munmap(at, (size_t)bytes);
}

/* take_store() - and say why, if the library refuses it: an errno alone does not tell what to do */
static int take_store(struct marvin *heap, const char *path)
{
	struct stores *stores = &heap->stores;
	size_t length = path ? strlen(path) : 0;
	const char *why;
	int err, i;

	stores->family.children = -1;
	for (i = 0; i < (int)HEAP_LAYERS; i++) {
		stores->layers[i].fd = -1;
		stores->family.parents[i] = -1;
	}
	if (!length)
		return 0;
	err = store_open(&stores->layers[0], path, &why);
	if (why)
		heap_say(heap, "%.100s is not used as the store: %s", path, why);
	if (err)
		return err;
	if (path[length - 1] == '/') {
		stores->directory = strdup(path);
		if (!stores->directory)
			return -ENOMEM;
	}
	return 0;
}

/* map_aligned() - objects are aligned within the space only */
static void *map_aligned(uint64_t bytes)
{
	uint8_t *at = map(bytes + PLACES_ALIGN);
	size_t skip = -(uintptr_t)at & (PLACES_ALIGN - 1);

	if (!at)
		return NULL;
	if (skip)
		munmap(at, skip);
	munmap(at + skip + bytes, PLACES_ALIGN - skip);
	return at + skip;
}

static int map_space(struct marvin *heap, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	bytes = bytes ? bytes : SPACE_DEFAULT;
	if (bytes < page || bytes > SIZE_MAX / 4)
		return -EINVAL;
	/* A whole number of pages of any road. */
	page = bytes < PLACES_ALIGN ? page : PLACES_ALIGN;
	heap->road.bytes = (size_t)(bytes - bytes % page);
	heap->road.space = map_aligned(heap->road.bytes);
	heap->space = heap->road.space;
	heap->mapped = heap->road.bytes;
	if (!heap->space)
		return -ENOMEM;
	/* A page is given and taken by itself. */
	madvise(heap->space, heap->road.bytes, MADV_NOHUGEPAGE);
	return 0;
}

static int map_pages(struct marvin *heap)
{
	uint64_t bytes;

	heap->page_bytes = heap->road.page;
	if (heap->road.bytes / heap->page_bytes > EXTENTS_MOST)
		return -EINVAL;
	heap->pages_n = (uint32_t)(heap->road.bytes / heap->page_bytes);
	heap->pages = map(heap->pages_n * sizeof(*heap->pages));
	bytes = places_memory(heap->pages_n, (uint32_t)heap->page_bytes);
	heap->places_memory = map(bytes);
	if (!heap->pages || !heap->places_memory)
		return -ENOMEM;
	places_begin(&heap->places, heap->places_memory, heap->pages_n,
		     (uint32_t)heap->page_bytes);
	heap->loads = (struct window){ .least = 1, .most = road_window(&heap->road) };
	heap->writes = heap->loads;
	heap->zeroes = (struct window){ .least = ZEROES_LEAST, .most = ZEROES_MOST };
	return 0;
}

static int choose_road(struct marvin *heap)
{
	enum marvin_road wanted = heap->options.road;
	struct road *road = &heap->road;

	road->calls = (struct road_calls){ load_missing, load_write, load_ahead, heap };
	fork_begin(heap);
	if (heap->stores.layers[0].fd < 0)
		wanted = MARVIN_ROAD_NONE;
	return road_begin(road, wanted);
}

static void unmake(struct marvin *heap)
{
	static const int none[HEAP_LAYERS] = { -1, -1, -1, -1 };
	unsigned int i;

	if (heap->stores.layers[0].fd >= 0 && !store_is_there(&heap->stores.layers[0]))
		fork_forget(heap, none);

	if (heap->road.ops)
		heap->road.ops->end(&heap->road);
	for (i = 0; i < HEAP_LAYERS; i++) {
		store_close(&heap->stores.layers[i]);
		if (heap->stores.family.parents[i] >= 0)
			close(heap->stores.family.parents[i]);
	}
	if (heap->stores.family.children >= 0)
		close(heap->stores.family.children);
	if (heap->places_memory)
		unmap(heap->places_memory, places_memory(heap->pages_n,
							 (uint32_t)heap->page_bytes));
	unmap(heap->pages, heap->pages_n * sizeof(*heap->pages));
	unmap(heap->space, heap->mapped);
	free(heap->stores.directory);
	free(heap);
}

static int make(struct marvin *heap)
{
	int err = take_store(heap, heap->options.store), state;

	if (!err)
		err = map_space(heap, heap->options.space);
	/* The threads of the road wait for a fault and then for the lock. */
	state = heap_lock(heap);
	if (!err)
		err = choose_road(heap);
	if (!err)
		err = map_pages(heap);
	heap_unlock(heap, state);
	if (!err)
		fork_allow(heap, false);
	if (!err && heap->road.bytes < heap->mapped)
		heap_say(heap, "the space is %zu MiB: the road %s has no more",
			 heap->road.bytes >> 20, marvin_road_name(heap->road.ops->road));
	heap->stores.saves = heap->road.ops && heap->road.ops->road != MARVIN_ROAD_NONE;
	if (!err)
		err = worker_begin(heap);
	return err;
}

/* copy_options() - of a program that was built with another version, too */
static void copy_options(struct marvin *heap, const struct marvin_options *options)
{
	size_t size = options->size < sizeof(*options) ? options->size : sizeof(*options);

	memcpy(&heap->options, options, size);
	if (!heap->options.foreground_ms)
		heap->options.foreground_ms = FOREGROUND_MS;
	if (!heap->options.background_ms)
		heap->options.background_ms = BACKGROUND_MS;
}

/**
 * marvin_open() - make a heap
 * @heap: filled in
 * @options: MARVIN_OPTIONS, with some members set
 *
 * Context: any thread. Starts threads, which end with marvin_close().
 *
 * Return: 0; -EBUSY: the store is in use; -EINVAL: a size that cannot be, or a store that is
 * neither a file nor a block device; -EOPNOTSUPP: that road does not work here; -ENOMEM; or another
 * error of the store, as in struct marvin_options. If the library refuses the store, it says why.
 */
int marvin_open(struct marvin **heap, const struct marvin_options *options)
{
	struct marvin *new;
	int err, state;

	*heap = NULL;
	if (options->size < offsetof(struct marvin_options, space))
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	copy_options(new, options);
	sum_begin();
	pthread_mutex_init(&new->lock.mutex, NULL);
	pthread_mutex_init(&new->places_lock, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = make(new);
	if (!err) {
		err = fork_add(new);
		if (err)
			worker_end(new);
	}
	if (err) {
		/* A thread that has ended may have the file for a moment still. */
		if (new->stores.layers[0].fd >= 0)
			flock(new->stores.layers[0].fd, LOCK_UN);
		unmake(new);
	} else {
		*heap = new;
	}
	pthread_setcancelstate(state, NULL);
	return err;
}

/* empty_store() - a child that is left reads its copies: it has the file still, and its lock */
static void empty_store(struct marvin *heap)
{
	struct store *store = &heap->stores.layers[heap->stores.top];

	if (!heap->stores.saves || heap->stores.family.shared || !store_is_there(store))
		return;
	if (!store->device && ftruncate(store->fd, 0))
		heap_say(heap, "the store could not be emptied");
	flock(store->fd, LOCK_UN);
}

/**
 * marvin_close() - the end of a heap and of all its objects
 * @heap: of marvin_open()
 *
 * Context: no thread uses the heap or its objects any more.
 *
 * Return: 0; -EINVAL: @heap is NULL.
 */
int marvin_close(struct marvin *heap)
{
	int state;

	if (!heap)
		return -EINVAL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	fork_remove(heap);
	worker_end(heap);
	fork_look(heap);
	empty_store(heap);
	unmake(heap);
	pthread_setcancelstate(state, NULL);
	return 0;
}
