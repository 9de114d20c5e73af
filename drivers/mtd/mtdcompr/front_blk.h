/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block device of a device.
 *
 * All functions run in process context and may sleep.
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
 * struct mtdc_blk_job - a bio in progress
 * @bio: the bio, or NULL
 * @rest: the part of it that is not transferred yet
 * @at: where @rest is on the device, in bytes
 * @room: pages of it that still count in mtdc_blk.queued; only in the queue of writes
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
 * struct mtdc_blk_queue - a queue of bios, for media that are not memory
 * @dev: (I) the device
 * @bios: bios that wait
 * @job: the bio in progress; belongs to @work
 * @work: does one step of @job
 * @wq: where @work runs, usable in reclaim; NULL on memory
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
 * @disk: the disk, or NULL
 * @name: (I) name of the disk
 * @memory: (I) the media are memory: do the I/O in the caller's context
 * @sync: (I) set BLK_FEAT_SYNCHRONOUS
 * @queue_lock: protects the lists of both queues, @queued and @progress; a leaf, taken with
 *	interrupts on
 * @reads: bios that read
 * @writes: all other bios
 * @queued: pages to be written of the bios in @writes, the one in progress included; a bio
 *	without pages counts as one
 * @progress: when @writes last did a step, or stopped being empty, in jiffies
 * @room: submitters that wait until @queued falls
 * @slots: freed swap slots whose pages are not forgotten yet
 * @free_work: forgets these pages
 *
 * I: constant once created.
 */
struct mtdc_blk {
	struct gendisk *disk;
	char name[16];
	bool memory;
	bool sync;
	spinlock_t queue_lock;	/* lists of both queues, queued and progress */
	struct mtdc_blk_queue reads;
	struct mtdc_blk_queue writes;
	unsigned int queued;
	unsigned long progress;
	wait_queue_head_t room;
	struct mtdc_slots slots;
	struct delayed_work free_work;
};

int mtdc_blk_create(struct mtdc_dev *dev);
void mtdc_blk_destroy(struct mtdc_dev *dev);
int mtdc_blk_add(struct mtdc_dev *dev);
void mtdc_blk_remove(struct mtdc_dev *dev);

#endif /* MTDC_FRONT_BLK_H */
