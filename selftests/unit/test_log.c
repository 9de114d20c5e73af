// SPDX-License-Identifier: GPL-2.0
/*
 * The log: that every page reads as it was written or, if its bits have rotted,
 * as an error; that no write is refused that was promised to have room; that
 * nothing leaks; that erase counts outlive the log; that no good block is given
 * up, whatever fails.
 */
#include <errno.h>

#include "harness.h"
#include "horrible_log.h"

static const struct log_kind kinds[] = {
	{ "NAND", { "", 24, 2048, 256, true }, 256, 256 },
	{ "NAND, sub-pages", { "", 40, 4096, 128, true }, 512, 256 },
	{ "NAND, large", { "", 16, 16384, 2048, true }, 2048, 4096 },
	{ "NAND, three spare", { "", 160, 2048, 512, true }, 512, 256 },
	{ "NOR, words", { "", 20, 4096, 4, false }, 512, 256 },
	{ "NOR, 64", { "", 18, 3072, 64, false }, 512, 512 },
};

static const struct log_kind *random_kind(void)
{
	return &kinds[random_below(ARRAY_SIZE(kinds))];
}

/* Compressed, more or less, or not. */
static u32 random_bytes(void)
{
	u32 page = dev.geo.page_bytes;

	switch (random_below(8)) {
	case 0:
		return page;
	case 1:
		return random_length(page);
	default:
		return 1 + random_below(page / 2);
	}
}

static void test_geometry(void)
{
	static const struct {
		struct mtdc_log_geo geo;
		bool suits;
	} cases[] = {
		{ { 1024, 131072, 2048, 2048, 4096, 100000, 0, 0, 0 }, true },
		{ { 1024, 131072, 2048, 512, 4096, 100000, 0, 0, 0 }, true },
		{ { 1024, 16384, 512, 512, 4096, 100000, 0, 0, 0 }, true },
		{ { 1024, 4096, 512, 512, 4096, 100000, 0, 0, 0 }, false },
		{ { 1024, 131072, 2048, 2, 4096, 100000, 0, 0, 0 }, false },
		{ { 1024, 131072, 2048, 0, 4096, 100000, 0, 0, 0 }, false },
		{ { 1024, 131072, 2000, 512, 4096, 100000, 0, 0, 0 }, false },
		{ { 1024, 131000, 2048, 512, 4096, 100000, 0, 0, 0 }, false },
		{ { 1, 131072, 2048, 512, 4096, 100000, 0, 0, 0 }, false },
		{ { 1024, 131072, 2048, 512, 4096, 0, 0, 0, 0 }, false },
		/* Its granules must fit a slot of the map. */
		{ { 131071, 131072, 2048, 512, 4096, 9, 0, 0, 0 }, true },
		{ { 131073, 131072, 2048, 512, 4096, 9, 0, 0, 0 }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(mtdc_log_suits(&cases[i].geo), cases[i].suits))
			tap_note("case %u", i);
}

/* At most 24 bytes a page and 64 a block. */
static void test_memory(void)
{
	struct mtdc_log_geo geo = { 1024, 131072, 2048, 2048, 4096, 100000, 64, 32, 1 };
	size_t before = mtdc_log_memory(&geo);

	geo.blocks += 1000;
	expect((mtdc_log_memory(&geo) - before) <= 64 * 1000);
	before = mtdc_log_memory(&geo);
	geo.pages += 1000;
	expect((mtdc_log_memory(&geo) - before) <= 24 * 1000);
}

/* Write until the promise is used up to the last few bytes. */
static void fill_up(void)
{
	u64 capacity = mtdc_log_capacity(&dev.log);
	u32 page, bytes;

	for (page = 0; page < dev.geo.pages && dev.live + 12 <= capacity; page++) {
		u64 left = (capacity - dev.live) / 4 * 4 - 8;

		bytes = random_bytes();
		/* Large ones, so that there are pages enough. */
		if (dev.geo.pages - page < (capacity - dev.live) / (dev.geo.page_bytes / 3))
			bytes = dev.geo.page_bytes;
		if (!expect_eq(write_page(page, bytes < left ? bytes : left), 0))
			return;
	}
	expect(dev.live + 12 > capacity);
	expect_eq(dev.live, dev.log.live);
}

enum pattern { UNIFORM, IN_ORDER, BACKWARD, HOT, SKEWED, FLUSHED, STRIDED, PATTERNS };

static u32 pattern_page(enum pattern pattern, u32 i, u32 n)
{
	switch (pattern) {
	case IN_ORDER:
		return i % n;
	case BACKWARD:
		return n - 1 - i % n;
	case HOT:
		return random_below(16) ? 3 % n : random_below(n);
	case SKEWED:
		return random_below(10) ? random_below(n / 10 + 1) : random_below(n);
	case STRIDED:
		return (u64)i * 7919 % n;
	default:
		return random_below(n);
	}
}

/* Overwrite all that is stored, with the same lengths; nothing may be refused. */
static void overwrite(enum pattern pattern, u32 writes)
{
	u32 n = 0, i;

	while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
		n++;
	for (i = 0; i < writes && !tap.bad; i++) {
		u32 page = pattern_page(pattern, i, n);

		if (!expect_eq(write_page(page, dev.pages[page].bytes), 0))
			tap_note("%s, pattern %d, write %u", dev.kind->name, pattern, i);
		if (pattern == FLUSHED)
			flush_log();
	}
}

/* Full to the last byte that is promised, in all the ways that are hard. */
static void test_promise(void)
{
	unsigned int i, p;

	for (i = 0; i < ARRAY_SIZE(kinds) && !tap.bad; i++) {
		create_log(&kinds[i]);
		fill_up();
		expect_eq(write_page(dev.geo.pages - 1, dev.geo.page_bytes), -ENOSPC);
		expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_FULL);
		for (p = 0; p < PATTERNS && !tap.bad; p++) {
			dev.most_jobs = 0;
			overwrite(p, 6 * dev.geo.pages);
			check_all();
		}
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(dev.log.good, dev.geo.blocks);
		destroy_log();
	}
}

/* All space is there again when all pages are gone. */
static void test_leak(void)
{
	unsigned int i, round;
	u32 page;

	for (i = 0; i < ARRAY_SIZE(kinds) && !tap.bad; i++) {
		create_log(&kinds[i]);
		for (round = 0; round < 8 && !tap.bad; round++) {
			fill_up();
			overwrite(UNIFORM, dev.geo.pages);
			for (page = 0; page < dev.geo.pages; page++)
				put_page(page, MTDC_NONE, 0);
			expect_eq(dev.log.live, 0);
			/* All but the open ones, and the one that was being emptied. */
			expect(dev.log.wear.nfree + 3 >= dev.geo.blocks);
			check_all();
		}
		destroy_log();
	}
}

static void random_put(u32 page)
{
	switch (random_below(3)) {
	case 0:
		put_page(page, MTDC_FILL, random_below(2) ? random_u64() >> 32 : 0);
		break;
	case 1:
		put_page(page, MTDC_LOST, 0);
		break;
	default:
		put_page(page, MTDC_NONE, 0);
		break;
	}
}

/* One random request; says what came of a write. */
static int random_request(void)
{
	u32 page = random_below(random_below(4) ? dev.geo.pages : dev.geo.pages / 10 + 1);
	u32 bytes;

	switch (random_below(32)) {
	case 0:
	case 1:
		random_put(page);
		return 0;
	case 2:
		flush_log();
		return 0;
	case 3:
		if (mtdc_log_idle(&dev.log))
			do_all_jobs();
		return 0;
	case 4:
	case 5:
	case 6:
	case 7:
		check_page(page, false);
		return 0;
	default:
		bytes = random_bytes();
		return write_page(page, bytes);
	}
}

/* A refusal for want of space is right if the page would have been too much. */
static void expect_full(int err)
{
	expect(!err || err == -ENOSPC);
	expect(err != -ENOSPC || dev.log.refused);
	expect(dev.live <= dev.log.promised);
}

/* Nothing fails: only full media refuse, and nothing is ever lost. */
static void test_random(void)
{
	u64 left = tap.ops, n, i;

	while (left && !tap.bad) {
		create_log(random_kind());
		n = left < 20000 ? left : 20000;
		left -= n;
		for (i = 0; i < n && !tap.bad; i++) {
			expect_full(random_request());
			if (!random_below(512))
				expect_eq(mtdc_log_check(&dev.log), 0);
		}
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(dev.log.good, dev.geo.blocks);
		destroy_log();
	}
}

static const struct tap_case cases[] = {
	{ "which geometries suit", test_geometry },
	{ "memory a page and a block", test_memory },
	{ "the promise is kept to the last byte", test_promise },
	{ "no space leaks", test_leak },
	{ "random requests, nothing fails", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("log", cases, ARRAY_SIZE(cases), argc, argv);
}
