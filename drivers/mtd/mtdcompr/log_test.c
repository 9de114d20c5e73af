// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the log on flash in memory: here that the kernel's compiler and
 * libraries make the same of it as in user space, where it is tested at length
 * (selftests/unit/test_log.c).
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "log.h"
#include "media.h"

#define BLOCKS		48U
#define BLOCK_BYTES	8192U
#define UNIT_BYTES	512U
#define PAGE_MAX	1024U
#define OPS		6000U
/* Pages of all sizes: twice as many as there would be of the largest. */
#define FILL		2U

/* How a page should read: as nothing, if it has no version. */
struct model_page {
	u32 version;
	u32 bytes;
};

struct flash_log {
	struct kunit *test;
	struct mtdc_log log;
	struct mtdc_place place;
	struct rnd_state rnd;
	struct model_page *pages;
	u8 *media;
	u8 *record;
	u32 versions;
	u32 fail_one_in;
	u32 failed;
};

static u32 below(struct flash_log *fl, u32 n)
{
	return prandom_u32_state(&fl->rnd) % n;
}

static struct mtdc_media_id id_of(const struct flash_log *fl, u32 page)
{
	return (struct mtdc_media_id) {
		.nonce = fl->log.geo.nonce,
		.page = page,
		.generation = fl->pages[page].version % MTDC_GENERATIONS,
	};
}

/* The record of this version of the page. */
static void make_record(struct flash_log *fl, u32 page, u8 *record)
{
	const struct model_page *model = &fl->pages[page];
	struct mtdc_media_id id = id_of(fl, page);
	u32 i;

	for (i = 0; i < model->bytes; i++)
		record[MTDC_FRAGMENT_BYTES + i] = model->version * 7 + page + i;
	mtdc_media_seal(record, model->bytes, &id);
}

static int program(struct flash_log *fl, const struct mtdc_log_job *job)
{
	u8 *to = fl->media + job->offset;

	/* Nothing is programmed twice, or in pieces of a unit. */
	KUNIT_EXPECT_NULL(fl->test, memchr_inv(to, 0xff, job->bytes));
	KUNIT_EXPECT_EQ(fl->test, job->bytes % UNIT_BYTES, 0U);
	memcpy(to, job->data, job->bytes);
	return 0;
}

static int read_record(struct flash_log *fl, const struct mtdc_log_job *job)
{
	struct mtdc_media_id id = id_of(fl, job->page);

	memcpy(job->data, fl->media + job->offset, job->bytes);
	KUNIT_EXPECT_EQ(fl->test, job->payload_bytes, fl->pages[job->page].bytes);
	return mtdc_media_verify(job->data, job->payload_bytes, &id);
}

static void do_job(struct flash_log *fl, const struct mtdc_log_job *job)
{
	bool fails = fl->fail_one_in && !below(fl, fl->fail_one_in) &&
		(job->kind == MTDC_LOG_ERASE || job->kind == MTDC_LOG_PROGRAM);
	int err = 0;

	fl->failed += fails;
	if (job->kind == MTDC_LOG_ERASE)
		memset(fl->media + job->offset, 0xff, job->bytes);
	else if (job->kind == MTDC_LOG_PROGRAM)
		err = program(fl, job);
	else if (job->kind == MTDC_LOG_READ)
		err = read_record(fl, job);
	else if (job->kind == MTDC_LOG_READ_BACK)
		memcpy(job->data, fl->media + job->offset, job->bytes);
	KUNIT_EXPECT_EQ(fl->test, err, 0);
	mtdc_log_done(&fl->log, job, fails ? -EIO : err);
}

static void do_jobs(struct flash_log *fl)
{
	struct mtdc_log_job job;

	while (mtdc_log_next(&fl->log, &job))
		do_job(fl, &job);
}

static int make_room(struct flash_log *fl, u32 bytes)
{
	struct mtdc_log_job job;
	int err;

	while ((err = mtdc_log_room(&fl->log, bytes, &job)) == -EAGAIN)
		do_job(fl, &job);
	return err;
}

static void write_page(struct flash_log *fl, u32 page)
{
	u32 bytes = 1 + below(fl, PAGE_MAX);
	int err = mtdc_log_admit(&fl->log, page, bytes) ?: make_room(fl, bytes);

	if (err) {
		KUNIT_EXPECT_TRUE(fl->test, err == -ENOSPC || fl->failed);
		return;
	}
	fl->pages[page].version = ++fl->versions;
	fl->pages[page].bytes = bytes;
	make_record(fl, page, fl->record);
	fl->place.kind = MTDC_COMPRESSED;
	fl->place.bytes = bytes;
	fl->place.generation = fl->versions % MTDC_GENERATIONS;
	mtdc_log_append(&fl->log, page, &fl->place, fl->record);
	do_jobs(fl);
}

static void drop_page(struct flash_log *fl, u32 page)
{
	fl->place.kind = MTDC_NONE;
	fl->place.n = 0;
	KUNIT_EXPECT_EQ(fl->test, mtdc_log_put(&fl->log, page, &fl->place), 0);
	fl->pages[page].version = 0;
}

/* Does the page read as it was written? */
static void check_page(struct flash_log *fl, u32 page)
{
	const struct model_page *model = &fl->pages[page];
	u32 bytes = model->bytes + MTDC_FRAGMENT_BYTES;
	u8 *want = fl->record + PAGE_MAX + 64;
	const u8 *got;
	u64 offset;

	mtdc_map_get(&fl->log.map, page, &fl->place);
	if (!model->version) {
		KUNIT_EXPECT_EQ(fl->test, fl->place.kind, MTDC_NONE);
		return;
	}
	KUNIT_ASSERT_EQ(fl->test, fl->place.kind, MTDC_COMPRESSED);
	KUNIT_ASSERT_EQ(fl->test, fl->place.bytes, model->bytes);
	got = mtdc_log_find(&fl->log, &fl->place, &offset);
	if (!got)
		got = fl->media + offset;
	make_record(fl, page, want);
	KUNIT_EXPECT_EQ(fl->test, memcmp(got, want, bytes), 0);
}

static void use_time(struct flash_log *fl)
{
	while (mtdc_log_idle(&fl->log)) {
		struct mtdc_log_job job;
		bool some = false;

		while (mtdc_log_next(&fl->log, &job)) {
			do_job(fl, &job);
			some = true;
		}
		if (!some)
			return;
	}
}

static void operation(struct flash_log *fl)
{
	u32 page = below(fl, fl->log.geo.pages);
	u32 what = below(fl, 100);

	if (what < 70)
		write_page(fl, page);
	else if (what < 80)
		drop_page(fl, page);
	else if (what < 82)
		mtdc_log_scrub(&fl->log, below(fl, BLOCKS * BLOCK_BYTES));
	else if (what < 84)
		use_time(fl);
	else if (what < 86)
		mtdc_log_flush(&fl->log);
	else
		check_page(fl, page);
	do_jobs(fl);
}

static struct flash_log *create(struct kunit *test, u32 seed)
{
	struct mtdc_log_geo geo = {
		.blocks = BLOCKS, .block_bytes = BLOCK_BYTES,
		.unit_bytes = UNIT_BYTES, .write_bytes = UNIT_BYTES,
		.page_bytes = PAGE_MAX, .pages = 1, .links = 64, .spread = 8,
		.nonce = seed,
	};
	struct flash_log *fl = kunit_kzalloc(test, sizeof(*fl), GFP_KERNEL);
	void *memory;
	u32 block;

	KUNIT_ASSERT_NOT_NULL(test, fl);
	fl->test = test;
	prandom_seed_state(&fl->rnd, seed);
	geo.pages = div_u64(mtdc_log_promise(&geo, BLOCKS) * FILL, PAGE_MAX);
	KUNIT_ASSERT_TRUE(test, mtdc_log_suits(&geo));
	memory = kunit_kzalloc(test, mtdc_log_memory(&geo), GFP_KERNEL);
	fl->media = kunit_kmalloc(test, BLOCKS * BLOCK_BYTES, GFP_KERNEL);
	fl->pages = kunit_kzalloc(test, geo.pages * sizeof(*fl->pages),
				  GFP_KERNEL);
	fl->record = kunit_kzalloc(test, 2 * (PAGE_MAX + 64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_NOT_NULL(test, fl->media);
	KUNIT_ASSERT_NOT_NULL(test, fl->pages);
	KUNIT_ASSERT_NOT_NULL(test, fl->record);
	memset(fl->media, 0xff, BLOCKS * BLOCK_BYTES);
	mtdc_log_init(&fl->log, memory, &geo);
	for (block = 0; block < BLOCKS; block++) {
		if (block % 16 != 5)
			mtdc_log_found(&fl->log, block,
				       fl->media + block * BLOCK_BYTES);
	}
	KUNIT_ASSERT_EQ(test, mtdc_log_settle(&fl->log), 0);
	return fl;
}

static void run(struct flash_log *fl, u32 ops)
{
	u32 i;

	for (i = 0; i < ops; i++) {
		operation(fl);
		if (i % 8 == 0)
			KUNIT_ASSERT_EQ(fl->test, mtdc_log_check(&fl->log), 0);
	}
	for (i = 0; i < fl->log.geo.pages; i++)
		check_page(fl, i);
}

/* Pages come, go and are moved; none reads as another. */
static void pages_survive_collection(struct kunit *test)
{
	struct flash_log *fl = create(test, 3);

	run(fl, OPS);
	KUNIT_EXPECT_GT(test, fl->log.stats.collected, 0ULL);
	KUNIT_EXPECT_GT(test, fl->log.stats.scrubbed, 0ULL);
	KUNIT_EXPECT_EQ(test, fl->log.stats.retired, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)mtdc_log_state(&fl->log), (int)MTDC_LOG_OK);
	mtdc_log_close(&fl->log);
	do_jobs(fl);
	KUNIT_EXPECT_EQ(test, mtdc_log_check(&fl->log), 0);
}

/* Programs and erases fail; no page is lost. */
static void pages_survive_blocks(struct kunit *test)
{
	struct flash_log *fl = create(test, 4);

	fl->fail_one_in = 150;
	run(fl, OPS);
	KUNIT_EXPECT_GT(test, fl->failed, 0U);
	KUNIT_EXPECT_EQ(test, fl->log.stats.lost, 0ULL);
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(pages_survive_collection),
	KUNIT_CASE(pages_survive_blocks),
	{}
};

static struct kunit_suite log_suite = {
	.name = "mtdcompr_log",
	.test_cases = log_cases,
};

kunit_test_suite(log_suite);
