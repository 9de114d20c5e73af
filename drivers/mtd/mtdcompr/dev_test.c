// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of attaching and detaching, and of undoing it wherever it fails.
 *
 * They want the module without devices.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "dev.h"
#include "lower_test.h"

static bool exists(const char *name)
{
	struct mtd_info *mtd = get_mtd_device_nm(name);

	if (IS_ERR(mtd))
		return false;
	put_mtd_device(mtd);
	return true;
}

/* Nothing of the device that was refused is left. */
static void expect_nothing_left(struct kunit *test, const struct kunit_lower *lower)
{
	KUNIT_EXPECT_FALSE(test, exists(UPPER));
	KUNIT_EXPECT_EQ(test, lower->gets, 0);
}

static void is_read_only(struct kunit_lower *lower)
{
	lower->mtd.flags &= ~MTD_WRITEABLE;
}

static void is_flash(struct kunit_lower *lower)
{
	lower->mtd.type = MTD_NORFLASH;
	lower->mtd.flags = MTD_CAP_NORFLASH;
}

static void is_bad_flash(struct kunit_lower *lower)
{
	is_flash(lower);
	lower->isbad_result = 1;
}

static void is_mute_flash(struct kunit_lower *lower)
{
	is_flash(lower);
	lower->isbad_result = -EIO;
}

static void is_locked(struct kunit_lower *lower)
{
	lower->islocked_result = 1;
}

static void is_locked_flash(struct kunit_lower *lower)
{
	is_flash(lower);
	is_locked(lower);
}

static void is_odd_flash(struct kunit_lower *lower)
{
	is_flash(lower);
	lower->mtd.writesize = 24;
}

static void is_ubi_volume(struct kunit_lower *lower)
{
	is_flash(lower);
	lower->mtd.type = MTD_UBIVOLUME;
}

static void is_small(struct kunit_lower *lower)
{
	lower->mtd.size = 4 * PAGE_SIZE - 1;
}

static void is_large(struct kunit_lower *lower)
{
	lower->mtd.size = 1ULL << 42;
}

static void is_coarse(struct kunit_lower *lower)
{
	lower->mtd.writesize = PAGE_SIZE / 2;
}

static void is_closed(struct kunit_lower *lower)
{
	lower->get_error = -EXDEV;
}

struct refusal {
	const char *why;
	const char *options;
	void (*spoil)(struct kunit_lower *lower);
	int err;
};

static const struct refusal refusals[] = {
	{ "no such MTD", "kunit_nothing,name=" UPPER, NULL, -ENODEV },
	{ "no such option", ON_LOWER(",a=b"), NULL, -EINVAL },
	{ "no such compressor", ON_LOWER(",comp=a"), NULL, -EINVAL },
	{ "no such level", ON_LOWER(",comp=none,level=3"), NULL, -ERANGE },
	{ "name taken", LOWER ",name=" LOWER, NULL, -EEXIST },
	{ "less than a page", ON_LOWER(",size=100"), NULL, -ERANGE },
	{ "over 1000 %", ON_LOWER(",size=1G"), NULL, -ERANGE },
	{ "read-only", ON_LOWER(""), is_read_only, -EROFS },
	{ "has to be erased", ON_LOWER(",store=inplace"), is_flash, -EOPNOTSUPP },
	{ "spread on UBI", ON_LOWER(",spread=9"), is_ubi_volume, -EINVAL },
	{ "wearlevel on UBI", ON_LOWER(",cache=1,wearlevel=9"), is_ubi_volume,
	  -EINVAL },
	{ "UBI, in place", ON_LOWER(",store=inplace"), is_ubi_volume, -EOPNOTSUPP },
	{ "no such volume", "ubi31:kunit_nothing", NULL, -ENODEV },
	{ "sync on no memory", ON_LOWER(",sync=1"), NULL, -EINVAL },
	{ "cache for nothing", ON_LOWER(",cache=1"), NULL, -EINVAL },
	{ "log for nothing", ON_LOWER(",store=log"), NULL, -EINVAL },
	{ "spread for nothing", ON_LOWER(",spread=9"), NULL, -EINVAL },
	{ "wearlevel for nothing", ON_LOWER(",wearlevel=9"), is_flash, -EINVAL },
	{ "log of odd blocks", ON_LOWER(""), is_odd_flash, -ERANGE },
	{ "log, all blocks bad", ON_LOWER(""), is_bad_flash, -ENOSPC },
	{ "log, blocks unknown", ON_LOWER(""), is_mute_flash, -EIO },
	{ "log, locked", ON_LOWER(""), is_locked_flash, -EROFS },
	{ "level after log", ON_LOWER(",comp=none,level=3"), is_flash, -ERANGE },
	{ "too small", ON_LOWER(""), is_small, -ERANGE },
	{ "too large", ON_LOWER(""), is_large, -ERANGE },
	{ "write unit", ON_LOWER(""), is_coarse, -ERANGE },
	{ "does not open", ON_LOWER(""), is_closed, -EXDEV },
	{ "all blocks bad", ON_LOWER(",cache=1"), is_bad_flash, -ENOSPC },
	{ "blocks unknown", ON_LOWER(",cache=1"), is_mute_flash, -EIO },
	{ "locked", ON_LOWER(",cache=1"), is_locked_flash, -EROFS },
	{ "locked, no cache", ON_LOWER(""), is_locked, -EROFS },
	{ "level after cache", ON_LOWER(",cache=1,comp=none,level=3"), is_flash,
	  -ERANGE },
};

static void refusal_name(const struct refusal *refusal, char *name)
{
	strscpy(name, refusal->why, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refusal, refusals, refusal_name);

/* A refused device leaves nothing, and is not in the way of the next one. */
static void attach_is_refused(struct kunit *test)
{
	const struct refusal *refusal = test->param_value;
	struct kunit_lower *lower = test->priv;
	struct kunit_lower saved = *lower;

	if (refusal->spoil)
		refusal->spoil(lower);
	KUNIT_EXPECT_EQ(test, mtdc_dev_attach(refusal->options), refusal->err);
	expect_nothing_left(test, lower);
	lower->mtd.flags = saved.mtd.flags;
	lower->mtd.type = saved.mtd.type;
	lower->mtd.size = saved.mtd.size;
	lower->mtd.writesize = saved.mtd.writesize;
	lower->get_error = 0;
	lower->islocked_result = 0;
	KUNIT_EXPECT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	expect_nothing_left(test, lower);
}

static void attach_holds_the_lower_mtd(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	struct mtd_info *mtd;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",ratio=200\n")), 0);
	KUNIT_EXPECT_EQ(test, lower->gets, 1);
	mtd = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mtd);
	KUNIT_EXPECT_EQ(test, mtd->size, (u64)(2 * LOWER_BYTES));
	KUNIT_EXPECT_EQ(test, mtd->flags, (u32)MTD_CAP_RAM);
	KUNIT_EXPECT_EQ(test, mtd->erasesize, (u32)PAGE_SIZE);
	/* This test uses it. */
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER "\n"), -EBUSY);
	put_mtd_device(mtd);
	KUNIT_EXPECT_EQ(test, mtdc_dev_attach(LOWER ",name=kunit_2"), -EBUSY);
	KUNIT_EXPECT_EQ(test, mtdc_dev_attach(UPPER ",name=kunit_2"), -ELOOP);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER "\n"), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), -ENODEV);
	expect_nothing_left(test, lower);
}

static void attach_is_all_or_none(struct kunit *test)
{
	static const char * const texts[] = {
		ON_LOWER(""), "kunit_nothing",
	};
	struct kunit_lower *lower = test->priv;

	KUNIT_EXPECT_EQ(test, mtdc_dev_attach_all(texts, 2), -ENODEV);
	expect_nothing_left(test, lower);
	KUNIT_EXPECT_EQ(test, mtdc_dev_attach_all(texts, 1), 0);
	KUNIT_EXPECT_TRUE(test, exists(UPPER));
	mtdc_dev_detach_all();
	expect_nothing_left(test, lower);
}

static void attach_all_there_can_be(struct kunit *test)
{
	const unsigned int n = MTDCOMPR_DEVICES_MAX + 1;
	struct kunit_lower *lowers = kunit_kcalloc(test, n, sizeof(*lowers),
					     GFP_KERNEL);
	unsigned int i;
	char name[32];

	KUNIT_ASSERT_NOT_NULL(test, lowers);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "kunit_lower_%u", i);
		kunit_lower_register(test, &lowers[i], name, 4 * PAGE_SIZE);
		strlcat(name, ",comp=none", sizeof(name));
		KUNIT_EXPECT_EQ(test, mtdc_dev_attach(name),
				i < MTDCOMPR_DEVICES_MAX ? 0 : -ENFILE);
	}
	KUNIT_EXPECT_TRUE(test, exists("mtdcompr31"));
	KUNIT_EXPECT_FALSE(test, exists("mtdcompr32"));
	mtdc_dev_detach_all();
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, lowers[i].gets, 0);
		kunit_lower_unregister(test, &lowers[i]);
	}
}

/* Each later request is refused, and counted once. */
static void lower_mtd_goes(struct kunit *test)
{
	struct erase_info erase = { .len = PAGE_SIZE };
	struct kunit_lower *lower = test->priv;
	const struct mtdc_dev *dev;
	struct mtd_info *mtd;
	size_t done;
	u8 byte;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	kunit_lower_unregister(test, lower);
	KUNIT_EXPECT_EQ(test, lower->gets, 0);
	mtd = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mtd);
	dev = mtd->priv;
	KUNIT_EXPECT_EQ(test, mtd_read(mtd, 0, 1, &done, &byte), -ENODEV);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_gone, 1ULL);
	KUNIT_EXPECT_EQ(test, mtd_write(mtd, 0, 1, &done, &byte), -ENODEV);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_gone, 2ULL);
	KUNIT_EXPECT_EQ(test, mtd_erase(mtd, &erase), -ENODEV);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_gone, 3ULL);
	mtd_sync(mtd);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_gone, 4ULL);
	put_mtd_device(mtd);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/* The device behind UPPER. Without a reference: that would keep writers off the disk. */
static struct mtdc_dev *upper_dev(struct kunit *test)
{
	struct mtd_info *mtd = get_mtd_device_nm(UPPER);

	KUNIT_ASSERT_FALSE(test, IS_ERR(mtd));
	put_mtd_device(mtd);
	return mtd->priv;
}

/* A bio that writes zeroes to page @nr. */
static struct bio *new_bio(struct kunit *test, struct mtdc_dev *dev, u32 nr)
{
	struct bio *bio = bio_alloc(dev->blk.disk->part0, 1, REQ_OP_WRITE,
				    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bio);
	bio->bi_iter.bi_sector = (sector_t)nr << (PAGE_SHIFT - SECTOR_SHIFT);
	KUNIT_ASSERT_EQ(test, bio_add_page(bio, ZERO_PAGE(0), PAGE_SIZE, 0),
			(int)PAGE_SIZE);
	return bio;
}

/* The last one of chained bios tells whether any of them failed. */
static void an_error_of_a_chained_bio_stays(struct kunit *test)
{
	struct bio *first, *last;
	struct mtdc_dev *dev;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	first = new_bio(test, dev, 0);
	last = new_bio(test, dev, 1);
	bio_chain(first, last);
	first->bi_status = BLK_STS_NOSPC;
	bio_endio(first);
	KUNIT_EXPECT_EQ(test, submit_bio_wait(last), -ENOSPC);
	bio_put(last);

	last = new_bio(test, dev, 1);
	KUNIT_EXPECT_EQ(test, submit_bio_wait(last), 0);
	bio_put(last);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/* A striped disk of small chunks may cut a page in two. */
static void half_a_page_is_not_dropped(struct kunit *test)
{
	static const enum req_op ops[] = {
		REQ_OP_DISCARD, REQ_OP_WRITE_ZEROES,
	};
	struct mtdc_dev *dev;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	for (i = 0; i < 2 * ARRAY_SIZE(ops); i++) {
		struct bio *bio = bio_alloc(dev->blk.disk->part0, 0, ops[i / 2],
					    GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, bio);
		/* The first half of a page, and two halves of two. */
		bio->bi_iter.bi_sector = i & 1 ? (PAGE_SIZE >> SECTOR_SHIFT) / 2 : 0;
		bio->bi_iter.bi_size = i & 1 ? PAGE_SIZE : PAGE_SIZE / 2;
		KUNIT_EXPECT_EQ(test, submit_bio_wait(bio), -EOPNOTSUPP);
		bio_put(bio);
	}
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

static int never_called(struct mtd_info *mtd, loff_t from, size_t len,
			size_t *retlen, void **virt, resource_size_t *phys)
{
	return -EOPNOTSUPP;
}

/* The kernel does not look itself where a page is that it asks for without a bio. */
static void no_page_behind_the_end(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct kunit_lower *lower = test->priv;
	int (*rw_page)(struct block_device *bdev, sector_t sector, struct page *page,
		       enum req_op op);
	struct block_device *bdev;
	struct mtdc_dev *dev;
	unsigned int i;
	sector_t end;

	KUNIT_ASSERT_NOT_NULL(test, page);
	/* As memory has it. */
	lower->mtd._point = never_called;
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",sync=1")), 0);
	dev = upper_dev(test);
	bdev = dev->blk.disk->part0;
	rw_page = compat_rw_page(dev->blk.disk->fops);
	if (!rw_page)
		kunit_info(test, "each page of swap is in a bio: the kernel checks where it is");
	end = get_capacity(dev->blk.disk);
	for (i = 0; rw_page && i < 2; i++) {
		enum req_op op = i ? REQ_OP_WRITE : REQ_OP_READ;

		/* These end the I/O of a page, but only if they succeed. */
		KUNIT_EXPECT_EQ(test, rw_page(bdev, end, page, op), -EINVAL);
		KUNIT_EXPECT_EQ(test, rw_page(bdev, 1000 * end, page, op), -EINVAL);
		/* Page 0, if only 32 bits of it were looked at. */
		KUNIT_EXPECT_EQ(test, rw_page(bdev, 1ULL << 35, page, op), -EINVAL);
		KUNIT_EXPECT_EQ(test, rw_page(bdev, 1, page, op), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd._point = NULL;
	__free_page(page);
}

/* To page 0. */
static int write_zeroes_to(struct kunit *test, struct mtdc_dev *dev)
{
	struct bio *bio = new_bio(test, dev, 0);
	int err = submit_bio_wait(bio);

	bio_put(bio);
	return err;
}

/* A bio for @n pages of the device, from page @nr on. */
static struct bio *bio_of_pages(struct kunit *test, struct mtdc_dev *dev,
				enum req_op op, u32 nr, struct page **pages,
				unsigned int n)
{
	struct bio *bio = bio_alloc(dev->blk.disk->part0, n, op, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, bio);
	bio->bi_iter.bi_sector = (sector_t)nr << (PAGE_SHIFT - SECTOR_SHIFT);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, bio_add_page(bio, pages[i], PAGE_SIZE, 0),
				(int)PAGE_SIZE);
	return bio;
}

static int transfer_pages(struct kunit *test, struct mtdc_dev *dev,
			  enum req_op op, u32 nr, struct page **pages,
			  unsigned int n)
{
	struct bio *bio = bio_of_pages(test, dev, op, nr, pages, n);
	int err = submit_bio_wait(bio);

	bio_put(bio);
	return err;
}

/* A page that can't be compressed. */
static struct page *new_random_page(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	get_random_bytes(page_address(page), PAGE_SIZE);
	return page;
}

static int write_random(struct kunit *test, struct mtdc_dev *dev, u32 nr)
{
	struct page *page = new_random_page(test);
	int err = transfer_pages(test, dev, REQ_OP_WRITE, nr, &page, 1);

	__free_page(page);
	return err;
}

/* Read page @nr into @page. */
static int read_to(struct kunit *test, struct mtdc_dev *dev, u32 nr,
		   struct page *page)
{
	return transfer_pages(test, dev, REQ_OP_READ, nr, &page, 1);
}

/* As through the MTD: the page is right if only its neighbour on the media is unreadable. */
static void a_page_is_not_what_lies_beside_it(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct kunit_lower *lower = test->priv;
	struct mtdc_dev *dev;

	KUNIT_ASSERT_NOT_NULL(test, page);
	lower->mtd._point = never_called;
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	if (!dev->store.scratches.n)
		kunit_info(test, "one processor: nothing is read beside the lock");
	KUNIT_EXPECT_EQ(test, write_random(test, dev, 0), 0);
	lower->read_error = -EBADMSG;
	lower->read_all = true;
	KUNIT_EXPECT_EQ(test, read_to(test, dev, 0, page), 0);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_media_read, 0ULL);
	memset(lower->data, 0x5a, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, read_to(test, dev, 0, page), -EIO);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_media_read, 1ULL);
	lower->read_error = 0;
	lower->read_all = false;
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd._point = NULL;
	__free_page(page);
}

static int point_at(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, void **virt,
		    resource_size_t *phys)
{
	struct kunit_lower *lower = container_of(mtd, struct kunit_lower, mtd);

	*retlen = len;
	*virt = lower->data + from;
	lower->points++;
	return 0;
}

static int unpoint(struct mtd_info *mtd, loff_t from, size_t len)
{
	container_of(mtd, struct kunit_lower, mtd)->points--;
	return 0;
}

/* Read a page through the MTD, which no other processor does beside the lock. */
static int read_locked(struct mtd_info *mtd, struct page *page)
{
	size_t done;

	return mtd_read(mtd, 0, PAGE_SIZE, &done, page_address(page));
}

/* Cached memory is read where it lies: not by its driver, which fails here. It is checked. */
static void a_page_is_read_where_it_lies(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL), *got = alloc_page(GFP_KERNEL);
	struct kunit_lower *lower = test->priv;
	struct mtd_info *mtd;
	unsigned int raw;
	size_t done;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, got);
	lower->mtd._point = point_at;
	lower->mtd._unpoint = unpoint;
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	KUNIT_EXPECT_EQ(test, lower->points, 1);
	KUNIT_EXPECT_PTR_EQ(test, upper_dev(test)->store.lower.media, (const u8 *)lower->data);
	mtd = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mtd);
	for (raw = 0; raw < 2; raw++) {
		memset(page_address(page), 'a', PAGE_SIZE / 2);
		get_random_bytes(page_address(page) + PAGE_SIZE / 2, raw ? PAGE_SIZE / 2 : 9);
		get_random_bytes(page_address(page), raw ? PAGE_SIZE / 2 : 9);
		KUNIT_EXPECT_EQ(test, mtd_write(mtd, 0, PAGE_SIZE, &done, page_address(page)), 0);
		mtd_sync(mtd);
		KUNIT_EXPECT_EQ(test, upper_dev(test)->store.stats.kept.pages[MTDC_RAW], raw);
		lower->read_error = -EIO;
		KUNIT_EXPECT_EQ(test, read_locked(mtd, got), 0);
		KUNIT_EXPECT_EQ(test, memcmp(page_address(page), page_address(got), PAGE_SIZE), 0);
		memset(lower->data, 0x5a, 4 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, read_locked(mtd, got), -EIO);
		lower->read_error = 0;
		KUNIT_EXPECT_EQ(test, read_locked(mtd, got), -EIO);
	}
	put_mtd_device(mtd);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	KUNIT_EXPECT_EQ(test, lower->points, 0);
	lower->mtd._point = NULL;
	lower->mtd._unpoint = NULL;
	__free_page(page);
	__free_page(got);
}

/* With several CPUs a page is checked without the lock, and a wrong one still fails. */
static void a_wrong_bit_is_an_error(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct kunit_lower *lower = test->priv;
	struct mtdc_stats stats;
	struct mtdc_dev *dev;

	KUNIT_ASSERT_NOT_NULL(test, page);
	lower->mtd._point = never_called;
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	KUNIT_EXPECT_EQ(test, write_random(test, dev, 0), 0);
	lower->data[100] ^= 1;
	KUNIT_EXPECT_EQ(test, read_to(test, dev, 0, page), -EIO);
	stats = dev->store.stats;
	mtdc_scratches_count(&dev->store.scratches, &stats);
	KUNIT_EXPECT_EQ(test, stats.err_checksum, 1ULL);
	lower->data[100] ^= 1;
	KUNIT_EXPECT_EQ(test, read_to(test, dev, 0, page), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd._point = NULL;
	__free_page(page);
}

static struct mtdc_survey *take_survey(struct kunit *test, struct mtdc_dev *dev)
{
	struct mtdc_survey *survey = kunit_kzalloc(test, sizeof(*survey),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, survey);
	mutex_lock(&dev->store.lock);
	mtdc_store_survey(&dev->store, survey);
	mutex_unlock(&dev->store.lock);
	return survey;
}

/* Overwrite pages that can't be compressed, in a log on flash, until some are moved. */
static void write_until_moved(struct kunit *test, struct mtdc_dev *dev)
{
	const unsigned int pages = 24, strides[] = { 1, 5, 7, 11 };
	unsigned int i;

	for (i = 0; i < 20 * pages; i++) {
		u32 nr = i * strides[i / pages % ARRAY_SIZE(strides)] % pages;

		KUNIT_ASSERT_EQ(test, write_random(test, dev, nr), 0);
	}
	KUNIT_ASSERT_GT(test, take_survey(test, dev)->log.moved_bytes, 0ULL);
}

/* The bus, or the controller, may fail once: a page that is moved is read again. */
static void one_wrong_read_loses_no_page(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	struct mtdc_dev *dev;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	lower->every_other_wrong = true;
	write_until_moved(test, dev);
	lower->every_other_wrong = false;
	KUNIT_EXPECT_GT(test, lower->reads, 0U);
	KUNIT_EXPECT_EQ(test, take_survey(test, dev)->log.lost, 0ULL);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_checksum, 0ULL);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/* Pages 0 to 9 as they were written, where every other read is wrong. */
static void expect_right_reads(struct kunit *test, struct mtdc_dev *dev)
{
	struct kunit_lower *lower = test->priv;
	struct page *written[10], *read = new_random_page(test);
	struct mtdc_stats stats;
	u32 nr;

	for (nr = 0; nr < ARRAY_SIZE(written); nr++)
		written[nr] = new_random_page(test);
	KUNIT_EXPECT_EQ(test, transfer_pages(test, dev, REQ_OP_WRITE, 0, written,
					     ARRAY_SIZE(written)), 0);
	for (nr = 0; nr < ARRAY_SIZE(written); nr++) {
		lower->reads = 0;
		lower->every_other_wrong = true;
		KUNIT_EXPECT_EQ(test, read_to(test, dev, nr, read), 0);
		lower->every_other_wrong = false;
		KUNIT_EXPECT_EQ(test, memcmp(page_address(read),
					     page_address(written[nr]), PAGE_SIZE), 0);
		/* The last one may be in a write buffer. */
		if (nr < ARRAY_SIZE(written) - 1)
			KUNIT_EXPECT_EQ(test, lower->reads, 2U);
		__free_page(written[nr]);
	}
	stats = dev->store.stats;
	mtdc_scratches_count(&dev->store.scratches, &stats);
	KUNIT_EXPECT_EQ(test, stats.err_checksum, 0ULL);
	KUNIT_EXPECT_EQ(test, stats.reads.n, (u64)ARRAY_SIZE(written));
	__free_page(read);
}

/* A swap-in survives such an error, too, on all media, with or without the lock. */
static void one_wrong_read_fails_no_swap_in(struct kunit *test)
{
	static const char * const options[] = {
		ON_LOWER(",store=log"), ON_LOWER(""), ON_LOWER(",sync=1"),
	};
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!i)
			is_flash(lower);
		if (i == 2)
			lower->mtd._point = never_called;
		KUNIT_ASSERT_EQ(test, mtdc_dev_attach(options[i]), 0);
		expect_right_reads(test, upper_dev(test));
		KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
		lower->mtd.type = type;
		lower->mtd.flags = flags;
	}
	lower->mtd._point = NULL;
}

/* Only the label's neighbour may be unreadable: the erase count in the label survives. */
static void a_label_is_not_what_lies_beside_it(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	struct mtdc_survey *before, *after;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	write_until_moved(test, upper_dev(test));
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	before = take_survey(test, upper_dev(test));
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	KUNIT_ASSERT_LT(test, before->least_erased, before->most_erased);

	lower->read_error = -EBADMSG;
	lower->read_all = true;
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	after = take_survey(test, upper_dev(test));
	lower->read_error = 0;
	lower->read_all = false;
	KUNIT_EXPECT_EQ(test, after->least_erased, before->least_erased);
	KUNIT_EXPECT_EQ(test, after->mean_erased, before->mean_erased);
	KUNIT_EXPECT_EQ(test, after->most_erased, before->most_erased);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/* A page that finds room in the end has not been refused. */
static void freed_slots_are_room(struct kunit *test)
{
	struct mtdc_dev *dev;
	u64 refused;
	u32 nr = 0;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	dev = upper_dev(test);
	while (!write_random(test, dev, nr))
		nr++;
	KUNIT_ASSERT_GT(test, nr, 8U);
	refused = dev->store.stats.err_full;
	KUNIT_EXPECT_EQ(test, refused, 1ULL);

	/* Free single slots, before the work forgets their pages. */
	dev->blk.disk->fops->swap_slot_free_notify(dev->blk.disk->part0, 3);
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), 0);
	KUNIT_EXPECT_FALSE(test, dev->store.full);
	dev->blk.disk->fops->swap_slot_free_notify(dev->blk.disk->part0, 5);
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr + 1), 0);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_full, refused);
	KUNIT_EXPECT_EQ(test, dev->store.stats.slots_freed, 2ULL);

	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr + 2), -ENOSPC);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_full, refused + 1);
	KUNIT_EXPECT_TRUE(test, dev->store.full);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

static void set_media(struct mtdc_dev *dev, struct mtd_info *mtd)
{
	mutex_lock(&dev->store.lock);
	dev->store.lower.mtd = mtd;
	mutex_unlock(&dev->store.lock);
}

/* The queue of the writes changes this if it gets a bio, or does a step. */
static unsigned long age_progress(struct mtdc_dev *dev)
{
	return dev->blk.progress = jiffies - HZ;
}

/* The task that submits pages to full flash refuses most of them, without the worker. */
static void a_storm_is_not_queued(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;
	unsigned long progress;
	struct mtd_info *mtd;
	u32 nr = 0;
	u64 refused;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",cache=1")), 0);
	dev = upper_dev(test);
	while (!write_random(test, dev, nr))
		nr++;
	while (!mtdc_backoff_pending(&dev->store.backoff))
		KUNIT_ASSERT_EQ(test, write_random(test, dev, nr), -ENOSPC);
	KUNIT_ASSERT_EQ(test, dev->store.backoff.skip, 1U);
	flush_work(&dev->blk.writes.work);
	progress = age_progress(dev);
	refused = dev->store.stats.err_full;
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), -ENOSPC);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_full, refused + 1);
	KUNIT_EXPECT_EQ(test, dev->blk.progress, progress);
	/* Then the worker tries one page, and more are not tried. */
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), -ENOSPC);
	flush_work(&dev->blk.writes.work);
	KUNIT_EXPECT_NE(test, dev->blk.progress, progress);
	KUNIT_ASSERT_EQ(test, dev->store.backoff.skip, 2U);

	/* Without media it is no want of room. */
	mtd = dev->store.lower.mtd;
	set_media(dev, NULL);
	KUNIT_EXPECT_NE(test, write_random(test, dev, nr), -ENOSPC);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_gone, 1ULL);
	set_media(dev, mtd);

	/* A page that needs no space is written, and so is one that finds space. */
	KUNIT_EXPECT_EQ(test, write_zeroes_to(test, dev), 0);
	KUNIT_ASSERT_EQ(test, dev->store.backoff.skip, 0U);
	while (!mtdc_backoff_pending(&dev->store.backoff))
		write_random(test, dev, nr++);
	dev->blk.disk->fops->swap_slot_free_notify(dev->blk.disk->part0, 3);
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

/* Fill the media from page @nr on, until the next incompressible page is refused untried. */
static void begin_a_storm(struct kunit *test, struct mtdc_dev *dev, u32 nr)
{
	while (!write_random(test, dev, nr))
		nr++;
	while (dev->store.backoff.skip < 4)
		KUNIT_ASSERT_EQ(test, write_random(test, dev, nr), -ENOSPC);
	if (!dev->blk.memory)
		flush_work(&dev->blk.writes.work);
}

/* The last of @n pages is refused: none of them is stored, or queued. */
static void refuse_batch(struct kunit *test, struct mtdc_dev *dev, unsigned int n)
{
	struct page *pages[4] = { ZERO_PAGE(0), ZERO_PAGE(0), ZERO_PAGE(0) };
	unsigned long progress = age_progress(dev);
	u32 skip = dev->store.backoff.skip;
	u64 writes = dev->store.stats.writes.n;
	u64 refused = dev->store.stats.err_full;

	pages[n - 1] = new_random_page(test);
	KUNIT_EXPECT_EQ(test, transfer_pages(test, dev, REQ_OP_WRITE, 100, pages, n),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, dev->store.stats.writes.n, writes);
	KUNIT_EXPECT_EQ(test, dev->store.stats.err_full, refused + 1);
	KUNIT_EXPECT_EQ(test, dev->store.backoff.skip, skip - 1);
	KUNIT_EXPECT_EQ(test, dev->blk.progress, progress);
	__free_page(pages[n - 1]);
}

/* All pages of a bio are checked before the first one is stored. */
static void a_batch_is_refused_as_a_whole(struct kunit *test)
{
	struct page *zeroes[] = { ZERO_PAGE(0), ZERO_PAGE(0) };
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (i)
			lower->mtd._point = never_called;
		else
			is_flash(lower);
		KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",size=512K")), 0);
		dev = upper_dev(test);
		KUNIT_EXPECT_EQ(test, dev->blk.memory, i == 1);
		begin_a_storm(test, dev, 0);
		refuse_batch(test, dev, 1);
		refuse_batch(test, dev, 2);
		refuse_batch(test, dev, 4);
		/* Pages that need no space are written. */
		KUNIT_EXPECT_EQ(test, transfer_pages(test, dev, REQ_OP_WRITE, 100,
						     zeroes, 2), 0);
		KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
		lower->mtd.type = type;
		lower->mtd.flags = flags;
	}
	lower->mtd._point = NULL;
}

/*
 * On full media a page may be written over its own old copy: that does not mean space for others.
 * The kernel swaps many pages by one bio, and writes all of them again if one is refused. If the
 * storm ended, the first of them would be programmed again and again.
 */
static void overwriting_ends_no_storm(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	u64 tried, programmed;
	struct mtdc_dev *dev;
	unsigned int i;
	u32 nr = 0;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",ratio=200")), 0);
	dev = upper_dev(test);
	while (!write_random(test, dev, nr))
		nr++;
	tried = dev->store.stats.err_full;
	programmed = take_survey(test, dev)->written_bytes;
	for (i = 0; i < 1000; i++) {
		write_random(test, dev, 0);
		KUNIT_ASSERT_EQ(test, write_random(test, dev, nr), -ENOSPC);
	}
	tried = dev->store.stats.err_full - dev->store.stats.full_untried - tried;
	KUNIT_EXPECT_LT(test, tried, 100ULL);
	programmed = take_survey(test, dev)->written_bytes - programmed;
	KUNIT_EXPECT_LT(test, programmed, 400ULL * PAGE_SIZE);

	/* A page that gives space back ends it. */
	KUNIT_ASSERT_TRUE(test, mtdc_backoff_pending(&dev->store.backoff));
	KUNIT_EXPECT_EQ(test, write_zeroes_to(test, dev), 0);
	KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

struct pending {
	atomic_t left;
	atomic_t failed;
	bool slow;
	struct completion done;
};

static void count_bio(struct bio *bio)
{
	struct pending *pending = bio->bi_private;

	/* Flash lets other tasks run, too. */
	if (pending->slow)
		schedule_timeout_uninterruptible(1);
	if (bio->bi_status)
		atomic_inc(&pending->failed);
	if (atomic_dec_and_test(&pending->left))
		complete(&pending->done);
	bio_put(bio);
}

static void submit_writes(struct kunit *test, struct mtdc_dev *dev,
			  unsigned int n, struct pending *pending)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct bio *bio = new_bio(test, dev, i);

		bio->bi_private = pending;
		bio->bi_end_io = count_bio;
		submit_bio(bio);
	}
}

/*
 * The submitter may hold a lock that the worker needs: it has allocated memory with the lock held,
 * and so swaps out. Here that is store.lock, in a real system it is the lock of the chip.
 */
static void who_submits_holds_what_the_worker_wants(struct kunit *test)
{
	const unsigned int n = 100;
	struct pending pending = { .left = ATOMIC_INIT(n) };
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;

	init_completion(&pending.done);
	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",cache=1")), 0);
	dev = upper_dev(test);
	KUNIT_EXPECT_FALSE(test, dev->blk.memory);
	mutex_lock(&dev->store.lock);
	submit_writes(test, dev, n, &pending);
	KUNIT_EXPECT_EQ(test, atomic_read(&pending.left), (int)n);
	mutex_unlock(&dev->store.lock);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&pending.done, 10 * HZ),
			0UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&pending.failed), 0);
	/* All room is given back when the worker has ended. */
	while (flush_work(&dev->blk.writes.work))
		;
	KUNIT_EXPECT_EQ(test, dev->blk.queued, 0U);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

/* A task that submits writes as fast as it can. */
struct submitter {
	struct kunit *test;
	struct mtdc_dev *dev;
	unsigned int n;
	unsigned int pages;
	atomic_t submitted;
	struct pending pending;
	struct completion done;
};

static struct bio *new_long_bio(struct submitter *submitter)
{
	struct bio *bio = bio_alloc(submitter->dev->blk.disk->part0,
				    submitter->pages, REQ_OP_WRITE, GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < submitter->pages; i++)
		if (bio_add_page(bio, ZERO_PAGE(0), PAGE_SIZE, 0) != PAGE_SIZE)
			KUNIT_FAIL(submitter->test, "%u pages in a bio", i);
	bio->bi_private = &submitter->pending;
	bio->bi_end_io = count_bio;
	return bio;
}

/* A thread that ends by itself may still run the module's code at its exit. */
static int until_stopped(void)
{
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static int submit_all(void *data)
{
	struct submitter *submitter = data;
	unsigned int i;

	for (i = 0; i < submitter->n; i++) {
		submit_bio(new_long_bio(submitter));
		atomic_inc(&submitter->submitted);
	}
	complete(&submitter->done);
	return until_stopped();
}

static void expect_submitted(struct kunit *test, struct submitter *submitter,
			     int n)
{
	unsigned int ticks = 5 * HZ;

	while (ticks-- && atomic_read(&submitter->submitted) < n)
		schedule_timeout_uninterruptible(1);
	schedule_timeout_uninterruptible(HZ / 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&submitter->submitted), n);
}

/* The bound counts pages: a huge page is swapped out by one bio. */
static void so_many_pages_wait_for_flash(struct kunit *test)
{
	static const struct {
		unsigned int pages;
		int submitted;
	} bios[] = {
		{ 1, 2 * SWAP_CLUSTER_MAX },
		{ 2 * SWAP_CLUSTER_MAX - 1, 2 },
		{ 2 * SWAP_CLUSTER_MAX, 1 },
		{ 100, 1 },
	};
	struct kunit_lower *lower = test->priv;
	struct submitter *submitter;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;
	unsigned int i;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",cache=1,ratio=200")), 0);
	dev = upper_dev(test);
	for (i = 0; i < ARRAY_SIZE(bios); i++) {
		struct task_struct *task;

		submitter = kunit_kzalloc(test, sizeof(*submitter), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, submitter);
		submitter->test = test;
		submitter->dev = dev;
		submitter->pages = bios[i].pages;
		submitter->n = bios[i].submitted + 3;
		atomic_set(&submitter->pending.left, submitter->n);
		init_completion(&submitter->pending.done);
		init_completion(&submitter->done);

		mutex_lock(&dev->store.lock);
		task = kthread_run(submit_all, submitter, "mtdc_kunit");
		KUNIT_EXPECT_FALSE(test, IS_ERR(task));
		if (!IS_ERR(task))
			expect_submitted(test, submitter, bios[i].submitted);
		mutex_unlock(&dev->store.lock);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		wait_for_completion(&submitter->done);
		kthread_stop(task);
		wait_for_completion_timeout(&submitter->pending.done, 60 * HZ);
		KUNIT_EXPECT_EQ(test, atomic_read(&submitter->pending.left), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&submitter->pending.failed), 0);
	}
	while (flush_work(&dev->blk.writes.work))
		;
	KUNIT_EXPECT_EQ(test, dev->blk.queued, 0U);
	KUNIT_EXPECT_EQ(test, dev->store.stats.writes.n,
			67ULL + 5 * 63 + 4 * 64 + 4 * 100);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

/* The worker takes a bio page by page: each page gets to its place. */
static void a_long_bio_is_right(struct kunit *test)
{
	enum { N = 20 };
	struct page *written[N], *read[N];
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;
	unsigned int i;

	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",cache=1")), 0);
	dev = upper_dev(test);
	for (i = 0; i < N; i++) {
		written[i] = new_random_page(test);
		read[i] = new_random_page(test);
	}
	KUNIT_EXPECT_EQ(test, transfer_pages(test, dev, REQ_OP_WRITE, 3,
					     written, N), 0);
	KUNIT_EXPECT_EQ(test, transfer_pages(test, dev, REQ_OP_READ, 3, read, N),
			0);
	for (i = 0; i < N; i++) {
		KUNIT_EXPECT_EQ(test, memcmp(page_address(written[i]),
					     page_address(read[i]), PAGE_SIZE), 0);
		__free_page(written[i]);
		__free_page(read[i]);
	}
	KUNIT_EXPECT_EQ(test, dev->store.stats.writes.n, (u64)N);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

struct overtaking {
	struct pending writes;
	int left;
	struct completion done;
};

static void read_is_done(struct bio *bio)
{
	struct overtaking *overtaking = bio->bi_private;

	overtaking->left = atomic_read(&overtaking->writes.left);
	complete(&overtaking->done);
}

/* A read waits for one or two writes, not for all that are queued. */
static void a_read_overtakes_writes(struct kunit *test)
{
	const unsigned int n = 15;
	struct overtaking overtaking = {
		.writes = { .left = ATOMIC_INIT(n), .slow = true },
	};
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;
	struct mtdc_dev *dev;
	struct bio *bio;

	init_completion(&overtaking.writes.done);
	init_completion(&overtaking.done);
	is_flash(lower);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER(",cache=1")), 0);
	dev = upper_dev(test);
	mutex_lock(&dev->store.lock);
	submit_writes(test, dev, n, &overtaking.writes);
	bio = new_bio(test, dev, n);
	bio->bi_opf = REQ_OP_READ;
	/* A page that was never written reads as 0xFF: not into the page of zeroes. */
	bio->bi_io_vec[0].bv_page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bio->bi_io_vec[0].bv_page);
	bio->bi_private = &overtaking;
	bio->bi_end_io = read_is_done;
	submit_bio(bio);
	/* Let both workers start before the lock is free. */
	schedule_timeout_uninterruptible(HZ / 10);
	mutex_unlock(&dev->store.lock);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&overtaking.done, 10 * HZ),
			0UL);
	KUNIT_EXPECT_EQ(test, bio->bi_status, (blk_status_t)BLK_STS_OK);
	KUNIT_EXPECT_GT(test, overtaking.left, 0);
	__free_page(bio->bi_io_vec[0].bv_page);
	bio_put(bio);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&overtaking.writes.done,
							  10 * HZ), 0UL);
	KUNIT_EXPECT_EQ(test, atomic_read(&overtaking.writes.failed), 0);
	while (flush_work(&dev->blk.writes.work) ||
	       flush_work(&dev->blk.reads.work))
		;
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

/* A bad place longer than a page, where each policy begins again and again. */
static void a_bad_place_is_gone_past(struct kunit *test)
{
	static const char * const options[] = {
		ON_LOWER(",comp=none,alloc=rotate"),
		ON_LOWER(",comp=none,alloc=best"),
		ON_LOWER(",comp=none,alloc=largest"),
	};
	struct kunit_lower *lower = test->priv;
	struct page *page = alloc_page(GFP_KERNEL);
	unsigned int i;
	u32 nr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	lower->bad_bytes = 16 * PAGE_SIZE;
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		struct mtdc_dev *dev;

		KUNIT_ASSERT_EQ(test, mtdc_dev_attach(options[i]), 0);
		dev = upper_dev(test);
		for (nr = 0; nr < 16 && write_random(test, dev, nr); nr++)
			;
		KUNIT_EXPECT_LT(test, nr, 16U);
		for (nr = 16; nr < 32; nr++) {
			KUNIT_EXPECT_EQ(test, write_random(test, dev, nr), 0);
			KUNIT_EXPECT_EQ(test, read_to(test, dev, nr, page), 0);
		}
		KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
	}
	lower->bad_bytes = 0;
	__free_page(page);
}

/* The kernel opens its swap after tasks are frozen, a program like s2disk before. */
static void refuse_image(struct kunit *test, const char *options)
{
	struct mtdc_dev *dev;
	compat_bdev *bdev;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(options), 0);
	dev = upper_dev(test);
	current->flags |= PF_SUSPEND_TASK;
	bdev = compat_bdev_open(disk_devt(dev->blk.disk), BLK_OPEN_WRITE);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(bdev), -EOPNOTSUPP);
	if (!IS_ERR(bdev))
		compat_bdev_close(bdev, BLK_OPEN_WRITE);
	bdev = compat_bdev_open(disk_devt(dev->blk.disk), BLK_OPEN_READ);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(bdev), 0);
	if (!IS_ERR(bdev))
		compat_bdev_close(bdev, BLK_OPEN_READ);
	KUNIT_EXPECT_EQ(test, write_zeroes_to(test, dev), -EIO);
	/* Swap-out, to make room for the image, goes on. */
	current->flags |= PF_MEMALLOC;
	KUNIT_EXPECT_EQ(test, write_zeroes_to(test, dev), 0);
	current->flags &= ~(PF_SUSPEND_TASK | PF_MEMALLOC);
	KUNIT_EXPECT_EQ(test, write_zeroes_to(test, dev), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/*
 * An image of a hibernation could not be found after power-on. On flash its writes would also
 * wait forever, as the worker is frozen.
 */
static void no_image_of_a_hibernation(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;

	lower->mtd._point = never_called;
	refuse_image(test, ON_LOWER(""));
	lower->mtd._point = NULL;
	is_flash(lower);
	refuse_image(test, ON_LOWER(",cache=1"));
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

/* RAM loses its contents, wherever the image is. @expected: the answer for an open device */
static void hibernate(struct kunit *test, const char *options, int expected)
{
	compat_bdev *bdev;
	struct mtd_info *mtd;

	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(options), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_may_hibernate(), 0);
	mtd = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mtd));
	KUNIT_EXPECT_EQ(test, mtdc_dev_may_hibernate(), expected);
	put_mtd_device(mtd);
	KUNIT_EXPECT_EQ(test, mtdc_dev_may_hibernate(), 0);
	bdev = compat_bdev_open(disk_devt(upper_dev(test)->blk.disk), BLK_OPEN_WRITE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bdev));
	KUNIT_EXPECT_EQ(test, mtdc_dev_may_hibernate(), expected);
	compat_bdev_close(bdev, BLK_OPEN_WRITE);
	KUNIT_EXPECT_EQ(test, mtdc_dev_may_hibernate(), 0);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

static void no_hibernation_of_what_is_on_ram(struct kunit *test)
{
	struct kunit_lower *lower = test->priv;
	u8 type = lower->mtd.type;
	u32 flags = lower->mtd.flags;

	hibernate(test, ON_LOWER(""), -EBUSY);
	hibernate(test, ON_LOWER(",wearlevel=0"), -EBUSY);
	hibernate(test, ON_LOWER(",wearlevel=100"), 0);
	is_flash(lower);
	hibernate(test, ON_LOWER(",cache=1"), 0);
	lower->mtd.type = type;
	lower->mtd.flags = flags;
}

struct closing {
	struct mtdc_users users;
	struct completion done;
};

static int close_and_wait(void *data)
{
	struct closing *closing = data;

	mtdc_users_close(&closing->users, true, "kunit");
	complete(&closing->done);
	return until_stopped();
}

/*
 * A load has failed, and a program swaps to its disk already. swapoff opens the disk again:
 * if it were refused, the swap would never end.
 */
static void who_is_waited_for_may_open_again(struct kunit *test)
{
	struct closing *closing = kunit_kzalloc(test, sizeof(*closing),
						GFP_KERNEL);
	struct mtdc_users *users = &closing->users;
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, closing);
	init_completion(&closing->done);
	mtdc_users_init(users);
	KUNIT_EXPECT_EQ(test, mtdc_users_enter_blk(users, true), 0);
	task = kthread_run(close_and_wait, closing, "mtdc_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!READ_ONCE(users->closed))
		schedule_timeout_uninterruptible(1);

	KUNIT_EXPECT_EQ(test, mtdc_users_enter_mtd(users), -ENODEV);
	KUNIT_EXPECT_EQ(test, mtdc_users_enter_blk(users, true), 0);
	if (users->blk > 1)
		mtdc_users_leave_blk(users);
	KUNIT_EXPECT_FALSE(test, completion_done(&closing->done));
	mtdc_users_leave_blk(users);
	wait_for_completion(&closing->done);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, mtdc_users_enter_blk(users, false), -ENXIO);
}

#ifdef CONFIG_SMP
/*
 * The waiter sees the count fall before the last user has given up the lock: it must not free the
 * lock yet. This test plays the user; the waiter runs on another CPU.
 */
static void who_leaves_last_is_out_of_the_lock(struct kunit *test)
{
	unsigned int here = cpumask_first(cpu_online_mask);
	unsigned int there = cpumask_next(here, cpu_online_mask), ms;
	struct closing *closing = kunit_kzalloc(test, sizeof(*closing),
						GFP_KERNEL);
	struct mtdc_users *users = &closing->users;
	struct task_struct *task;
	bool early;

	KUNIT_ASSERT_NOT_NULL(test, closing);
	if (there >= nr_cpu_ids)
		kunit_skip(test, "one processor");
	init_completion(&closing->done);
	mtdc_users_init(users);
	KUNIT_EXPECT_EQ(test, mtdc_users_enter_mtd(users), 0);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(here)), 0);
	task = kthread_create(close_and_wait, closing, "mtdc_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, there);
	wake_up_process(task);
	while (!READ_ONCE(users->closed) || task_is_running(task))
		schedule_timeout_uninterruptible(1);

	spin_lock(&users->lock);
	WRITE_ONCE(users->mtd, 0);
	wake_up_var(users);
	for (ms = 0; ms < 200 && !completion_done(&closing->done); ms++)
		mdelay(1);
	early = completion_done(&closing->done);
	spin_unlock(&users->lock);
	KUNIT_EXPECT_FALSE(test, early);
	wait_for_completion(&closing->done);
	kthread_stop(task);
}
#endif

static struct kunit_case attach_cases[] = {
	KUNIT_CASE_PARAM(attach_is_refused, refusal_gen_params),
	KUNIT_CASE(attach_holds_the_lower_mtd),
	KUNIT_CASE(attach_is_all_or_none),
	KUNIT_CASE(attach_all_there_can_be),
	KUNIT_CASE(lower_mtd_goes),
	KUNIT_CASE(an_error_of_a_chained_bio_stays),
	KUNIT_CASE(half_a_page_is_not_dropped),
	KUNIT_CASE(no_page_behind_the_end),
	KUNIT_CASE(a_page_is_not_what_lies_beside_it),
	KUNIT_CASE(a_page_is_read_where_it_lies),
	KUNIT_CASE(a_wrong_bit_is_an_error),
	KUNIT_CASE(one_wrong_read_loses_no_page),
	KUNIT_CASE(one_wrong_read_fails_no_swap_in),
	KUNIT_CASE(a_label_is_not_what_lies_beside_it),
	KUNIT_CASE(freed_slots_are_room),
	KUNIT_CASE(a_storm_is_not_queued),
	KUNIT_CASE(a_batch_is_refused_as_a_whole),
	KUNIT_CASE(overwriting_ends_no_storm),
	KUNIT_CASE(who_submits_holds_what_the_worker_wants),
	KUNIT_CASE(so_many_pages_wait_for_flash),
	KUNIT_CASE(a_long_bio_is_right),
	KUNIT_CASE(a_read_overtakes_writes),
	KUNIT_CASE(a_bad_place_is_gone_past),
	KUNIT_CASE(no_image_of_a_hibernation),
	KUNIT_CASE(no_hibernation_of_what_is_on_ram),
	KUNIT_CASE(who_is_waited_for_may_open_again),
#ifdef CONFIG_SMP
	KUNIT_CASE(who_leaves_last_is_out_of_the_lock),
#endif
	{}
};

static struct kunit_suite attach_suite = {
	.name = "mtdcompr_attach",
	.init = kunit_lower_init,
	.exit = kunit_lower_exit,
	.test_cases = attach_cases,
};

#ifdef CONFIG_FAULT_INJECTION
static void set_fault(unsigned int nth)
{
	WRITE_ONCE(current->fail_nth, nth);
}

static unsigned int faults_left(void)
{
	return READ_ONCE(current->fail_nth);
}
#else
static void set_fault(unsigned int nth)
{
}

static unsigned int faults_left(void)
{
	return 1;
}
#endif

static const char * const unwind_params[] = {
	ON_LOWER(",comp=lz4"),
	ON_LOWER(",comp=lzo,alloc=best"),
	ON_LOWER(",comp=zlib,size=64K"),
	ON_LOWER(",comp=zstd,alloc=largest"),
	ON_LOWER(",comp=none,cache=1"),
	ON_LOWER(",comp=lz4,store=log"),
};

static void unwind_name(const char * const *param, char *name)
{
	strscpy(name, *param, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(unwind, unwind_params, unwind_name);

/*
 * Each allocation of attach fails once, wherever it is made; here every UNWIND_CASES-th, from
 * @nth on.  All of them together take a kernel with all its checks longer than KUnit gives a
 * case, where the machine has much else to do.
 */
#define UNWIND_CASES	4

static void allocations_fail(struct kunit *test, unsigned int nth)
{
	const char *options = *(const char * const *)test->param_value;
	struct kunit_lower *lower = test->priv;
	unsigned int left, faults = 0, failed = 0;

	if (strstr(options, "cache=1") || strstr(options, "store=log"))
		is_flash(lower);
	for (left = 0; !left; nth += UNWIND_CASES) {
		int err;

		set_fault(nth);
		err = mtdc_dev_attach(options);
		left = faults_left();
		set_fault(0);
		faults += !left;
		if (err) {
			failed++;
			/* The driver core has no name then. */
			if (err != -EINVAL)
				KUNIT_EXPECT_EQ(test, err, -ENOMEM);
			KUNIT_EXPECT_EQ(test, left, 0U);
		} else {
			KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
		}
		expect_nothing_left(test, lower);
	}
	if (!failed)
		kunit_skip(test, "failslab lets what may wait pass");
	kunit_info(test, "%u faults, %u of them refusals", faults, failed);
}

static void allocations_1_5_9_fail(struct kunit *test)
{
	allocations_fail(test, 1);
}

static void allocations_2_6_10_fail(struct kunit *test)
{
	allocations_fail(test, 2);
}

static void allocations_3_7_11_fail(struct kunit *test)
{
	allocations_fail(test, 3);
}

static void allocations_4_8_12_fail(struct kunit *test)
{
	allocations_fail(test, 4);
}

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE_PARAM(allocations_1_5_9_fail, unwind_gen_params),
	KUNIT_CASE_PARAM(allocations_2_6_10_fail, unwind_gen_params),
	KUNIT_CASE_PARAM(allocations_3_7_11_fail, unwind_gen_params),
	KUNIT_CASE_PARAM(allocations_4_8_12_fail, unwind_gen_params),
	{}
};

static struct kunit_suite unwind_suite = {
	.name = "mtdcompr_unwind",
	.init = kunit_lower_init,
	.exit = kunit_lower_exit,
	.test_cases = unwind_cases,
};

kunit_test_suites(&attach_suite, &unwind_suite);
