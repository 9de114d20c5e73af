// SPDX-License-Identifier: GPL-2.0

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "brake.h"
#include "heap.h"
#include "shortage.h"

#define heap marvin_heap

/* More bytes of objects between two looks at the memory. A look takes about 15 us. */
#define STEP (1U << 20)
#define NAP_NS 20000000L

/*
 * After this time the thread goes on, as there may be nothing to save. With a second, five of 24
 * apps on NAND were killed; with five, none (run.sh apps.bookworm.nand).
 */
unsigned int brake_limit_ms = 5000;

static _Atomic size_t made;
/* progress() when a wait was in vain; odd: none was */
static _Atomic uint32_t in_vain = 1;

/* progress() - changes when the saver has saved something, or given it to the kernel; even */
static uint32_t progress(void)
{
	return (uint32_t)(atomic_load_explicit(&heap.table->counts[COUNT_SAVED],
					       memory_order_relaxed) +
			  atomic_load_explicit(&heap.table->counts[COUNT_LAZY],
					       memory_order_relaxed)) << 1;
}

static void wait_for_memory(void)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t until_ns = heap_now_ns() + brake_limit_ms * 1000000ULL;
	uint32_t before = progress();

	if (atomic_load(&in_vain) == before)
		return;
	while (shortage() == SHORTAGE_DIRE) {
		if (heap_now_ns() >= until_ns) {
			if (progress() == before)
				atomic_store(&in_vain, before);
			break;
		}
		if (heap_is_due(SAID_WAITING))
			heap_say("memory is short: new objects wait until others are saved");
		nanosleep(&nap, NULL);
	}
}

/**
 * brake() - before a new object
 * @bytes: of it
 *
 * It does nothing if the caller is inside, if the heap has no saver's thread, or if the last wait was
 * in vain and the saver has done nothing since: the store is full, or all objects are in use.
 *
 * Context: not with the lock; sleeps for up to brake_limit_ms for each mebibyte.
 */
void brake(size_t bytes)
{
	int state;

	if (marvin_thread.inside || heap.forked || heap.options.no_thread || heap.store.fd < 0)
		return;
	if (atomic_fetch_add(&made, bytes) + bytes < STEP)
		return;
	atomic_store(&made, 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	wait_for_memory();
	pthread_setcancelstate(state, NULL);
}

/**
 * brake_less() - an object that was in memory is freed
 * @bytes: of it
 *
 * Context: any.
 */
void brake_less(size_t bytes)
{
	size_t old = atomic_load(&made);

	while (!atomic_compare_exchange_weak(&made, &old, old > bytes ? old - bytes : 0))
		;
}
