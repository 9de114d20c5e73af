/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of the process. The order of locks: the gate (gate.h), then the heap's.
 *
 * An entry's word is changed by its users while they are inside and have the lock, by the saver
 * while the gate is shut or it has the lock, and by the reclaimer, another process, in the atomic
 * steps of entry.h; so each change is an atomic step.
 */
#ifndef MARVIN_HEAP_H
#define MARVIN_HEAP_H

#include <pthread.h>
#include <time.h>
#include "entry.h"
#include "marvin.h"
#include "slots.h"
#include "store.h"

/* Each of these is said at most once a minute. */
enum said { SAID_FULL, SAID_UNSAVED, SAID_UNREADABLE, SAID_WAITING, SAID_N };

struct heap {
	pthread_mutex_t lock;		/* slots, stale, free entries; claims */
	struct marvin_table *table;	/* NULL: not open */
	struct marvin_entry *entries;	/* behind it */
	struct marvin_stub **stubs;	/* of the entries; NULL where there is none any more */
	size_t table_bytes;
	int table_fd;
	uint32_t *spare;		/* entries that are free: a stack */
	uint32_t spares;
	_Atomic uint32_t high;		/* entries from that one on were never used */
	uint8_t *space;
	size_t page;			/* bytes */
	struct slots slots;
	struct slots stale;		/* of the store: what is there is not needed */
	struct store store;
	bool forked;			/* the store is the parent's: read it, and no more */
	bool told;			/* that there is no room */
	_Atomic uint32_t silent_s[SAID_N];	/* it is not said before then */
	struct marvin_options options;
};

extern struct heap marvin_heap;
/* So long a user waits for a reclaimer that has an object's lock. */
extern unsigned int heap_patience_ms;

void heap_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool heap_is_due(enum said what);
void heap_count(enum count count, int64_t n);
void heap_release(uint32_t nr);
int heap_bring_back(uint32_t nr);
bool heap_has_reclaimer(uint32_t pid);
uint64_t heap_hash(const void *data, size_t bytes);

/* heap_data() - where an object is */
static inline uint8_t *heap_data(uint32_t nr)
{
	return marvin_heap.space + marvin_heap.entries[nr].page * marvin_heap.page;
}

/* heap_bytes() - its pages */
static inline size_t heap_bytes(uint32_t nr)
{
	return marvin_heap.entries[nr].pages * marvin_heap.page;
}

/* heap_slow() - the next use of an object is seen: the gate is shut, or nobody else knows it */
static inline void heap_slow(uint32_t nr, bool reads)
{
	struct marvin_stub *stub = marvin_heap.stubs[nr];

	if (!stub)
		return;
	__atomic_store_n(&stub->writing, NULL, __ATOMIC_RELAXED);
	if (reads)
		__atomic_store_n(&stub->reading, NULL, __ATOMIC_RELAXED);
}

/* heap_now_ns() - of a clock that nobody sets. A nap may take far longer than it should */
static inline uint64_t heap_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* heap_lock() - nobody is cancelled who has it. Returns what heap_unlock() wants */
static inline int heap_lock(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&marvin_heap.lock);
	return state;
}

static inline void heap_unlock(int state)
{
	pthread_mutex_unlock(&marvin_heap.lock);
	pthread_setcancelstate(state, NULL);
}

static inline uint32_t heap_word(uint32_t nr)
{
	return atomic_load_explicit(&marvin_heap.entries[nr].word, memory_order_acquire);
}

#endif
