/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block layer of 6.11 for older kernels: blk_alloc_disk() takes the limits and features of
 * the queue, and open() takes a disk, not a block_device.
 *
 * The members of struct block_device_operations have other types in older kernels. So a driver
 * names its functions in COMPAT_BLK_OPS(), which defines wrappers of the right types, and puts
 * COMPAT_BLK_OP() of each into the structure.
 */
#ifndef MTDC_COMPAT_LINUX_BLKDEV_H
#define MTDC_COMPAT_LINUX_BLKDEV_H

#include_next <linux/blkdev.h>

#include <linux/bio.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define bio_gendisk(bio)	((bio)->bi_bdev->bd_disk)
#else
#define bio_gendisk(bio)	((bio)->bi_disk)
#endif

/* Before 5.14, open() may be called after del_gendisk(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define compat_disk_live(disk)	true
#else
#define compat_disk_live(disk)	((disk)->flags & GENHD_FL_UP)
#endif

/* The name of a function's wrapper, if the kernel needs one. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define COMPAT_BLK_OP(name)	name
#define COMPAT_BLK_OPEN(open, release)
#else
#define blk_mode_t		fmode_t
#define BLK_OPEN_READ		FMODE_READ
#define BLK_OPEN_WRITE		FMODE_WRITE
#define COMPAT_BLK_OP(name)	compat_##name
#define COMPAT_BLK_OPEN(open, release)					\
static int compat_##open(struct block_device *bdev, fmode_t mode)	\
{									\
	if (!compat_disk_live(bdev->bd_disk))				\
		return -ENXIO;						\
	return open(bdev->bd_disk, mode);				\
}									\
static void compat_##release(struct gendisk *disk, fmode_t mode)	\
{									\
	release(disk);							\
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define COMPAT_BLK_SUBMIT(submit)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#define COMPAT_BLK_SUBMIT(submit)					\
static void compat_##submit(struct bio *bio)				\
{									\
	submit(bio);							\
}
#else
#define COMPAT_BLK_SUBMIT(submit)					\
static blk_qc_t compat_##submit(struct bio *bio)			\
{									\
	submit(bio);							\
	return BLK_QC_T_NONE;						\
}
#endif

/*
 * From a synchronous device, the kernel swaps in without the swap cache. If two threads fault on
 * one page, one of them may get an old version of it, unless the kernel has "mm/swap: fix race
 * when skipping swapcache": 6.8 and the releases below. On other kernels our device is not
 * synchronous.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define compat_swaps_in_at_once		1
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define compat_swaps_in_at_once		(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 7))
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define compat_swaps_in_at_once		(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 19))
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_swaps_in_at_once		0
#else
#define compat_swaps_in_at_once		(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 80))
#endif

/*
 * Up to 6.2, swap calls rw_page() without a bio. We refuse a huge page, and swap sends it in a
 * bio then.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0) || !compat_swaps_in_at_once
#define COMPAT_BLK_RW_PAGE(rw_page)
#define COMPAT_BLK_PAGE(rw_page)
#else
#define COMPAT_BLK_RW_PAGE(name)	.rw_page = compat_##name,
#define COMPAT_BLK_PAGE(name)						\
static int compat_##name(struct block_device *bdev, sector_t sector,	\
			 struct page *page, enum req_op op)		\
{									\
	struct block_device *disk = bdev->bd_disk->part0;		\
	unsigned long start;						\
	int err;							\
									\
	if (PageTransHuge(page))					\
		return -EOPNOTSUPP;					\
	start = bdev_start_io_acct(disk, PAGE_SECTORS, op, jiffies);	\
	err = name(bdev->bd_disk, sector, page, op_is_write(op));	\
	bdev_end_io_acct(disk, op, start);				\
	if (!err)							\
		page_endio(page, op_is_write(op), 0);			\
	return err;							\
}
#endif

#define COMPAT_BLK_OPS(open, release, submit, rw_page)			\
	COMPAT_BLK_OPEN(open, release)					\
	COMPAT_BLK_SUBMIT(submit)					\
	COMPAT_BLK_PAGE(rw_page)

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)

#define BLK_FEAT_WRITE_CACHE	BIT(0)
#define BLK_FEAT_STABLE_WRITES	BIT(5)
#define BLK_FEAT_SYNCHRONOUS	BIT(6)

struct compat_queue_limits {
	unsigned int logical_block_size;
	unsigned int physical_block_size;
	unsigned int io_min;
	unsigned int io_opt;
	unsigned int discard_granularity;
	unsigned int max_hw_discard_sectors;
	unsigned int max_write_zeroes_sectors;
	unsigned int features;
};

static inline void compat_set_limits(struct request_queue *q,
				     const struct compat_queue_limits *limits)
{
	blk_queue_logical_block_size(q, limits->logical_block_size);
	blk_queue_physical_block_size(q, limits->physical_block_size);
	blk_queue_io_min(q, limits->io_min);
	blk_queue_io_opt(q, limits->io_opt);
	q->limits.discard_granularity = limits->discard_granularity;
	blk_queue_max_discard_sectors(q, limits->max_hw_discard_sectors);
	blk_queue_max_write_zeroes_sectors(q, limits->max_write_zeroes_sectors);
#ifdef QUEUE_FLAG_DISCARD
	blk_queue_flag_set(QUEUE_FLAG_DISCARD, q);
#endif
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
	if (limits->features & BLK_FEAT_STABLE_WRITES)
		blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, q);
#ifdef QUEUE_FLAG_SYNCHRONOUS
	if (compat_swaps_in_at_once && limits->features & BLK_FEAT_SYNCHRONOUS)
		blk_queue_flag_set(QUEUE_FLAG_SYNCHRONOUS, q);
#endif
	blk_queue_write_cache(q, limits->features & BLK_FEAT_WRITE_CACHE, false);
}

static inline struct gendisk *compat_alloc_disk(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return blk_alloc_disk(NULL, NUMA_NO_NODE);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return blk_alloc_disk(NUMA_NO_NODE) ?: ERR_PTR(-ENOMEM);
#else
	struct request_queue *q = blk_alloc_queue(NUMA_NO_NODE);
	struct gendisk *disk;

	if (!q)
		return ERR_PTR(-ENOMEM);
	/* No minors of its own; add_disk() allocates one of the extended minors. */
	disk = alloc_disk(0);
	if (!disk) {
		blk_cleanup_queue(q);
		return ERR_PTR(-ENOMEM);
	}
	disk->flags |= GENHD_FL_EXT_DEVT;
	disk->queue = q;
	return disk;
#endif
}

static inline struct gendisk *
compat_disk(const struct compat_queue_limits *limits)
{
	struct gendisk *disk = compat_alloc_disk();

	if (!IS_ERR(disk))
		compat_set_limits(disk->queue, limits);
	return disk;
}

#define queue_limits		compat_queue_limits
#undef blk_alloc_disk
#define blk_alloc_disk(limits, node)	compat_disk(limits)

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
/* The disk does not own its queue. blk_cleanup_queue() waits for submit_bio(), so it is first. */
static inline void compat_put_disk(struct gendisk *disk)
{
	blk_cleanup_queue(disk->queue);
	put_disk(disk);
}

#define put_disk		compat_put_disk

/*
 * del_gendisk() does not wait for open(). An open() that starts later fails, because
 * compat_disk_live() is false. If memory was short and bdev is NULL, no open() can run.
 */
static inline void compat_del_gendisk(struct gendisk *disk)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	struct block_device *bdev = bdgrab(disk->part0);
#else
	struct block_device *bdev = bdget_disk(disk, 0);
#endif

	del_gendisk(disk);
	if (!bdev)
		return;
	mutex_lock(&bdev->bd_mutex);
	mutex_unlock(&bdev->bd_mutex);
	bdput(bdev);
}

#define del_gendisk		compat_del_gendisk
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
#define put_disk		blk_cleanup_disk
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
/* add_disk() returns nothing. */
static inline int compat_add_disk(struct gendisk *disk)
{
	add_disk(disk);
	return 0;
}

#define add_disk		compat_add_disk
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
#define GENHD_FL_NO_PART	GENHD_FL_NO_PART_SCAN
#endif

/*
 * For tests: open and close the whole disk. Since 6.9 an open block device is a file, and only
 * __fput_sync() has closed it when it returns. KUnit runs on 6.1 and on the newest kernel.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define compat_bdev			struct file
#define compat_bdev_open(dev, mode)	bdev_file_open_by_dev(dev, mode, NULL, NULL)
#define compat_bdev_close(bdev, mode)	__fput_sync(bdev)
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define compat_bdev			struct block_device
#define compat_bdev_open(dev, mode)	blkdev_get_by_dev(dev, mode, NULL)
#define compat_bdev_close(bdev, mode)	blkdev_put(bdev, mode)
#endif

/* For tests: what swap calls without a bio, or NULL. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define compat_rw_page(ops)						\
	((int (*)(struct block_device *, sector_t, struct page *, enum req_op))NULL)
#else
#define compat_rw_page(ops)	((ops)->rw_page)
#endif

#endif /* MTDC_COMPAT_LINUX_BLKDEV_H */
