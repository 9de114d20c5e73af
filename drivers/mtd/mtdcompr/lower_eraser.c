// SPDX-License-Identifier: GPL-2.0
/*
 * Erases that are waited for only so long.
 *
 * An MTD's erase may have to wait for somebody who waits for memory, and he for us, as
 * we are what gives memory back: UBI's thread allocates while it holds what an erase
 * needs, and reclaim, entered from there, waits for a request to our block device
 * (Documentation/log-store.rst, "On UBI"). So the erase is done by a worker, and whoever
 * wants it goes away after a time, with -EBUSY: his request fails, the kernel keeps the
 * page, the next request of the block device is served, and so everybody gets on.
 *
 * This file knows how long, and where an erase is still under way. What an erase is, it
 * does not know.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>

#include "lower_eraser.h"

/*
 * Longer than blocks of NOR take, even several; the kernel complains after 120 s. The caller
 * has the store's lock meanwhile, so that readers wait as long.
 */
#define PATIENCE	(10 * HZ)

/**
 * struct mtdc_eraser - who erases
 * @work: the erase
 * @queue: has a thread of its own, for when there is no memory for one
 * @done: who waits until it is done
 * @erase: (I) how to erase
 * @mtd: (B) what is erased
 * @offset: (B) where
 * @bytes: (B) how much
 * @err: (B) what has come of it
 * @busy: an erase is under way
 *
 * I: constant. B: the worker's while it is busy, and otherwise its owner's, who
 * serialises all calls.
 */
struct mtdc_eraser {
	struct work_struct work;
	struct workqueue_struct *queue;
	wait_queue_head_t done;
	int (*erase)(struct mtd_info *mtd, u64 offset, u32 bytes);
	struct mtd_info *mtd;
	u64 offset;
	u32 bytes;
	int err;
	bool busy;
};

static void do_erase(struct work_struct *work)
{
	struct mtdc_eraser *eraser = container_of(work, struct mtdc_eraser,
						  work);

	eraser->err = eraser->erase(eraser->mtd, eraser->offset, eraser->bytes);
	/* Pairs with is_busy(): who sees it idle may use what it has used. */
	smp_store_release(&eraser->busy, false);
	wake_up(&eraser->done);
}

static bool is_busy(const struct mtdc_eraser *eraser)
{
	/* Pairs with do_erase(). */
	return smp_load_acquire(&eraser->busy);
}

/**
 * mtdc_eraser_create() - make one
 * @erase: erases @bytes of @mtd at @offset, and returns 0 or a negative error
 *
 * Context: process, may sleep.
 * Return: the eraser, or NULL if there is no memory for it.
 */
struct mtdc_eraser *
mtdc_eraser_create(int (*erase)(struct mtd_info *mtd, u64 offset, u32 bytes))
{
	struct mtdc_eraser *eraser = kzalloc(sizeof(*eraser), GFP_KERNEL);

	if (!eraser)
		return NULL;
	eraser->queue = alloc_workqueue("mtdcompr_erase",
					WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	if (!eraser->queue) {
		kfree(eraser);
		return NULL;
	}
	INIT_WORK(&eraser->work, do_erase);
	init_waitqueue_head(&eraser->done);
	eraser->erase = erase;
	return eraser;
}

/**
 * mtdc_eraser_destroy() - take it away
 * @eraser: the eraser, or NULL
 *
 * Context: process, may sleep.
 */
void mtdc_eraser_destroy(struct mtdc_eraser *eraser)
{
	if (!eraser)
		return;
	destroy_workqueue(eraser->queue);
	kfree(eraser);
}

/**
 * mtdc_eraser_erase() - erase
 * @eraser: the eraser
 * @mtd: what; it stays until mtdc_eraser_wait() was called
 * @offset: where
 * @bytes: how much
 *
 * Context: process, may sleep; the caller serialises.
 * Return: 0 or an error of the erase; -EBUSY if it, or the one before, takes too
 * long: it goes on.
 */
int mtdc_eraser_erase(struct mtdc_eraser *eraser, struct mtd_info *mtd,
		      u64 offset, u32 bytes)
{
	if (is_busy(eraser))
		return -EBUSY;
	eraser->mtd = mtd;
	eraser->offset = offset;
	eraser->bytes = bytes;
	eraser->busy = true;
	queue_work(eraser->queue, &eraser->work);
	if (wait_event_timeout(eraser->done, !is_busy(eraser), PATIENCE))
		return eraser->err;
	pr_warn_ratelimited("the erase at %#llx takes too long, going on without\n",
			    offset);
	return -EBUSY;
}

/**
 * mtdc_eraser_is_at() - is an erase under way there?
 * @eraser: the eraser
 * @offset: where
 * @bytes: how much
 *
 * Context: any; the caller serialises.
 * Return: true if it is, in a part of that at least.
 */
bool mtdc_eraser_is_at(struct mtdc_eraser *eraser, u64 offset, u32 bytes)
{
	return is_busy(eraser) && offset < eraser->offset + eraser->bytes &&
		eraser->offset < offset + bytes;
}

/**
 * mtdc_eraser_wait() - wait until no erase is under way
 * @eraser: the eraser
 *
 * Context: process, may sleep; nobody asks for another one.
 */
void mtdc_eraser_wait(struct mtdc_eraser *eraser)
{
	flush_work(&eraser->work);
}
