// SPDX-License-Identifier: GPL-2.0
/*
 * Erases with a time limit.
 *
 * An erase on UBI may deadlock. UBI's thread allocates memory while it holds a lock that the
 * erase needs; the allocation enters reclaim, and reclaim waits for a write to our device,
 * which waits for the erase (Documentation/explanation/ubi.rst). UBI has no erase that
 * gives up, so a worker erases, and the writer waits for it with a limit. After that the
 * writer fails with EBUSY, the kernel keeps the page, reclaim goes on, and UBI's thread
 * releases its lock. The worker finishes its erase then.
 *
 * This file owns the worker, and knows where it still erases. It must never drop an erase that
 * it has started, nor start a second one meanwhile. lower.c calls it, with the store's lock
 * held.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "lower_eraser.h"

/*
 * UBI without a free eraseblock erases one or two of the flash first, which takes up to
 * seconds each on NOR. The kernel reports a hung task after 120 s. Readers wait as long,
 * because the writer holds the store's lock.
 */
#define TIME_LIMIT	(10 * HZ)

/**
 * struct mtdc_eraser - a worker that erases
 * @work: the erase
 * @queue: has a thread of its own, for when the kernel has no memory for one
 * @idle: done while no erase is under way
 * @erase: (I) how to erase
 * @mtd: (B) the MTD
 * @offset: (B) offset in the MTD, in bytes
 * @bytes: (B) number of bytes
 * @err: (B) the result
 *
 * I: constant. B: the worker's until @idle is done, and then the caller's, who serialises
 * all calls.
 */
struct mtdc_eraser {
	struct work_struct work;
	struct workqueue_struct *queue;
	struct completion idle;
	int (*erase)(struct mtd_info *mtd, u64 offset, u32 bytes);
	struct mtd_info *mtd;
	u64 offset;
	u32 bytes;
	int err;
};

static void do_erase(struct work_struct *work)
{
	struct mtdc_eraser *eraser = container_of(work, struct mtdc_eraser, work);

	eraser->err = eraser->erase(eraser->mtd, eraser->offset, eraser->bytes);
	complete_all(&eraser->idle);
}

/**
 * mtdc_eraser_create() - create a worker
 * @erase: erases @bytes of @mtd at @offset, and returns 0 or a negative error
 *
 * Context: may sleep.
 * Return: the eraser, or NULL without memory.
 */
struct mtdc_eraser *
mtdc_eraser_create(int (*erase)(struct mtd_info *mtd, u64 offset, u32 bytes))
{
	struct mtdc_eraser *eraser = kzalloc(sizeof(*eraser), GFP_KERNEL);

	if (!eraser)
		return NULL;
	eraser->queue = alloc_workqueue("mtdcompr_erase", WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	if (!eraser->queue) {
		kfree(eraser);
		return NULL;
	}
	INIT_WORK(&eraser->work, do_erase);
	init_completion(&eraser->idle);
	complete_all(&eraser->idle);
	eraser->erase = erase;
	return eraser;
}

/**
 * mtdc_eraser_destroy() - wait until no erase is under way, and free the worker
 * @eraser: the eraser, or NULL
 *
 * Context: may sleep.
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
 * @mtd: the MTD; it must exist until mtdc_eraser_destroy() returns
 * @offset: offset in the MTD, in bytes
 * @bytes: number of bytes
 *
 * Context: may sleep; the caller serialises.
 * Return: 0 or the error of the erase; -EBUSY if it takes too long, and continues, or if an
 * earlier one still does.
 */
int mtdc_eraser_erase(struct mtdc_eraser *eraser, struct mtd_info *mtd, u64 offset, u32 bytes)
{
	if (!completion_done(&eraser->idle))
		return -EBUSY;
	reinit_completion(&eraser->idle);
	eraser->mtd = mtd;
	eraser->offset = offset;
	eraser->bytes = bytes;
	queue_work(eraser->queue, &eraser->work);
	if (wait_for_completion_timeout(&eraser->idle, TIME_LIMIT))
		return eraser->err;
	pr_warn_ratelimited("the erase at %#llx takes too long, going on without\n", offset);
	return -EBUSY;
}

/**
 * mtdc_eraser_is_at() - is an erase under way in this range?
 * @eraser: the eraser
 * @offset: offset in the MTD, in bytes
 * @bytes: number of bytes
 *
 * Context: any; the caller serialises.
 * Return: true if it is, in a part of the range at least.
 */
bool mtdc_eraser_is_at(struct mtdc_eraser *eraser, u64 offset, u32 bytes)
{
	return !completion_done(&eraser->idle) &&
		offset < eraser->offset + eraser->bytes &&
		eraser->offset < offset + bytes;
}
