// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of an encrypted device whose media an attacker changes: each read is an error, or
 * right.
 *
 * They want the module without devices.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "dev.h"
#include "inplace_store.h"
#include "lower_test.h"

#define PAGES		4U

/* All that a test uses: @lower and @upper are MTDs, @was is a copy of the media. */
struct sealed {
	struct kunit_lower *lower;
	struct mtd_info *upper;
	struct mtdc_dev *dev;
	u8 *page;
	u8 *got;
	u8 *was;
};

struct way {
	const char *name;
	const char *options;
	bool flash;
};

static const struct way ways[] = {
	{ "in place, compressed", ON_LOWER(",crypt=on"), false },
	{ "in place, raw", ON_LOWER(",crypt=on,comp=none"), false },
	{ "log, compressed", ON_LOWER(""), true },
	{ "log, raw", ON_LOWER(",comp=none"), true },
};

static void way_name(const struct way *way, char *name)
{
	strscpy(name, way->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, ways, way_name);

/* The contents of page @nr: a half is words, the other can't be compressed. */
static void make_page(u8 *page, u32 nr, u32 version)
{
	struct rnd_state state;

	prandom_seed_state(&state, nr * 1000 + version);
	prandom_bytes_state(&state, page, PAGE_SIZE);
	memset(page + PAGE_SIZE / 2, 'a' + nr, PAGE_SIZE / 2);
}

static void write_page(struct kunit *test, struct sealed *s, u32 nr, u32 version)
{
	size_t done;

	make_page(s->page, nr, version);
	KUNIT_ASSERT_EQ(test, mtd_write(s->upper, nr * PAGE_SIZE, PAGE_SIZE, &done, s->page), 0);
}

/* Read page @nr from the media: the page that was read last is in memory. */
static int read_page(struct sealed *s, u32 nr)
{
	size_t done;

	s->dev->pagebuf.cache_page = U32_MAX;
	memset(s->got, 0, PAGE_SIZE);
	return mtd_read(s->upper, nr * PAGE_SIZE, PAGE_SIZE, &done, s->got);
}

static void expect_right(struct kunit *test, struct sealed *s, u32 nr, u32 version)
{
	make_page(s->page, nr, version);
	KUNIT_EXPECT_EQ(test, read_page(s, nr), 0);
	KUNIT_EXPECT_EQ(test, memcmp(s->page, s->got, PAGE_SIZE), 0);
}

/* Attach a device, and write PAGES pages, which reach the media. */
static struct sealed *begin(struct kunit *test, const char *options, bool flash)
{
	struct sealed *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u32 nr;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->lower = test->priv;
	s->page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	s->got = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	s->was = kunit_kzalloc(test, LOWER_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, s->page && s->got && s->was);
	if (flash) {
		s->lower->mtd.type = MTD_NORFLASH;
		s->lower->mtd.flags = MTD_CAP_NORFLASH;
	}
	KUNIT_ASSERT_EQ(test, mtdc_dev_attach(options), 0);
	s->upper = get_mtd_device_nm(UPPER);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s->upper);
	s->dev = s->upper->priv;
	for (nr = 0; nr < PAGES; nr++)
		write_page(test, s, nr, 0);
	mtd_sync(s->upper);
	memcpy(s->was, s->lower->data, LOWER_BYTES);
	return s;
}

static void end(struct kunit *test, struct sealed *s)
{
	put_mtd_device(s->upper);
	KUNIT_EXPECT_EQ(test, mtdc_dev_detach(UPPER), 0);
}

/* Where on the media page @nr begins, and its length with everything. */
static u8 *find(struct sealed *s, u32 nr, u32 *bytes)
{
	struct mtdc_place place;

	mtdc_map_get(s->dev->store.map, nr, &place);
	*bytes = place.bytes + MTDC_FRAGMENT_BYTES;
	return s->lower->data + (u64)place.chain[0].start * s->dev->store.geo.granule_bytes;
}

static void each_bit_counts(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	u32 bytes, bit, wrong = 0;
	u8 *record = find(s, 1, &bytes);

	KUNIT_EXPECT_TRUE(test, mtdc_seals_encrypt(&s->dev->store.seals));
	/* Each bit of the ends, which are not ciphertext, and of every 16th byte. */
	for (bit = 0; bit < 8 * bytes; bit++) {
		if (bit / 8 >= 32 && bit / 8 + 32 < bytes && bit / 8 % 16)
			continue;
		record[bit / 8] ^= 1 << bit % 8;
		wrong += read_page(s, 1) != -EIO;
		record[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_GT(test, s->dev->store.stats.err_checksum, 0ULL);
	expect_right(test, s, 1, 0);
	end(test, s);
}

/* No byte of a page is on the media, in order. Without encryption they are. */
static void nothing_shows(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	u32 bytes, at;
	u8 *record = find(s, 1, &bytes);

	make_page(s->page, 1, 0);
	for (at = 0; at + 8 < bytes; at++)
		KUNIT_EXPECT_NE(test, memcmp(record + at, s->page + 64, 8), 0);
	end(test, s);
}

static void records_are_exchanged(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	u32 bytes, other_bytes, i;
	u8 *record = find(s, 1, &bytes), *other = find(s, 2, &other_bytes);

	KUNIT_EXPECT_EQ(test, bytes, other_bytes);
	for (i = 0; i < bytes; i++)
		swap(record[i], other[i]);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	KUNIT_EXPECT_EQ(test, read_page(s, 2), -EIO);
	memcpy(record, other, bytes);
	expect_right(test, s, 1, 0);
	KUNIT_EXPECT_EQ(test, read_page(s, 2), -EIO);
	expect_right(test, s, 0, 0);
	expect_right(test, s, 3, 0);
	end(test, s);
}

/* An attacker puts the old contents of the media back after pages were written anew. */
static void old_media_come_back(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	u32 version, nr;

	/* As much as the media have several times, so that blocks are erased. */
	for (version = 1; version <= 4 * LOWER_BYTES / PAGE_SIZE; version++)
		for (nr = 0; nr < PAGES; nr++)
			write_page(test, s, nr, version);
	mtd_sync(s->upper);
	for (nr = 0; nr < PAGES; nr++)
		expect_right(test, s, nr, version - 1);
	memcpy(s->lower->data, s->was, LOWER_BYTES);
	for (nr = 0; nr < PAGES; nr++)
		KUNIT_EXPECT_EQ(test, read_page(s, nr), -EIO);
	end(test, s);
}

/* The map has another length, version, kind or page than the seal. */
static void the_map_is_forged(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	struct mtdc_map *map = s->dev->store.map;
	struct mtdc_place right, place;

	mtdc_map_get(map, 1, &right);
	place = right;
	place.bytes--;
	mtdc_map_set(map, 1, &place);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	place.bytes = right.bytes + 1;
	mtdc_map_set(map, 1, &place);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	place = right;
	place.generation = (right.generation + 1) % MTDC_GENERATIONS;
	mtdc_map_set(map, 1, &place);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	place = right;
	place.kind = right.kind == MTDC_RAW ? MTDC_COMPRESSED : MTDC_RAW;
	mtdc_map_set(map, 1, &place);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	mtdc_map_get(map, 2, &place);
	mtdc_map_set(map, 1, &place);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -EIO);
	mtdc_map_set(map, 1, &right);
	expect_right(test, s, 1, 0);
	end(test, s);
}

struct keys {
	const u8 *at;
	size_t bytes;
};

static struct keys keys_of(const struct sealed *s)
{
	const struct mtdc_store *store = &s->dev->store;
	/* struct mtdc_store_log begins with the log. */
	const struct mtdc_log *log = (void *)store->log;

	if (!log)
		return (struct keys) { store->seals.key, MTDC_KEY_BYTES };
	return (struct keys) { (void *)log->blocks.keys.at,
			       mtdc_log_keys_memory(log->geo.blocks) };
}

/* Each key differs from the one before, which s->was has; zeros are none. */
static void expect_others(struct kunit *test, const struct sealed *s, const struct keys *keys)
{
	u32 others = 0;
	size_t i;

	for (i = 0; i < keys->bytes; i += MTDC_KEY_BYTES) {
		if (!memchr_inv(s->was + i, 0, MTDC_KEY_BYTES))
			continue;
		KUNIT_EXPECT_NE(test, memcmp(keys->at + i, s->was + i, MTDC_KEY_BYTES), 0);
		others++;
	}
	KUNIT_EXPECT_GT(test, others, 0U);
}

/* The machine stops: nothing can be read any more. */
static void keys_are_wiped(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	struct keys keys = keys_of(s);
	u32 nr;

	memcpy(s->was, keys.at, keys.bytes);
	mtdc_dev_wipe_keys();
	expect_others(test, s, &keys);
	for (nr = 0; nr < PAGES; nr++)
		KUNIT_EXPECT_EQ(test, read_page(s, nr), -EIO);
	end(test, s);
}

static void plain_devices_have_none(struct kunit *test)
{
	struct sealed *s = begin(test, ON_LOWER(",crypt=off"), false);

	KUNIT_EXPECT_FALSE(test, mtdc_seals_encrypt(&s->dev->store.seals));
	mtdc_dev_wipe_keys();
	expect_right(test, s, 1, 0);
	end(test, s);
}

static void numbers_run_out(struct kunit *test)
{
	struct sealed *s = begin(test, ON_LOWER(",crypt=on"), false);
	size_t done;

	atomic64_set(&s->dev->store.seals.count, (U32_MAX + 1ULL) * MTDC_GENERATIONS - 2);
	write_page(test, s, 1, 7);
	make_page(s->page, 1, 8);
	KUNIT_EXPECT_EQ(test, mtd_write(s->upper, PAGE_SIZE, PAGE_SIZE, &done, s->page), -EIO);
	expect_right(test, s, 1, 7);
	expect_right(test, s, 2, 0);
	end(test, s);
}

/* Freed and overwritten pages are zeros on the media, and all pages after the detach. */
static void freed_bytes_are_wiped(struct kunit *test)
{
	struct sealed *s = begin(test, ON_LOWER(",crypt=off,wipe=1"), false);
	struct erase_info instr = { .addr = PAGE_SIZE, .len = s->upper->erasesize };
	u32 bytes;
	u8 *record = find(s, 1, &bytes);

	KUNIT_EXPECT_NOT_NULL(test, memchr_inv(record, 0, bytes));
	KUNIT_EXPECT_EQ(test, mtd_erase(s->upper, &instr), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(record, 0, bytes));
	write_page(test, s, 2, 1);
	mtd_sync(s->upper);
	record = find(s, 2, &bytes);
	KUNIT_EXPECT_NOT_NULL(test, memchr_inv(record, 0, bytes));
	write_page(test, s, 2, 2);
	mtd_sync(s->upper);
	KUNIT_EXPECT_NULL(test, memchr_inv(record, 0, bytes));
	expect_right(test, s, 2, 2);
	end(test, s);
	KUNIT_EXPECT_NULL(test, memchr_inv(s->lower->data, 0, LOWER_BYTES));
}

/* The media have gone, maybe into other hands: no page can be read any more, so no key is left. */
static void keys_go_with_the_media(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct sealed *s = begin(test, way->options, way->flash);
	struct keys keys = keys_of(s);

	memcpy(s->was, keys.at, keys.bytes);
	kunit_lower_unregister(test, s->lower);
	KUNIT_EXPECT_EQ(test, read_page(s, 1), -ENODEV);
	expect_others(test, s, &keys);
	end(test, s);
}

/* For fails_once(). */
static struct {
	int (*write)(struct mtd_info *mtd, loff_t to, size_t len, size_t *done, const u_char *buf);
	struct mtdc_freelist *freelist;
	struct mtdc_extent room;
	bool failed;
} once;

/* A search for space may miss a fragment, and the next one find it: this stands for that. */
static int fails_once(struct mtd_info *mtd, loff_t to, size_t len, size_t *done,
		      const u_char *buf)
{
	if (once.failed)
		return once.write(mtd, to, len, done, buf);
	once.failed = true;
	mtdc_freelist_free(once.freelist, &once.room, 1);
	return -EIO;
}

/* Leave two pieces free, each of half a page, and @once.room to come. */
static void leave_pieces(struct kunit *test, struct mtdc_freelist *fl)
{
	struct mtdc_extent taken[64], rest;
	unsigned int n = 0, i;

	while (n < ARRAY_SIZE(taken) &&
	       mtdc_freelist_alloc(fl, MTDC_ALLOC_BEST, PAGE_SIZE, &taken[n], 1) == 1)
		n++;
	while (mtdc_freelist_alloc(fl, MTDC_ALLOC_BEST, 1, &rest, 1) == 1)
		;
	KUNIT_ASSERT_GT(test, n, 5U);
	once.room = taken[4];
	for (i = 0; i <= 2; i += 2) {
		taken[i].len = taken[i].len / 2 + 2;
		mtdc_freelist_free(fl, &taken[i], 1);
	}
}

/* A prepared page is split, the media fail, and another try finds it a place in one piece. */
static void write_split_page(struct kunit *test, const char *options)
{
	struct sealed *s = begin(test, options, false);
	struct mtdc_store *store = &s->dev->store;
	struct mtdc_scratches scratches = {};
	struct mtdc_scratch *scratch;
	int err;

	mtdc_scratches_create(&scratches, 1, &store->comp, PAGE_SIZE,
			      store->scratches.buffer_bytes);
	KUNIT_ASSERT_EQ(test, scratches.n, 1U);
	scratch = scratches.each[0];
	once.freelist = &store->inplace->freelist;
	leave_pieces(test, once.freelist);
	once.failed = false;
	once.write = s->lower->mtd._write;
	s->lower->mtd._write = fails_once;
	make_page(s->page, 9, 0);
	mutex_lock(&scratch->lock);
	mtdc_store_prepare(store, scratch, 9, s->page);
	mutex_lock(&store->lock);
	store->page.prepared = scratch;
	err = mtdc_store_write(store, 9, s->page);
	store->page.prepared = NULL;
	mutex_unlock(&store->lock);
	mutex_unlock(&scratch->lock);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, once.failed);
	expect_right(test, s, 9, 0);
	mtdc_scratches_destroy(&scratches);
	end(test, s);
}

static void a_plain_split_page_finds_a_whole_place(struct kunit *test)
{
	write_split_page(test, ON_LOWER(",comp=none,crypt=off"));
}

static void an_encrypted_split_page_finds_a_whole_place(struct kunit *test)
{
	write_split_page(test, ON_LOWER(",comp=none,crypt=on"));
}

static struct kunit_case seals_cases[] = {
	KUNIT_CASE_PARAM(each_bit_counts, way_gen_params),
	KUNIT_CASE_PARAM(nothing_shows, way_gen_params),
	KUNIT_CASE_PARAM(records_are_exchanged, way_gen_params),
	KUNIT_CASE_PARAM(old_media_come_back, way_gen_params),
	KUNIT_CASE_PARAM(the_map_is_forged, way_gen_params),
	KUNIT_CASE_PARAM(keys_are_wiped, way_gen_params),
	KUNIT_CASE(plain_devices_have_none),
	KUNIT_CASE(numbers_run_out),
	KUNIT_CASE(freed_bytes_are_wiped),
	KUNIT_CASE_PARAM(keys_go_with_the_media, way_gen_params),
	KUNIT_CASE(a_plain_split_page_finds_a_whole_place),
	KUNIT_CASE(an_encrypted_split_page_finds_a_whole_place),
	{}
};

static struct kunit_suite seals_suite = {
	.name = "mtdcompr_seals",
	.init = kunit_lower_init,
	.exit = kunit_lower_exit,
	.test_cases = seals_cases,
};

kunit_test_suite(seals_suite);
