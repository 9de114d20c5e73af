// SPDX-License-Identifier: GPL-2.0
/*
 * The MTD of a device, which mtdblock, mtdchar and kernel users see.
 *
 * This file owns the struct mtd_info: it turns the callbacks of the MTD core into calls of the
 * page buffers, under store.lock. mtdblock has a mutex of its own, but mtdchar and kernel users
 * do not take it, so this file must never rely on it. dev.c registers and unregisters the MTD.
 *
 * The MTD is of type RAM and has MTD_NO_ERASE: so mtdblock passes its sectors through, instead of
 * caching and erasing whole blocks. It can be erased all the same, because tools that work on any
 * MTD erase it first; the erased pages are forgotten.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "dev.h"
#include "front_mtd.h"

/* Pages that an erase forgets before it gives up the lock. A guess. */
#define ERASE_BATCH	1024U

/*
 * Bytes that a read or write moves before it gives up the lock and the CPU. A guess. mtdchar makes
 * calls of 4 MiB, and without preemption no other task would run meanwhile.
 */
#define BATCH_BYTES	(16U * PAGE_SIZE)

/* No partitions: the core would run modprobe for each parser. */
static const char * const no_parsers[] = { NULL };

/* The bytes of the next batch, which ends at the end of a page. */
static size_t batch(loff_t at, size_t len)
{
	return min_t(size_t, BATCH_BYTES - offset_in_page(at), len);
}

static noinline int read_batches(struct mtdc_dev *dev, loff_t from, size_t len,
				 size_t *retlen, u_char *buf)
{
	int err;

	do {
		size_t end = *retlen + batch(from + *retlen, len - *retlen);

		mutex_lock(&dev->store.lock);
		err = mtdc_pagebuf_read(&dev->pagebuf, from, end, buf, retlen);
		mutex_unlock(&dev->store.lock);
		cond_resched();
	} while (!err && *retlen < len);
	return err;
}

static int mtdc_mtd_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	struct mtdc_dev *dev = mtd->priv;
	bool cached;

	/* Seven of the eight reads that mtdblock makes of a page end here. */
	mutex_lock(&dev->store.lock);
	cached = mtdc_pagebuf_cached(&dev->pagebuf, from, len, buf);
	mutex_unlock(&dev->store.lock);
	*retlen = cached ? len : 0;
	return cached ? 0 : read_batches(dev, from, len, retlen, buf);
}

static noinline int refuse_write(const struct mtdc_dev *dev)
{
	pr_notice_ratelimited("%s: its MTD can't be written to: /dev/%s is open for writing\n",
			      dev->name, dev->blk.name);
	return -EBUSY;
}

static noinline int write_batches(struct mtdc_dev *dev, loff_t to, size_t len,
				  size_t *retlen, const u_char *buf)
{
	int err;

	do {
		size_t end = *retlen + batch(to + *retlen, len - *retlen);

		mutex_lock(&dev->store.lock);
		err = mtdc_pagebuf_write(&dev->pagebuf, to, end, buf, retlen);
		mutex_unlock(&dev->store.lock);
		cond_resched();
	} while (!err && *retlen < len);
	return err;
}

static int mtdc_mtd_write(struct mtd_info *mtd, loff_t to, size_t len,
			  size_t *retlen, const u_char *buf)
{
	struct mtdc_dev *dev = mtd->priv;
	bool appended;

	*retlen = 0;
	if (!mtdc_users_mtd_may_write(&dev->users))
		return refuse_write(dev);
	/* Six of the eight writes that mtdblock makes of a page end here. */
	mutex_lock(&dev->store.lock);
	appended = mtdc_pagebuf_append(&dev->pagebuf, to, len, buf);
	mutex_unlock(&dev->store.lock);
	if (!appended)
		return write_batches(dev, to, len, retlen, buf);
	*retlen = len;
	return 0;
}

static int mtdc_mtd_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	u32 offset, rest;
	u32 page = div_u64_rem(instr->addr, mtd->erasesize, &offset);
	u32 end = page + div_u64_rem(instr->len, mtd->erasesize, &rest);
	struct mtdc_dev *dev = mtd->priv;
	int err;

	if (!mtdc_users_mtd_may_write(&dev->users))
		return refuse_write(dev);
	if (offset || rest)
		return -EINVAL;
	while (page < end) {
		u32 n = min(end - page, ERASE_BATCH);

		mutex_lock(&dev->store.lock);
		err = mtdc_pagebuf_erase(&dev->pagebuf, page, n);
		mutex_unlock(&dev->store.lock);
		if (err) {
			instr->fail_addr = (u64)page * mtd->erasesize;
			return err;
		}
		page += n;
		cond_resched();
	}
	return 0;
}

static void mtdc_mtd_sync(struct mtd_info *mtd)
{
	struct mtdc_dev *dev = mtd->priv;
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_sync(&dev->pagebuf);
	mutex_unlock(&dev->store.lock);
	/* The callback has no result. Pages that failed stay in the page buffers. */
	if (err)
		pr_err_ratelimited("%s: sync failed: %d\n", dev->name, err);
}

/* Some kernels call with the partition (6.1.176), others with the master (6.1.192). */
static struct mtdc_dev *dev_of(struct mtd_info *mtd)
{
	return mtd_get_master(mtd)->priv;
}

/* The core holds mtd_table_mutex, so this must not call get_mtd_device(). */
static int mtdc_mtd_get(struct mtd_info *mtd)
{
	return mtdc_users_enter_mtd(&dev_of(mtd)->users);
}

static void mtdc_mtd_put(struct mtd_info *mtd)
{
	mtdc_users_leave_mtd(&dev_of(mtd)->users);
}

/**
 * mtdc_mtd_is_ours() - is this one of our MTDs, or a partition of one?
 * @mtd: the MTD
 *
 * Context: any; the caller holds a reference.
 * Return: true if it is.
 */
bool mtdc_mtd_is_ours(struct mtd_info *mtd)
{
	return mtd_get_master(mtd)->_read == mtdc_mtd_read;
}

/**
 * mtdc_mtd_register() - make a device visible as an MTD
 * @dev: the device, complete otherwise
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 * Return: 0, or the error of the MTD core.
 */
int mtdc_mtd_register(struct mtdc_dev *dev)
{
	const struct mtdc_geometry *geo = &dev->store.geo;
	struct mtd_info *mtd = &dev->mtd;

	mtd->name = dev->name;
	mtd->type = MTD_RAM;
	mtd->flags = MTD_CAP_RAM;
	mtd->size = geo->size_bytes;
	mtd->erasesize = geo->page_bytes;
	mtd->writesize = 1;
	mtd->writebufsize = geo->page_bytes;
	mtd->owner = THIS_MODULE;
	mtd->priv = dev;
	mtd->_read = mtdc_mtd_read;
	mtd->_write = mtdc_mtd_write;
	mtd->_erase = mtdc_mtd_erase;
	mtd->_sync = mtdc_mtd_sync;
	mtd->_get_device = mtdc_mtd_get;
	mtd->_put_device = mtdc_mtd_put;
	return mtd_device_parse_register(mtd, no_parsers, NULL, NULL, 0);
}

/**
 * mtdc_mtd_unregister() - take the MTD of a device away
 * @dev: the device, closed by mtdc_users_close()
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 */
void mtdc_mtd_unregister(struct mtdc_dev *dev)
{
	/* The device has no users; the core's count may be off on old kernels. */
	compat_mtd_settle_users(&dev->mtd, 0);
	/* It fails only for an MTD that is in use or not registered. */
	WARN_ON(mtd_device_unregister(&dev->mtd));
}
