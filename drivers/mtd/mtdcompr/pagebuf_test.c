// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of pages from pieces and back: what the MTD above takes and gives,
 * against an array, and what remains when the MTD below fails.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mtd/mtd.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/string.h>

#include "dev.h"
#include "lower_test.h"

#define SECTOR		512U
#define MODEL_PAGES	48U
#define RANDOM_OPS	2000U

/* A device, and a model of its contents. */
struct rig {
	struct kunit_lower *lower;
	struct mtd_info *mtd;
	struct rnd_state rnd;
	u8 *model;
	u8 *buffer;
};

static void rig_create(struct kunit *test, struct rig *rig)
{
	size_t bytes = MODEL_PAGES * PAGE_SIZE;

	rig->lower = test->priv;
	prandom_seed_state(&rig->rnd, 1);
	rig->model = kunit_kmalloc(test, bytes, GFP_KERNEL);
	rig->buffer = kunit_kmalloc(test, bytes, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->model);
	KUNIT_ASSERT_NOT_NULL(test, rig->buffer);
	memset(rig->model, 0xff, bytes);
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(ON_LOWER("")), 0);
	rig->mtd = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rig->mtd);
	/* The device is taken away at the end, whatever becomes of the test. */
	put_mtd_device(rig->mtd);
}

static const struct mtdc_stats *rig_stats(const struct rig *rig)
{
	const struct mtdc_dev *dev = rig->mtd->priv;

	return &dev->store.stats;
}

/* Bytes that compress, but not to nothing. */
static void rig_fill(struct rig *rig, u8 *to, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		to[i] = prandom_u32_state(&rig->rnd) & (i & 64 ? 0xff : 0x11);
}

static int rig_write(struct rig *rig, u32 at, u32 bytes)
{
	size_t done = 0;
	int err;

	rig_fill(rig, rig->buffer, bytes);
	err = mtd_write(rig->mtd, at, bytes, &done, rig->buffer);
	if (!err && done != bytes)
		return -EIO;
	if (!err)
		memcpy(rig->model + at, rig->buffer, bytes);
	return err;
}

/* Write a page that needs no media. */
static int rig_write_word(struct rig *rig, u32 page)
{
	size_t done = 0;
	int err;

	memset(rig->buffer, page, PAGE_SIZE);
	err = mtd_write(rig->mtd, page * PAGE_SIZE, PAGE_SIZE, &done,
			rig->buffer);
	if (!err)
		memset(rig->model + page * PAGE_SIZE, page, PAGE_SIZE);
	return err;
}

static int rig_verify(struct rig *rig, u32 at, u32 bytes)
{
	size_t done = 0;
	int err;

	memset(rig->buffer, 0x5a, bytes);
	err = mtd_read(rig->mtd, at, bytes, &done, rig->buffer);
	if (err || done != bytes)
		return err ?: -EIO;
	return memcmp(rig->buffer, rig->model + at, bytes) ? -EILSEQ : 0;
}

static void sectors_in_order_are_one_write(struct kunit *test)
{
	struct rig rig;
	u32 at;

	rig_create(test, &rig);
	for (at = 0; at < 3 * PAGE_SIZE; at += SECTOR)
		KUNIT_ASSERT_EQ(test, rig_write(&rig, at, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->writes.n, 3ULL);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->merges, 0ULL);
	for (at = 0; at < 3 * PAGE_SIZE; at += SECTOR)
		KUNIT_EXPECT_EQ(test, rig_verify(&rig, at, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->reads.n, 3ULL);
}

static void sectors_in_any_order(struct kunit *test)
{
	static const u32 orders[][4] = {
		{ 3, 2, 1, 0 }, { 0, 2, 1, 3 }, { 1, 3, 0, 2 }, { 2, 2, 0, 3 },
	};
	struct rig rig;
	u32 i, k;

	rig_create(test, &rig);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		for (k = 0; k < 4; k++) {
			u32 at = i * PAGE_SIZE + orders[i][k] * PAGE_SIZE / 4;

			KUNIT_ASSERT_EQ(test,
					rig_write(&rig, at, PAGE_SIZE / 4), 0);
			KUNIT_EXPECT_EQ(test, rig_verify(&rig, i * PAGE_SIZE,
							 PAGE_SIZE), 0);
		}
	}
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 5 * PAGE_SIZE), 0);
}

static void incomplete_page_is_seen_and_kept(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 100, 33), 0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->writes.n, 0ULL);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), 0);
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->writes.n, 1ULL);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

static void refused_page_reads_as_before(struct kunit *test)
{
	struct rig rig;
	u32 at;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	rig.lower->write_error = -EIO;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), -EIO);
	for (at = 0; at < PAGE_SIZE - SECTOR; at += SECTOR) {
		rig_fill(&rig, rig.buffer, SECTOR);
		KUNIT_ASSERT_EQ(test, mtd_write(rig.mtd, at, SECTOR,
						&(size_t){ 0 }, rig.buffer), 0);
	}
	KUNIT_EXPECT_EQ(test, rig_write(&rig, at, SECTOR), -EIO);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), 0);
}

/* Accepted bytes that the media do not take make the page an error, not its old contents. */
static void lost_page_is_an_error(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, SECTOR, SECTOR), 0);
	rig.lower->write_error = -EIO;
	rig_write(&rig, PAGE_SIZE, PAGE_SIZE);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), -EIO);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, PAGE_SIZE, PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

static void unreadable_page_is_an_error(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	rig.lower->read_error = -EBADMSG;
	/* To mtdchar and others EBADMSG is data, corrected as far as may be. */
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), -EIO);
	rig.lower->read_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
	rig.lower->data[100] ^= 1;
	rig.lower->data[3000] ^= 1;
	KUNIT_EXPECT_NE(test, rig_verify(&rig, 0, PAGE_SIZE), -EILSEQ);
	KUNIT_EXPECT_NE(test, rig_verify(&rig, PAGE_SIZE, PAGE_SIZE), -EILSEQ);
	KUNIT_EXPECT_GE(test, rig_stats(&rig)->err_checksum, 1ULL);
}

/* Some NAND drivers report an error that is in another part of the NAND page. */
static void what_is_beside_it_can_be_read(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	rig.lower->read_error = -EBADMSG;
	rig.lower->read_all = true;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->err_media_read, 0ULL);
	memset(rig.lower->data, 0x5a, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), -EIO);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->err_media_read, 1ULL);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->err_checksum, 0ULL);
}

/* A driver without memory for a moment does not make accepted bytes go. */
static void no_memory_loses_nothing(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, SECTOR, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, PAGE_SIZE, PAGE_SIZE), -ENOMEM);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* A refused write leaves the pieces that were accepted before. */
static void refused_whole_page_keeps_what_was_accepted(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, SECTOR, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), -ENOMEM);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

static void refused_last_piece_keeps_what_was_read(struct kunit *test)
{
	struct rig rig;
	u32 at;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	for (at = 0; at < PAGE_SIZE - SECTOR; at += SECTOR)
		KUNIT_ASSERT_EQ(test, rig_write(&rig, at, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, at, SECTOR), -ENOMEM);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* Full media fail when the page has given up its old copy: the page is lost, not wrong. */
static void refused_page_without_old_copy_is_lost(struct kunit *test)
{
	struct rig rig;
	size_t done;
	u32 n = 0;
	int err;

	rig_create(test, &rig);
	do {
		get_random_bytes(rig.buffer, PAGE_SIZE);
		err = mtd_write(rig.mtd, n * PAGE_SIZE, PAGE_SIZE, &done,
				rig.buffer);
		n++;
	} while (!err);
	KUNIT_ASSERT_EQ(test, err, -ENOSPC);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, SECTOR, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), -ENOMEM);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, SECTOR, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), -EIO);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, PAGE_SIZE), -EIO);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, PAGE_SIZE, PAGE_SIZE), 0);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->kept.pages[MTDC_LOST], 0ULL);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* A request whose first half was lost is not done with its second half. */
static void rest_of_a_lost_page_is_refused(struct kunit *test)
{
	const u32 half = PAGE_SIZE / 2;
	struct rig rig;
	int err;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, half), 0);
	rig.lower->write_error = -EIO;
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	rig.lower->write_error = 0;
	err = rig_write(&rig, half, half);
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_TRUE(test, err || !rig_verify(&rig, 0, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* A sync that fails leaves the parked page where it is. */
static void sync_that_fails_keeps_a_parked_page(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	rig.lower->write_error = -EIO;
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
	rig.lower->write_error = 0;
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->kept.pages[MTDC_LOST], 0ULL);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* A page that finds no space is not in the way of others, and is not forgotten. */
static void parked_page_is_in_nobodys_way(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 6 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
	/* There is room for one; it may be written to meanwhile. */
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 2 * PAGE_SIZE, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), -ENOMEM);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 3 * SECTOR, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 2), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), 0);
	rig.lower->write_error = 0;
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->kept.pages[MTDC_LOST], 0ULL);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
}

static void parked_page_can_be_erased(struct kunit *test)
{
	struct erase_info erase = { .len = PAGE_SIZE };
	struct rig rig;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, SECTOR), 0);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 1), 0);
	KUNIT_EXPECT_EQ(test, mtd_erase(rig.mtd, &erase), 0);
	memset(rig.model, 0xff, PAGE_SIZE);
	rig.lower->write_error = 0;
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

/* The first part of a page that is cut in two. */
#define CUT (PAGE_SIZE - SECTOR)

/* Behind the pages of the model, until not even a sector that does not compress has room. */
static void rig_fill_media(struct kunit *test, struct rig *rig)
{
	u32 bytes, page = MODEL_PAGES;
	size_t done;
	int err;

	for (bytes = PAGE_SIZE; bytes >= SECTOR; bytes /= 2) {
		do {
			memset(rig->buffer, 0, PAGE_SIZE);
			get_random_bytes(rig->buffer, bytes);
			err = mtd_write(rig->mtd, page++ * PAGE_SIZE, PAGE_SIZE,
					&done, rig->buffer);
		} while (!err);
		KUNIT_ASSERT_EQ(test, err, -ENOSPC);
	}
}

/* Full media: two pages come without their last sector. The first is parked, the second waits. */
static void rig_cut_two(struct kunit *test, struct rig *rig)
{
	KUNIT_ASSERT_EQ(test, rig_write(rig, 0, CUT), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(rig, 1), 0);
	KUNIT_ASSERT_EQ(test, rig_write(rig, 2 * PAGE_SIZE, CUT), 0);
}

/* Erase some of the pages behind the model. */
static void rig_make_room(struct kunit *test, struct rig *rig)
{
	struct erase_info erase = {
		.addr = MODEL_PAGES * PAGE_SIZE, .len = 4 * PAGE_SIZE
	};

	KUNIT_EXPECT_EQ(test, mtd_erase(rig->mtd, &erase), 0);
}

/* The rest of a page may come later: mtdblock cuts large bios within a page. */
static void cut_page_is_in_nobodys_way(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	rig_fill_media(test, &rig);
	/* The second one is refused as a whole, with its rest. */
	rig_cut_two(test, &rig);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, SECTOR, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 2 * PAGE_SIZE + CUT, SECTOR),
			-ENOSPC);
	memset(rig.model + 2 * PAGE_SIZE, 0xff, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), 0);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, CUT, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 4), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
	rig_make_room(test, &rig);
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
}

/* A page that was cut is right if its rest finds space. */
static void cut_page_goes_on_when_there_is_room(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	rig_fill_media(test, &rig);
	rig_cut_two(test, &rig);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), -ENOSPC);
	rig_make_room(test, &rig);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 2 * PAGE_SIZE + CUT, SECTOR), 0);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
}

/* If a cut page loses its old copy on the media, gather keeps the bytes from there. */
static void cut_page_without_old_copy_is_kept(struct kunit *test)
{
	struct rig rig;
	size_t done;

	rig_create(test, &rig);
	get_random_bytes(rig.model + 2 * PAGE_SIZE, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, mtd_write(rig.mtd, 2 * PAGE_SIZE, PAGE_SIZE, &done,
					rig.model + 2 * PAGE_SIZE), 0);
	rig_fill_media(test, &rig);
	rig_cut_two(test, &rig);
	rig.lower->write_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), -ENOMEM);
	rig.lower->write_error = 0;
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 4 * PAGE_SIZE), 0);
	/* There is room where its old copy was, but not for both. */
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 4 * PAGE_SIZE), 0);
}

/* A page that waits may be written as a whole, too, while another one is being written. */
static void waiting_page_takes_a_whole_one(struct kunit *test)
{
	struct rig rig;

	rig_create(test, &rig);
	rig_fill_media(test, &rig);
	rig_cut_two(test, &rig);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_write(&rig, 2 * PAGE_SIZE + CUT, SECTOR),
			-ENOSPC);
	memset(rig.model + 2 * PAGE_SIZE, 0xff, PAGE_SIZE);
	rig_make_room(test, &rig);
	mtd_sync(rig.mtd);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
}

/* Where two pages wait for space, not every page that comes has both tried again. */
static void few_are_tried_past_two_that_wait(struct kunit *test)
{
	struct rig rig;
	u64 writes;
	u32 i;

	rig_create(test, &rig);
	rig_fill_media(test, &rig);
	rig_cut_two(test, &rig);
	/* A page that was read can't be refused any more. */
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 2 * PAGE_SIZE, PAGE_SIZE), 0);
	writes = rig_stats(&rig)->writes.n;
	for (i = 0; i < 300; i++)
		KUNIT_ASSERT_EQ(test, rig_write_word(&rig, 3), -ENOSPC);
	KUNIT_EXPECT_LE(test, rig_stats(&rig)->writes.n, writes + 100);
	rig_make_room(test, &rig);
	KUNIT_EXPECT_EQ(test, rig_write_word(&rig, 3), 0);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 6 * PAGE_SIZE), 0);
}

/* Swapoff ends with a sync; mkswap, which may come at once, is no part of the storm. */
static void who_writes_after_a_sync_is_tried(struct kunit *test)
{
	struct rig rig;
	size_t done;
	u64 untried;
	u32 i;

	rig_create(test, &rig);
	KUNIT_ASSERT_EQ(test, rig_write(&rig, 0, PAGE_SIZE), 0);
	rig_fill_media(test, &rig);
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, rig_write(&rig, PAGE_SIZE, PAGE_SIZE),
				-ENOSPC);
	untried = rig_stats(&rig)->full_untried;
	KUNIT_EXPECT_GT(test, untried, 0ULL);
	mtd_sync(rig.mtd);
	/* There is room where the same is. */
	KUNIT_EXPECT_EQ(test, mtd_write(rig.mtd, 0, PAGE_SIZE, &done, rig.model),
			0);
	KUNIT_EXPECT_EQ(test, rig_stats(&rig)->full_untried, untried);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, 2 * PAGE_SIZE), 0);
}

static int random_step(struct rig *rig)
{
	u32 all = MODEL_PAGES * PAGE_SIZE;
	u32 at = prandom_u32_state(&rig->rnd) % all;
	u32 most = prandom_u32_state(&rig->rnd) % 4 ? SECTOR : 3 * PAGE_SIZE;
	u32 bytes = 1 + prandom_u32_state(&rig->rnd) % min(most, all - at);
	struct erase_info erase;
	int err;

	switch (prandom_u32_state(&rig->rnd) % 16) {
	case 0:
		erase.addr = round_down(at, PAGE_SIZE);
		erase.len = PAGE_SIZE;
		err = mtd_erase(rig->mtd, &erase);
		memset(rig->model + erase.addr, 0xff, PAGE_SIZE);
		return err;
	case 1:
		mtd_sync(rig->mtd);
		return 0;
	case 2 ... 8:
		return rig_verify(rig, at, bytes);
	default:
		return rig_write(rig, at, bytes);
	}
}

static void random_operations(struct kunit *test)
{
	struct rig rig;
	u32 i;

	rig_create(test, &rig);
	for (i = 0; i < RANDOM_OPS; i++)
		KUNIT_ASSERT_EQ_MSG(test, random_step(&rig), 0, "step %u", i);
	KUNIT_EXPECT_EQ(test, rig_verify(&rig, 0, MODEL_PAGES * PAGE_SIZE), 0);
}

static struct kunit_case pages_cases[] = {
	KUNIT_CASE(sectors_in_order_are_one_write),
	KUNIT_CASE(sectors_in_any_order),
	KUNIT_CASE(incomplete_page_is_seen_and_kept),
	KUNIT_CASE(refused_page_reads_as_before),
	KUNIT_CASE(lost_page_is_an_error),
	KUNIT_CASE(unreadable_page_is_an_error),
	KUNIT_CASE(what_is_beside_it_can_be_read),
	KUNIT_CASE(no_memory_loses_nothing),
	KUNIT_CASE(refused_whole_page_keeps_what_was_accepted),
	KUNIT_CASE(refused_last_piece_keeps_what_was_read),
	KUNIT_CASE(refused_page_without_old_copy_is_lost),
	KUNIT_CASE(rest_of_a_lost_page_is_refused),
	KUNIT_CASE(sync_that_fails_keeps_a_parked_page),
	KUNIT_CASE(parked_page_is_in_nobodys_way),
	KUNIT_CASE(parked_page_can_be_erased),
	KUNIT_CASE(cut_page_is_in_nobodys_way),
	KUNIT_CASE(cut_page_goes_on_when_there_is_room),
	KUNIT_CASE(cut_page_without_old_copy_is_kept),
	KUNIT_CASE(waiting_page_takes_a_whole_one),
	KUNIT_CASE(few_are_tried_past_two_that_wait),
	KUNIT_CASE(who_writes_after_a_sync_is_tried),
	KUNIT_CASE(random_operations),
	{}
};

static struct kunit_suite pages_suite = {
	.name = "mtdcompr_pages",
	.init = kunit_lower_init,
	.exit = kunit_lower_exit,
	.test_cases = pages_cases,
};

kunit_test_suite(pages_suite);
