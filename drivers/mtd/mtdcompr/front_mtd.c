// SPDX-License-Identifier: GPL-2.0
/*
 * The MTD above: what mtdblock, mtdchar and everyone else sees.
 *
 * This file translates the callbacks of an MTD into calls of the page
 * buffers, under the lock of the device. mtdblock has a mutex of its own, but
 * mtdchar and kernel users come past it.
 *
 * The MTD is of type RAM and has MTD_NO_ERASE, so that mtdblock passes its
 * sectors through instead of caching and erasing whole blocks. It can be erased
 * nevertheless, which makes it forget, because tools that work on any MTD
 * begin by erasing.
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

/* Pages that are erased before others get their turn. */
#define ERASE_BATCH	1024U

/*
 * The same for reads and writes, of which mtdchar makes some of 4 MiB, and as many of
 * these as it was asked for. Without preemption nobody else runs meanwhile, unless we say
 * where.
 */
#define BATCH_BYTES	(16U * PAGE_SIZE)

/*
 * The device is not to be partitioned by what a command line or device tree
 * says of real ones, and the core would run modprobe for each parser.
 */
static const char * const no_parsers[] = { NULL };

/* How much of @len bytes at @at is done at a time: up to the end of a page. */
static size_t batch(loff_t at, size_t len)
{
	return min_t(size_t, BATCH_BYTES - offset_in_page(at), len);
}

static int read_batch(struct mtdc_dev *dev, loff_t from, size_t len,
		      size_t *retlen, u_char *buf)
{
	size_t done = 0;
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_read(&dev->pagebuf, from, len, buf, &done);
	mutex_unlock(&dev->store.lock);
	*retlen += done;
	return err;
}

static noinline int read_batches(struct mtdc_dev *dev, loff_t from, size_t len,
				 size_t *retlen, u_char *buf)
{
	int err;

	do {
		loff_t at = from + *retlen;

		err = read_batch(dev, at, batch(at, len - *retlen), retlen,
				 buf + *retlen);
		cond_resched();
	} while (!err && *retlen < len);
	return err;
}

static int mtdc_mtd_read(struct mtd_info *mtd, loff_t from, size_t len,
			 size_t *retlen, u_char *buf)
{
	struct mtdc_dev *dev = mtd->priv;
	bool cached;

	/* Seven of mtdblock's eight calls end here. */
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

static int write_batch(struct mtdc_dev *dev, loff_t to, size_t len,
		       size_t *retlen, const u_char *buf)
{
	size_t done = 0;
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_write(&dev->pagebuf, to, len, buf, &done);
	mutex_unlock(&dev->store.lock);
	*retlen += done;
	return err;
}

static noinline int write_batches(struct mtdc_dev *dev, loff_t to, size_t len,
				  size_t *retlen, const u_char *buf)
{
	int err;

	do {
		loff_t at = to + *retlen;

		err = write_batch(dev, at, batch(at, len - *retlen), retlen,
				  buf + *retlen);
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
	/* Six of mtdblock's eight calls end here. */
	mutex_lock(&dev->store.lock);
	appended = mtdc_pagebuf_append(&dev->pagebuf, to, len, buf);
	mutex_unlock(&dev->store.lock);
	if (!appended)
		return write_batches(dev, to, len, retlen, buf);
	*retlen = len;
	return 0;
}

static int erase_pages(struct mtdc_dev *dev, u32 first, u32 n)
{
	int err;

	mutex_lock(&dev->store.lock);
	err = mtdc_pagebuf_erase(&dev->pagebuf, first, n);
	mutex_unlock(&dev->store.lock);
	return err;
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

		err = erase_pages(dev, page, n);
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
	/* What it concerns stays in the buffers; the caller can't be told. */
	if (err)
		pr_err_ratelimited("%s: sync failed: %d\n", dev->name, err);
}

/*
 * Some kernels say which partition is meant (6.1.176), others always name the
 * master (6.1.192).
 */
static struct mtdc_dev *dev_of(struct mtd_info *mtd)
{
	return mtd_get_master(mtd)->priv;
}

/* Called with mtd_table_mutex held, so this must not call get_mtd_device(). */
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
 * mtdc_mtd_register() - make a device visible
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
 * mtdc_mtd_unregister() - take a closed device away
 * @dev: the device
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 */
void mtdc_mtd_unregister(struct mtdc_dev *dev)
{
	/* Nobody has it open, whatever a lost update has left in the core's count. */
	compat_mtd_settle_users(&dev->mtd, 0);
	/* It fails for MTDs that are in use or not there; this one is neither. */
	WARN_ON(mtd_device_unregister(&dev->mtd));
}
