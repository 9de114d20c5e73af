// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "save.h"
#include "sum.h"

/* Pages that are copied at a time, at most. */
#define BATCH (SAVE_BYTES / 4096)
/* The lock is held for so many pages: some ten microseconds. */
#define LOOK 4096U
/* Of pagemap: the page is in memory. */
#define PRESENT (1ULL << 63)

struct batch {
	uint32_t n;
	uint32_t pages[BATCH];
	uint64_t sums[BATCH];
	bool wanted[BATCH];		/* to be written */
	bool there[BATCH];		/* of the pages that are looked at: in memory */
	int err;
};

static uint8_t *bounce(const struct marvin *heap, uint32_t i)
{
	return heap->worker.bounce + i * heap->page_bytes;
}

/*
 * look() - which of the next pages are in memory. A page in the kernel's swap stays there, because
 * to save it would bring it back and write it twice. Without pagemap such pages are saved
 */
static void look(const struct marvin *heap, struct batch *batch, uint32_t nr, uint32_t pages)
{
	const size_t small = (size_t)sysconf(_SC_PAGESIZE), each = heap->page_bytes / small;
	uintptr_t from = (uintptr_t)heap_at(heap, nr) / small;
	uint64_t entries[BATCH];
	size_t done = 0, i;
	ssize_t got = 1;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	memset(batch->there, fd < 0, sizeof(batch->there));
	if (fd < 0)
		return;
	while (done < pages * each && got > 0) {
		got = pread(fd, entries, sizeof(entries),
			    (off_t)((from + done) * sizeof(*entries)));
		for (i = 0; got > 0 && i < (size_t)got / sizeof(*entries); i++) {
			if (done == pages * each)
				break;
			batch->there[done++ / each] |= entries[i] & PRESENT;
		}
	}
	if (got <= 0)
		memset(batch->there, true, sizeof(batch->there));
	close(fd);
}

/* is_old() - a program in the background needs no page soon that it did not use for a tick */
static bool is_old(const struct marvin *heap, const struct page *page, unsigned int ticks)
{
	return page->age >= (heap->worker.background ? 1 : ticks);
}

static bool is_wanted(const struct marvin *heap, uint32_t nr, bool all)
{
	const struct page *page = &heap->pages[nr];
	const struct store *store = &heap->stores.layers[heap->stores.top];
	uint64_t end = (nr + 1ULL) * heap->page_bytes;

	return page_wants_save(page) && end <= store->bytes &&
	       (all || is_old(heap, page, page->wait));
}

/*
 * sweep() - discard pages that no object uses any more, of up to BATCH pages. Returns true if
 * others are wanted
 */
static bool sweep(struct marvin *heap, uint32_t nr, uint32_t end, bool all)
{
	uint32_t unused[BATCH], n = 0;
	bool wanted = false;
	int state;

	pthread_mutex_lock(&heap->places_lock);
	state = heap_lock(heap);
	for (; nr < end; nr++) {
		if (!is_wanted(heap, nr, all))
			continue;
		if (places_used(&heap->places, nr))
			wanted = true;
		else
			unused[n++] = nr;
	}
	heap_unlock(heap, state);
	while (n)
		heap_discard(heap, unused[--n], 1);
	pthread_mutex_unlock(&heap->places_lock);
	return wanted;
}

/* protect() - the pages of the batch, a run at a time; those that cannot be are not saved */
static void protect(struct marvin *heap, struct batch *batch)
{
	uint32_t i = 0, from;

	while (i < batch->n) {
		for (from = i++; i < batch->n && batch->pages[i] == batch->pages[i - 1] + 1; i++)
			;
		if (!heap->road.ops->protect(&heap->road, heap_at(heap, batch->pages[from]),
					     (i - from) * heap->page_bytes))
			continue;
		for (; from < i; from++)
			page_unsaved(&heap->pages[batch->pages[from]]);
	}
}

/* choose() - the next pages to save. Returns where to go on */
static uint32_t choose(struct marvin *heap, struct batch *batch, uint32_t nr, bool all)
{
	uint32_t first = nr, most = (uint32_t)(save_bytes(heap) / heap->page_bytes), end;
	int state;

	batch->n = 0;
	end = heap->high < nr + most ? heap->high : nr + most;
	if (!sweep(heap, nr, end, all))
		return end;
	look(heap, batch, nr, end - nr);
	state = heap_lock(heap);
	for (; nr < end; nr++) {
		if (!is_wanted(heap, nr, all) || !batch->there[nr - first])
			continue;
		page_saving(&heap->pages[nr]);
		batch->pages[batch->n++] = nr;
	}
	protect(heap, batch);
	heap_unlock(heap, state);
	return nr;
}

/* is_zero() - all of a page, which is long enough for the shift */
static bool is_zero(const uint8_t *at, size_t bytes)
{
	return !at[0] && !memcmp(at, at + 1, bytes - 1);
}

/*
 * copy_page() - by the kernel: if the page cannot be had this is an error, and no SIGBUS. Where
 * that call is forbidden the thread does it itself
 */
static bool copy_page(struct marvin *heap, uint8_t *to, uint32_t page)
{
	struct iovec local = { to, heap->page_bytes };
	struct iovec remote = { heap_at(heap, page), heap->page_bytes };

	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)heap->page_bytes)
		return true;
	if (errno != EPERM && errno != ENOSYS)
		return false;
	memcpy(to, heap_at(heap, page), heap->page_bytes);
	return true;
}

/* copy() - the pages as they are; and find those that need not be written */
static void copy(struct marvin *heap, struct batch *batch)
{
	bool zero[BATCH];
	uint32_t i;
	int state;

	for (i = 0; i < batch->n; i++) {
		batch->wanted[i] = copy_page(heap, bounce(heap, i), batch->pages[i]);
		batch->sums[i] = sum_of(bounce(heap, i), heap->page_bytes);
		zero[i] = is_zero(bounce(heap, i), heap->page_bytes);
	}
	state = heap_lock(heap);
	for (i = 0; i < batch->n; i++) {
		struct page *page = &heap->pages[batch->pages[i]];

		if (!batch->wanted[i])
			page_unsaved(page);
		batch->wanted[i] = !page_is_unchanged(page, batch->sums[i], zero[i],
						      heap->stores.top);
		if (zero[i])
			heap_count(heap, COUNT_ZEROES, 1);
	}
	heap_unlock(heap, state);
}

/* finish() - a run that was written */
static void finish(struct marvin *heap, struct batch *batch, uint32_t from, uint32_t end, int err)
{
	int state = heap_lock(heap);
	uint32_t i;

	for (i = from; i < end; i++) {
		struct page *page = &heap->pages[batch->pages[i]];

		if (err)
			page_unsaved(page);
		else if (page_saved(page, batch->sums[i], heap->stores.top))
			heap_count(heap, COUNT_WRITTEN, heap->page_bytes);
	}
	heap_unlock(heap, state);
	if (err)
		heap_count(heap, err == -ENOSPC ? COUNT_FULL : COUNT_STORE_ERRORS, 1);
	batch->err = batch->err ? batch->err : err;
}

/* write_runs() - pages side by side are written at once */
static void write_runs(struct marvin *heap, struct batch *batch)
{
	struct store *store = &heap->stores.layers[heap->stores.top];
	uint32_t i = 0, from;

	batch->err = 0;
	while (i < batch->n) {
		uint64_t at = batch->pages[i] * (uint64_t)heap->page_bytes;
		int err = batch->err;

		if (!batch->wanted[i]) {
			i++;
			continue;
		}
		from = i++;
		while (i < batch->n && batch->wanted[i] &&
		       batch->pages[i] == batch->pages[i - 1] + 1)
			i++;
		/* A store that fails is not asked for each of them: it may take long to. */
		if (!err)
			err = store_write(store, at, bounce(heap, from),
					  (i - from) * heap->page_bytes);
		finish(heap, batch, from, i, err);
	}
}

static void tell(struct marvin *heap, int err)
{
	if (!err || err == -EAGAIN || !heap_is_due(heap, err == -ENOSPC ? SAID_FULL : SAID_UNSAVED))
		return;
	if (err == -ENOSPC)
		heap_say(heap, "the store is full: what does not fit stays in memory");
	else
		heap_say(heap, "the store: %s: what could not be saved stays in memory",
			 strerror(-err));
}

/*
 * save() - up to all pages, from where the last one ended, so that a failing page does not block
 * others
 */
static int save(struct marvin *heap, uint64_t until_ms, bool all)
{
	uint32_t nr = heap->worker.next < heap->high ? heap->worker.next : 0, seen = 0;
	struct batch batch;
	int err = 0;

	while (!err && seen < heap->high && !atomic_load(&heap->worker.end) &&
	       heap_now_ms() < until_ms) {
		uint32_t next = choose(heap, &batch, nr, all);

		copy(heap, &batch);
		write_runs(heap, &batch);
		err = batch.err;
		seen += next - nr;
		nr = next < heap->high ? next : 0;
	}
	heap->worker.next = nr;
	if (!err && seen < heap->high)
		err = -EAGAIN;
	madvise(heap->worker.bounce, save_bytes(heap), MADV_DONTNEED);
	tell(heap, err);
	return err;
}

/* may_go() - now, or when the kernel likes */
static bool may_go(const struct marvin *heap, const struct page *page, bool all, bool now)
{
	if (now && page_wants_drop(page))
		return true;
	return page_wants_give(page) && (now || page_may_go(page)) &&
	       (all || is_old(heap, page, PAGE_TICKS));
}

/* give_run() - the next pages that may go, together; returns where to go on */
static uint32_t give_run(struct marvin *heap, uint32_t nr, bool all, bool now, uint64_t *bytes)
{
	uint32_t end = heap->high < nr + LOOK ? heap->high : nr + LOOK, from;
	struct page *page;

	while (nr < end && !may_go(heap, &heap->pages[nr], all, now))
		nr++;
	for (from = nr; nr < end && nr < from + BATCH; nr++)
		if (!may_go(heap, &heap->pages[nr], all, now))
			break;
	if (nr == from ||
	    heap->road.ops->give(&heap->road, heap_at(heap, from), (nr - from) * heap->page_bytes,
				 now))
		return nr;
	for (; from < nr; from++) {
		page = &heap->pages[from];
		page->flags |= PAGE_GIVEN | (now ? PAGE_OUT : 0);
		*bytes += heap->page_bytes;
	}
	return nr;
}

/* give() - all that may go; @now: and is taken by this thread, up to so many bytes */
static uint64_t give(struct marvin *heap, bool all, bool now, uint64_t most)
{
	uint64_t bytes = 0;
	uint32_t nr = 0;
	int state;

	while (nr < heap->high && bytes < most) {
		state = heap_lock(heap);
		nr = give_run(heap, nr, all, now, &bytes);
		heap_unlock(heap, state);
	}
	heap_count(heap, now ? COUNT_DROPPED : COUNT_GAVE, bytes);
	return bytes;
}

static bool is_stale(const struct marvin *heap, uint32_t page)
{
	return (heap->pages[page].flags & (PAGE_STALE | PAGE_SHARED)) == PAGE_STALE;
}

/* forget() - punch places that are not needed, a run at a time */
static void forget(struct marvin *heap)
{
	struct store *store = &heap->stores.layers[heap->stores.top];
	uint32_t nr = 0, from, end;
	int state;

	while (nr < heap->high) {
		state = heap_lock(heap);
		end = heap->high < nr + LOOK ? heap->high : nr + LOOK;
		while (nr < end && !is_stale(heap, nr))
			nr++;
		for (from = nr; nr < end && is_stale(heap, nr); nr++)
			heap->pages[nr].flags &= (uint16_t)~PAGE_STALE;
		heap_unlock(heap, state);
		if (nr > from)
			store_forget(store, from * (uint64_t)heap->page_bytes,
				     (nr - from) * (uint64_t)heap->page_bytes);
	}
}

static void age(struct marvin *heap)
{
	uint32_t nr = 0, end;
	int state;

	while (nr < heap->high) {
		state = heap_lock(heap);
		for (end = nr + LOOK; nr < end && nr < heap->high; nr++)
			page_older(&heap->pages[nr]);
		heap_unlock(heap, state);
	}
}

/**
 * save_tick() - pages grow older; those that are not written are saved, those not used given
 * @heap: the heap, whose tick the caller has
 * @until_ms: nothing more is saved after that
 * @all: not only the old ones, and their memory is taken at once
 *
 * Context: sleeps for I/O.
 *
 * Return: 0; -EAGAIN: not all pages were looked at; -EROFS: nothing can be saved; -EBADF: the
 * program has closed the store; or an error of the store, which was said.
 */
int save_tick(struct marvin *heap, uint64_t until_ms, bool all)
{
	int err;

	/* The thread that put the first pages in place may not have counted them yet. */
	heap_unlock(heap, heap_lock(heap));
	pthread_mutex_lock(&heap->places_lock);
	heap_trim(heap);
	pthread_mutex_unlock(&heap->places_lock);
	age(heap);
	if (!heap->stores.saves) {
		heap_count(heap, COUNT_TICKS, 1);
		return -EROFS;
	}
	if (!store_is_there(&heap->stores.layers[heap->stores.top]))
		return -EBADF;
	err = save(heap, until_ms, all);
	if (all || heap->road.ops->lazy)
		give(heap, all, all, UINT64_MAX);
	forget(heap);
	/* Count last, so that a reader of the count sees the tick's work. */
	heap_count(heap, COUNT_TICKS, 1);
	return err;
}

/**
 * save_drop() - take memory that is saved, and was not used for long
 * @heap: the heap
 * @bytes: about as many
 *
 * Context: does no I/O.
 *
 * Return: bytes that were given up. The kernel may have had some of them already.
 */
uint64_t save_drop(struct marvin *heap, uint64_t bytes)
{
	return give(heap, false, true, bytes);
}
