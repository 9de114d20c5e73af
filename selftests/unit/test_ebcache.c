// SPDX-License-Identifier: GPL-2.0
/*
 * The eraseblock cache on flash that fails. A read returns the written data or an error. After a
 * failed write, the range holds old or new bytes, and nothing else has changed. No good block is
 * given up, and no bad block is accessed.
 *
 * The model is an array of bytes. After every operation the suite compares the whole device with
 * it, by reads through the cache that the flash neither counts nor lets fail.
 */
#include <errno.h>

#include "harness.h"
#include "ebcache.h"
#include "horrible_flash.h"

#include <linux/mm.h>

/* The smallest unit that ebcache.c programs. */
#define UNIT_BYTES	512U

static struct {
	struct mtdc_ebcache cache;
	u8 *now;		/* expected contents */
	u8 *known;		/* for each byte: @now is valid */
	u8 *buffer;
	u8 *data;		/* data of the current write */
	u32 bytes;
	u32 spares;		/* spare blocks after the start */
	bool writing;
} dev;

static unsigned int allocated, refuse_after;

void *kvmalloc(size_t bytes, int flags)
{
	void *memory;

	expect_eq(flags, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (refuse_after && !--refuse_after)
		return NULL;
	allocated++;
	memory = test_alloc(bytes);
	memset(memory, 0xa5, bytes);
	return memory;
}

void *kvzalloc(size_t bytes, int flags)
{
	void *memory = kvmalloc(bytes, flags);

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

void kvfree(const void *memory)
{
	allocated -= !!memory;
	free((void *)memory);
}

static const struct flash_kind kinds[] = {
	{ "NAND, 512", 8, 2048, 512, true },
	{ "NAND, 2048", 6, 8192, 2048, true },
	{ "NAND, 528", 5, 2112, 528, true },
	{ "NOR, bytes", 5, 3000, 1, false },
	{ "NOR, one unit a block", 9, 512, 1, false },
	{ "NOR, 24", 6, 1008, 24, false },
	{ "NOR, less than a unit a block", 7, 128, 4, false },
	/* Only three spare blocks. */
	{ "NAND, many", 160, 1024, 512, true },
};

/* The logical block that @physical holds, or U32_MAX. */
static u32 logical_of(u32 physical)
{
	const struct mtdc_blocks *blocks = &dev.cache.blocks;
	u32 i;

	for (i = 0; i < blocks->logical; i++)
		if (blocks->at[i] == physical)
			return i;
	return U32_MAX;
}

/* The contents of this part of the media become unknown. */
static void forget_media(u64 offset, u32 bytes)
{
	u32 block_bytes = flash.kind->block_bytes;
	u32 block = logical_of(offset / block_bytes);

	if (block != U32_MAX)
		memset(dev.known + (u64)block * block_bytes + offset % block_bytes, 0, bytes);
}

/* The load of a block keeps the bytes of a unit that the ECC can't correct. */
static void rubbish(u64 offset, u32 bytes)
{
	if (dev.writing && (bytes <= UNIT_BYTES || bytes < flash.kind->block_bytes ||
			    dev.cache.unit_bytes >= flash.kind->block_bytes))
		forget_media(offset, bytes);
}

static int start(const struct flash_kind *kind)
{
	int err;

	memset(&dev, 0, sizeof(dev));
	flash.kind = kind;
	flash.rubbish = rubbish;
	err = mtdc_ebcache_create(&dev.cache, kind->blocks, kind->block_bytes,
				  kind->write_bytes);
	if (!err)
		err = mtdc_ebcache_scan(&dev.cache, &flash.lower);
	if (err)
		return err;
	dev.bytes = dev.cache.blocks.logical * kind->block_bytes;
	dev.spares = dev.cache.blocks.spares;
	dev.now = test_alloc(dev.bytes);
	dev.known = test_alloc(dev.bytes);
	dev.buffer = test_alloc(dev.bytes);
	dev.data = test_alloc(dev.bytes);
	return 0;
}

static void stop(void)
{
	mtdc_ebcache_destroy(&dev.cache);
	expect_eq(allocated, 0);
	free(dev.now);
	free(dev.known);
	free(dev.buffer);
	free(dev.data);
	flash_destroy();
}

static void start_new(const struct flash_kind *kind)
{
	flash_create(kind);
	expect_eq(start(kind), 0);
}

/* Invariants of the cache. */
static bool is_sound(void)
{
	const struct mtdc_ebcache_stats *stats = &dev.cache.stats;
	const struct mtdc_blocks *blocks = &dev.cache.blocks;
	u32 i;

	expect_eq(mtdc_blocks_check(blocks), 0);
	expect_eq(blocks->spares + stats->retired, dev.spares);
	for (i = 0; i < blocks->logical + blocks->spares; i++)
		expect(!flash.bad[blocks->at[i]]);
	expect(flash.marks <= stats->retired);
	expect_eq(stats->erases, flash.erases);
	expect_eq(stats->written_bytes, flash.programmed_bytes);
	expect_eq(stats->read_bytes, flash.read_bytes);
	expect_eq(flash.violations, 0);
	return !tap.bad;
}

/*
 * Index of the first known byte from @at to @end that differs, or @end. @got begins with the byte
 * at @at. Most bytes are right, so compare large pieces first.
 */
static u32 next_wrong(u32 at, u32 end, const u8 *got)
{
	u32 n, i;

	for (; at < end; at += n, got += n) {
		const u8 *now = dev.now + at, *known = dev.known + at;

		n = end - at < 256 ? end - at : 256;
		if (!memcmp(got, now, n))
			continue;
		for (i = 0; i < n; i++)
			if (known[i] && got[i] != now[i])
				return at + i;
	}
	return end;
}

/* Compare everything; the range from @from to @to may also hold data of the write that failed. */
static bool is_as_written(u32 from, u32 to)
{
	u32 i;

	flash.calm = true;
	expect_eq(mtdc_ebcache_read(&dev.cache, 0, dev.buffer, dev.bytes), 0);
	flash.calm = false;
	for (i = 0; (i = next_wrong(i, dev.bytes, dev.buffer + i)) < dev.bytes; i++) {
		if (i >= from && i < to && dev.buffer[i] == dev.data[i - from]) {
			dev.now[i] = dev.data[i - from];
			continue;
		}
		tap_note("byte %u of block %u is %02x instead of %02x, operation %llu",
			 i % flash.kind->block_bytes, i / flash.kind->block_bytes,
			 dev.buffer[i], dev.now[i], flash.op);
		return expect(!"other bytes");
	}
	return is_sound();
}

/* Has the media all data, too? */
static bool is_on_media(void)
{
	u32 block_bytes = flash.kind->block_bytes, i, end;

	for (i = 0; i < dev.bytes; i = end) {
		u64 at = (u64)dev.cache.blocks.at[i / block_bytes] * block_bytes;

		end = i + block_bytes;
		if (!expect_eq(next_wrong(i, end, flash.bytes + at), end))
			return false;
	}
	return true;
}

/* An error needs a reason: a fault in this call, or a failing block. */
static void expect_reason(int err, u64 faults_before)
{
	expect(!err || flash.faults > faults_before ||
	       jiffies - dev.cache.failed_at < dev.cache.pause);
	expect(!err || err == -EIO || err == flash.err || err == flash.worn_err);
}

static int write_bytes(u32 offset, u32 bytes)
{
	u64 faults = flash.faults, retired = dev.cache.stats.retired;
	int err;

	dev.writing = true;
	err = mtdc_ebcache_write(&dev.cache, offset, dev.data, bytes);
	dev.writing = false;
	expect_reason(err, faults);
	if (!err) {
		memcpy(dev.now + offset, dev.data, bytes);
		memset(dev.known + offset, 1, bytes);
	}
	expect(!flash.dead || dev.cache.stats.retired == retired);
	is_as_written(offset, err ? offset + bytes : 0);
	return err;
}

/* Write random bytes, erased (0xff) bytes, or both in turns. */
static int write_random(u32 offset, u32 bytes)
{
	u32 at = 0;

	while (at < bytes) {
		u32 n = random_length(bytes - at), i;
		bool blank = !random_below(3);

		for (i = 0; i < n; i++)
			dev.data[at + i] = blank ? 0xff : random_u64();
		at += n;
	}
	return write_bytes(offset, bytes);
}

static int read_bytes(u32 offset, u32 bytes)
{
	u64 faults = flash.faults, erases = flash.erases, programs = flash.programs;
	int err = mtdc_ebcache_read(&dev.cache, offset, dev.buffer, bytes);

	/*
	 * A read of rotten data fails with EBADMSG; such bytes, or their neighbours, are unknown.
	 */
	if (err != -EBADMSG)
		expect_reason(err, faults);
	if (!err)
		expect_eq(next_wrong(offset, offset + bytes, dev.buffer), offset + bytes);
	expect_eq(flash.erases, erases);
	expect_eq(flash.programs, programs);
	is_sound();
	return err;
}

static int flush(void)
{
	u64 faults = flash.faults, retired = dev.cache.stats.retired, ops = flash.op;
	bool dirty = dev.cache.dirty;
	int err = mtdc_ebcache_flush(&dev.cache);

	expect_reason(err, faults);
	expect(!flash.dead || dev.cache.stats.retired == retired);
	expect(dirty || flash.op == ops);
	expect_eq(dev.cache.dirty, err ? dirty : false);
	if (!err)
		is_on_media();
	is_as_written(0, 0);
	return err;
}

/* Write each block once, and flush. */
static void fill(void)
{
	memset(dev.data, 0x11, dev.bytes);
	expect_eq(write_bytes(0, dev.bytes), 0);
	expect_eq(flush(), 0);
}

static u32 at_block(u32 block)
{
	return block * flash.kind->block_bytes;
}

static u32 physical(u32 block)
{
	return dev.cache.blocks.at[block];
}

static void test_memory(void)
{
	unsigned int n;

	flash_create(&kinds[0]);
	for (n = 1; n <= 2; n++) {
		refuse_after = n;
		expect_eq(start(&kinds[0]), -ENOMEM);
		expect(!mtdc_ebcache_used(&dev.cache));
		expect_eq(allocated, 0);
		/* A second destroy must do no harm. */
		mtdc_ebcache_destroy(&dev.cache);
	}
	refuse_after = 0;
	expect_eq(start(&kinds[0]), 0);
	expect(mtdc_ebcache_used(&dev.cache));
	stop();
	expect(!mtdc_ebcache_used(&dev.cache));
}

static void test_scan(void)
{
	const struct flash_kind *kind = &kinds[0];
	u32 i;

	flash_create(kind);
	flash.bad[0] = 1;
	flash.bad[3] = 1;
	flash.bad[7] = 1;
	expect_eq(start(kind), 0);
	expect_eq(dev.cache.blocks.logical, 4);
	expect_eq(physical(0), 1);
	expect_eq(physical(2), 4);
	fill();
	stop();

	/* Three good blocks are the minimum. */
	flash_create(kind);
	memset(flash.bad, 1, kind->blocks - 2);
	expect_eq(start(kind), -ENOSPC);
	stop();

	/* Any block may have unreadable marks. */
	for (i = 0; i < kind->blocks; i++) {
		flash_create(kind);
		flash_fail(FLASH_READ, i, 1, -ETIMEDOUT);
		expect_eq(start(kind), -ETIMEDOUT);
		stop();
	}
}

/* Number of reads, programs and erases of each step. */
static void test_cost(void)
{
	start_new(&kinds[0]);
	expect_eq(flush(), 0);
	expect_eq(flash.op, 8);
	memset(dev.data, 0x22, dev.bytes);
	/* The first write of a block reads nothing; a further write costs nothing. */
	expect_eq(write_bytes(100, 300), 0);
	expect_eq(write_bytes(500, 30), 0);
	expect_eq(dev.cache.stats.loads, 0);
	expect_eq(flash.erases, 0);
	/* A write to another block writes the first one back, without its blank units. */
	expect_eq(write_bytes(at_block(1) + 1024, 10), 0);
	expect_eq(dev.cache.stats.loads, 0);
	expect_eq(flash.erases, 1);
	expect_eq(flash.programs, 1);
	expect_eq(flash.programmed_bytes, 1024);
	expect_eq(flush(), 0);
	expect_eq(flush(), 0);
	expect_eq(flash.erases, 2);
	expect_eq(flash.programmed_bytes, 1536);
	/* A block with old data is read whole. */
	expect_eq(write_bytes(1600, 1), 0);
	expect_eq(dev.cache.stats.loads, 1);
	expect_eq(flush(), 0);
	expect_eq(flash.erases, 3);
	expect_eq(flash.programs, 4);
	expect_eq(flash.programmed_bytes, 1536 + 1024 + 512);
	/* A clean block is not written back. */
	expect_eq(write_bytes(at_block(1), 1), 0);
	expect_eq(flash.erases, 3);
	stop();
}

/* A single failure does not give a block up. */
static void test_transient(void)
{
	static const enum flash_op ops[] = { FLASH_ERASE, FLASH_PROGRAM };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		start_new(&kinds[0]);
		fill();
		expect_eq(write_random(at_block(2), 700), 0);
		flash_fail(ops[i], 0, ops[i] == FLASH_PROGRAM ? 2 : 1, -EIO);
		expect_eq(flush(), 0);
		expect_eq(flash.faults, 1);
		expect_eq(dev.cache.stats.retired, 0);
		stop();
	}
}

static void test_worn(void)
{
	static const enum flash_op ops[] = {
		FLASH_ERASE, FLASH_PROGRAM, FLASH_ERASE | FLASH_PROGRAM,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		u32 worn;

		start_new(&kinds[0]);
		fill();
		expect_eq(write_random(at_block(2) + 600, 700), 0);
		worn = physical(2);
		flash.worn[worn] = ops[i];
		/* The cache hides the failure. */
		expect_eq(write_random(at_block(4), 10), 0);
		expect_eq(dev.cache.stats.retired, 1);
		expect_eq(physical(2), flash.kind->blocks - 1);
		expect_eq(dev.cache.blocks.spares, 0);
		expect_eq(logical_of(worn), U32_MAX);
		expect_eq(read_bytes(at_block(2), 2048), 0);
		expect_eq(flush(), 0);
		stop();
	}
}

/* Without a spare block, writes fail unless they need no erase. */
static void test_no_spare(void)
{
	u64 marks;

	start_new(&kinds[0]);
	fill();
	expect_eq(write_random(at_block(2), 700), 0);
	flash.worn[physical(2)] = FLASH_ERASE;
	expect_eq(flush(), 0);
	expect_eq(write_random(at_block(3), 700), 0);
	flash.worn[physical(3)] = FLASH_PROGRAM;
	marks = flash.marks;
	expect_eq(flush(), -EIO);
	expect_eq(write_random(at_block(5), 10), -EIO);
	expect_eq(write_random(at_block(3) - 5, 10), -EIO);
	expect_eq(write_random(at_block(3) + 20, 10), 0);
	expect_eq(read_bytes(0, dev.bytes), 0);
	expect_eq(flash.marks, marks);
	/* The block works again, so it was not bad. */
	flash.worn[physical(3)] = 0;
	expect_eq(write_random(at_block(5), 10), 0);
	expect_eq(flush(), 0);
	stop();
}

/* If everything fails, no block is at fault. */
static void test_dead(void)
{
	unsigned int i;

	start_new(&kinds[7]);
	fill();
	expect_eq(write_random(at_block(9), 700), 0);
	flash.dead = true;
	for (i = 0; i < 20; i++) {
		expect_eq(flush(), -EIO);
		expect_eq(write_random(at_block(i % 9), 40), -EIO);
		expect_eq(write_random(at_block(9), 40), 0);
		expect_eq(read_bytes(at_block(9), 1024), 0);
		expect_eq(read_bytes(at_block(8), 1), -EIO);
	}
	flash_heal();
	expect_eq(flush(), 0);
	expect_eq(dev.cache.stats.retired, 0);
	/* The flash fails before the block is loaded. */
	flash.dead = true;
	expect_eq(write_random(at_block(20), 40), -EIO);
	flash_heal();
	expect_eq(write_random(at_block(20), 40), 0);
	expect_eq(flush(), 0);
	expect_eq(dev.cache.stats.retired, 0);
	stop();
}

/*
 * The kernel swaps out page after page, and all writes fail. At most a fifth of the time may go
 * into erases of 10 ticks.
 */
static void test_storm(void)
{
	unsigned long begun;
	u64 erases;
	u32 i;

	start_new(&kinds[7]);
	fill();
	expect_eq(write_random(at_block(9), 700), 0);
	flash.dead = true;
	flash.erase_ticks = 10;
	erases = flash.erases;
	begun = jiffies;
	for (i = 0; i < 1000; i++) {
		expect_eq(write_random(at_block(i % 9), 40), -EIO);
		jiffies++;
	}
	/*
	 * Up to three erases a try: the first tries come without a pause, and the pause after the
	 * last one is still to come.
	 */
	expect((flash.erases - erases) * flash.erase_ticks <=
	       (jiffies - begun) / 5 + (MTDC_EBCACHE_TRIES + 1) * 30);
	/* A flush always tries, and then writes work again. */
	flash_heal();
	flash.erase_ticks = 0;
	expect_eq(flush(), 0);
	expect_eq(write_random(at_block(1), 40), 0);
	expect_eq(flush(), 0);
	stop();
}

/* After a failed flush, no other caller may take the block for written. */
static void fail_flushes(void)
{
	u32 i;

	flash.dead = true;
	for (i = 0; i < 20; i++)
		expect_eq(flush(), -EIO);
	expect_eq(write_random(at_block(2), 40), -EIO);
	expect_eq(read_bytes(at_block(0), 700), 0);
	flash_heal();
	flash.erase_ticks = 0;
	expect_eq(flush(), 0);
	stop();
}

static void test_flushes(void)
{
	unsigned long then = jiffies;
	u32 i;

	/* The clock wraps around after five minutes, as the kernel's. */
	jiffies = -300 * 250UL;
	start_new(&kinds[7]);
	expect_eq(write_random(at_block(0), 700), 0);
	fail_flushes();

	/* Flush in the pause after an earlier failure. */
	start_new(&kinds[7]);
	expect_eq(write_random(at_block(1), 700), 0);
	flash.dead = true;
	flash.erase_ticks = 1000;
	expect_eq(write_random(at_block(0), 700), -EIO);
	flash_heal();
	flash.erase_ticks = 0;
	expect_eq(write_random(at_block(0), 700), 0);
	expect(jiffies - dev.cache.failed_at < dev.cache.pause);
	fail_flushes();

	/* The pause does not come again after half of the clock's range. */
	start_new(&kinds[7]);
	expect_eq(write_random(at_block(1), 700), 0);
	flash.dead = true;
	flash.erase_ticks = 1000;
	for (i = 0; i < 20; i++) {
		jiffies += 5 * 1000;
		expect_eq(write_random(at_block(0), 700), -EIO);
	}
	flash_heal();
	flash.erase_ticks = 0;
	jiffies += -1UL / 2 + 1000 * 1000;
	expect_eq(write_random(at_block(0), 700), 0);
	stop();
	jiffies = then;
}

/* A spare block that fails is skipped, but not marked bad. */
static void test_bad_spares(void)
{
	u32 i, worn;

	start_new(&kinds[7]);
	expect_eq(dev.spares, 3);
	fill();
	expect_eq(write_random(at_block(30), 700), 0);
	worn = physical(30);
	flash.worn[worn] = FLASH_PROGRAM;
	for (i = 0; i < 2; i++)
		flash.worn[flash.kind->blocks - 1 - i] = FLASH_ERASE;
	expect_eq(flush(), -EIO);
	expect_eq(flush(), -EIO);
	expect_eq(dev.cache.stats.retired, 0);
	expect_eq(flash.marks, 0);
	expect_eq(flush(), 0);
	expect_eq(dev.cache.stats.retired, 1);
	expect_eq(physical(30), flash.kind->blocks - 3);
	expect_eq(dev.cache.blocks.spares, 2);
	stop();
}

/* -ENOMEM is no fault of a block: no second try, and no block is given up. */
static void test_no_memory(void)
{
	u64 erases;

	start_new(&kinds[0]);
	fill();
	expect_eq(write_random(at_block(3), 700), 0);
	erases = flash.erases;
	flash_fail(FLASH_ERASE, 0, 1, -ENOMEM);
	expect_eq(flush(), -ENOMEM);
	expect_eq(flash.erases, erases + 1);
	flash_fail(FLASH_PROGRAM, 0, 100, -ENOMEM);
	expect_eq(write_random(0, 10), -ENOMEM);
	expect_eq(flash.erases, erases + 2);
	flash_heal();
	expect_eq(flush(), 0);
	expect_eq(dev.cache.stats.retired, 0);
	stop();
}

/* Other errors that drivers return for a failing block: such a block is not marked. */
static const int other_errs[] = { -EINVAL, -EROFS, -ETIMEDOUT, -ETIME };

/* Each error once, then for good. */
static void test_other_errors(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(other_errs); i++) {
		start_new(&kinds[0]);
		fill();
		flash.worn_err = other_errs[i];
		expect_eq(write_random(at_block(3), 700), 0);
		flash_fail(FLASH_ERASE, 0, 1, other_errs[i]);
		expect_eq(flush(), 0);
		expect_eq(dev.cache.stats.retired, 0);
		flash.worn[physical(4)] = FLASH_PROGRAM;
		expect_eq(write_random(at_block(4), 700), 0);
		expect_eq(write_random(at_block(5), 700), 0);
		expect_eq(dev.cache.stats.retired, 1);
		expect_eq(flash.marks, 0);
		/* No spare block is left. */
		flash.worn[physical(5)] = FLASH_ERASE;
		expect_eq(flush(), other_errs[i]);
		expect_eq(read_bytes(0, dev.bytes), 0);
		flash.worn[physical(5)] = 0;
		expect_eq(flush(), 0);
		stop();
	}
}

/* A single locked block makes the attach fail, because not all drivers report a lost write. */
static void test_locked(void)
{
	const struct flash_kind *kind = &kinds[3];
	u32 block;

	for (block = 0; block < kind->blocks; block++) {
		flash_create(kind);
		flash.locked = block;
		expect_eq(start(kind), -EROFS);
		mtdc_ebcache_destroy(&dev.cache);
		flash_destroy();
	}
}

/* Data that the ECC can't correct are lost, data beside them are not. */
static void test_rotten(void)
{
	u64 at;

	start_new(&kinds[0]);
	fill();
	expect_eq(write_random(at_block(3), 10), 0);
	expect_eq(flush(), 0);
	at = (u64)physical(1) * 2048 + 600;
	flash.rotten[at] = 1;
	forget_media(at, 1);
	expect_eq(read_bytes(at_block(1) + 1024, 1024), 0);
	expect_eq(read_bytes(at_block(1) + 512, 10), -EBADMSG);
	expect_eq(read_bytes(at_block(1) + 590, 20), -EBADMSG);
	/* A write to another part of the block saves the rest of it. */
	expect_eq(write_random(at_block(1) + 1500, 10), 0);
	expect_eq(dev.cache.stats.bad_units, 1);
	expect_eq(flush(), 0);
	expect_eq(write_random(at_block(3), 10), 0);
	expect_eq(read_bytes(at_block(1), 2048), 0);
	/* The same with the whole block. */
	at = (u64)physical(2) * 2048;
	memset(flash.rotten + at, 1, 2048);
	forget_media(at, 2048);
	expect_eq(write_random(at_block(2), 1), 0);
	expect_eq(dev.cache.stats.bad_units, 5);
	expect_eq(flush(), 0);
	expect_eq(dev.cache.stats.retired, 0);
	stop();
}

/* A block that can't be read now may be readable later, so it must not be erased. */
static void test_unreadable(void)
{
	u64 erases;
	u32 n;

	start_new(&kinds[0]);
	fill();
	expect_eq(write_random(at_block(4), 10), 0);
	expect_eq(flush(), 0);
	erases = flash.erases;
	/* The whole block, or one unit that the ECC can't correct either. */
	for (n = 0; n < 2; n++) {
		if (n) {
			flash.rotten[(u64)physical(2) * 2048 + 1] = 1;
			forget_media((u64)physical(2) * 2048 + 1, 1);
		}
		flash_fail(FLASH_READ, n * 3, 1000, -EIO);
		expect_eq(write_random(at_block(2) + 600, 10), -EIO);
		flash_heal();
	}
	expect_eq(flash.erases, erases);
	expect_eq(read_bytes(at_block(2) + 512, 1536), 0);
	/* The cache must not keep data of the failed writes. */
	expect_eq(write_random(at_block(2) + 600, 10), 0);
	expect_eq(flush(), 0);
	stop();
}

/* The write of the first block succeeds, the write of the second fails. */
static void test_boundary(void)
{
	start_new(&kinds[0]);
	fill();
	flash_fail(FLASH_ERASE, 0, 1000, -EROFS);
	expect_eq(write_random(at_block(2) - 30, 60), -EROFS);
	expect(dev.cache.dirty);
	expect_eq(dev.cache.block, 1);
	flash_heal();
	expect_eq(write_random(at_block(2) - 30, 60), 0);
	expect_eq(flush(), 0);
	stop();
}

/* A fixed sequence of all operations; it goes on after an error. */
static void script(void)
{
	u32 block_bytes = flash.kind->block_bytes, i;

	for (i = 0; i < 3; i++) {
		write_random(at_block(i) + block_bytes / 3, block_bytes / 4);
		write_random(at_block(i + 1) - 7, 20);
		read_bytes(at_block(i), block_bytes);
		if (i & 1)
			flush();
	}
	write_random(0, dev.bytes);
	read_bytes(0, dev.bytes);
	write_random(block_bytes - 1, block_bytes + 2);
	flush();
	read_bytes(block_bytes / 2, 2 * block_bytes);
}

/* Let operation 1, then 2, ... of the sequence fail. */
static void fail_each(const struct flash_kind *kind, enum flash_op ops, u64 n, int err)
{
	u64 i, most = U64_MAX;

	for (i = 0; i < most && !tap.bad; i++) {
		random_seed(tap.seed);
		start_new(kind);
		flash_fail(ops, i, n, err);
		script();
		/* The sequence ended before operation number @from. */
		if (!flash.faults)
			most = i;
		flash_heal();
		expect_eq(flush(), 0);
		is_as_written(0, 0);
		expect(err == -EIO || !dev.cache.stats.retired);
		stop();
		if (tap.bad)
			tap_note("  %s: operation %llu, %llu times, error %d, of kind %d",
				 kind->name, i, n, err, ops);
	}
}

static void test_each(void)
{
	static const struct {
		enum flash_op ops;
		int err;
	} faults[] = {
		{ FLASH_ANY, -EIO }, { FLASH_ERASE, -EIO }, { FLASH_PROGRAM, -EIO },
		{ FLASH_READ, -EIO }, { FLASH_READ, -EBADMSG }, { FLASH_ANY, -ENOMEM },
	};
	static const u64 times[] = { 1, 2, 3, 4, 5, 6, 9, 1000000 };
	unsigned int i, k, m;

	for (i = 0; i < ARRAY_SIZE(kinds) - 1; i++)
		for (k = 0; k < ARRAY_SIZE(faults); k++)
			for (m = 0; m < ARRAY_SIZE(times) && !tap.bad; m++)
				fail_each(&kinds[i], faults[k].ops, times[m], faults[k].err);
}

/* Let some bytes of the media rot. */
static void rot(void)
{
	u32 bytes = 1 + random_below(3);
	u32 block = random_below(flash.kind->blocks);
	u64 at = (u64)block * flash.kind->block_bytes +
		random_below(flash.kind->block_bytes - bytes);

	memset(flash.rotten + at, 1, bytes);
	forget_media(at, bytes);
}

static void trouble(void)
{
	static const int errs[] = { -EIO, -EIO, -EIO, -ENOMEM, -EROFS };
	static const int worn_errs[] = { -EIO, -EIO, -EINVAL, -ETIMEDOUT };
	u32 block = random_below(flash.kind->blocks);

	switch (random_below(8)) {
	case 0:
		flash.dead = true;
		break;
	case 1:
		flash.worn[block] = random_below(FLASH_ANY + 1) & ~FLASH_READ;
		flash.worn_err = worn_errs[random_below(ARRAY_SIZE(worn_errs))];
		break;
	case 2:
		rot();
		break;
	case 3:
		flash_fail(FLASH_READ, random_below(6), random_length(9), -EBADMSG);
		break;
	case 4:
	case 5:
		flash_fail(1 + random_below(FLASH_ANY), random_below(9), random_length(9),
			   errs[random_below(ARRAY_SIZE(errs))]);
		break;
	default:
		flash_heal();
	}
}

static void random_step(void)
{
	u32 longest = random_below(8) ? 400 : dev.bytes;
	u32 bytes = random_length(longest < dev.bytes ? longest : dev.bytes);
	u32 offset = random_below(dev.bytes - bytes + 1);

	/* Half of the operations go to the present block. */
	if (random_below(2))
		offset %= 2 * flash.kind->block_bytes;
	if (offset + bytes > dev.bytes)
		offset = 0;
	switch (random_below(16)) {
	case 0:
		flush();
		break;
	case 1:
		trouble();
		break;
	case 2: case 3: case 4: case 5:
		read_bytes(offset, bytes);
		break;
	default:
		write_random(offset, bytes);
	}
}

static void random_life(const struct flash_kind *kind, u32 steps)
{
	u32 i;

	flash_create(kind);
	for (i = random_below(kind->blocks - 2); i > 3; i /= 2)
		flash.bad[random_below(kind->blocks)] = 1;
	if (!expect_eq(start(kind), 0))
		return;
	for (i = 0; i < steps && !tap.bad; i++)
		random_step();
	/* When the flash works again, all accepted data are there. */
	flash_heal();
	memset(flash.worn, 0, kind->blocks);
	expect_eq(flush(), 0);
	stop();
}

static void test_random(void)
{
	u64 left = tap.ops / 8;

	while (left >= 400 && !tap.bad) {
		const struct flash_kind *kind = &kinds[random_below(ARRAY_SIZE(kinds))];
		u32 steps = 1 + random_below(400);

		/* A step costs time in proportion to the size of the device. */
		if (kind->blocks > 100)
			steps /= 4;
		left -= steps;
		random_life(kind, steps);
		if (tap.bad)
			tap_note("  %s, %llu operations before the end", kind->name, left);
	}
}

static const struct tap_case cases[] = {
	{ "memory that is refused", test_memory },
	{ "bad blocks are skipped, too few are refused", test_scan },
	{ "what a write costs, and when", test_cost },
	{ "an erase or a program that fails once is tried again", test_transient },
	{ "a block that fails is retired without an error", test_worn },
	{ "without a spare one writes fail, reads do not", test_no_spare },
	{ "a dead device burns no spare one", test_dead },
	{ "failing erases do not take all of the time", test_storm },
	{ "flushes that fail lose nothing", test_flushes },
	{ "spare ones that fail are passed over", test_bad_spares },
	{ "no memory", test_no_memory },
	{ "other errors than EIO", test_other_errors },
	{ "a locked block", test_locked },
	{ "data beyond correction take nothing with them", test_rotten },
	{ "a block that can't be read is left alone", test_unreadable },
	{ "a write over a boundary that fails half-way", test_boundary },
	{ "each operation fails in turn, once or for ever", test_each },
	{ "random lives against the model", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("ebcache", cases, ARRAY_SIZE(cases), argc, argv);
}
