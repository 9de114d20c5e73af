// SPDX-License-Identifier: GPL-2.0
/* The log on geometries and with failures that the other suites lack. */
#include <errno.h>

#include "harness.h"
#include "horrible_log.h"

static const struct log_kind kinds[] = {
	/* Two units to a block. */
	{ "NAND, two units", { "", 24, 2048, 1024, true }, 1024, 248, false },
	/* Three records to a block. */
	{ "NAND, three records", { "", 24, 1024, 128, true }, 128, 256, false },
	{ "NOR, three records", { "", 20, 3 * 264 + 32 + 40, 4, false }, 36, 256, false },
	/* The label has a unit of its own. */
	{ "NOR, words, label alone", { "", 18, 16384, 4, false }, 512, 2048, false },
	{ "NOR, 64, label alone", { "", 18, 8192, 64, false }, 512, 1024, false },
	{ "NAND, label alone", { "", 18, 8192, 64, true }, 256, 512, false },
	/* Sizes that are no powers of two. */
	{ "NOR, odd", { "", 20, 3000, 20, false }, 100, 500, false },
	{ "UBI, odd", { "", 20, 1920, 64, true }, 384, 252, true },
	{ "NAND, whole units", { "", 12, 4096, 512, true }, 512, 256, false },
	/* The smallest number of blocks. */
	{ "NAND, nine blocks", { "", 9, 4096, 256, true }, 256, 256, false },
	{ "NOR, nine blocks", { "", 9, 4096, 4, false }, 64, 256, false },
};

static const struct log_kind *random_kind(void)
{
	return &kinds[random_below(ARRAY_SIZE(kinds))];
}

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

/* Write until only a few bytes of the promise are left; returns the number of stored pages. */
static u32 fill_up(void)
{
	u64 capacity = mtdc_log_capacity(&dev.log);
	u32 page, bytes, sizes = random_below(3);

	for (page = 0; page < dev.geo.pages && dev.live + least_bytes() <= capacity; page++) {
		u64 left = (capacity - dev.live) / 4 * 4 - 8;

		bytes = sizes == 2 ? dev.geo.page_bytes : random_bytes();
		if (dev.geo.pages - page < (capacity - dev.live) / (dev.geo.page_bytes / 3) + 4)
			bytes = dev.geo.page_bytes;
		if (!expect_eq(write_page(page, bytes < left ? bytes : left), 0))
			return page;
	}
	return page;
}

static int overwrite(u32 pages)
{
	u32 page = random_below(random_below(3) ? pages : pages / 8 + 1);

	switch (random_below(64)) {
	case 0:
		flush_log();
		break;
	case 1:
		if (mtdc_log_idle(&dev.log))
			do_all_jobs();
		break;
	}
	return write_page(page, dev.pages[page].bytes);
}

static int random_error(void)
{
	static const int errors[] = { -EIO, -ETIMEDOUT, -ENOMEM };

	return errors[random_below(ARRAY_SIZE(errors))];
}

static void begin(u64 trial)
{
	random_seed(tap.seed * 1000003 + trial);
	create_log(random_kind());
}

static void end(u64 trial)
{
	if (tap.bad) {
		tap_note("%s: trial %llu", dev.kind->name, trial);
		log_note();
	}
	job_hook = NULL;
	destroy_log();
}

#define TRIALS(part)	tap_env("TRIALS", tap.ops / (part) + 10)
#define FIRST		tap_env("FIRST", 0)

/* Full to the promise, nothing fails: no write is refused. */
static void test_promise(void)
{
	u64 trial;
	u32 n, i;

	for (trial = FIRST; trial < FIRST + TRIALS(2000) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (i = 0; i < 1000 && !tap.bad; i++)
			expect_eq(overwrite(n), 0);
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		end(trial);
	}
}

/* Single operations fail now and then: no write is refused. */
static void test_now_and_then(void)
{
	static const enum flash_op ops[] = { FLASH_PROGRAM, FLASH_ERASE, FLASH_READ };
	u64 trial;
	u32 n, i, round;

	for (trial = FIRST; trial < FIRST + TRIALS(1000) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (i = random_below(400); i; i--)
			expect_eq(overwrite(n), 0);
		for (round = 0; round < 8 && !tap.bad; round++) {
			int err = random_error();

			/* -ENOMEM may refuse a page. */
			flash_fail(ops[random_below(3)], random_below(100), 1,
				   err == -ENOMEM ? -EIO : err);
			for (i = 0; i < 600 && !tap.bad; i++)
				if (!expect_eq(overwrite(n), 0))
					tap_note("round %u, write %u", round, i);
			if (!random_below(2))
				check_all();
		}
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		expect_eq(flash.marks, 0);
		end(trial);
	}
}

/* Programs and erases that fail at random, one in @one_in, until the job hook is removed. */
static struct {
	u32 ops;
	u32 one_in;
	int err;
	bool mixed;
} noise;

static const u32 op_of[] = {
	[MTDC_LOG_ERASE] = FLASH_ERASE,
	[MTDC_LOG_PROGRAM] = FLASH_PROGRAM,
	[MTDC_LOG_READ] = FLASH_READ,
	[MTDC_LOG_READ_BACK] = FLASH_READ,
	[MTDC_LOG_MARK] = 0,
};

static void make_noise(const struct mtdc_log_job *job)
{
	if (job->kind == MTDC_LOG_MARK) {
		/* As far as the log can know, other blocks have worked since. */
		expect(mtdc_log_blocks_are_proven(&dev.log.blocks));
		flash.failed[job->block] = 1;
		return;
	}
	if (noise.ops & op_of[job->kind] && !random_below(noise.one_in))
		flash_fail(FLASH_ANY, 0, 1, noise.mixed ? random_error() : noise.err);
}

/* Are enough blocks left for the promise? */
static bool promise_is_kept(void)
{
	return mtdc_log_capacity(&dev.log) == dev.log.promised;
}

/* All operations fail now and then; when they work again, so does the log. */
static void test_dead_end(void)
{
	static const u32 rates[] = { 2, 3, 5, 10, 20, 40, 100 };
	u64 trial;
	u32 n, i, round, refused, rejected, strands = 0;
	int err;

	for (trial = FIRST; trial < FIRST + TRIALS(500) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (round = 0; round < 12 && !tap.bad; round++) {
			noise.ops = 1 + random_below(7);
			noise.one_in = rates[random_below(ARRAY_SIZE(rates))];
			noise.err = random_error();
			noise.mixed = random_below(2);
			job_hook = make_noise;
			for (refused = 0, i = random_below(400); i && !tap.bad; i--) {
				if (!random_below(50))
					put_page(random_below(n), MTDC_NONE, 0);
				if (!random_below(40))
					mtdc_log_scrub(&dev.log, random_below(flash_size()));
				err = overwrite(n);
				refused += !!err;
				expect(!err || err == -EIO || err == -ENOSPC);
			}
			job_hook = NULL;
			flash_heal();
			if (!promise_is_kept())
				break;
			check_all();
			for (rejected = 0; rejected < 4 * refused + 100; rejected++)
				if (!overwrite(n) || !promise_is_kept())
					break;
			if (rejected == 4 * refused + 100) {
				/* See "Known limits": the last block was spoiled. */
				if (!expect(!dev.log.blocks.wear.nfree))
					tap_note("%u were refused, round %u", refused, round);
				strands++;
				for (i = 0; i < n; i++)
					put_page(i, MTDC_NONE, 0);
				for (rejected = 0; rejected < 100 && write_page(0, 1); rejected++)
					;
				if (!expect(rejected < 100))
					log_note();
				break;
			}
			for (i = 0; i < 400 && !tap.bad; i++)
				if (overwrite(n) && !expect(!promise_is_kept()))
					tap_note("write %u after that", i);
		}
		check_all();
		end(trial);
	}
	if (!expect(strands <= 2 + (trial - FIRST) / 100))
		tap_note("%u dead ends in %llu trials", strands, trial - FIRST);
}

/* Reads fail now and then, all else works. When reads work again, writes succeed. */
static void test_reads_fail(void)
{
	static const u32 rates[] = { 2, 3, 5, 10, 20 };
	u64 trial;
	u32 n, i, round;

	for (trial = FIRST; trial < FIRST + TRIALS(500) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (round = 0; round < 6 && !tap.bad; round++) {
			noise.ops = FLASH_READ;
			noise.one_in = rates[random_below(ARRAY_SIZE(rates))];
			noise.err = -EIO;
			noise.mixed = false;
			job_hook = make_noise;
			for (i = random_below(1000); i; i--)
				overwrite(n);
			job_hook = NULL;
			flash_heal();
			for (i = 0; i < 300 && !tap.bad; i++)
				if (!expect_eq(overwrite(n), 0))
					tap_note("round %u, write %u", round, i);
			check_all();
		}
		expect_eq(dev.log.stats.lost, 0);
		end(trial);
	}
}

/* Few programs fail. A write may be refused only while they do, and never with -ENOSPC. */
static void test_reason(void)
{
	u64 trial;
	u32 n, i;

	for (trial = FIRST; trial < FIRST + TRIALS(200) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		noise.ops = FLASH_PROGRAM | (trial & 1 ? FLASH_ERASE : 0);
		noise.one_in = 20 + random_below(100);
		noise.err = -EIO;
		noise.mixed = false;
		job_hook = make_noise;
		for (i = 0; i < 1000 && !tap.bad; i++) {
			u64 faults = flash.faults;
			int err = overwrite(n);

			if (!promise_is_kept())
				break;
			expect(!err || (err == -EIO && flash.faults > faults) ||
			       dev.log.streams[MTDC_LOG_HOST].failed ||
			       dev.log.streams[MTDC_LOG_MOVED].failed);
		}
		end(trial);
	}
}

/* For each block: why a detach may lose its erase count. */
static u8 *excuses;
static bool noisy;

static void count_labels(const struct mtdc_log_job *job)
{
	bool fail = false;

	if (job->kind != MTDC_LOG_MARK && noisy && noise.ops & op_of[job->kind])
		fail = !random_below(noise.one_in);
	if (fail)
		flash_fail(FLASH_ANY, 0, 1, noise.mixed ? random_error() : noise.err);
	if (job->kind == MTDC_LOG_MARK)
		flash.failed[job->block] = 1;
	else if (job->kind == MTDC_LOG_ERASE)
		/* If a stream has failed, the log may give back a block that it erased ahead. */
		excuses[job->block] = fail || (job->purpose == 1 && noise.ops);
	else if (job->kind == MTDC_LOG_PROGRAM && job->offset % dev.geo.block_bytes == 0)
		excuses[job->block] = fail;
}

/* Detach and attach with blocks in any state: a count is lost only for a reason. */
static void test_detach(void)
{
	u64 trial;
	u32 n, i, round, block;

	for (trial = FIRST; trial < FIRST + TRIALS(300) && !tap.bad; trial++) {
		begin(trial);
		excuses = test_alloc(dev.geo.blocks);
		for (round = 0; round < 6 && !tap.bad; round++) {
			noise.ops = round ? random_below(8) : 0;
			noise.one_in = 2 + random_length(200);
			noise.err = random_error();
			noise.mixed = random_below(2);
			job_hook = count_labels;
			noisy = false;
			n = fill_up();
			noisy = true;
			for (i = random_below(200); i && !tap.bad; i--) {
				u32 page = random_below(n);

				switch (random_below(12)) {
				case 0:
					put_page(page, MTDC_NONE, 0);
					break;
				case 1:
				case 2:
					if (mtdc_log_idle(&dev.log))
						do_all_jobs();
					break;
				case 3:
					mtdc_log_scrub(&dev.log, random_below(flash_size()));
					break;
				default:
					write_page(page, random_bytes());
					break;
				}
				check_page(random_below(n), true);
			}
			noisy = random_below(4) == 0;
			flash_heal();
			check_all();
			close_log();
			noisy = false;
			flash_heal();
			stop_log();
			if (start_log())
				break;
			for (block = 0; block < dev.geo.blocks && !tap.bad; block++)
				if (!flash.bad[block] && !excuses[block] && dev.touched[block] &&
				    !expect_eq(dev.log.blocks.wear.erases[block],
					       dev.erases[block]))
					tap_note("block %u, round %u, noise %u 1/%u", block, round,
						 noise.ops, noise.one_in);
			/* From now on the model accepts that a page is lost. */
			for (block = 0; block < dev.geo.blocks; block++)
				dev.erases[block] = dev.log.blocks.wear.erases[block];
		}
		free(excuses);
		end(trial);
	}
}

/* Number of block tests begun. */
static u32 tests;

static void count_tests(const struct mtdc_log_job *job)
{
	tests += job->kind == MTDC_LOG_ERASE && job->purpose == 2;
}

/* After failures of all kinds idle work ends, and each block is tested at most twice. */
static void test_calm(void)
{
	u64 trial;
	u32 n, i;

	for (trial = FIRST; trial < FIRST + TRIALS(500) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (i = random_below(2) ? n / 3 : 0; i; i--)
			put_page(random_below(n), MTDC_NONE, 0);
		noise.ops = 1 + random_below(7);
		noise.one_in = 2 + random_length(100);
		noise.err = random_error();
		noise.mixed = random_below(2);
		job_hook = make_noise;
		for (i = random_below(400); i; i--) {
			u32 page = random_below(n);

			if (mtdc_is_stored(dev.pages[page].kind))
				write_page(page, dev.pages[page].bytes);
			if (!random_below(16) && mtdc_log_idle(&dev.log))
				do_all_jobs();
			check_page(random_below(n), true);
		}
		flash_heal();
		tests = 0;
		job_hook = count_tests;
		for (i = 0; i < 40 * dev.geo.blocks && mtdc_log_idle(&dev.log); i++) {
			u64 jobs = dev.jobs;

			do_all_jobs();
			if (dev.jobs == jobs)
				break;
		}
		expect(i < 40 * dev.geo.blocks);
		if (!expect(tests <= 2 * dev.geo.blocks + MTDC_LOG_BLOCKS_PROOF))
			tap_note("%u tests", tests);
		if (promise_is_kept()) {
			const u32 *at = dev.log.blocks.n;

			expect_eq(at[MTDC_BLOCK_FAILED] + at[MTDC_BLOCK_DOOMED] +
				  at[MTDC_BLOCK_CONVICTED] + at[MTDC_BLOCK_PINNED], 0);
		}
		/* On working media, only an open block that has failed is tested. */
		tests = 0;
		for (i = 0; i < 300; i++) {
			u32 page = random_below(n);

			if (mtdc_is_stored(dev.pages[page].kind))
				write_page(page, dev.pages[page].bytes);
		}
		if (promise_is_kept())
			expect(tests <= MTDC_LOG_STREAMS);
		check_all();
		end(trial);
	}
}

static enum flash_op failing_later;

static void fail_later(const struct mtdc_log_job *job)
{
	if (failing_later & op_of[job->kind])
		flash_fail(FLASH_ANY, 0, 1, -EIO);
}

/*
 * A single program fails, so a block waits for its test. Then no read works for a while. The log
 * must not blame any block.
 */
static void test_no_reads_no_marks(void)
{
	u64 trial;
	u32 n, i;

	for (trial = FIRST; trial < FIRST + TRIALS(2000) && !tap.bad; trial++) {
		begin(trial);
		for (n = 0; n < dev.geo.pages && dev.live < mtdc_log_capacity(&dev.log) / 2; n++)
			write_page(n, dev.geo.page_bytes);
		flash_fail(FLASH_PROGRAM, random_below(20), 1, -EIO);
		for (i = 0; i < 60; i++)
			write_page(random_below(n), dev.geo.page_bytes);
		failing_later = FLASH_READ;
		job_hook = fail_later;
		for (i = 0; i < 300 && !tap.bad; i++) {
			write_page(random_below(n), dev.geo.page_bytes);
			if (i % 32 == 31 && mtdc_log_idle(&dev.log))
				do_all_jobs();
		}
		job_hook = NULL;
		flash_heal();
		expect_eq(flash.marks, 0);
		expect_eq(dev.log.stats.retired, 0);
		expect_eq(dev.log.stats.lost, 0);
		check_all();
		end(trial);
	}
}

/* As before, but without writes. The next write must find a block. */
static void test_no_reads_at_rest(void)
{
	u32 n, i, k, free;

	for (k = 0; k < ARRAY_SIZE(kinds) && !tap.bad; k++) {
		create_log(&kinds[k]);
		for (n = 0; n < dev.geo.pages && dev.live < mtdc_log_capacity(&dev.log) / 2; n++)
			write_page(n, dev.geo.page_bytes);
		flash_fail(FLASH_PROGRAM, random_below(20), 1, -EIO);
		for (i = 0; i < 60; i++)
			write_page(random_below(n), dev.geo.page_bytes);
		free = dev.log.blocks.wear.nfree;
		failing_later = FLASH_READ;
		job_hook = fail_later;
		for (i = 0; i < 4 * dev.geo.blocks && mtdc_log_idle(&dev.log); i++)
			do_all_jobs();
		/* A block in test, one erased ahead, two for the streams. */
		if (!expect(dev.log.blocks.wear.nfree + 4 >= free))
			log_note();
		expect_eq(write_page(0, dev.geo.page_bytes), 0);
		job_hook = NULL;
		flash_heal();
		check_all();
		destroy_log();
	}
}

/* All programs fail for long. Refused writes must not wear out a block. */
static void test_wear_of_refusals(void)
{
	static const struct log_kind kind = {
		"NAND, 64 units", { "", 64, 16384, 256, true }, 256, 256, false
	};
	static const int errors[] = { -EIO, -ENOMEM };
	u32 e, n, i, block, before, writes = tap.ops / 10;

	for (e = 0; e < ARRAY_SIZE(errors) && !tap.bad; e++) {
		create_log(&kind);
		for (n = 0; n < dev.geo.pages && dev.live < mtdc_log_capacity(&dev.log) / 2; n++)
			write_page(n, dev.geo.page_bytes);
		before = dev.log.stats.erases;
		flash_fail(FLASH_PROGRAM, 0, U64_MAX / 2, errors[e]);
		for (i = 0; i < writes; i++) {
			write_page(random_below(n), dev.geo.page_bytes);
			if (!random_below(16) && mtdc_log_idle(&dev.log))
				do_all_jobs();
		}
		if (!expect(dev.log.stats.erases - before <= writes / 32 + 8))
			tap_note("%llu erases for %u writes", dev.log.stats.erases - before,
				 writes);
		for (block = 0; block < dev.geo.blocks; block++)
			if (!expect(dev.erases[block] <= writes / 128 + 8))
				tap_note("%u erases of a block", dev.erases[block]);
		flash_heal();
		for (i = 0; i < 100; i++)
			expect_eq(write_page(random_below(n), dev.geo.page_bytes), 0);
		check_all();
		destroy_log();
	}
}

/* The block in test, and the offset of the byte that changes after its program. */
static u32 wrong_block, wrong_offset;

static void change_byte(const struct mtdc_log_job *job)
{
	u32 in = job->offset % dev.geo.block_bytes;

	if (job->kind == MTDC_LOG_READ_BACK && job->block == wrong_block && in <= wrong_offset &&
	    in + job->bytes > wrong_offset)
		flash.bytes[(u64)job->block * dev.geo.block_bytes + wrong_offset] ^= 1;
}

/* A block takes all programs, but stores a wrong byte, in the label or after it. */
static void test_wrong_byte(void)
{
	const u32 offsets[] = { 9, 40, kinds[1].flash.block_bytes - 1 };
	u32 i, k, page, state;

	for (k = 0; k < ARRAY_SIZE(offsets) && !tap.bad; k++) {
		create_log(&kinds[1]);
		for (page = 0; page < 8; page++)
			write_page(page, dev.geo.page_bytes);
		wrong_block = dev.log.streams[MTDC_LOG_HOST].block;
		wrong_offset = offsets[k];
		flash_fail(FLASH_PROGRAM, 0, 1, -EIO);
		write_page(page++, dev.geo.page_bytes);
		flash.failed[wrong_block] = 1;
		job_hook = change_byte;
		for (i = 0; i < 100 && mtdc_log_idle(&dev.log); i++)
			do_all_jobs();
		state = dev.log.blocks.at[wrong_block].state;
		if (!expect_eq(state, MTDC_BLOCK_BAD))
			tap_note("byte %u", wrong_offset);
		end(k);
	}
}

static void fail_tests(const struct mtdc_log_job *job)
{
	if (job->kind != MTDC_LOG_MARK && job->purpose == 2 && failing_later & op_of[job->kind])
		flash_fail(FLASH_ANY, 0, 1, -ENOMEM);
}

/* All operations of a test, or one kind, fail with -ENOMEM. No block becomes bad. */
static void test_no_memory_for_tests(void)
{
	u32 i, n, k;

	for (k = 0; k < 3 * ARRAY_SIZE(kinds) && !tap.bad; k++) {
		create_log(&kinds[k % ARRAY_SIZE(kinds)]);
		for (n = 0; n < dev.geo.pages && dev.live < mtdc_log_capacity(&dev.log) / 2; n++)
			write_page(n, dev.geo.page_bytes);
		flash_fail(FLASH_PROGRAM, random_below(20), 1, -EIO);
		for (i = 0; i < 60; i++)
			write_page(random_below(n), dev.geo.page_bytes);
		failing_later = 1 << k / ARRAY_SIZE(kinds);
		job_hook = fail_tests;
		for (i = 0; i < 400; i++) {
			expect_eq(write_page(random_below(n), dev.geo.page_bytes), 0);
			if (i % 20 == 19 && mtdc_log_idle(&dev.log))
				do_all_jobs();
		}
		expect_eq(flash.marks, 0);
		expect_eq(dev.log.blocks.n[MTDC_BLOCK_DOOMED], 0);
		check_all();
		end(k);
	}
}

/* -ENOMEM pins no block, and makes no block wait for a test. */
static void test_no_memory(void)
{
	static const enum flash_op ops[] = { FLASH_ERASE, FLASH_READ };
	u64 trial;
	u32 n, i, k;

	for (trial = FIRST; trial < FIRST + TRIALS(1000) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (i = 0; i < 200 && !tap.bad; i++) {
			const u32 *at = dev.log.blocks.n;

			k = random_below(2);
			flash_fail(ops[k], random_below(10), 1, -ENOMEM);
			overwrite(n);
			expect_eq(at[MTDC_BLOCK_PINNED], 0);
			expect_eq(at[MTDC_BLOCK_FAILED], 0);
		}
		end(trial);
	}
}

/* Of several unreadable blocks, one becomes readable: the log finds it, whichever it is. */
static void test_pinned(void)
{
	u64 trial;
	u32 n, i, block;

	for (trial = FIRST; trial < FIRST + TRIALS(2000) && !tap.bad; trial++) {
		begin(trial);
		n = fill_up();
		for (i = 0; i < n; i += 3)
			put_page(i, MTDC_NONE, 0);
		memset(flash.worn, FLASH_READ, dev.geo.blocks);
		for (block = 0; block < dev.geo.blocks; block++)
			mtdc_log_scrub(&dev.log, (u64)block * dev.geo.block_bytes);
		for (i = 0; i < 4 * dev.geo.blocks && mtdc_log_idle(&dev.log); i++)
			do_all_jobs();
		for (block = dev.geo.blocks - 1; block; block--)
			if (dev.log.blocks.at[block].state == MTDC_BLOCK_PINNED)
				break;
		if (dev.log.blocks.n[MTDC_BLOCK_PINNED] > 1) {
			flash.worn[block] = 0;
			for (i = 0; i < 4 * dev.geo.blocks && mtdc_log_idle(&dev.log); i++)
				do_all_jobs();
			expect(dev.log.blocks.at[block].state != MTDC_BLOCK_PINNED);
		}
		memset(flash.worn, 0, dev.geo.blocks);
		check_all();
		expect_eq(dev.log.stats.lost, 0);
		end(trial);
	}
}

/* Before a read-back the buffer must not contain the expected data already. */
static void expect_clear(const struct mtdc_log_job *job)
{
	u32 erases;

	if (job->kind != MTDC_LOG_READ_BACK)
		return;
	if (job->offset % dev.geo.block_bytes == 0)
		expect(mtdc_label_parse(job->data, &erases));
	else
		expect(memcmp(job->data, flash.bytes + job->offset, job->bytes));
}

static void test_read_nothing(void)
{
	u32 i;

	create_log(&kinds[0]);
	for (i = 0; i < 8; i++)
		write_page(i, dev.geo.page_bytes);
	flash_fail(FLASH_PROGRAM, 0, 1, -EIO);
	for (i = 0; i < 8; i++)
		write_page(i, dev.geo.page_bytes);
	job_hook = expect_clear;
	for (i = 0; i < 100 && mtdc_log_idle(&dev.log); i++)
		do_all_jobs();
	end(0);
}

/* Number of programs of moved records that fail after the last free block was opened. */
static u32 failing_last;

static void fail_last(const struct mtdc_log_job *job)
{
	if (job->kind != MTDC_LOG_PROGRAM || job->purpose || job->stream != MTDC_LOG_MOVED ||
	    !failing_last || dev.log.blocks.wear.nfree || dev.log.streams[1].programmed)
		return;
	failing_last--;
	flash_fail(FLASH_ANY, 0, 1, -EIO);
}

/* The program into the last free block fails. When the media work again, so do writes. */
static void test_last_block(void)
{
	u64 trial;
	u32 n, i, refused;

	for (trial = FIRST; trial < FIRST + TRIALS(1000) && !tap.bad; trial++) {
		begin(trial);
		/* The store asks for space, and then again for the page. */
		dev.asks = trial % 2;
		n = fill_up();
		for (i = 0; i < 100; i++)
			overwrite(n);
		for (i = 0; i < 100; i++) {
			/* Make free blocks rare. */
			flash_fail(FLASH_PROGRAM, random_below(60), 1, -EIO);
			failing_last = 1 + i % 3;
			job_hook = fail_last;
			overwrite(n);
			if (random_below(2))
				flush_log();
		}
		job_hook = NULL;
		flash_heal();
		for (refused = 0; refused < 200 && promise_is_kept() && overwrite(n); refused++)
			;
		if (!expect(refused < 200))
			log_note();
		check_all();
		end(trial);
	}
}

/* Returns the number of good blocks marked bad if one program in @one_in fails. */
static u32 marked_at_rate(u32 one_in, u32 writes)
{
	/* As many units to a block as real flash has. */
	static const struct log_kind kind = {
		"NAND, 64 units", { "", 128, 16384, 256, true }, 256, 256, false
	};
	u64 half;
	u32 n, i, k, marked;

	create_log(&kind);
	half = mtdc_log_capacity(&dev.log) / 2;
	for (n = 0; n < dev.geo.pages && dev.live < half; n++)
		write_page(n, dev.geo.page_bytes);
	noise.ops = FLASH_PROGRAM;
	noise.one_in = one_in;
	noise.err = -EIO;
	noise.mixed = false;
	job_hook = make_noise;
	for (i = 0; i < writes; i++) {
		write_page(random_below(n), dev.geo.page_bytes);
		for (k = 0; i % 50 == 49 && k < 8 && mtdc_log_idle(&dev.log); k++)
			do_all_jobs();
	}
	job_hook = NULL;
	flash_heal();
	check_all();
	marked = dev.log.stats.retired;
	destroy_log();
	return marked;
}

/*
 * Programs fail at random, and no block is at fault. A few blocks may be marked by chance, because
 * the log can't know.
 */
static void test_rates(void)
{
	static const u32 rates[] = { 2, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000 };
	u32 r, marked, writes = tap.ops / 10;

	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		marked = marked_at_rate(rates[r], writes);
		if (!expect(marked <= writes / 2000 + 1) || tap_env("VERBOSE", 0))
			tap_note("one program in %u fails: %u of 128 blocks marked", rates[r],
				 marked);
	}
}

/* Many blocks in a row break at once. The log uses the others. */
static void test_many_broken(void)
{
	static const struct log_kind kind = {
		"NAND, many", { "", 104, 2048, 128, true }, 256, 256, false
	};
	u32 broken, block, n, refused, i;

	for (broken = 3; broken <= 12 && !tap.bad; broken++) {
		create_log(&kind);
		for (block = 5; block < 5 + broken; block++)
			flash.worn[block] = FLASH_PROGRAM | (broken & 1 ? 0 : FLASH_ERASE);
		for (n = 0, refused = 0; n < 300; n++)
			refused += !!write_page(n, dev.geo.page_bytes);
		for (i = 0; i < 10000; i++) {
			refused += !!write_page(random_below(n), dev.geo.page_bytes);
			if (i % 50 == 49 && mtdc_log_idle(&dev.log))
				do_all_jobs();
		}
		if (!expect(refused <= 2 * broken))
			tap_note("%u broken blocks, %u writes refused", broken, refused);
		expect_eq(dev.log.stats.retired, broken);
		check_all();
		end(broken);
	}
}

static const struct tap_case cases[] = {
	{ "the promise is kept on all geometries", test_promise },
	{ "one operation fails now and then, and nothing is refused", test_now_and_then },
	{ "no failures lead into a dead end", test_dead_end },
	{ "reads fail now and then", test_reads_fail },
	{ "programs fail now and then, and none is refused for want of space", test_reason },
	{ "a detach loses counts only for a reason", test_detach },
	{ "when the media work, tests end", test_calm },
	{ "few good blocks are marked, at any rate of failures", test_rates },
	{ "no block is to blame for reads that fail everywhere", test_no_reads_no_marks },
	{ "reads fail while nobody writes", test_no_reads_at_rest },
	{ "refused writes wear out no block", test_wear_of_refusals },
	{ "a block with a wrong byte is found", test_wrong_byte },
	{ "no memory for tests makes no block bad", test_no_memory_for_tests },
	{ "no memory pins no block and has none tested", test_no_memory },
	{ "one of many blocks can be read again", test_pinned },
	{ "many broken blocks in a row", test_many_broken },
	{ "a test notices reads that read nothing", test_read_nothing },
	{ "the program into the last free block fails", test_last_block },
};

int main(int argc, char **argv)
{
	return tap_main("log_attack", cases, ARRAY_SIZE(cases), argc, argv);
}
