// SPDX-License-Identifier: GPL-2.0
/*
 * An MTD below for KUnit tests, and a test of lower.c itself.
 *
 * This file owns the MTD of a test. It must never leave it, or a device on it, behind for the
 * next test. The suites in dev_test.c, log_test.c and pagebuf_test.c call it.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mtd/partitions.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "dev.h"
#include "lower.h"
#include "lower_test.h"
#include "proc.h"

#define BLOCK_BYTES	(4 * PAGE_SIZE)

static int lower_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	struct kunit_lower *lower = mtd->priv;

	memcpy(buf, lower->data + from, len);
	if (lower->every_other_wrong && lower->reads++ % 2 == 0)
		buf[len - 1] ^= 1;
	/* An MTD returns all bytes even if its ECC could not correct them; the core checks that. */
	if (lower->read_error && !lower->read_all)
		memset(buf, 0x5a, len);
	*retlen = len;
	return lower->read_error;
}

static int lower_write(struct mtd_info *mtd, loff_t to, size_t len,
		       size_t *retlen, const u_char *buf)
{
	struct kunit_lower *lower = mtd->priv;

	if (lower->write_error)
		return lower->write_error;
	if (to < lower->bad_bytes)
		return -EIO;
	memcpy(lower->data + to, buf, len);
	*retlen = len;
	return 0;
}

static int lower_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	struct kunit_lower *lower = mtd->priv;

	memset(lower->data + instr->addr, 0xff, instr->len);
	return 0;
}

static int lower_isbad(struct mtd_info *mtd, loff_t offset)
{
	struct kunit_lower *lower = mtd->priv;

	return lower->isbad_result;
}

static int lower_islocked(struct mtd_info *mtd, loff_t offset, uint64_t len)
{
	struct kunit_lower *lower = mtd->priv;

	return lower->islocked_result;
}

static int lower_get(struct mtd_info *mtd)
{
	struct kunit_lower *lower = mtd->priv;

	if (lower->get_error)
		return lower->get_error;
	lower->gets++;
	return 0;
}

static void lower_put(struct mtd_info *mtd)
{
	struct kunit_lower *lower = mtd->priv;

	lower->gets--;
}

/**
 * kunit_lower_register() - register an MTD; if that fails, the test ends
 * @test: the test
 * @lower: the MTD, zeroed
 * @name: its name
 * @bytes: its size
 */
void kunit_lower_register(struct kunit *test, struct kunit_lower *lower,
			  const char *name, u64 bytes)
{
	static const char * const no_parsers[] = { NULL };
	struct mtd_info *mtd = &lower->mtd;
	int err;

	strscpy(lower->name, name, sizeof(lower->name));
	mtd->name = lower->name;
	mtd->type = MTD_RAM;
	mtd->flags = MTD_CAP_RAM;
	mtd->size = bytes;
	mtd->erasesize = BLOCK_BYTES;
	mtd->writesize = 1;
	mtd->writebufsize = 1;
	mtd->owner = THIS_MODULE;
	mtd->priv = lower;
	mtd->_read = lower_read;
	mtd->_write = lower_write;
	mtd->_erase = lower_erase;
	mtd->_block_isbad = lower_isbad;
	mtd->_is_locked = lower_islocked;
	mtd->_get_device = lower_get;
	mtd->_put_device = lower_put;
	lower->data = vzalloc(bytes);
	KUNIT_ASSERT_NOT_NULL(test, lower->data);
	err = mtd_device_parse_register(mtd, no_parsers, NULL, NULL, 0);
	if (err) {
		vfree(lower->data);
		lower->data = NULL;
	}
	KUNIT_ASSERT_EQ(test, err, 0);
}

/**
 * kunit_lower_unregister() - unregister an MTD, unless it has gone
 * @test: the test
 * @lower: the MTD
 */
void kunit_lower_unregister(struct kunit *test, struct kunit_lower *lower)
{
	if (!lower->data)
		return;
	KUNIT_EXPECT_EQ(test, mtd_device_unregister(&lower->mtd), 0);
	vfree(lower->data);
	lower->data = NULL;
}

/* Older kernels (6.1) run the suites of a module before its init function, newer ones after. */
static bool is_before_init(void)
{
#ifdef MODULE
	return THIS_MODULE->state == MODULE_STATE_COMING;
#else
	return false;
#endif
}

/**
 * kunit_lower_init() - start a test that needs the MTD LOWER
 * @test: the test; its priv is set to the struct kunit_lower
 *
 * Return: 0.
 */
int kunit_lower_init(struct kunit *test)
{
	struct kunit_lower *lower = kunit_kzalloc(test, sizeof(*lower), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lower);
	test->priv = lower;
	if (is_before_init()) {
		KUNIT_ASSERT_EQ(test, mtdc_proc_init(), 0);
		mtdc_lower_init();
	}
	kunit_lower_register(test, lower, LOWER, LOWER_BYTES);
	return 0;
}

/**
 * kunit_lower_exit() - end the test, also one that failed in the middle
 * @test: the test
 */
void kunit_lower_exit(struct kunit *test)
{
	mtdc_dev_detach_all();
	kunit_lower_unregister(test, test->priv);
	if (is_before_init()) {
		mtdc_lower_exit();
		mtdc_proc_exit();
	}
}

/* With SLC emulation, mtd->size of a partition is half of its space in the master. */
static void all_of_an_slc_partition_is_held(struct kunit *test)
{
	struct kunit_lower *master = test->priv;
	struct mtdc_lower slc = {}, end = {};
	const char *reason;
	struct mtd_info *mtd;
	struct mutex lock;	/* of both holds */

	mutex_init(&lock);
	KUNIT_ASSERT_EQ(test, mtd_add_partition(&master->mtd, "kunit_slc", 0, LOWER_BYTES), 0);
	KUNIT_ASSERT_EQ(test, mtd_add_partition(&master->mtd, "kunit_end", LOWER_BYTES / 2,
						LOWER_BYTES / 2), 0);
	mtd = get_mtd_device_nm("kunit_slc");
	KUNIT_ASSERT_FALSE(test, IS_ERR(mtd));
	mtd->size /= 2;
	put_mtd_device(mtd);
	KUNIT_EXPECT_EQ(test, mtdc_lower_get(&slc, &lock, "kunit_slc", &reason), 0);
	KUNIT_EXPECT_EQ(test, mtdc_lower_get(&end, &lock, "kunit_end", &reason), -EBUSY);
	mtdc_lower_put(&slc);
	mtdc_lower_put(&end);
}

static struct kunit_case lower_cases[] = {
	KUNIT_CASE(all_of_an_slc_partition_is_held),
	{}
};

static struct kunit_suite lower_suite = {
	.name = "mtdcompr_lower",
	.init = kunit_lower_init,
	.exit = kunit_lower_exit,
	.test_cases = lower_cases,
};

kunit_test_suite(lower_suite);
