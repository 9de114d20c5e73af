// SPDX-License-Identifier: GPL-2.0
/*
 * Objects.
 */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "heap.h"
#include "load.h"

/* Pins of a page at most: each thread that forgets one would have to do so very often. */
#define PINS_MOST UINT16_MAX

static int places_take_lock(struct marvin *heap)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&heap->places_lock);
	return state;
}

static void places_drop_lock(struct marvin *heap, int state)
{
	pthread_mutex_unlock(&heap->places_lock);
	pthread_setcancelstate(state, NULL);
}

/* pages_of() - those that have any of these bytes; false: they are not all in the heap */
static bool pages_of(const struct marvin *heap, const void *at, size_t bytes, uint32_t *page,
		     uint32_t *pages)
{
	uint64_t from = (uintptr_t)at - (uintptr_t)heap->space;

	if ((uintptr_t)at < (uintptr_t)heap->space || from >= heap->road.bytes ||
	    bytes > heap->road.bytes - from || heap->road.gone)
		return false;
	*page = (uint32_t)(from / heap->page_bytes);
	*pages = bytes ? (uint32_t)((from + bytes - 1) / heap->page_bytes) - *page + 1 : 0;
	return true;
}

/* renew() - discard a new object's pages that are not in memory: their old bytes are not needed */
static void renew(struct marvin *heap, uint64_t at, size_t bytes)
{
	uint32_t page = (uint32_t)((at + heap->page_bytes - 1) / heap->page_bytes);
	uint32_t end = (uint32_t)((at + bytes) / heap->page_bytes);
	bool absent;
	int state;

	for (; page < end; page++) {
		state = heap_lock(heap);
		absent = heap->pages[page].flags & (PAGE_GIVEN | PAGE_LOST);
		heap_unlock(heap, state);
		if (absent)
			heap_discard(heap, page, 1);
	}
}

/* abandon() - give up a place in a lost page, which has other objects, too */
static void abandon(struct marvin *heap, uint64_t inside)
{
	int state = places_take_lock(heap);
	uint64_t at;
	size_t bytes;

	if (places_find(&heap->places, inside, &at, &bytes)) {
		heap->places.objects--;
		heap->places.bytes -= bytes;
	}
	places_drop_lock(heap, state);
}

/* take_place() - a place for an object; PLACES_NONE: the heap is full */
static uint64_t take_place(struct marvin *heap, size_t bytes, size_t align, bool *fresh)
{
	int state = places_take_lock(heap);
	uint32_t page, pages;
	uint64_t at;

	do {
		at = align ? places_take_aligned(&heap->places, bytes, align, fresh) :
			     places_take(&heap->places, bytes, fresh);
	} while (at == PLACES_NONE && heap_trim(heap));
	if (at != PLACES_NONE && !*fresh)
		renew(heap, at, bytes);
	if (at != PLACES_NONE && pages_of(heap, heap->space + at, bytes, &page, &pages))
		heap_use(heap, page, pages);
	places_drop_lock(heap, state);
	return at;
}

static void *take(struct marvin *heap, size_t bytes, size_t align)
{
	uint64_t at;
	bool fresh;
	int err;

	if (heap->road.gone) {
		errno = ENOMEM;
		return NULL;
	}
	brake_made(&heap->brake, bytes);
	for (;;) {
		at = take_place(heap, bytes, align, &fresh);
		if (at == PLACES_NONE || fresh)
			break;
		err = marvin_prefetch(heap, heap->space + at, bytes);
		/* Without descriptors a fault tells. */
		if (!err || err == -EBADF)
			break;
		abandon(heap, at);
	}
	if (at == PLACES_NONE) {
		if (heap_is_due(heap, SAID_SPACE))
			heap_say(heap, "no room for %zu bytes in the space of the heap", bytes);
		errno = ENOMEM;
		return NULL;
	}
	if (!fresh || heap->dirty)
		memset(heap->space + at, 0, bytes);
	return heap->space + at;
}

/**
 * marvin_new() - make an object
 * @heap: the heap
 * @bytes: size; all of them are 0
 *
 * Its address is a multiple of 16, and holds until marvin_free() or marvin_resize().
 *
 * Context: while hardly any memory is left it may wait, for up to 5 seconds for each MiB, until
 * pages are saved.
 *
 * Return: the object; NULL with errno: ENOMEM: the space has no room for it.
 */
void *marvin_new(struct marvin *heap, size_t bytes)
{
	return take(heap, bytes ? bytes : 1, 0);
}

/**
 * marvin_new_aligned() - make an object at a multiple of something
 * @heap: the heap
 * @bytes: size, as of marvin_new()
 * @align: a power of two up to 1 MiB
 *
 * Return: the object; NULL with errno: ENOMEM, or EINVAL: @align.
 */
void *marvin_new_aligned(struct marvin *heap, size_t bytes, size_t align)
{
	if (!align || align & (align - 1) || align > PLACES_ALIGN) {
		errno = EINVAL;
		return NULL;
	}
	return take(heap, bytes ? bytes : 1, align);
}

/* find() - an object by its address; false: none begins there */
static bool find(struct marvin *heap, const void *object, size_t *bytes)
{
	uint64_t from = (uintptr_t)object - (uintptr_t)heap->space, at;
	bool found;
	int state;

	if (!marvin_owns(heap, object))
		return false;
	state = places_take_lock(heap);
	found = places_find(&heap->places, from, &at, bytes) && at == from;
	places_drop_lock(heap, state);
	return found;
}

/* is_saved() - a page that no object has any more; else the next object's page begins anew */
static bool is_saved(struct marvin *heap, uint32_t nr)
{
	int state = heap_lock(heap);
	bool saved = heap->pages[nr].flags & PAGE_CLEAN;

	if (!saved)
		page_emptied(&heap->pages[nr]);
	heap_unlock(heap, state);
	return saved;
}

/*
 * emptied() - pages of an object that was freed, unless others have them, too. Saved ones are
 * discarded: they are protected, and the next object's writes would trap at each of them
 */
static void emptied(struct marvin *heap, uint64_t from, size_t bytes)
{
	uint32_t nr = (uint32_t)(from / heap->page_bytes), first = nr;
	uint32_t end = (uint32_t)((from + bytes - 1) / heap->page_bytes + 1);

	for (; nr < end; nr++) {
		if (!places_used(&heap->places, nr) && is_saved(heap, nr))
			continue;
		if (nr > first)
			heap_discard(heap, first, nr - first);
		first = nr + 1;
	}
	if (nr > first)
		heap_discard(heap, first, nr - first);
}

/**
 * marvin_free() - the end of an object
 * @heap: the heap
 * @object: of this heap; or NULL. Anything else is said and ignored
 *
 * Context: does no I/O.
 */
void marvin_free(struct marvin *heap, void *object)
{
	struct places_range unused = { 0, 0 };
	bool given = false;
	size_t bytes = 0;
	uint64_t at, from = (uintptr_t)object - (uintptr_t)heap->space;
	int state;

	if (!object)
		return;
	state = places_take_lock(heap);
	if (marvin_owns(heap, object)) {
		if (places_find(&heap->places, from, &at, &bytes) && at == from)
			given = places_give(&heap->places, from, &unused);
	}
	if (given && unused.pages)
		heap_discard(heap, unused.page, unused.pages);
	if (given)
		emptied(heap, from, bytes);
	places_drop_lock(heap, state);
	if (given)
		brake_freed(&heap->brake, bytes);
	else
		heap_say(heap, "marvin_free: no object begins at %p", object);
}

/**
 * marvin_resize() - another size for an object
 * @heap: the heap
 * @object: of this heap; NULL: a new one
 * @bytes: its new size; bytes beyond the old marvin_size() are 0
 *
 * Return: the object, which may have moved; NULL with errno, and the old one is as it was: ENOMEM;
 * or EINVAL: no object begins there.
 */
void *marvin_resize(struct marvin *heap, void *object, size_t bytes)
{
	uint64_t from = (uintptr_t)object - (uintptr_t)heap->space, zeroes = 0, end;
	struct places_range unused = { 0, 0 };
	uint32_t page, pages;
	size_t old;
	void *new;
	bool done;
	int state;

	bytes = bytes ? bytes : 1;
	if (!object)
		return marvin_new(heap, bytes);
	if (!find(heap, object, &old)) {
		errno = EINVAL;
		return NULL;
	}
	state = places_take_lock(heap);
	done = places_resize(&heap->places, from, bytes, &unused, &zeroes);
	if (done && unused.pages)
		heap_discard(heap, unused.page, unused.pages);
	if (done && pages_of(heap, object, bytes, &page, &pages))
		heap_use(heap, page, pages);
	places_drop_lock(heap, state);
	if (done) {
		/* Pages that were unused read as zeroes. */
		end = from + bytes < zeroes || heap->dirty ? from + bytes : zeroes;
		if (end > from + old)
			memset((char *)object + old, 0, (size_t)(end - from - old));
		return object;
	}
	new = marvin_new(heap, bytes);
	if (!new)
		return NULL;
	memcpy(new, object, old < bytes ? old : bytes);
	marvin_free(heap, object);
	return new;
}

/**
 * marvin_size() - of an object
 * @heap: the heap
 * @object: its address
 *
 * Return: bytes that it may use, at least as many as it was made with; 0: no object begins there.
 */
size_t marvin_size(struct marvin *heap, const void *object)
{
	size_t bytes;

	return find(heap, object, &bytes) ? bytes : 0;
}

/**
 * marvin_owns() - is an address in the space of the heap?
 * @heap: the heap
 * @at: any address
 */
bool marvin_owns(struct marvin *heap, const void *at)
{
	return (uintptr_t)at - (uintptr_t)heap->space < heap->road.bytes &&
	       (uintptr_t)at >= (uintptr_t)heap->space;
}

static void unpin(struct marvin *heap, uint32_t page, uint32_t pages)
{
	int state = heap_lock(heap);
	uint32_t i;

	/* Ignore an unpin without a pin. */
	for (i = page; i < page + pages; i++)
		if (heap->pages[i].pins)
			heap->pages[i].pins--;
	heap_unlock(heap, state);
}

/* pin() - all of the pages, or none */
static int pin(struct marvin *heap, uint32_t page, uint32_t pages)
{
	int state = heap_lock(heap), err = 0;
	uint32_t i;

	for (i = page; i < page + pages && !err; i++)
		err = heap->pages[i].pins == PINS_MOST ? -EOVERFLOW : 0;
	for (i = page; i < page + pages && !err; i++)
		heap->pages[i].pins++;
	heap_unlock(heap, state);
	return err;
}

/*
 * write_nothing() - a write that changes no byte, by this thread or by the kernel. Another thread
 * may write to the same bytes, which are its own
 */
__attribute__((no_sanitize("thread"))) static bool write_nothing(uint8_t *at, bool by_kernel)
{
	if (by_kernel)
		return syscall(SYS_futex, at, FUTEX_WAKE_OP_PRIVATE, 0, NULL, at,
			       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 1)) >= 0;
	__atomic_fetch_or(at, 0, __ATOMIC_RELAXED);
	return true;
}

/*
 * touch() - from here on a pinned page neither traps nor goes. Until then the kernel may drop one
 * that has a copy; if that cannot be read any more, the kernel gets an error, where this thread
 * gets SIGBUS
 */
static int touch(struct marvin *heap, uint32_t page)
{
	uint16_t flags;
	int err = 0, state;

	/* Without descriptors the kernel's faults, or nothing, bring the page. */
	if (!road_is_there(&heap->road)) {
		if (!heap->road.system_calls)
			return -EBADF;
		return write_nothing(heap_at(heap, page), true) ? 0 : -EIO;
	}
	while (!err) {
		state = heap_lock(heap);
		flags = heap->pages[page].flags;
		heap_unlock(heap, state);
		if (flags & PAGE_CLEAN)
			load_write(heap, page);
		if (write_nothing(heap_at(heap, page),
				  (flags & (PAGE_COPY | PAGE_ZERO)) == PAGE_COPY))
			break;
		err = load_range(heap, page, 1);
	}
	return err;
}

/**
 * marvin_pin() - have memory in place, to be read and written by system calls, too
 * @heap: the heap
 * @at: an address in it
 * @bytes: how many
 *
 * Where info.system_calls is false, a system call that reads absent memory, or writes to memory
 * that is saved, fails with EFAULT, unless the memory is pinned. A pin holds pages: they are
 * neither saved nor given until marvin_unpin(). Pins count. A page that was lost is tried again.
 *
 * Context: sleeps for I/O.
 *
 * Return: 0; -EINVAL: not all of it is in the heap; -EIO or another error of the store; -EBADMSG:
 * the store has other bytes; -EOVERFLOW: too many pins; -ENOMEM. After an error nothing is pinned.
 */
int marvin_pin(struct marvin *heap, const void *at, size_t bytes)
{
	uint32_t page, pages, i;
	int err;

	if (!pages_of(heap, at, bytes, &page, &pages))
		return -EINVAL;
	if (heap->road.ops->road == MARVIN_ROAD_NONE)
		return 0;
	err = pin(heap, page, pages);
	if (err)
		return err;
	err = load_range(heap, page, pages);
	if (err == -EBADF)
		err = 0;
	for (i = page; i < page + pages && !err; i++)
		err = touch(heap, i);
	if (err)
		unpin(heap, page, pages);
	return err;
}

/**
 * marvin_unpin() - the end of a pin
 * @heap: the heap
 * @at: as of marvin_pin()
 * @bytes: the same
 */
void marvin_unpin(struct marvin *heap, const void *at, size_t bytes)
{
	uint32_t page, pages;

	if (pages_of(heap, at, bytes, &page, &pages))
		unpin(heap, page, pages);
}

/**
 * marvin_prefetch() - read missing pages now, in large parts
 * @heap: the heap
 * @at: an address in it
 * @bytes: how many
 *
 * Context: sleeps for I/O.
 *
 * Return: as marvin_pin().
 */
int marvin_prefetch(struct marvin *heap, const void *at, size_t bytes)
{
	uint32_t page, pages;

	if (!pages_of(heap, at, bytes, &page, &pages))
		return -EINVAL;
	return load_range(heap, page, pages);
}

/**
 * marvin_cold() - memory will not be used for long
 * @heap: the heap
 * @at: an address in it
 * @bytes: how many; pages that are only in part of it are left alone
 *
 * The next tick saves and gives it.
 *
 * Return: 0; -EINVAL: not all of it is in the heap.
 */
int marvin_cold(struct marvin *heap, const void *at, size_t bytes)
{
	uint64_t from = (uintptr_t)at - (uintptr_t)heap->space, end = from + bytes;
	uint32_t page, pages, last;
	int state;

	if (!pages_of(heap, at, bytes, &page, &pages))
		return -EINVAL;
	page = (uint32_t)((from + heap->page_bytes - 1) / heap->page_bytes);
	last = (uint32_t)(end / heap->page_bytes);
	state = heap_lock(heap);
	for (; page < last; page++) {
		heap->pages[page].age = UINT8_MAX;
		heap->pages[page].wait = 1;
	}
	heap_unlock(heap, state);
	return 0;
}

/**
 * marvin_info() - what the heap is
 * @heap: the heap
 * @info: filled in as far as its size says
 *
 * Return: 0; -EINVAL: its size.
 */
int marvin_info(struct marvin *heap, struct marvin_info *info)
{
	struct marvin_info now = {
		.size = sizeof(now), .road = heap->road.ops->road,
		.system_calls = heap->road.system_calls ||
				heap->road.ops->road == MARVIN_ROAD_NONE,
		.saves = heap->stores.saves, .space = heap->road.bytes, .page = heap->page_bytes,
	};
	size_t size = info->size < sizeof(now) ? info->size : sizeof(now);

	if (size < sizeof(size_t))
		return -EINVAL;
	memcpy((char *)info + sizeof(size_t), (char *)&now + sizeof(size_t), size - sizeof(size_t));
	return 0;
}

/**
 * marvin_road_name() - of a road, for people
 * @road: which one
 */
const char *marvin_road_name(enum marvin_road road)
{
	static const char *const names[] = { "auto", "wp", "signal", "none" };

	return (unsigned int)road < sizeof(names) / sizeof(names[0]) ? names[road] : "unknown";
}

/* count_pages() - by state */
static void count_pages(struct marvin *heap, struct marvin_stats *stats)
{
	int state = heap_lock(heap);
	uint32_t i;

	for (i = 0; i < heap->high; i++) {
		uint16_t flags = heap->pages[i].flags;

		if (flags & PAGE_GIVEN)
			stats->given += heap->page_bytes;
		else if (flags & PAGE_CLEAN)
			stats->saved += heap->page_bytes;
		else if (flags & PAGE_MAPPED)
			stats->unsaved += heap->page_bytes;
	}
	heap_unlock(heap, state);
}

/**
 * marvin_stats() - what happened so far
 * @heap: the heap
 * @stats: filled in as far as its size says
 *
 * Return: 0; -EINVAL: its size.
 */
int marvin_stats(struct marvin *heap, struct marvin_stats *stats)
{
	struct marvin_stats now = { .size = sizeof(now) };
	const size_t first = offsetof(struct marvin_stats, ticks);
	size_t size = stats->size < sizeof(now) ? stats->size : sizeof(now);
	unsigned int i;
	int state;

	if (size < sizeof(size_t))
		return -EINVAL;
	state = places_take_lock(heap);
	now.objects = heap->places.objects;
	now.bytes = heap->places.bytes;
	places_drop_lock(heap, state);
	count_pages(heap, &now);
	for (i = 0; i < COUNT_N; i++)
		((uint64_t *)((char *)&now + first))[i] = atomic_load(&heap->counts[i]);
	memcpy((char *)stats + sizeof(size_t), (char *)&now + sizeof(size_t),
	       size - sizeof(size_t));
	return 0;
}
