/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A heap and its parts. The order of locks: all_heaps' (fork.c), tick, places_lock, lock.
 */
#ifndef MARVIN_HEAP_H
#define MARVIN_HEAP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include "bell.h"
#include "brake.h"
#include "marvin.h"
#include "page.h"
#include "places.h"
#include "register.h"
#include "road.h"
#include "store.h"
#include "window.h"

/* A child's child's child has no store of its own, if the parents' are still in use. */
#define HEAP_LAYERS 4U

/* Each of these is said at most once a minute. */
enum said { SAID_FULL, SAID_UNSAVED, SAID_LOST, SAID_WAITING, SAID_SPACE, SAID_FORK, SAID_N };

enum count {
	COUNT_TICKS, COUNT_WRITTEN, COUNT_ZEROES, COUNT_GAVE, COUNT_DROPPED, COUNT_LOADS,
	COUNT_LOADED, COUNT_WRITE_TRAPS, COUNT_LOST, COUNT_STORE_ERRORS, COUNT_FULL, COUNT_N
};

/* Children hold the write end of a pipe as long as they may read the store. */
struct family {
	int children;			/* the read end; -1: no pipe */
	uint64_t ino;			/* of the pipe: the number may be another file by now */
	bool shared;			/* there are pages that are SHARED */
	bool unseen;			/* a child has no write end: pages stay SHARED */
	int parents[HEAP_LAYERS];	/* the write ends of the parents' pipes; -1: none */
};

/* The stores of the grandparent, of the parent, and so on; the heap's own is on top. */
struct stores {
	struct store layers[HEAP_LAYERS];
	uint8_t top;
	bool saves;			/* this process may write to the top one */
	char *directory;		/* where a child makes its own; NULL: it has none */
	struct family family;
};

/* The thread that saves. */
struct worker {
	pthread_mutex_t tick;		/* one tick at a time; saver's own */
	pthread_t thread;
	bool runs;
	sem_t ready;			/* it has its descriptors */
	struct bell wake;
	_Atomic pid_t keeper;		/* the thread, if it has descriptors for itself; else 0 */
	_Atomic bool end;
	_Atomic bool background;
	_Atomic bool hurry;		/* save and take all memory now */
	uint32_t next;			/* the page that it goes on with */
	uint8_t *bounce;
	uint64_t pending;		/* marvind's request that is not done yet; 0: none */
	uint64_t told;			/* ticks when marvind was told last */
	struct registration registration;
};

/* A handler of a signal may use objects, and fault, so the owner takes no signals. */
struct lock {
	pthread_mutex_t mutex;
	sigset_t signals;		/* the mask of its owner, without it */
};

struct marvin {
	struct marvin *next;		/* of all heaps */
	uint8_t *space;
	size_t mapped;			/* bytes; the road may use fewer */
	size_t page_bytes;		/* of the road: a multiple of the machine's */
	uint32_t pages_n;
	struct lock lock;		/* pages, windows, stores but their contents */
	struct page *pages;
	_Atomic uint32_t high;		/* pages from here on were never used */
	struct window loads, writes, zeroes;
	uint64_t least_ns;		/* the quickest read of the store, lately */
	struct road road;
	struct stores stores;
	pthread_mutex_t places_lock;	/* places */
	struct places places;
	void *places_memory;
	bool dirty;			/* freed memory could not be discarded: clear new objects */
	struct worker worker;
	struct brake brake;
	_Atomic uint64_t counts[COUNT_N];
	_Atomic uint32_t silent_s[SAID_N];	/* not said again before then */
	struct marvin_options options;
};

void heap_say(struct marvin *heap, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool heap_is_due(struct marvin *heap, enum said what);
void heap_use(struct marvin *heap, uint32_t page, uint32_t pages);
void heap_discard(struct marvin *heap, uint32_t page, uint32_t pages);
bool heap_trim(struct marvin *heap);

static inline void heap_count(struct marvin *heap, enum count count, uint64_t n)
{
	atomic_fetch_add_explicit(&heap->counts[count], n, memory_order_relaxed);
}

/* heap_at() - where a page is */
static inline uint8_t *heap_at(const struct marvin *heap, uint32_t page)
{
	return heap->space + page * heap->page_bytes;
}

static inline uint64_t heap_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* heap_lock() - of the pages; no cancellation meanwhile. Returns the argument for heap_unlock() */
static inline int heap_lock(struct marvin *heap)
{
	sigset_t every, before;
	int state;

	sigfillset(&every);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	pthread_mutex_lock(&heap->lock.mutex);
	heap->lock.signals = before;
	return state;
}

/*
 * heap_release() - without the lock, but still without signals and cancellation, until
 * heap_resume()
 */
static inline sigset_t heap_release(struct marvin *heap)
{
	sigset_t before = heap->lock.signals;

	pthread_mutex_unlock(&heap->lock.mutex);
	return before;
}

static inline void heap_resume(const sigset_t *before, int state)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
	pthread_setcancelstate(state, NULL);
}

static inline void heap_unlock(struct marvin *heap, int state)
{
	sigset_t before = heap_release(heap);

	heap_resume(&before, state);
}

#endif
