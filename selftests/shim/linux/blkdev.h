/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block layer of one disk after the other, as Linux 6.11 and later have it.
 * The macros of include/compat/ do nothing then.
 */
#ifndef SHIM_LINUX_BLKDEV_H
#define SHIM_LINUX_BLKDEV_H

#include <linux/bio.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>

#define SECTOR_SHIFT		9
#define SECTOR_SIZE		512
#define GENHD_FL_NO_PART	4
#define BLK_FEAT_WRITE_CACHE	1
#define BLK_FEAT_STABLE_WRITES	2
#define BLK_FEAT_SYNCHRONOUS	4
#define BLK_OPEN_READ		1
#define BLK_OPEN_WRITE		2

#define bio_gendisk(bio)	((bio)->bi_bdev->bd_disk)
#define COMPAT_BLK_OP(name)	name
#define COMPAT_BLK_OPS(open, release, submit, rw_page)
#define COMPAT_BLK_RW_PAGE(name)

typedef unsigned int blk_mode_t;

struct page;

struct block_device_operations {
	struct module *owner;
	int (*open)(struct gendisk *disk, blk_mode_t mode);
	void (*release)(struct gendisk *disk);
	void (*submit_bio)(struct bio *bio);
	void (*swap_slot_free_notify)(struct block_device *bdev, unsigned long slot);
};

struct queue_limits {
	unsigned int logical_block_size;
	unsigned int physical_block_size;
	unsigned int io_min;
	unsigned int io_opt;
	unsigned int discard_granularity;
	unsigned int max_hw_discard_sectors;
	unsigned int max_write_zeroes_sectors;
	unsigned int features;
};

struct gendisk {
	char disk_name[32];
	const struct block_device_operations *fops;
	int flags;
	void *private_data;
	struct queue_limits limits;
	struct block_device part0;
	sector_t sectors;
	unsigned int open;
	bool added;
};

struct gendisk *blk_alloc_disk(const struct queue_limits *limits, int node);
void put_disk(struct gendisk *disk);
int add_disk(struct gendisk *disk);
void del_gendisk(struct gendisk *disk);

#define get_start_sect(bdev)	((sector_t)0)

static inline void set_capacity(struct gendisk *disk, sector_t sectors)
{
	disk->sectors = sectors;
}

static inline sector_t get_capacity(struct gendisk *disk)
{
	return disk->sectors;
}

static inline int errno_to_blk_status(int err)
{
	return err;
}

#endif
