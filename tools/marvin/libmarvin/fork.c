// SPDX-License-Identifier: GPL-2.0
/*
 * A child has all memory of the parent, and reads missing pages from the parent's store. So the
 * parent does not change places that a child may read: their pages are SHARED until the last child
 * has closed the write end of a pipe. The child saves to a store of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fork.h"
#include "shortage.h"
#include "worker.h"

static struct marvin *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of the list */
/*
 * During a fork, of the heap at the same place in the list: the write end for the child; and its
 * stores, if the program has closed their descriptors, else -1.
 */
#define HEAPS 16
static int ends[HEAPS], again[HEAPS][HEAP_LAYERS];
/* The program has closed descriptors of the library: their numbers may be its own files' by now. */
static bool closed[HEAPS];
/* The mask of the thread that forks: a handler of a signal would wait for the heaps' locks. */
static sigset_t signals;

/**
 * fork_begin() - of a heap whose stores are open; its threads are not there yet
 * @heap: the heap
 */
void fork_begin(struct marvin *heap)
{
	struct stores *stores = &heap->stores;
	struct family *family = &stores->family;
	unsigned int i, n = 0;
	struct stat st;
	int fds[2];

	family->children = -1;
	if (stores->layers[0].fd >= 0 && !pipe2(fds, O_CLOEXEC)) {
		close(fds[1]);
		family->children = store_above_stdio(fds[0]);
	}
	if (family->children >= 0 && !fstat(family->children, &st))
		family->ino = st.st_ino;
	for (i = 0; i < HEAP_LAYERS; i++) {
		heap->road.keep[n++] = stores->layers[i].fd;
		heap->road.keep[n++] = family->parents[i];
	}
	heap->road.keep[n] = family->children;
}

/* open_end() - a write end for a child; -1: it will not be seen to end */
static int open_end(struct family *family)
{
	char path[32];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", family->children);
	fd = store_above_stdio(open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK));
	if (fd < 0 || (!fstat(fd, &st) && st.st_ino == family->ino && S_ISFIFO(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

/*
 * open_again() - stores that the program has closed; the child has no thread that keeps them.
 * Returns true if there are such
 */
static bool open_again(const struct marvin *heap, int *fds)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < HEAP_LAYERS; i++) {
		const struct store *store = &heap->stores.layers[i];

		fds[i] = -1;
		if (store->fd < 0 || store_is_there(store))
			continue;
		any = true;
		fds[i] = store_again(store, heap->road.keeper);
	}
	return any;
}

/**
 * fork_forget() - the program has closed the library's descriptors: their numbers may be its own
 * files'
 * @heap: the heap
 * @fds: the stores, in their places; -1: none
 *
 * Context: in a child, or when the heap is closed.
 */
void fork_forget(struct marvin *heap, const int *fds)
{
	struct stores *stores = &heap->stores;
	unsigned int i;

	for (i = 0; i < HEAP_LAYERS; i++) {
		if (stores->layers[i].fd >= 0 && !store_is_there(&stores->layers[i]))
			stores->layers[i].fd = fds[i];
		stores->family.parents[i] = -1;
	}
	stores->family.children = -1;
	heap->road.fd = -1;
	heap->road.bell = -1;
}

/**
 * fork_allow() - may a child have the memory of a heap?
 * @heap: the heap
 * @allow: during fork(), which runs the functions here
 *
 * A child that clone() makes would read zeroes where pages are missing; so it has no such memory.
 */
void fork_allow(struct marvin *heap, bool allow)
{
	if (heap->road.ops->road != MARVIN_ROAD_NONE)
		madvise(heap->space, heap->road.bytes, allow ? MADV_DOFORK : MADV_DONTFORK);
}

static void before(void)
{
	struct marvin *heap;
	sigset_t every;
	int i = 0;

	sigfillset(&every);
	pthread_mutex_lock(&lock);
	pthread_sigmask(SIG_SETMASK, &every, &signals);
	for (heap = all; heap; heap = heap->next, i++) {
		pthread_mutex_lock(&heap->places_lock);
		pthread_mutex_lock(&heap->lock.mutex);
		fork_allow(heap, true);
		ends[i] = -1;
		if (heap->road.ops->road != MARVIN_ROAD_NONE)
			ends[i] = open_end(&heap->stores.family);
		closed[i] = open_again(heap, again[i]);
	}
}

/* share() - the places that the child may read, and the memory that it has */
static void share(struct marvin *heap)
{
	const uint16_t mask = PAGE_COPY | PAGE_ZERO;
	uint32_t i;

	heap->stores.family.shared = true;
	for (i = 0; i < heap->high; i++) {
		struct page *page = &heap->pages[i];

		if (page->layer == heap->stores.top && (page->flags & mask) == PAGE_COPY)
			page->flags |= PAGE_SHARED;
		page_shared(page);
	}
}

static void in_parent(void)
{
	sigset_t mask = signals;
	struct marvin *heap;
	int i = 0, k;

	for (heap = all; heap; heap = heap->next, i++) {
		for (k = 0; k < (int)HEAP_LAYERS; k++)
			if (again[i][k] >= 0)
				close(again[i][k]);
		if (heap->road.ops->road != MARVIN_ROAD_NONE)
			share(heap);
		if (ends[i] >= 0)
			close(ends[i]);
		else
			heap->stores.family.unseen = true;
		fork_allow(heap, false);
		pthread_mutex_unlock(&heap->lock.mutex);
		pthread_mutex_unlock(&heap->places_lock);
	}
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* new_layer() - a store of its own for a child; without one nothing is saved */
static void new_layer(struct marvin *heap, int end)
{
	struct stores *stores = &heap->stores;
	const char *why;

	if (stores->family.children >= 0)
		close(stores->family.children);
	stores->family.shared = false;
	stores->family.unseen = false;
	stores->family.parents[stores->top] = end;
	stores->saves = false;
	if (stores->top + 1U >= HEAP_LAYERS || !stores->directory)
		return;
	if (!store_open(&stores->layers[stores->top + 1], stores->directory, &why)) {
		stores->top++;
		stores->saves = true;
	}
}

/* begin_again() - the child's memory; zeroes instead of missing bytes may never be seen */
static void begin_again(struct marvin *heap)
{
	const struct road_ops *ops = heap->road.ops;
	unsigned int i;
	int err;

	for (i = 0; i < heap->high; i++)
		page_forked(&heap->pages[i], ops->forks_protected);
	fork_begin(heap);
	err = ops->forked(&heap->road);
	fork_allow(heap, false);
	if (!err)
		return;
	heap->stores.saves = false;
	heap->road.gone = true;
	/* Keep its addresses from other mappings: marvin_close() unmaps them. */
	if (mmap(heap->space, heap->road.bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		abort();
	heap_say(heap, "a child of this process cannot use the heap: error %d", -err);
}

static void in_child(void)
{
	struct marvin *heap;
	int i = 0;

	for (heap = all; heap; heap = heap->next, i++) {
		heap->road.keeper = 0;
		if (closed[i])
			fork_forget(heap, again[i]);
		if (heap->road.ops->road != MARVIN_ROAD_NONE) {
			new_layer(heap, ends[i]);
			begin_again(heap);
		}
		pthread_mutex_unlock(&heap->lock.mutex);
		pthread_mutex_unlock(&heap->places_lock);
		worker_forked(heap);
	}
	shortage_forked();
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

/**
 * fork_add() - from now on forks take care of a heap
 * @heap: the heap
 *
 * Return: 0; -EMFILE: the process has too many; -ENOMEM.
 */
int fork_add(struct marvin *heap)
{
	static bool begun;
	struct marvin *one;
	int n = 0, err = 0;

	pthread_mutex_lock(&lock);
	if (!begun)
		err = -pthread_atfork(before, in_parent, in_child);
	begun = begun || !err;
	for (one = all; one; one = one->next)
		n++;
	if (n == HEAPS)
		err = -EMFILE;
	if (!err) {
		heap->next = all;
		all = heap;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

/**
 * fork_remove() - before the end of a heap
 * @heap: of fork_add()
 */
void fork_remove(struct marvin *heap)
{
	struct marvin **at;

	pthread_mutex_lock(&lock);
	for (at = &all; *at && *at != heap; at = &(*at)->next)
		;
	if (*at)
		*at = heap->next;
	pthread_mutex_unlock(&lock);
}

/**
 * fork_look() - use SHARED places and memory of KIN again when the last child has gone
 * @heap: the heap
 *
 * Context: from time to time, by one thread.
 */
void fork_look(struct marvin *heap)
{
	struct family *family = &heap->stores.family;
	struct pollfd end = { .fd = family->children, .events = POLLIN };
	/* A child's own parent may have its memory, too. */
	const uint16_t past = heap->stores.top ? PAGE_SHARED : PAGE_SHARED | PAGE_KIN;
	struct stat st;
	uint32_t i;
	int state;

	if (fstat(end.fd, &st) || st.st_ino != family->ino)
		return;
	state = heap_lock(heap);
	if (family->shared && !family->unseen && poll(&end, 1, 0) == 1 && end.revents & POLLHUP) {
		family->shared = false;
		for (i = 0; i < heap->high; i++)
			heap->pages[i].flags &= (uint16_t)~past;
	}
	heap_unlock(heap, state);
}
