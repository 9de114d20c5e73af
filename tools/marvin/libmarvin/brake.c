// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include "brake.h"
#include "shortage.h"

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
#define LIMIT_MS 5000

/**
 * brake_begin() - of a heap
 * @brake: filled in
 * @progress: what the saver counts up when it has saved or given something
 * @say: called with @arg before each nap of a thread; NULL: nothing is said
 * @arg: of @say
 */
void brake_begin(struct brake *brake, const _Atomic uint64_t *progress, void (*say)(void *arg),
		 void *arg)
{
	brake->progress = progress;
	brake->say = say;
	brake->arg = arg;
	brake->limit_ms = LIMIT_MS;
	atomic_init(&brake->made, 0);
	atomic_init(&brake->step, STEP);
	atomic_init(&brake->last, 0);
	atomic_init(&brake->vain_ms, 0);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* is_vain() - has the saver saved nothing, nor given to the kernel, however long was waited? */
static bool is_vain(struct brake *brake)
{
	uint64_t done = atomic_load(brake->progress);

	if (atomic_exchange(&brake->last, done) != done)
		atomic_store(&brake->vain_ms, 0);
	return atomic_load(&brake->vain_ms) >= brake->limit_ms;
}

/* wait_for_memory() - for @bytes of objects; returns how short it is then */
static enum shortage wait_for_memory(struct brake *brake, size_t bytes)
{
	const struct timespec nap = { 0, NAP_MS * 1000000L };
	uint64_t since = now_ms(), now = since, before;
	uint64_t limit = (uint64_t)brake->limit_ms * bytes / STEP;
	enum shortage how;

	while ((how = shortage()) == SHORTAGE_DIRE && now - since < limit && !is_vain(brake)) {
		if (brake->say)
			brake->say(brake->arg);
		nanosleep(&nap, NULL);
		before = now;
		now = now_ms();
		atomic_fetch_add(&brake->vain_ms, (uint32_t)(now - before));
	}
	return how;
}

/**
 * brake_made() - before new memory of objects is used
 * @brake: of brake_begin()
 * @bytes: of its pages
 *
 * It does not wait if that was in vain for limit_ms: the store is full, or all pages are in use.
 * For a heap without a saver's thread, do not call it: nothing would end the wait.
 *
 * Context: without locks; sleeps for up to limit_ms for each mebibyte. Keeps errno.
 */
void brake_made(struct brake *brake, size_t bytes)
{
	size_t sum = atomic_fetch_add_explicit(&brake->made, bytes, memory_order_relaxed) + bytes;
	int state, before = errno;
	enum shortage how;

	if (sum < atomic_load_explicit(&brake->step, memory_order_relaxed))
		return;
	atomic_store(&brake->made, 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	how = wait_for_memory(brake, sum);
	atomic_store(&brake->step, how == SHORTAGE_NONE ? STEP : STEP_SHORT);
	pthread_setcancelstate(state, NULL);
	errno = before;
}

/**
 * brake_freed() - memory of objects that was in use is unused
 * @brake: of brake_begin()
 * @bytes: of its pages
 *
 * Context: any.
 */
void brake_freed(struct brake *brake, size_t bytes)
{
	size_t old = atomic_load_explicit(&brake->made, memory_order_relaxed);

	while (!atomic_compare_exchange_weak(&brake->made, &old, old > bytes ? old - bytes : 0))
		;
}
