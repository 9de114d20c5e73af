/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block device beside the MTD.
 */
#ifndef MTDC_FRONT_BLK_H
#define MTDC_FRONT_BLK_H

#include <linux/bio.h>
#include <linux/bvec.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "front_slots.h"

struct gendisk;
struct mtdc_dev;

/**
 * struct mtdc_blk_job - a bio that is being carried out
 * @bio: the bio, or NULL for none
 * @rest: what has not been read or written of it, but for where on the device that is
 * @at: where that is, in bytes
 * @room: how many pages of it are still counted as waiting; in a queue only
 * @start: when it began, in jiffies
 */
struct mtdc_blk_job {
	struct bio *bio;
	struct bvec_iter rest;
	u64 at;
	unsigned int room;
	unsigned long start;
};

/**
 * struct mtdc_blk_queue - bios that wait to be carried out
 * @dev: (I) the device
 * @bios: the bios
 * @job: the one that is being carried out; @work's own
 * @work: carries them out, one at a time
 * @wq: where it runs, or NULL if nothing waits here; reclaim may wait for it
 */
struct mtdc_blk_queue {
	struct mtdc_dev *dev;
	struct bio_list bios;
	struct mtdc_blk_job job;
	struct work_struct work;
	struct workqueue_struct *wq;
};

/**
 * struct mtdc_blk - the block device of one device
 * @disk: the disk, NULL while there is none
 * @name: (I) its name
 * @memory: (I) the media are memory: what is asked for is done by who asks
 * @sync: (I) and the kernel is told so
 * @queue_lock: protects what follows, down to @stuck; a leaf, taken with interrupts on
 * @reads: where the media are none, reads
 * @writes: and all else
 * @queued: how many pages are to be written of the bios in @writes, and of the one that is
 *	being carried out; a bio without pages is one
 * @carried: how many of these have been; it wraps around. Changed by the work of
 *	@writes, without the lock
 * @stuck: none of these has been for so long that nobody is to wait for them
 * @room: where those wait for whom there are too many
 * @slots: swap slots that have been freed, and whose pages have not
 * @free_work: frees them
 * @slots_memory: (I) of @slots
 * @slots_bytes: (I) size of @slots_memory
 *
 * I: constant once created.
 */
struct mtdc_blk {
	struct gendisk *disk;
	char name[16];
	bool memory;
	bool sync;
	spinlock_t queue_lock;	/* both queues, queued and stuck */
	struct mtdc_blk_queue reads;
	struct mtdc_blk_queue writes;
	unsigned int queued;
	u32 carried;
	bool stuck;
	wait_queue_head_t room;
	struct mtdc_slots slots;
	struct delayed_work free_work;
	void *slots_memory;
	size_t slots_bytes;
};

int mtdc_blk_create(struct mtdc_dev *dev);
void mtdc_blk_destroy(struct mtdc_dev *dev);
int mtdc_blk_add(struct mtdc_dev *dev);
void mtdc_blk_remove(struct mtdc_dev *dev);

#endif /* MTDC_FRONT_BLK_H */
