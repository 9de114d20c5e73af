// SPDX-License-Identifier: GPL-2.0

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "brake.h"
#include "heap.h"
#include "shortage.h"

#define heap marvin_heap

/* New objects between two looks at the memory, bytes: a look takes about 15 us. */
#define STEP (1U << 20)
#define NAP_NS 20000000L

static _Atomic size_t made;

/*
 * Then it goes on in any case: the savers may have nothing to save. With a second, five of 24 apps on
 * NAND were killed; with five, none (run.sh apps.bookworm.nand).
 */
unsigned int brake_limit_ms = 5000;

static void wait_for_memory(void)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t since_ns = heap_now_ns();

	while (shortage() == SHORTAGE_DIRE && heap_now_ns() - since_ns < brake_limit_ms * 1000000ULL) {
		if (heap_is_due(SAID_WAITING))
			heap_say("memory is short: new objects wait until others are saved");
		nanosleep(&nap, NULL);
	}
}

/**
 * brake() - before a new object
 * @bytes: of it
 *
 * Context: not with the lock. Inside, and without a saver of its own, it does nothing; else it may
 * sleep for brake_limit_ms for each mebibyte.
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
