// SPDX-License-Identifier: GPL-2.0
/*
 * The log: each page reads as written, or as an error if its bits have rotted; no write with
 * promised space is refused; no space leaks; erase counts survive a detach; no good block is given
 * up, whatever fails.
 */
#include <errno.h>

#include "harness.h"
#include "horrible_log.h"

static const struct log_kind kinds[] = {
	{ "NAND", { "", 24, 2048, 256, true }, 256, 256, false },
	{ "NAND, sub-pages", { "", 40, 4096, 128, true }, 512, 256, false },
	{ "NAND, large", { "", 16, 16384, 2048, true }, 2048, 4096, false },
	{ "NAND, three spare", { "", 160, 2048, 512, true }, 512, 256, false },
	{ "NOR, words", { "", 20, 4096, 4, false }, 512, 256, false },
	{ "NOR, 64", { "", 18, 3072, 64, false }, 512, 512, false },
};

/* As many units to a block as real flash has. */
static const struct log_kind fine_kinds[] = {
	{ "NAND, fine", { "", 20, 16384, 256, true }, 256, 256, false },
	{ "NAND, sub-pages, fine", { "", 20, 16384, 128, true }, 512, 256, false },
	{ "NOR, words, fine", { "", 20, 16384, 4, false }, 512, 256, false },
};

/* The geometry of a real chip. */
static const struct log_kind real_kind = {
	"NAND, as real", { "", 64, 131072, 2048, true }, 2048, 4096, false
};

static const struct log_kind *random_kind(void)
{
	return &kinds[random_below(ARRAY_SIZE(kinds))];
}

/* Sizes of pages that compress well, badly or not at all. */
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
		{ { 1024, 131072, 2048, 2048, 4096, 100000, 0, 0, 0, false, false }, true },
		{ { 1024, 131072, 2048, 512, 4096, 100000, 0, 0, 0, false, false }, true },
		{ { 1024, 16384, 512, 512, 4096, 100000, 0, 0, 0, false, false }, true },
		{ { 1024, 4096, 512, 512, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1024, 131072, 2048, 2, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1024, 131072, 2048, 0, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1024, 131072, 2000, 512, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1024, 131000, 2048, 512, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1, 131072, 2048, 512, 4096, 100000, 0, 0, 0, false, false }, false },
		{ { 1024, 131072, 2048, 512, 4096, 0, 0, 0, 0, false, false }, false },
		/* The test of a block begins with a label in a unit of its own. */
		{ { 1024, 131072, 32, 4, 4096, 100000, 0, 0, 0, false, false }, true },
		{ { 1024, 131072, 16, 4, 4096, 100000, 0, 0, 0, false, false }, false },
		/* Its granules must fit a slot of the map. */
		{ { 131071, 131072, 2048, 512, 4096, 9, 0, 0, 0, false, false }, true },
		{ { 131073, 131072, 2048, 512, 4096, 9, 0, 0, 0, false, false }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(mtdc_log_suits(&cases[i].geo), cases[i].suits))
			tap_note("case %u", i);
}

/* At most 24 bytes a page and 64 a block. */
static void test_memory(void)
{
	struct mtdc_log_geo geo = {
		1024, 131072, 2048, 2048, 4096, 100000, 64, 32, 1, false, false
	};
	size_t before = mtdc_log_memory(&geo), plain;

	geo.blocks += 1000;
	plain = mtdc_log_memory(&geo);
	expect(plain - before <= 64 * 1000);
	geo.encrypt = true;
	expect_eq(mtdc_log_memory(&geo) - plain, (size_t)geo.blocks * MTDC_KEY_BYTES);
	before = mtdc_log_memory(&geo);
	geo.pages += 1000;
	expect((mtdc_log_memory(&geo) - before) <= 24 * 1000);
}

/* Write until only a few bytes of the promise are left. */
static void fill_up(void)
{
	u64 capacity = mtdc_log_capacity(&dev.log);
	u32 page, bytes;

	for (page = 0; page < dev.geo.pages && dev.live + least_bytes() <= capacity; page++) {
		u64 left = (capacity - dev.live) / 4 * 4 - 8;

		bytes = random_bytes();
		/* Large records, so that there are enough pages. */
		if (dev.geo.pages - page < (capacity - dev.live) / (dev.geo.page_bytes / 3) + 4)
			bytes = dev.geo.page_bytes;
		if (!expect_eq(write_page(page, bytes < left ? bytes : left), 0))
			return;
	}
	expect(dev.live + least_bytes() > capacity);
	expect_eq(dev.live, dev.log.blocks.live);
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

/* Overwrite all stored pages with the same lengths; no write may be refused. */
static void overwrite(enum pattern pattern, u32 writes)
{
	u32 n = 0, i;

	while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
		n++;
	for (i = 0; i < writes && !tap.bad; i++) {
		u32 page = pattern_page(pattern, i, n);

		if (!expect_eq(write_page(page, dev.pages[page].bytes), 0)) {
			tap_note("pattern %d, write %u", pattern, i);
			log_note();
		}
		if (pattern == FLUSHED)
			flush_log();
	}
}

/* Full to the last promised byte, with each hard pattern of overwrites. */
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
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		destroy_log();
	}
}

/* On UBI: no reserve for bad blocks, no wear levelling. */
static void test_managed(void)
{
	static const struct log_kind managed[] = {
		{ .name = "UBI, NAND", .flash = { "", 24, 2048 - 256, 256, true },
		  .unit_bytes = 256, .page_bytes = 256, .managed = true },
		{ .name = "UBI, NOR", .flash = { "", 20, 4096 - 128, 4, false },
		  .unit_bytes = 128, .page_bytes = 256, .managed = true },
	};
	unsigned int i, p;

	for (i = 0; i < ARRAY_SIZE(managed) && !tap.bad; i++) {
		struct mtdc_log_geo other;

		create_log(&managed[i]);
		other = dev.geo;
		other.managed = false;
		expect(mtdc_log_promise(&dev.geo, other.blocks) >
		       mtdc_log_promise(&other, other.blocks));
		expect_eq(mtdc_log_spares(&dev.log), 0);
		fill_up();
		expect_eq(write_page(dev.geo.pages - 1, dev.geo.page_bytes), -ENOSPC);
		for (p = 0; p < PATTERNS && !tap.bad; p++) {
			overwrite(p, 20 * dev.geo.pages);
			check_all();
		}
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(dev.log.stats.levelled, 0);
		destroy_log();
	}
}

/* When all pages are gone, all space is free again. */
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
			expect_eq(dev.log.blocks.live, 0);
			/* All blocks except the open ones and the one that was being emptied. */
			expect(dev.log.blocks.wear.nfree + 3 >= dev.geo.blocks);
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

/* A random request; returns the error of a write. */
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

/* -ENOSPC is right if the page would not fit the promise. */
static void expect_full(int err)
{
	expect(!err || err == -ENOSPC);
	expect(err != -ENOSPC || dev.log.refused);
	expect(dev.log.blocks.live <= dev.log.promised);
}

/* Nothing fails: only full media refuse a write, and no page is lost. */
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
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		destroy_log();
	}
}

/* Errors that drivers return for a failing block, and others that are not the block's fault. */
static int random_error(void)
{
	static const int errors[] = { -EIO, -EIO, -EIO, -ETIMEDOUT, -EINVAL, -ENOMEM };

	return errors[random_below(ARRAY_SIZE(errors))];
}

/* A stream has failed, and no block is left to continue in. */
static bool is_stranded(void)
{
	return (dev.log.streams[MTDC_LOG_HOST].failed || dev.log.streams[MTDC_LOG_MOVED].failed) &&
		dev.log.blocks.wear.nfree < MTDC_PACE_FREE_MIN && dev.log.ready == MTDC_LOG_NONE;
}

/* A failed write needs a reason: a fault now or before, or too few blocks. */
static void expect_reason(int err, u64 faults)
{
	if (!err)
		return;
	if (err == -ENOSPC)
		expect(dev.log.refused);
	else if (!expect(err == -EIO && (flash.faults > faults || is_stranded() ||
					 !mtdc_log_capacity(&dev.log))))
		log_note();
}

/* When the media work again, the log completes all work that it has blocks for. */
static void expect_recovery(u32 most)
{
	u32 tries;
	int err = 0;

	flash_heal();
	for (tries = 0; tries < most; tries++) {
		err = write_page(0, 1);
		if (!err)
			break;
	}
	if (mtdc_log_capacity(&dev.log) == dev.log.promised && !dev.log.refused &&
	    !expect_eq(err, 0))
		log_note();
}

static void begin_life(const struct log_kind *kind, bool full)
{
	u32 page;

	create_log(kind);
	for (page = 0; full && page < dev.geo.pages; page++)
		if (write_page(page, dev.geo.page_bytes / 2))
			break;
}

/* A random request; sometimes one to four operations fail. */
static int request_that_may_fail(void)
{
	u64 faults = flash.faults;
	int err;

	if (!random_below(400))
		flash_fail(1 + random_below(7), random_below(20), 1 + random_below(4),
			   random_error());
	else if (!random_below(400))
		flash_fail(FLASH_READ, random_below(20), 1, -EBADMSG);
	/* Some blocks fail for long: reads, programs, erases or any mix. */
	if (!random_below(500))
		flash.worn[random_below(dev.geo.blocks)] = random_below(8);
	if (!random_below(1000))
		memset(flash.worn, 0, dev.geo.blocks);
	err = random_request();
	expect_reason(err, faults);
	if (!random_below(512))
		expect_eq(mtdc_log_check(&dev.log), 0);
	return err;
}

static void random_life(const struct log_kind *kind, u64 requests, bool full)
{
	u64 i;

	begin_life(kind, full);
	for (i = 0; i < requests && !tap.bad; i++)
		request_that_may_fail();
	memset(flash.worn, 0, dev.geo.blocks);
	expect_recovery(4);
	check_all();
	destroy_log();
}

static void test_faults(void)
{
	u64 left = tap.ops, n;

	for (; left && !tap.bad; left -= n) {
		n = left < 5000 ? left : 5000;
		random_life(random_kind(), n, random_below(2));
	}
}

static int steady_request(u32 i, u32 n)
{
	u32 page = random_below(n);

	if (i % 64 == 63)
		flush_log();
	return write_page(page, dev.pages[page].bytes);
}

/*
 * Each operation in turn fails on media that are as full as allowed: no write is refused, nothing
 * is lost, and the test of the block finds it good.
 */
static void one_failure(const struct log_kind *kind, enum flash_op op, u64 number, int err)
{
	u32 i, n = 0;

	random_seed(tap.seed);
	create_log(kind);
	fill_up();
	while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
		n++;
	flash_fail(op, number, 1, err);
	for (i = 0; i < 160 && !tap.bad; i++)
		if (!expect_eq(steady_request(i, n), 0))
			tap_note("%s: operation %llu of kind %d fails by %d", kind->name, number,
				 op, err);
	flash_heal();
	overwrite(UNIFORM, 32);
	check_all();
	expect_eq(dev.log.stats.lost, 0);
	expect_eq(flash.marks, 0);
	expect_eq(dev.log.blocks.good, dev.geo.blocks);
	destroy_log();
}

static void test_each_failure(void)
{
	static const int errors[] = { -EIO, -ETIMEDOUT };
	static const enum flash_op ops[] = { FLASH_READ, FLASH_PROGRAM, FLASH_ERASE };
	/* A kind with the label in a unit of its own, and one without. */
	static const unsigned int which[] = { 0, 4 };
	u64 most = 60 + tap.ops / 10000, number;
	unsigned int k, o, e;

	for (k = 0; k < ARRAY_SIZE(which); k++)
		for (o = 0; o < ARRAY_SIZE(ops); o++)
			for (e = 0; e < ARRAY_SIZE(errors); e++)
				for (number = 0; number < most && !tap.bad; number++)
					one_failure(&kinds[which[k]], ops[o], number, errors[e]);
}

/* All spare blocks fail, then more, until no write works. */
static void test_worn(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds) && !tap.bad; i++) {
		u32 spares, n = 0, bad = 0, request, refused = 0;
		bool stuck = false;

		create_log(&kinds[i]);
		spares = dev.geo.blocks * 20 / 1024 ? dev.geo.blocks * 20 / 1024 : 1;
		fill_up();
		while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
			n++;
		flash.worn_err = i & 1 ? -EIO : -ETIMEDOUT;
		while (bad < dev.geo.blocks && !tap.bad) {
			u32 block = random_below(dev.geo.blocks);

			if (flash.worn[block])
				continue;
			/* The last kinds can still be erased, which does not help. */
			flash.worn[block] = FLASH_PROGRAM | (i < 4 ? FLASH_ERASE : 0);
			bad++;
			for (request = 0; request < 4 * n && !tap.bad; request++) {
				u64 faults = flash.faults;
				int err = steady_request(request, n);

				if (bad <= spares)
					expect_eq(err, 0);
				else if (err != -ENOSPC)
					expect_reason(err, faults);
				refused += !!err;
			}
			expect_eq(mtdc_log_check(&dev.log), 0);
			if (dev.log.blocks.good < dev.geo.blocks - spares)
				stuck = true;
		}
		expect(refused && stuck);
		check_all();
		expect(mtdc_log_state(&dev.log) == MTDC_LOG_WORN ||
		       mtdc_log_state(&dev.log) == MTDC_LOG_FAILING ||
		       mtdc_log_state(&dev.log) == MTDC_LOG_FEW);
		destroy_log();
	}
}

/*
 * With a quarter stored, two thirds of the blocks break one after the other during writes: no write
 * is refused.
 */
static void test_breaking(void)
{
	static const struct log_kind kind = {
		"NOR, many", { "", 64, 4096, 4, false }, 512, 256, false
	};
	u32 block, i, n;

	create_log(&kind);
	for (n = 0; dev.live < mtdc_log_capacity(&dev.log) / 4; n++)
		expect_eq(write_page(n, random_bytes()), 0);
	for (block = 0; block < 44 && !tap.bad; block++) {
		/* Break the free block that is opened next, so that several fail in a row. */
		flash.worn[block % 3 || !dev.log.blocks.wear.nfree ? (1 + 3 * block) % 64 :
			   mtdc_wear_least(&dev.log.blocks.wear)] = FLASH_ERASE | FLASH_PROGRAM;
		for (i = 0; i < n && !tap.bad; i++)
			if (!expect_eq(write_page(i, dev.pages[i].bytes), 0)) {
				tap_note("%u blocks are broken", block + 1);
				log_note();
			}
		for (i = 0; i < 2 && mtdc_log_idle(&dev.log); i++)
			do_all_jobs();
	}
	check_all();
	expect_eq(dev.log.stats.lost, 0);
	destroy_log();
}

/*
 * All free blocks fail, and writes are refused. When the blocks work again, their tests pass and
 * writes succeed, although no page was discarded.
 */
static void test_no_reserve(void)
{
	unsigned int k;
	u32 block, n, i, refused;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		create_log(&kinds[k]);
		fill_up();
		for (n = 0; n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE;)
			n++;
		for (block = 0; block < dev.geo.blocks; block++)
			if (dev.log.blocks.at[block].state != MTDC_BLOCK_CLOSED)
				flash.worn[block] = FLASH_PROGRAM | FLASH_ERASE;
		for (i = 0, refused = 0; i < 4 * n && !tap.bad; i++)
			refused += !!steady_request(i, n);
		expect(refused);
		memset(flash.worn, 0, dev.geo.blocks);
		flash_heal();
		expect_eq(write_page(0, 1), 0);
		overwrite(UNIFORM, 200);
		check_all();
		expect_eq(flash.marks, 0);
		expect_eq(dev.log.stats.lost, 0);
		destroy_log();
	}
}

/* When more is stored than fits, a write that needs no more space than its old copy succeeds. */
static void test_few(void)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		u32 n = 0, i, bad = 0, spares;

		create_log(&kinds[k]);
		spares = mtdc_log_spares(&dev.log);
		fill_up();
		while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
			n++;
		while (mtdc_log_state(&dev.log) != MTDC_LOG_FEW && bad <= spares + 1 &&
		       !tap.bad) {
			flash.worn[3 * bad] = FLASH_ERASE | FLASH_PROGRAM;
			bad++;
			for (i = 0; i < 8 * n; i++) {
				steady_request(i, n);
				if (i % 16 == 0 && mtdc_log_idle(&dev.log))
					do_all_jobs();
			}
		}
		expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_FEW);
		for (i = 0; i < 20 * n && !tap.bad; i++) {
			u32 page = random_below(n);

			if (mtdc_is_stored(dev.pages[page].kind) &&
			    !expect_eq(write_page(page, dev.pages[page].bytes), 0))
				tap_note("%s: page %u", kinds[k].name, page);
		}
		check_all();
		destroy_log();
	}
}

/* Number of erases still to fail; their blocks go bad. */
static u32 failing_erases;

static void fail_erases(const struct mtdc_log_job *job)
{
	if (job->kind != MTDC_LOG_ERASE || !failing_erases)
		return;
	failing_erases--;
	flash.worn[job->block] = FLASH_ERASE;
}

/*
 * Two blocks go bad at each erase, until more is stored than fits and each victim would fill
 * another block. The log must not empty one block into the next for ever (see make_room()), and a
 * write that needs no more space than its old copy succeeds.
 */
static void test_no_gain(void)
{
	/* Eight pages fill a block exactly. */
	static const struct log_kind kind = {
		"NOR, eight pages", { "", 24, 32 + 8 * 256, 4, false }, 32, 248, false
	};
	const struct mtdc_stream *host = &dev.log.streams[MTDC_LOG_HOST];
	u32 n = 0, i;

	create_log(&kind);
	while (!write_page(n, kind.page_bytes))
		n++;
	job_hook = fail_erases;
	for (i = 0; i < n && !tap.bad; i++) {
		failing_erases = i < 24 && host->cursor == dev.geo.block_bytes ? 2 : 0;
		if (!expect_eq(write_page(i, kind.page_bytes), 0))
			log_note();
		if (mtdc_log_idle(&dev.log))
			do_all_jobs();
	}
	job_hook = NULL;
	expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_FEW);
	check_all();
	destroy_log();
}

/*
 * Three blocks in a row break, which looks like a failure of the whole flash. Each of them must be
 * found bad, with one refused request at most.
 */
static void three_broken(const struct log_kind *kind, int err, u8 how)
{
	u32 block, n = 0, refused = 0, i;

	create_log(kind);
	flash.worn_err = err;
	for (block = 5; block < 8; block++)
		flash.worn[block] = how;
	while (n < dev.geo.pages && dev.live < mtdc_log_capacity(&dev.log) * 6 / 10) {
		refused += !!write_page(n, random_bytes());
		n++;
	}
	for (i = 0; i < 40 * n && !tap.bad; i++) {
		refused += !!steady_request(i, n);
		if (i % 16 == 0 && mtdc_log_idle(&dev.log))
			do_all_jobs();
	}
	if (!expect(refused <= 1) || !expect_eq(dev.log.stats.retired, 3))
		tap_note("%s, error %d: %u refused, %llu retired", kind->name, err, refused,
			 (unsigned long long)dev.log.stats.retired);
	check_all();
	expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_OK);
	destroy_log();
}

static void test_three_broken(void)
{
	/* A kind with three spare blocks. */
	static const struct log_kind *kind = &kinds[3];

	three_broken(kind, -EIO, FLASH_ERASE | FLASH_PROGRAM);
	three_broken(kind, -ETIMEDOUT, FLASH_ERASE | FLASH_PROGRAM);
	three_broken(kind, -EIO, FLASH_PROGRAM);
	three_broken(kind, -ETIMEDOUT, FLASH_PROGRAM);
}

/*
 * Some blocks can't be read, without an ECC error: nothing is lost meanwhile, and all promised data
 * fit when they can be read again.
 */
static void test_unreadable(void)
{
	unsigned int round;
	u32 i;

	for (round = 0; round < 30 && !tap.bad; round++) {
		u32 n = 0;

		create_log(&kinds[round % ARRAY_SIZE(kinds)]);
		fill_up();
		while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
			n++;
		for (i = random_below(dev.geo.blocks / 2) + 1; i; i--)
			flash.worn[random_below(dev.geo.blocks)] = FLASH_READ;
		for (i = 0; i < 10 * n && !tap.bad; i++) {
			u32 page = random_below(n);
			int err = write_page(page, dev.pages[page].bytes);

			expect(!err || err == -EIO);
			check_page(random_below(n), false);
		}
		memset(flash.worn, 0, dev.geo.blocks);
		expect_recovery(1);
		overwrite(UNIFORM, 300);
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		destroy_log();
	}
}

/* A failed block can't be read, either: it is tested after its pages were overwritten. */
static void test_failed_unreadable(void)
{
	u32 page, block = 0;

	create_log(&kinds[0]);
	for (page = 0; page < 40; page++)
		expect_eq(write_page(page, dev.geo.page_bytes), 0);
	block = dev.log.streams[MTDC_LOG_HOST].block;
	flash.worn[block] = FLASH_READ | FLASH_PROGRAM;
	for (page = 0; page < 20; page++)
		expect_eq(write_page(40 + page, dev.geo.page_bytes), 0);
	expect(dev.log.blocks.at[block].failed);
	for (page = 0; page < 10 && mtdc_log_idle(&dev.log); page++)
		do_all_jobs();
	expect_eq(dev.log.blocks.at[block].state, MTDC_BLOCK_PINNED);
	check_all();
	for (page = 0; page < 80; page++)
		put_page(page, MTDC_NONE, 0);
	expect(dev.log.blocks.at[block].state >= MTDC_BLOCK_FAILED);
	for (page = 0; page < 40; page++) {
		expect_eq(write_page(page, dev.geo.page_bytes), 0);
		if (mtdc_log_idle(&dev.log))
			do_all_jobs();
	}
	expect_eq(dev.log.blocks.at[block].state, MTDC_BLOCK_BAD);
	expect_eq(flash.marks, 1);
	expect_eq(dev.log.stats.lost, 0);
	destroy_log();
}

/* Nothing works for a while: afterwards all is as before, and no block is given up. */
static void test_dead(void)
{
	unsigned int round;
	u32 i;

	for (round = 0; round < 40 && !tap.bad; round++) {
		create_log(&kinds[round % ARRAY_SIZE(kinds)]);
		fill_up();
		overwrite(UNIFORM, random_below(300));
		flash.dead = true;
		for (i = random_below(3000); i && !tap.bad; i--)
			expect_reason(random_request(), 0);
		flash.dead = false;
		expect_eq(dev.log.stats.lost, 0);
		check_all();
		expect_recovery(4);
		overwrite(UNIFORM, 300);
		check_all();
		expect_eq(flash.marks, 0);
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		destroy_log();
	}
}

/* Fill @percent of the promise, and overwrite until GC has begun. */
static u32 fill_part(u32 percent)
{
	u64 most = mtdc_log_capacity(&dev.log) * percent / 100;
	u32 half = dev.geo.page_bytes / 2, n = 0, i;

	while (n < dev.geo.pages && dev.live < most &&
	       !write_page(n, half + random_length(half)))
		n++;
	expect(dev.live >= most);
	for (i = 0; i < 3 * n; i++) {
		u32 page = random_below(n);

		expect_eq(write_page(page, dev.pages[page].bytes), 0);
	}
	return n;
}

/*
 * All operations, or all programs and erases, fail for @requests requests, and until both streams
 * have failed. Returns the number of refused writes.
 */
static u32 outage(u32 pages, u32 requests)
{
	u32 i, refused = 0;

	if (random_below(2))
		flash.dead = true;
	else
		flash_fail(FLASH_PROGRAM | FLASH_ERASE, 0, U64_MAX / 2, -ETIMEDOUT);
	for (i = 0; i < 1000 && !tap.bad &&
	     (i < requests || mtdc_log_state(&dev.log) != MTDC_LOG_FAILING); i++)
		refused += !!steady_request(random_below(64), pages);
	return refused;
}

/*
 * The flash fails again and again, with few writes in between, while it is as full as allowed: each
 * outage wastes space. When the flash works, all promised data can be written.
 */
#define OUTAGE_GAP	64U

static void test_outages(void)
{
	unsigned int round, n;
	u32 i, pages;

	for (round = 0; round < 5 + tap.ops / 4500 && !tap.bad; round++) {
		u32 most = 1 + random_below(64);

		create_log(&fine_kinds[round % ARRAY_SIZE(fine_kinds)]);
		fill_up();
		for (pages = 0; pages < dev.geo.pages; pages++)
			if (dev.pages[pages].kind == MTDC_NONE)
				break;
		for (n = 0; n < 60 && !tap.bad; n++) {
			expect_recovery(4 + 2 * outage(pages, random_length(500)));
			for (i = OUTAGE_GAP + random_below(most); i && !tap.bad; i--)
				if (!expect_eq(steady_request(i, pages), 0))
					log_note();
		}
		overwrite(UNIFORM, 100);
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		destroy_log();
	}
}

/* Numbers of the programs and erases that fail. */
static struct {
	u32 programs, erases;		/* counted since the plan was made */
	u32 no_program, no_erase;	/* bitmask: operation n fails */
	int err;
	u8 *half_erased;		/* for each block: an erase has failed */
} plan;

static void fail_by_plan(const struct mtdc_log_job *job)
{
	u32 in = job->offset % dev.geo.block_bytes;
	bool fail = false;

	/* A program must not store the rest of a label without its beginning. */
	expect(job->kind != MTDC_LOG_PROGRAM || !in || in >= MTDC_LABEL_BYTES);
	if (job->kind == MTDC_LOG_PROGRAM && plan.programs < 32)
		fail = plan.no_program >> plan.programs++ & 1;
	else if (job->kind == MTDC_LOG_ERASE && plan.erases < 32)
		fail = plan.no_erase >> plan.erases++ & 1;
	if (fail)
		flash_fail(FLASH_ANY, 0, 1, plan.err);
	if (fail && job->kind == MTDC_LOG_ERASE)
		plan.half_erased[job->block] = 1;
}

static void fail_these(u32 programs, u32 erases, int err)
{
	plan.programs = 0;
	plan.erases = 0;
	plan.no_program = programs;
	plan.no_erase = erases;
	plan.err = err;
	job_hook = fail_by_plan;
}

static void begin_plan(const struct log_kind *kind)
{
	create_log(kind);
	plan.half_erased = test_alloc(dev.geo.blocks);
}

static void end_plan(void)
{
	job_hook = NULL;
	check_all();
	free(plan.half_erased);
	destroy_log();
}

/* A padded record whose program fails twice still fits the write buffer. */
static void test_padded_twice(void)
{
	const struct mtdc_stream *host = &dev.log.streams[MTDC_LOG_HOST];

	begin_plan(&kinds[0]);
	write_page(0, 100);
	write_page(1, 104);
	/* All but four bytes of page 2 are on the media. */
	write_page(2, 256);
	write_page(3, 240);
	expect_eq(host->cursor - host->programmed, 252);
	fail_these(1, 3, -EIO);
	write_page(4, 256);
	expect_eq(mtdc_log_state(&dev.log), MTDC_LOG_FAILING);
	fail_these(1, 0, -EIO);
	flush_log();
	flush_log();
	expect(mtdc_log_is_flushed(&dev.log));
	end_plan();
}

/* Operations that fail after the first jobs. */
static struct {
	u32 calm, mixed;		/* jobs without faults; then jobs with @mixed_ops only */
	u32 mixed_ops, ops;
	int err;
} outbreak;

static void fail_from_then_on(const struct mtdc_log_job *job)
{
	static const enum flash_op ops[] = {
		[MTDC_LOG_ERASE] = FLASH_ERASE,
		[MTDC_LOG_PROGRAM] = FLASH_PROGRAM,
		[MTDC_LOG_READ] = FLASH_READ,
		[MTDC_LOG_READ_BACK] = FLASH_READ,
	};
	u32 fail = outbreak.ops;

	if (job->kind == MTDC_LOG_MARK)
		return;
	if (outbreak.calm) {
		outbreak.calm--;
		return;
	}
	if (outbreak.mixed) {
		outbreak.mixed--;
		fail = outbreak.mixed_ops;
	}
	if (fail & ops[job->kind])
		flash_fail(FLASH_ANY, 0, 1, outbreak.err);
}

/* In each round of programs, the first @good ones succeed. */
static struct {
	u32 round, good;
	u32 n;
	u32 jobs;		/* jobs of this request */
	int err;
} rhythm;

static void fail_in_rhythm(const struct mtdc_log_job *job)
{
	if (++rhythm.jobs == 20000) {
		expect(!"an end of the jobs");
		job_hook = NULL;
	}
	if (job->kind == MTDC_LOG_PROGRAM && rhythm.n++ % rhythm.round >= rhythm.good)
		flash_fail(FLASH_ANY, 0, 1, rhythm.err);
}

/* Each request ends, in whatever rhythm programs fail. */
static void test_rhythm(void)
{
	static const struct {
		u32 round, good, percent;
		int err;
	} rhythms[] = {
		{ 4, 2, 50, -ETIMEDOUT }, { 5, 3, 50, -ETIMEDOUT },
		{ 3, 2, 80, -ENOMEM }, { 2, 1, 95, -ENOMEM }, { 4, 2, 80, -EIO },
	};
	u32 k, i, n;

	for (k = 0; k < ARRAY_SIZE(rhythms) && !tap.bad; k++) {
		create_log(&real_kind);
		n = fill_part(rhythms[k].percent);
		rhythm.round = rhythms[k].round;
		rhythm.good = rhythms[k].good;
		rhythm.err = rhythms[k].err;
		job_hook = fail_in_rhythm;
		for (i = 0; i < 300 && !tap.bad; i++) {
			u32 page = random_below(n);

			rhythm.jobs = 0;
			write_page(page, dev.pages[page].bytes);
		}
		job_hook = NULL;
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		destroy_log();
	}
}

static void fail_reads(const struct mtdc_log_job *job)
{
	if (job->kind == MTDC_LOG_READ)
		flash_fail(FLASH_READ, 0, 1, -ENOMEM);
}

/* -ENOMEM is no failure of the media. */
static void test_no_memory(void)
{
	u32 i, n;

	create_log(&real_kind);
	n = fill_part(50);
	job_hook = fail_reads;
	for (i = 0; i < 400; i++) {
		u32 page = random_below(n);

		write_page(page, dev.pages[page].bytes);
	}
	job_hook = NULL;
	expect_eq(dev.log.stats.lost, 0);
	overwrite(UNIFORM, 200);
	check_all();
	destroy_log();
}

static u32 fill_half_pages(void)
{
	u32 n = 0;

	while (n < dev.geo.pages && !write_page(n, 200))
		n++;
	return n;
}

/* Both streams have failed, and no read works: the jobs must end (do_all_jobs() checks). */
static void test_both_streams(void)
{
	u32 i, k, n;

	create_log(&kinds[0]);
	n = fill_half_pages();
	for (i = 0; i < 200 + tap.ops / 500 && !tap.bad; i++) {
		for (k = 0; k < 20; k++)
			write_page(random_below(n), 150 + random_below(100));
		outbreak.calm = random_below(10);
		outbreak.mixed = random_below(10);
		outbreak.mixed_ops = random_below(8);
		outbreak.ops = FLASH_READ | FLASH_PROGRAM | (random_below(2) ? FLASH_ERASE : 0);
		outbreak.err = random_below(2) ? -ENOMEM : -EIO;
		job_hook = fail_from_then_on;
		for (k = 0; k < 5; k++)
			write_page(random_below(n), 200);
		job_hook = NULL;
		flash_heal();
		if (i % 100 && mtdc_log_capacity(&dev.log) == dev.log.promised)
			continue;
		check_all();
		destroy_log();
		create_log(&kinds[0]);
		n = fill_half_pages();
	}
	check_all();
	destroy_log();
}

/* Let bits rot somewhere, and excuse the pages there. */
static void rot(void)
{
	u32 unit = flash.kind->nand ? flash.kind->write_bytes : 1, page;
	u64 at = (u64)random_below(flash_size() / 4) * 4;
	bool silent = random_below(2);

	if (!flash.programmed[at])
		return;
	if (silent) {
		unit = 1;
		flash.bytes[at] ^= 1 << random_below(8);
	} else {
		flash.rotten[at] = 1;
	}
	at -= at % unit;
	for (page = 0; page < dev.geo.pages; page++) {
		struct mtdc_place place;
		u64 offset;

		mtdc_map_get(&dev.log.map, page, &place);
		if (!is_stored(place.kind))
			continue;
		/* A buffered record may already be partly on the media. */
		mtdc_log_find(&dev.log, &place, &offset);
		if (offset < at + unit && offset + place.bytes + MTDC_FRAGMENT_BYTES > at)
			dev.pages[page].excused = true;
	}
}

/* Bits rot, with or without an ECC error; no other page is lost. */
static void test_rot(void)
{
	u64 left = tap.ops / 4, n, i;
	u64 lost = 0, scrubbed = 0;

	while (left && !tap.bad) {
		create_log(random_kind());
		n = left < 5000 ? left : 5000;
		left -= n;
		dev.flips = 64;
		for (i = 0; i < n && !tap.bad; i++) {
			if (!random_below(100))
				rot();
			expect_full(random_request());
			if (!random_below(512))
				expect_eq(mtdc_log_check(&dev.log), 0);
		}
		check_all();
		expect_eq(dev.log.blocks.good, dev.geo.blocks);
		lost += dev.log.stats.lost;
		scrubbed += dev.log.stats.scrubbed;
		destroy_log();
	}
	/* With too few operations neither may happen. */
	if (tap.ops >= 5000)
		expect(lost && scrubbed);
}

/* Number of blocks whose count after an attach is wrong. */
static u32 wrong_counts(void)
{
	u32 block, n = 0;

	for (block = 0; block < dev.geo.blocks; block++)
		if (!flash.bad[block] && dev.log.blocks.wear.erases[block] != dev.erases[block])
			n++;
	return n;
}

/* A detach loses no count, whatever has failed before. */
static void test_detach(void)
{
	unsigned int round;
	u32 i;

	for (round = 0; round < 300 && !tap.bad; round++) {
		create_log(&kinds[round % ARRAY_SIZE(kinds)]);
		for (i = 0; i < 4 && !tap.bad; i++) {
			u32 n = random_below(2000);

			while (n-- && !tap.bad)
				expect_full(random_request());
			close_log();
			stop_log();
			expect_eq(start_log(), 0);
			expect_eq(wrong_counts(), 0);
		}
		destroy_log();
	}
}

/*
 * The power fails in each operation in turn. Afterwards only counts are lost whose labels were not
 * on the media: one of each stream, and one of a block erased ahead. The interrupted operation may
 * have done any part of its work.
 */
static void power_cut(const struct log_kind *kind, u64 number)
{
	u32 i;

	random_seed(tap.seed + number);
	create_log(kind);
	fill_up();
	overwrite(SKEWED, 600);
	close_log();
	stop_log();
	expect_eq(start_log(), 0);
	expect_eq(wrong_counts(), 0);

	flash_fail(FLASH_ANY, number, U64_MAX / 2, -EIO);
	for (i = 0; i < 3000 && !flash.faults; i++)
		random_request();
	flash_heal();
	stop_log();
	expect_eq(start_log(), 0);
	expect(wrong_counts() <= 3);
	for (i = 0; i < 50 && !tap.bad; i++)
		expect_full(random_request());
	check_all();
	destroy_log();
}

static void test_power_cut(void)
{
	u64 most = 50 + tap.ops / 5000, number;
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		for (number = 0; number < most && !tap.bad; number++)
			power_cut(&kinds[k], number);
}

/*
 * Store four pages of five: at the very limit GC runs all the time. Returns the number of pages,
 * with the empty ones.
 */
static u32 fill_four_fifths(void)
{
	u32 i, n = 0;

	fill_up();
	while (n < dev.geo.pages && dev.pages[n].kind != MTDC_NONE)
		n++;
	for (i = 0; i < n; i += 5)
		put_page(i, MTDC_NONE, 0);
	return n;
}

/* Half of the data are cold, but no block is worn much more than another. */
static void test_spread(void)
{
	unsigned int k;
	u32 i, n, block;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		u32 least = U32_MAX, most = 0;

		create_log(&kinds[k]);
		n = fill_four_fifths();
		/* Until each block could have been erased ten times the allowed spread. */
		for (i = 0; dev.log.stats.erases < 10ULL * dev.geo.spread * dev.geo.blocks; i++) {
			u32 page = n / 2 + pattern_page(SKEWED, i, n / 2);

			if (tap.bad)
				break;

			if (page % 5)
				expect_eq(write_page(page, dev.pages[page].bytes), 0);
		}
		for (block = 0; block < dev.geo.blocks; block++) {
			u32 erases = dev.log.blocks.wear.erases[block];

			expect_eq(erases, dev.erases[block]);
			least = erases < least ? erases : least;
			most = erases > most ? erases : most;
		}
		expect(most > 8 * dev.geo.spread);
		/* A block waits for its turn while others are opened. */
		if (!expect(most - least <= 2 * dev.geo.spread))
			tap_note("%s: %u to %u", kinds[k].name, least, most);
		expect(dev.log.stats.levelled);
		check_all();
		destroy_log();
	}
}

/*
 * Most of the data are cold and do not compress, so each of their blocks lacks the room for one
 * more page and is never full. Emptying one block would fill another, so GC skips them, however old
 * they are; only wear levelling moves them. Without this rule the log moves 2.3 bytes for each
 * written byte, with it 1.6.
 */
static void test_cold(void)
{
	static const struct log_kind kind = {
		"NAND, as real", { "", 200, 131072, 2048, true }, 2048, 4096, false
	};
	/* Writes of each hot page. A small number only shows that it works. */
	u32 rounds = tap.ops < 100000 ? 4 : 100;
	u64 moved, written = 0;
	u32 n, hot, i;

	create_log(&kind);
	n = kind.flash.blocks * 31 * 6 / 7;
	for (i = 0; i < n; i++)
		expect_eq(write_page(i, kind.page_bytes), 0);
	hot = n * 2 / 5;
	moved = dev.log.stats.moved_bytes;
	for (i = 0; i < rounds * hot && !tap.bad; i++) {
		expect_eq(write_page(random_below(hot), kind.page_bytes), 0);
		written += kind.page_bytes;
	}
	moved = dev.log.stats.moved_bytes - moved;
	if (!expect(moved < 2 * written))
		tap_note("%llu bytes moved for %llu written", moved, written);
	check_all();
	destroy_log();
}

/* Idle work ends, however full the media are. */
static void test_idle(void)
{
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		u64 erases = 0;
		u32 i, n, round;

		create_log(&kinds[k]);
		/* No page compresses, so that blocks are never full. */
		for (n = 0; n < dev.geo.pages; n++)
			if (write_page(n, dev.geo.page_bytes))
				break;
		for (i = 0; i < 4 * n; i++)
			write_page(random_below(n), dev.geo.page_bytes);
		for (round = 0; round < 20 * dev.geo.blocks; round++) {
			erases = dev.log.stats.erases;
			if (!mtdc_log_idle(&dev.log))
				break;
			do_all_jobs();
		}
		erases = dev.log.stats.erases - erases;
		if (!expect(round < 20 * dev.geo.blocks))
			tap_note("%s: %llu erases in the last of %u rounds", kinds[k].name,
				 erases, round);
		check_all();
		destroy_log();
	}
}

/* At 80 % of the promise, no write waits for long. */
static void test_pace(void)
{
	unsigned int k;
	u32 n;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		u64 moved;
		u32 i, most = 0;

		create_log(&kinds[k]);
		n = fill_four_fifths();
		for (i = 0; i < 30 * n && !tap.bad; i++) {
			u32 page = random_below(n);

			if (!(page % 5))
				continue;
			moved = dev.log.stats.moved_bytes;
			expect_eq(write_page(page, dev.pages[page].bytes), 0);
			moved = dev.log.stats.moved_bytes - moved;
			most = moved > most ? moved : most;
		}
		if (!expect(most <= 6 * record_bytes(dev.geo.page_bytes)))
			tap_note("%s: %u bytes moved", kinds[k].name, most);
		destroy_log();
	}
}

/* A third of the programs and erases fail with -ENOMEM. */
static void fail_a_third(const struct mtdc_log_job *job)
{
	if ((job->kind == MTDC_LOG_PROGRAM || job->kind == MTDC_LOG_ERASE) && !random_below(3))
		flash_fail(FLASH_ANY, 0, 1, -ENOMEM);
}

/*
 * Both streams have failed near the ends of their blocks, and no block is free, although a block
 * was erased ahead. When the flash works again, that block counts as space.
 */
static void test_ahead_is_room(void)
{
	u32 life, i, round;
	int err;

	for (life = 0; life < 200 && !tap.bad; life++) {
		begin_life(&kinds[life % 2], true);
		for (round = 0, err = 0; round < 12 && !err; round++) {
			job_hook = round % 2 ? fail_a_third : NULL;
			for (i = 0; i < 100; i++)
				random_request();
			job_hook = NULL;
			flash_heal();
			for (i = 0, err = 1; i < 300 && err; i++)
				err = write_page(i % dev.geo.pages, 1);
		}
		if (!expect(!err || dev.log.ready == MTDC_LOG_NONE))
			log_note();
		check_all();
		destroy_log();
	}
}

/*
 * A block goes bad; then no read works for a while, and all else does. A successful program proves
 * nothing about reads, so the log may give up no page.
 */
static void test_no_reads(void)
{
	u32 life, i, n;

	for (life = 0; life < 60 && !tap.bad; life++) {
		create_log(&kinds[life % ARRAY_SIZE(kinds)]);
		n = fill_part(20 + life);
		flash_fail(FLASH_PROGRAM, 0, 1, -EIO);
		for (i = 0; i < 200 && !dev.log.stats.failed_programs; i++)
			expect_eq(steady_request(0, n), 0);
		flash_fail(FLASH_READ, 0, U32_MAX, life % 2 ? -EIO : -ETIMEDOUT);
		for (i = 0; i < 100; i++)
			steady_request(0, n);
		flash_heal();
		if (!expect_eq(dev.log.stats.lost, 0))
			tap_note("%s, life %u", dev.kind->name, life);
		overwrite(UNIFORM, 200);
		check_all();
		destroy_log();
	}
}

static const struct tap_case cases[] = {
	{ "which geometries suit", test_geometry },
	{ "memory a page and a block", test_memory },
	{ "the promise is kept to the last byte", test_promise },
	{ "on UBI it is kept without spare blocks, and without levelling", test_managed },
	{ "no space leaks", test_leak },
	{ "random requests, nothing fails", test_random },
	{ "random requests, something fails", test_faults },
	{ "each operation fails in its turn, and nothing is refused", test_each_failure },
	{ "blocks fail until none is left", test_worn },
	{ "two thirds of the blocks break, and a quarter is stored", test_breaking },
	{ "the whole reserve fails at once", test_no_reserve },
	{ "three broken blocks in a row", test_three_broken },
	{ "less has room than is stored", test_few },
	{ "nothing is gained by emptying a block", test_no_gain },
	{ "blocks that can't be read", test_unreadable },
	{ "a block that failed and can't be read", test_failed_unreadable },
	{ "nothing works for a while, and no block is to blame", test_dead },
	{ "nothing works, again and again", test_outages },
	{ "what fails twice fits the buffer", test_padded_twice },
	{ "both streams fail, and reads", test_both_streams },
	{ "failures with a rhythm", test_rhythm },
	{ "reads fail for want of memory", test_no_memory },
	{ "what is erased ahead is room", test_ahead_is_room },
	{ "no read works for a while", test_no_reads },
	{ "bits rot", test_rot },
	{ "a detach loses no erase count", test_detach },
	{ "the power fails in each operation in its turn", test_power_cut },
	{ "cold data do not keep blocks from being erased", test_spread },
	{ "no write has to wait for long", test_pace },
	{ "what is done for want of work comes to an end", test_idle },
	{ "blocks of cold pages that do not compress are left alone", test_cold },
};

int main(int argc, char **argv)
{
	return tap_main("log", cases, ARRAY_SIZE(cases), argc, argv);
}
