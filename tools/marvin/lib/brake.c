// SPDX-License-Identifier: GPL-2.0

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "brake.h"
#include "heap.h"
#include "shortage.h"

#define heap marvin_heap

/*
 * So many more bytes of objects are between two looks at the memory, which take about 15 us each.
 * While memory is short they are fewer: many programs may make objects at once.
 */
#define STEP (1U << 20)
#define STEP_SHORT (128U << 10)
#define NAP_MS 20

/*
 * After this time for each STEP the thread goes on, as there may be nothing to save. With a second,
 * two of 21 apps on NAND were killed; with five, none of 24 (run.sh apps.bookworm.nand).
 */
unsigned int brake_limit_ms = 5000;

static _Atomic size_t made;
static _Atomic uint32_t step = STEP;
/* What the saver has done, and how long was waited since. */
static _Atomic uint32_t last_done, vain_ms;

/* is_vain() - has the saver saved nothing, nor given to the kernel, however long was waited? */
static bool is_vain(void)
{
	uint32_t done = (uint32_t)(atomic_load(&heap.table->counts[COUNT_SAVED]) +
				   atomic_load(&heap.table->counts[COUNT_LAZY]));

	if (atomic_exchange(&last_done, done) != done)
		atomic_store(&vain_ms, 0);
	return atomic_load(&vain_ms) >= brake_limit_ms;
}

/* wait_for_memory() - for @bytes of objects; returns how short it is then */
static enum shortage wait_for_memory(size_t bytes)
{
	const struct timespec nap = { 0, NAP_MS * 1000000L };
	uint64_t since_ns = heap_now_ns(), now_ns = since_ns;
	uint64_t limit_ns = brake_limit_ms * 1000000ULL * bytes / STEP;
	enum shortage how;

	while ((how = shortage()) == SHORTAGE_DIRE && now_ns - since_ns < limit_ns && !is_vain()) {
		if (heap_is_due(SAID_WAITING))
			heap_say("memory is short: new objects wait until others are saved");
		nanosleep(&nap, NULL);
		atomic_fetch_add(&vain_ms, (uint32_t)((heap_now_ns() - now_ns) / 1000000));
		now_ns = heap_now_ns();
	}
	return how;
}

/**
 * brake() - before a new object
 * @bytes: of its pages
 *
 * It does nothing if the caller is inside, or if the heap has no saver's thread. It does not wait
 * if that was in vain for brake_limit_ms: the store is full, or all objects are in use.
 *
 * Context: not with the lock; sleeps for up to brake_limit_ms for each mebibyte.
 */
void brake(size_t bytes)
{
	enum shortage how;
	size_t sum;
	int state;

	if (marvin_thread.inside || heap.forked || heap.options.no_thread || heap.store.fd < 0)
		return;
	sum = atomic_fetch_add(&made, bytes) + bytes;
	if (sum < atomic_load(&step))
		return;
	atomic_store(&made, 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	how = wait_for_memory(sum);
	atomic_store(&step, how == SHORTAGE_NONE ? STEP : STEP_SHORT);
	pthread_setcancelstate(state, NULL);
}

/**
 * brake_less() - an object that was in memory is freed
 * @bytes: of its pages
 *
 * Context: any.
 */
void brake_less(size_t bytes)
{
	size_t old = atomic_load(&made);

	while (!atomic_compare_exchange_weak(&made, &old, old > bytes ? old - bytes : 0))
		;
}
