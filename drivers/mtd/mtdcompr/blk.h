/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block device beside the MTD.
 */
#ifndef MTDC_BLK_H
#define MTDC_BLK_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include "slots.h"

struct gendisk;
struct mtdc_dev;

/**
 * struct mtdc_blk - the block device of one device
 * @disk: the disk, NULL while there is none
 * @sync: (I) what is asked for is done at once
 * @slots: swap slots that have been freed, and whose pages have not
 * @free_work: frees them
 * @memory: (I) of @slots
 * @memory_bytes: (I) size of @memory
 *
 * I: constant once created.
 */
struct mtdc_blk {
	struct gendisk *disk;
	bool sync;
	struct mtdc_slots slots;
	struct delayed_work free_work;
	void *memory;
	size_t memory_bytes;
};

int mtdc_blk_create(struct mtdc_dev *dev);
void mtdc_blk_destroy(struct mtdc_dev *dev);
int mtdc_blk_add(struct mtdc_dev *dev);
void mtdc_blk_remove(struct mtdc_dev *dev);
const char *mtdc_blk_name(const struct mtdc_dev *dev);

#endif /* MTDC_BLK_H */
