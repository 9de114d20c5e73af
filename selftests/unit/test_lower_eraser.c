// SPDX-License-Identifier: GPL-2.0
/*
 * Erases with a limited wait, with two threads: the result of an erase belongs to that erase,
 * whenever the one before it ends.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "lower_eraser.h"
#include "harness.h"

#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/workqueue.h>

#define BLOCK_BYTES	512U

bool shim_patience = true;

/* State of the two threads; each waits for the other by it. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	u32 sleeps;		/* number of sleeps of the caller that waits for its erase */
	u32 returns;		/* erases reported as done or given up */
	bool may_erase;
	bool late;		/* hold the eraser's thread before it wakes waiters */
	u64 erased;		/* a bit for each block */
	int err;		/* error of the next erases */
} stage = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static void set_stage(void)
{
	stage.sleeps = 0;
	stage.returns = 0;
	stage.may_erase = true;
	stage.late = false;
	stage.erased = 0;
	stage.err = 0;
	shim_patience = true;
}

#define change(what) do {				\
	pthread_mutex_lock(&stage.lock);		\
	what;						\
	pthread_cond_broadcast(&stage.changed);		\
	pthread_mutex_unlock(&stage.lock);		\
} while (0)

#define await(condition) do {				\
	pthread_mutex_lock(&stage.lock);		\
	while (!(condition))				\
		pthread_cond_wait(&stage.changed, &stage.lock); \
	pthread_mutex_unlock(&stage.lock);		\
} while (0)

void shim_sleep(void)
{
	change(stage.sleeps++);
}

void shim_wake(void)
{
	await(!stage.late || stage.sleeps);
}

/* Nothing is refused here. */
void *kvzalloc(size_t bytes, int flags)
{
	(void)flags;
	return calloc(1, bytes);
}

void kvfree(const void *memory)
{
	free((void *)memory);
}

/* A workqueue with a thread of its own, for one work. */
struct workqueue_struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct work_struct *next;
	bool ends;
};

static void *worker(void *data)
{
	struct workqueue_struct *wq = data;

	pthread_mutex_lock(&wq->lock);
	while (wq->next || !wq->ends) {
		struct work_struct *work = wq->next;

		if (!work) {
			pthread_cond_wait(&wq->changed, &wq->lock);
			continue;
		}
		wq->next = NULL;
		pthread_mutex_unlock(&wq->lock);
		work->func(work);
		pthread_mutex_lock(&wq->lock);
	}
	pthread_mutex_unlock(&wq->lock);
	return NULL;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active, ...)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));

	(void)name;
	(void)flags;
	(void)max_active;
	if (!wq)
		return NULL;
	pthread_mutex_init(&wq->lock, NULL);
	pthread_cond_init(&wq->changed, NULL);
	if (pthread_create(&wq->thread, NULL, worker, wq)) {
		free(wq);
		return NULL;
	}
	return wq;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	bool queued;

	pthread_mutex_lock(&wq->lock);
	queued = !wq->next;
	wq->next = work;
	pthread_cond_broadcast(&wq->changed);
	pthread_mutex_unlock(&wq->lock);
	return queued;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	pthread_mutex_lock(&wq->lock);
	wq->ends = true;
	pthread_cond_broadcast(&wq->changed);
	pthread_mutex_unlock(&wq->lock);
	pthread_join(wq->thread, NULL);
	free(wq);
}

static int erase(struct mtd_info *mtd, u64 offset, u32 bytes)
{
	int err;

	(void)mtd;
	await(stage.may_erase);
	/*
	 * The erase before has ended: its waiter has slept and seen that, or wrongly took it for
	 * its own.
	 */
	await(!stage.late || !stage.sleeps || stage.sleeps >= 2 || stage.returns >= 2);
	pthread_mutex_lock(&stage.lock);
	err = stage.err;
	if (!err)
		stage.erased |= 1ULL << offset / bytes;
	pthread_mutex_unlock(&stage.lock);
	return err;
}

static int erase_block(struct mtdc_eraser *eraser, u32 block)
{
	int err = mtdc_eraser_erase(eraser, NULL, (u64)block * BLOCK_BYTES, BLOCK_BYTES);

	change(stage.returns++);
	return err;
}

static bool is_at(struct mtdc_eraser *eraser, u32 block)
{
	return mtdc_eraser_is_at(eraser, (u64)block * BLOCK_BYTES, BLOCK_BYTES);
}

static void wait_for_end(struct mtdc_eraser *eraser, u32 block)
{
	while (is_at(eraser, block))
		sched_yield();
}

/* Ask for an erase that takes too long; it continues when stage.may_erase is set. */
static void give_up(struct mtdc_eraser *eraser, u32 block)
{
	change(stage.may_erase = false);
	shim_patience = false;
	expect_eq(erase_block(eraser, block), -EBUSY);
	shim_patience = true;
}

static struct mtdc_eraser *create(void)
{
	set_stage();
	return mtdc_eraser_create(erase);
}

static void test_erase(void)
{
	struct mtdc_eraser *eraser = create();

	expect_eq(erase_block(eraser, 3), 0);
	expect_eq(stage.erased, 1 << 3);
	change(stage.err = -EIO);
	expect_eq(erase_block(eraser, 4), -EIO);
	expect_eq(stage.erased, 1 << 3);
	change(stage.err = 0);
	expect_eq(erase_block(eraser, 5), 0);
	expect_eq(stage.erased, 1 << 3 | 1 << 5);
	mtdc_eraser_destroy(eraser);
}

/* The erase continues in its own block, and no other one begins meanwhile. */
static void test_given_up(void)
{
	struct mtdc_eraser *eraser = create();

	give_up(eraser, 3);
	expect(is_at(eraser, 3));
	expect(!is_at(eraser, 2) && !is_at(eraser, 4));
	expect_eq(erase_block(eraser, 3), -EBUSY);
	expect_eq(erase_block(eraser, 5), -EBUSY);
	change(stage.may_erase = true);
	wait_for_end(eraser, 3);
	expect_eq(stage.erased, 1 << 3);
	expect_eq(erase_block(eraser, 5), 0);
	expect_eq(stage.erased, 1 << 3 | 1 << 5);
	mtdc_eraser_destroy(eraser);
}

/*
 * An erase that was given up has ended, but has not woken its waiter yet when the next one starts.
 * Its late wake-up must not count for the new erase.
 */
static void test_end_of_another(void)
{
	struct mtdc_eraser *eraser = create();

	give_up(eraser, 3);
	change(stage.late = true; stage.may_erase = true);
	wait_for_end(eraser, 3);
	expect_eq(stage.erased, 1 << 3);
	change(stage.err = -EIO);
	expect_eq(erase_block(eraser, 4), -EIO);
	mtdc_eraser_destroy(eraser);
	expect_eq(stage.erased, 1 << 3);
}

/* Destroying the eraser waits for an erase that was given up. */
static void test_destroy(void)
{
	struct mtdc_eraser *eraser = create();

	give_up(eraser, 3);
	change(stage.may_erase = true);
	mtdc_eraser_destroy(eraser);
	expect_eq(stage.erased, 1 << 3);
}

static const struct tap_case cases[] = {
	{ "erases, and what comes of them", test_erase },
	{ "an erase that is given up goes on", test_given_up },
	{ "an eraser is destroyed after its last erase", test_destroy },
	{ "the end of another one is not that of one's own", test_end_of_another },
};

int main(int argc, char **argv)
{
	return tap_main("eraser", cases, ARRAY_SIZE(cases), argc, argv);
}
