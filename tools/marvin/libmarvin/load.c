// SPDX-License-Identifier: GPL-2.0
/*
 * Several threads read the store at once, without the lock; LOADING says that a thread reads a
 * page. Before a page is put in place its bytes are compared with the sum, under the lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "load.h"
#include "sum.h"

/* A page that another thread is reading is looked at so often. */
#define NAP_NS 50000L
#define WINDOW (ROAD_WINDOW_BYTES / 4096)
/*
 * A window shrinks if its read takes so much longer than the quickest read of this store: a larger
 * one delays the page that is wanted. A store that takes long for each read, however small, is read
 * in large windows.
 */
#define SLOW_NS 1000000U
/*
 * Windows that other threads load meanwhile, for a program that goes from page to page: more gain
 * nothing on two processors.
 */
#define AHEAD 1U

/* Of pagemap */
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)

/* Pages that one thread reads: the pages of the heap, and where their bytes are put. */
struct batch {
	uint32_t page, pages;
	uint8_t layer;
	uint8_t *buffer;
	uint64_t took_ns;		/* the read */
	bool handler;			/* this thread has descriptors of its own */
	uint64_t copies[WINDOW];	/* the pages' sums when they were marked */
	uint64_t sums[WINDOW];		/* of the bytes that were read */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* is_in_swap() - or in memory; @unknown: what to say without pagemap */
static bool is_in_swap(const struct marvin *heap, uint32_t page, bool unknown)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t at = (off_t)((uintptr_t)heap_at(heap, page) / heap->page_bytes * sizeof(uint64_t));
	uint64_t entry;
	bool known;

	if (fd < 0)
		return unknown;
	known = pread(fd, &entry, sizeof(entry), at) == sizeof(entry);
	close(fd);
	return known ? entry & (PRESENT | SWAPPED) : unknown;
}

/*
 * is_missing() - @faulted: the kernel has just said so. mincore() does not tell a page in the swap
 * from a missing one. That matters for a kept page: its memory may be newer than the copy
 */
static bool is_missing(const struct marvin *heap, uint32_t page, bool faulted)
{
	const uint16_t flags = heap->pages[page].flags;
	unsigned char there;

	if (!heap->road.ops->lazy)
		return flags & PAGE_GIVEN;
	if (!mincore(heap_at(heap, page), heap->page_bytes, &there) && there & 1)
		return false;
	return flags & PAGE_CLEAN || !is_in_swap(heap, page, !faulted);
}

/* mark() - as many pages as are missing together, up to @most; the first one is wanted anyway */
static void mark(struct marvin *heap, struct batch *batch, uint32_t most)
{
	struct page *page = &heap->pages[batch->page];
	unsigned char there[WINDOW] = { 0 };

	if (most > heap->pages_n - batch->page)
		most = heap->pages_n - batch->page;
	if (heap->road.ops->lazy &&
	    mincore(heap_at(heap, batch->page), most * heap->page_bytes, there))
		memset(there, 0, sizeof(there));
	batch->layer = page->layer;
	batch->pages = 0;
	do {
		page->flags |= PAGE_LOADING;
		batch->copies[batch->pages] = page->sum;
		batch->pages++;
		page++;
	} while (batch->pages < most && page_wants_load(page) && page->layer == batch->layer &&
		 (heap->road.ops->lazy ? !(there[batch->pages] & 1) :
					 page->flags & PAGE_GIVEN));
}

/*
 * lose() - a page that cannot be had. If it is there after all, it stays: the message that it was
 * missing was an old one
 */
static void lose(struct marvin *heap, uint32_t page, int err)
{
	heap->pages[page].flags &= (uint16_t)~PAGE_LOADING;
	if (!is_missing(heap, page, true))
		return;
	heap->pages[page].flags |= PAGE_LOST;
	heap_count(heap, COUNT_LOST, 1);
	heap->road.ops->poison(&heap->road, heap_at(heap, page));
	if (!heap_is_due(heap, SAID_LOST))
		return;
	if (err == -EBADMSG)
		heap_say(heap, "a page is lost: the store has other bytes");
	else
		heap_say(heap, "a page cannot be read from the store: %s", strerror(-err));
}

/*
 * is_ours() - does this batch load the page? Meanwhile its object may have been freed, and another
 * thread may load the next object's page
 */
static bool is_ours(const struct marvin *heap, const struct batch *batch, uint32_t i)
{
	const struct page *page = &heap->pages[batch->page + i];

	return page->flags & PAGE_LOADING && page->layer == batch->layer &&
	       page->sum == batch->copies[i];
}

static bool is_right(const struct marvin *heap, const struct batch *batch, uint32_t i)
{
	const struct page *page = &heap->pages[batch->page + i];

	return is_ours(heap, batch, i) && page->flags & PAGE_COPY && page->sum == batch->sums[i];
}

/* put_run() - pages that are right, into their places; those that are there already stay */
static void put_run(struct marvin *heap, const struct batch *batch, uint32_t i, uint32_t end)
{
	ssize_t done;
	uint32_t n;

	while (i < end) {
		uint8_t *at = heap_at(heap, batch->page + i);

		done = heap->road.ops->put(&heap->road, at, batch->buffer + i * heap->page_bytes,
					   (end - i) * heap->page_bytes);
		for (n = 0; done > 0 && n < (size_t)done / heap->page_bytes; n++)
			page_came(&heap->pages[batch->page + i + n]);
		i += n;
		if (n)
			continue;
		/* It is there, or the kernel has no memory for it: then the thread faults again. */
		heap->pages[batch->page + i].flags &= (uint16_t)~PAGE_LOADING;
		heap->road.ops->wake(&heap->road, at, heap->page_bytes);
		i++;
	}
}

/*
 * settle() - put pages in place that were read. Returns the error of the first one. The batch ends
 * before a neighbour that is not right
 */
static int settle(struct marvin *heap, struct batch *batch, int err)
{
	uint32_t i = 0, good = batch->pages, from;

	while (i < batch->pages) {
		for (from = i; i < batch->pages && !err && is_right(heap, batch, i); i++)
			;
		put_run(heap, batch, from, i);
		if (i == batch->pages)
			break;
		if (is_ours(heap, batch, i)) {
			/* A neighbour that is not right is read by itself when it is used. */
			if (!i) {
				if (!err)
					err = store_is_there(&heap->stores.layers[batch->layer]) ?
					      -EBADMSG : -EBADF;
				if (err != -EBADF || batch->handler)
					lose(heap, batch->page, err);
			}
			good = good > i ? i : good;
			heap->pages[batch->page + i].flags &= (uint16_t)~PAGE_LOADING;
		}
		heap->road.ops->wake(&heap->road, heap_at(heap, batch->page + i),
				     heap->page_bytes);
		i++;
	}
	batch->pages = good ? good : 1;
	return err;
}

/* read_store() - also if the program has closed the store's descriptor */
static int read_store(const struct marvin *heap, const struct batch *batch)
{
	const struct store *store = &heap->stores.layers[batch->layer];
	struct store again = *store;
	int err;

	if (!store_is_there(store))
		again.fd = store_again(store, heap->road.keeper);
	err = store_read(&again, batch->page * (uint64_t)heap->page_bytes, batch->buffer,
			 batch->pages * heap->page_bytes);
	if (again.fd != store->fd)
		store_close(&again);
	return err;
}

/* read_batch() - the page is not lost if this thread alone cannot have the store */
static int read_batch(const struct marvin *heap, struct batch *batch)
{
	const struct store *store = &heap->stores.layers[batch->layer];
	const size_t page_bytes = heap->page_bytes;
	uint64_t since_ns = now_ns();
	int err = read_store(heap, batch);
	uint32_t i;

	batch->took_ns = now_ns() - since_ns;
	for (i = 0; i < batch->pages && !err; i++)
		batch->sums[i] = sum_of(batch->buffer + i * page_bytes, page_bytes);
	return err && !store_is_there(store) ? -EBADF : err;
}

/* is_slow() - was this read, compared with the quickest one? That is forgotten, a 16th each time */
static bool is_slow(struct marvin *heap, const struct batch *batch)
{
	uint64_t *least_ns = &heap->least_ns;

	*least_ns += *least_ns / 16;
	if (!*least_ns || batch->took_ns < *least_ns)
		*least_ns = batch->took_ns;
	return batch->took_ns > *least_ns + SLOW_NS;
}

/* load() - a page that is marked, and its missing neighbours */
static int load(struct marvin *heap, struct batch *batch)
{
	int err = read_batch(heap, batch), state;
	uint32_t n, end;

	state = heap_lock(heap);
	if (err && batch->pages > 1) {
		for (n = 1; n < batch->pages; n++) {
			if (is_ours(heap, batch, n))
				heap->pages[batch->page + n].flags &= (uint16_t)~PAGE_LOADING;
			heap->road.ops->wake(&heap->road, heap_at(heap, batch->page + n),
					     heap->page_bytes);
		}
		batch->pages = 1;
		heap_unlock(heap, state);
		err = read_batch(heap, batch);
		state = heap_lock(heap);
	}
	end = batch->page + batch->pages;
	err = settle(heap, batch, err);
	if (is_slow(heap, batch))
		window_slow(&heap->loads, end);
	/* With the lock: the thread that waited for the page finds it in the statistics. */
	if (!err) {
		heap_count(heap, COUNT_LOADS, 1);
		heap_count(heap, COUNT_LOADED, batch->pages * heap->page_bytes);
	}
	heap_unlock(heap, state);
	return err;
}

/* zero() - new pages, as far as there are some; or one that the program itself has dropped */
static void zero(struct marvin *heap, uint32_t page)
{
	const uint16_t old = PAGE_SHARED | PAGE_STALE;
	uint32_t most = window_pages(&heap->zeroes, page), n = 1, i;
	ssize_t done;

	while (!(heap->pages[page].flags & ~old) && n < most && page + n < heap->pages_n &&
	       !(heap->pages[page + n].flags & ~old))
		n++;
	done = heap->road.ops->zero(&heap->road, heap_at(heap, page), n * heap->page_bytes);
	if (done <= 0) {
		heap->road.ops->wake(&heap->road, heap_at(heap, page), heap->page_bytes);
		return;
	}
	n = (uint32_t)((size_t)done / heap->page_bytes);
	for (i = 0; i < n; i++)
		page_map(&heap->pages[page + i]);
	if (page + n > heap->high)
		heap->high = page + n;
	window_took(&heap->zeroes, page, n);
}

/* go_ahead() - a program that goes from page to page soon wants the next windows */
static void go_ahead(struct marvin *heap, uint32_t page)
{
	const uint32_t most = heap->loads.most;
	uint32_t i;

	for (i = 0; i < AHEAD && heap->road.ops->ahead; i++, page += most) {
		if (page + most > heap->pages_n || !page_wants_load(&heap->pages[page]) ||
		    !(heap->pages[page].flags & PAGE_GIVEN))
			break;
		heap->road.ops->ahead(&heap->road, page);
		window_took(&heap->loads, page, most);
	}
}

/**
 * load_ahead() - load a window of pages that no thread waits for yet
 * @arg: the heap
 * @page: the first one
 * @buffer: road_window() pages; the caller's
 *
 * Context: without locks; sleeps for I/O.
 */
void load_ahead(void *arg, uint32_t page, void *buffer)
{
	struct marvin *heap = arg;
	struct batch batch = { .page = page, .buffer = buffer, .handler = true };
	int state = heap_lock(heap);
	bool wanted = page_wants_load(&heap->pages[page]) &&
		      is_missing(heap, page, false);

	if (wanted)
		mark(heap, &batch, heap->loads.most);
	heap_unlock(heap, state);
	if (wanted)
		load(heap, &batch);
}

/*
 * load_marked() - the page, and as many behind it as this thread seems to go on to; gives the lock
 * back
 */
static void load_marked(struct marvin *heap, struct batch *batch, int state)
{
	mark(heap, batch, window_pages(&heap->loads, batch->page));
	window_took(&heap->loads, batch->page, batch->pages);
	if (batch->pages == heap->loads.most)
		go_ahead(heap, batch->page + batch->pages);
	heap_unlock(heap, state);
	load(heap, batch);
}

/**
 * load_missing() - a thread wants a page that is not there, or may not be used
 * @arg: the heap
 * @page: its number
 * @buffer: road_window() pages; the caller's. NULL: this thread must not wait for the store
 *
 * Context: without locks; with a buffer, sleeps for I/O. Afterwards the thread goes on, or faults
 * again.
 *
 * Return: true; false: the page has to be loaded, and @buffer is NULL.
 */
bool load_missing(void *arg, uint32_t page, void *buffer)
{
	const struct timespec nap = { 0, NAP_NS };
	struct marvin *heap = arg;
	struct batch batch = { .page = page, .buffer = buffer, .handler = true };
	int state = heap_lock(heap);
	struct page *of = &heap->pages[page];

	if (of->flags & PAGE_LOST) {
		heap->road.ops->poison(&heap->road, heap_at(heap, page));
		heap_unlock(heap, state);
		return true;
	}
	if (of->flags & PAGE_LOADING) {
		heap_unlock(heap, state);
		/* The reader wakes threads that wait in the kernel, but not a signal handler. */
		if (!heap->road.ops->lazy)
			nanosleep(&nap, NULL);
		return true;
	}
	if (!heap->road.ops->lazy && of->flags & PAGE_COPY && !(of->flags & PAGE_GIVEN)) {
		/*
		 * It is there, and protected: also one that is not CLEAN, if its save has failed.
		 */
		heap_unlock(heap, state);
		load_write(heap, page);
		return true;
	}
	if (page_wants_load(of) && is_missing(heap, page, true)) {
		if (buffer)
			load_marked(heap, &batch, state);
		else
			heap_unlock(heap, state);
		return buffer;
	}
	if (page_wants_load(of))
		heap->road.ops->wake(&heap->road, heap_at(heap, page), heap->page_bytes);
	else
		zero(heap, page);
	heap_unlock(heap, state);
	return true;
}

/**
 * load_write() - a thread wants to write to a protected page
 * @arg: the heap
 * @page: which one
 *
 * The pages behind it may be written, too, if it comes from the pages before. A page that was given
 * may be gone by now: then its copy counts, and the thread faults again to load it.
 *
 * Context: without locks; does no I/O.
 */
void load_write(void *arg, uint32_t page)
{
	struct marvin *heap = arg;
	uint32_t most, n = 0;
	int state = heap_lock(heap);

	/* It was taken meanwhile, and such a road does not see a missing page that may be used. */
	if (!heap->road.ops->lazy && heap->pages[page].flags & PAGE_GIVEN) {
		heap_unlock(heap, state);
		return;
	}
	most = window_pages(&heap->writes, page);
	do {
		if (heap->pages[page + n].flags & PAGE_MAPPED)
			page_written(&heap->pages[page + n]);
		n++;
	} while (n < most && page + n < heap->pages_n &&
		 (heap->pages[page + n].flags & (PAGE_CLEAN | PAGE_GIVEN)) == PAGE_CLEAN);
	heap->road.ops->unprotect(&heap->road, heap_at(heap, page), n * heap->page_bytes);
	window_took(&heap->writes, page, n);
	heap_count(heap, COUNT_WRITE_TRAPS, 1);
	heap_unlock(heap, state);
}

/* take_buffer() - most ranges are in memory, and need none */
static int take_buffer(const struct marvin *heap, struct batch *batch)
{
	void *at = mmap(NULL, road_window(&heap->road) * heap->page_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -ENOMEM;
	batch->buffer = at;
	return 0;
}

/* load_one() - a page for load_range(). Returns how many pages are done */
static int load_one(struct marvin *heap, struct batch *batch, uint32_t most, uint32_t *done)
{
	const struct timespec nap = { 0, NAP_NS };
	struct page *page = &heap->pages[batch->page];
	int state = heap_lock(heap), err;
	sigset_t before;

	*done = 1;
	if (page->flags & PAGE_LOADING) {
		heap_unlock(heap, state);
		nanosleep(&nap, NULL);
		*done = 0;
		return 0;
	}
	if (page->flags & PAGE_LOST) {
		heap->road.ops->cure(&heap->road, heap_at(heap, batch->page));
		page->flags &= (uint16_t)~PAGE_LOST;
		page->flags |= PAGE_GIVEN | PAGE_CLEAN;
	}
	if (!page_wants_load(page) || !is_missing(heap, batch->page, false)) {
		heap_unlock(heap, state);
		return 0;
	}
	/* The threads that handle faults can put it in place, but not this one. */
	if (!road_is_there(&heap->road)) {
		heap_unlock(heap, state);
		return -EBADF;
	}
	if (!batch->buffer) {
		heap_unlock(heap, state);
		err = take_buffer(heap, batch);
		*done = !!err;
		return err;
	}
	mark(heap, batch, most < road_window(&heap->road) ? most : road_window(&heap->road));
	/* A thread that uses a marked page waits for this one, which must not wait for itself. */
	before = heap_release(heap);
	err = load(heap, batch);
	heap_resume(&before, state);
	*done = batch->pages;
	return err;
}

/**
 * load_range() - have pages in memory now
 * @heap: the heap
 * @page: the first one
 * @pages: how many
 *
 * A page that was lost is tried again.
 *
 * Context: without locks; sleeps for I/O.
 *
 * Return: 0, or the first error: -EIO or another one of the store, -EBADMSG, -ENOMEM; -EBADF: the
 * program has closed the descriptors.
 */
int load_range(struct marvin *heap, uint32_t page, uint32_t pages)
{
	struct batch batch = { .page = page };
	uint32_t end = page + pages, done;
	int err = 0, ret;

	while (batch.page < end) {
		ret = load_one(heap, &batch, end - batch.page, &done);
		err = err ? err : ret;
		batch.page += done;
	}
	if (batch.buffer)
		munmap(batch.buffer, road_window(&heap->road) * heap->page_bytes);
	return err;
}
