// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of one eraseblock: the paper's way to use media that have to be
 * erased.
 *
 * This file makes NOR and NAND look like media that can be rewritten in place,
 * without their bad blocks: a write goes to a copy of its eraseblock in memory;
 * when another block's turn comes, the copy is written back by erasing the block
 * and programming it anew. It knows blocks and write units; what the bytes
 * mean, it does not know.
 *
 * That costs an erase for a few pages in the worst case, which is why the
 * paper calls it inappropriate. It is correct, though. What has been accepted
 * stays in memory until it is on the media: a block that can't be erased or
 * programmed is tried once more, then replaced by a spare one, and marked bad
 * once that has taken its contents. When there is none left, writes to other
 * blocks are refused, while all that is stored can still be read.
 *
 * A write unit that the ECC can't correct does not take the rest of its block
 * with it: it is rewritten as it was read, and whoever stored data in it has
 * checksums. A block that can't be read for another reason is left alone.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ebcache.h"
#include "lower.h"

/* Pieces that are programmed where the media have no write unit to speak of. */
#define UNIT_BYTES	512U

/* Where a logical block is on the media, in bytes. */
static u64 block_offset(const struct mtdc_ebcache *cache, u32 block)
{
	return (u64)cache->blocks.at[block] * cache->block_bytes;
}

static u32 unit_at(const struct mtdc_ebcache *cache, u32 offset)
{
	return min(cache->unit_bytes, cache->block_bytes - offset);
}

static int read_media(struct mtdc_ebcache *cache, u64 offset, void *to,
		      u32 bytes)
{
	cache->stats.read_bytes += bytes;
	return mtdc_lower_read(cache->lower, offset, to, bytes, NULL);
}

/* Read a block unit by unit, since one of them is beyond correction. */
static int read_units(struct mtdc_ebcache *cache, u64 from)
{
	u32 offset, unit;

	for (offset = 0; offset < cache->block_bytes; offset += unit) {
		int err;

		unit = unit_at(cache, offset);
		err = read_media(cache, from + offset, cache->data + offset,
				 unit);
		if (mtd_is_eccerr(err))
			cache->stats.bad_units++;
		else if (err)
			return err;
	}
	return 0;
}

static int load(struct mtdc_ebcache *cache, u32 block)
{
	u64 from = block_offset(cache, block);
	int err;

	cache->block = MTDC_EBCACHE_NONE;
	/* Nobody will ask for what was there before our time. */
	memset(cache->data, 0xff, cache->block_bytes);
	if (test_bit(block, cache->written)) {
		cache->stats.loads++;
		err = read_media(cache, from, cache->data, cache->block_bytes);
		if (mtd_is_eccerr(err))
			err = read_units(cache, from);
		if (err)
			return err;
	}
	cache->block = block;
	return 0;
}

static bool is_blank(const struct mtdc_ebcache *cache, u32 offset)
{
	return !memchr_inv(cache->data + offset, 0xff, unit_at(cache, offset));
}

/* Program an erased block, but for what would be left as it is. */
static int program(struct mtdc_ebcache *cache, u64 to)
{
	u32 start = 0, end;

	while (start < cache->block_bytes) {
		int err;

		if (is_blank(cache, start)) {
			start += unit_at(cache, start);
			continue;
		}
		end = start;
		while (end < cache->block_bytes && !is_blank(cache, end))
			end += unit_at(cache, end);
		cache->stats.written_bytes += end - start;
		err = mtdc_lower_write(cache->lower, to + start,
				       cache->data + start, end - start);
		if (err)
			return err;
		start = end;
	}
	return 0;
}

static int erase_and_program(struct mtdc_ebcache *cache)
{
	u64 to = block_offset(cache, cache->block);
	int err;

	cache->stats.erases++;
	err = mtdc_lower_erase(cache->lower, to, cache->block_bytes);
	return err ? err : program(cache, to);
}

/*
 * write_to_spare() - put the cached block where a spare one is
 * @why: the error that the block has failed with
 *
 * A block is given up only once another one has taken what it did not. If the
 * spare one fails as well, the fault may be in what they share, and nobody's
 * good blocks are to be marked bad for that.
 */
static int write_to_spare(struct mtdc_ebcache *cache, int why)
{
	u64 failed = block_offset(cache, cache->block);
	int err = mtdc_blocks_try_spare(&cache->blocks, cache->block);

	if (err) {
		pr_err_ratelimited("MTD %d: the eraseblock at %#llx fails, and no spare one is left\n",
				   cache->lower->mtd->index, failed);
		return why;
	}
	err = erase_and_program(cache);
	if (err) {
		mtdc_blocks_undo_spare(&cache->blocks, cache->block);
		return err;
	}
	mtdc_blocks_keep_spare(&cache->blocks);
	cache->stats.retired++;
	pr_warn("MTD %d: the eraseblock at %#llx fails and is retired, %u spare ones are left\n",
		cache->lower->mtd->index, failed, cache->blocks.spares);
	/*
	 * Other errors (locked, a time-out) need not be for ever. A block that is
	 * not marked is found out again after the next attach.
	 */
	if (why == -EIO)
		mtdc_lower_mark_bad(cache->lower, failed);
	return 0;
}

/**
 * mtdc_ebcache_flush() - write the cached block back if it is dirty
 * @cache: the cache
 *
 * Context: process, may sleep, the lower MTD's lock held.
 * Return: 0, or an error of the lower MTD: the block stays in the cache.
 */
int mtdc_ebcache_flush(struct mtdc_ebcache *cache)
{
	int err;

	lockdep_assert_held(cache->lower->lock);
	if (!cache->dirty)
		return 0;
	err = erase_and_program(cache);
	/*
	 * Drivers have many words for a block that failed: -EIO, but -EINVAL
	 * for NOR of Intel's command set, -EROFS, -ETIMEDOUT. Only want of
	 * memory is surely not the block's fault.
	 */
	if (err && err != -ENOMEM)
		err = erase_and_program(cache);
	if (err && err != -ENOMEM)
		err = write_to_spare(cache, err);
	if (err) {
		cache->failures++;
		return err;
	}
	__set_bit(cache->block, cache->written);
	cache->dirty = false;
	cache->failures = 0;
	return 0;
}

/**
 * mtdc_ebcache_read() - read from the media, or from the cache
 * @cache: the cache
 * @offset: where, in bytes of the good blocks
 * @to: where to
 * @bytes: how much
 *
 * Context: process, may sleep, the lower MTD's lock held.
 * Return: 0, or an error of the lower MTD; after -EBADMSG all is in @to nevertheless, as
 * far as could be corrected.
 */
int mtdc_ebcache_read(struct mtdc_ebcache *cache, u64 offset, void *to,
		      u32 bytes)
{
	int err, failed = 0;

	lockdep_assert_held(cache->lower->lock);
	while (bytes) {
		u32 in, block = div_u64_rem(offset, cache->block_bytes, &in);
		u32 part = min(bytes, cache->block_bytes - in);

		err = 0;
		if (block == cache->block)
			memcpy(to, cache->data + in, part);
		else
			err = read_media(cache, block_offset(cache, block) + in,
					 to, part);
		if (err && !mtd_is_eccerr(err))
			return err;
		failed = failed ?: err;
		offset += part;
		to += part;
		bytes -= part;
	}
	return failed;
}

/*
 * make_room() - take the cached block out, for another one
 *
 * Where that fails, each page that the kernel wants to swap out comes here, one
 * after the other, over and over, and each vain try is some erases: minutes until
 * the OOM killer ends it, and wear. So where it goes on, no more than a fifth of
 * the time is spent on them. (store_backoff.c counts tries: those to full media all cost
 * about the same, while these differ a thousandfold between chips.)
 */
static int make_room(struct mtdc_ebcache *cache)
{
	unsigned long begun = jiffies;

	/* Others flush, too: without an error from here there is no pause. */
	if (cache->error && cache->failures >= MTDC_EBCACHE_TRIES &&
	    begun - cache->failed_at < cache->pause)
		return cache->error;
	cache->error = mtdc_ebcache_flush(cache);
	if (cache->error) {
		cache->failed_at = jiffies;
		cache->pause = 4 * (cache->failed_at - begun);
	}
	return cache->error;
}

/* Have a block in the cache, and what was there before on the media. */
static int hold_block(struct mtdc_ebcache *cache, u32 block)
{
	int err;

	if (cache->block == block)
		return 0;
	err = make_room(cache);
	return err ? err : load(cache, block);
}

/**
 * mtdc_ebcache_write() - write to the cache
 * @cache: the cache
 * @offset: where, in bytes of the good blocks
 * @from: where from
 * @bytes: how much
 *
 * Context: process, may sleep, the lower MTD's lock held; runs in the swap-out
 * path.
 * Return: 0, or an error of the lower MTD, which failed to take another block
 * out of the cache or to get this one into it.
 */
int mtdc_ebcache_write(struct mtdc_ebcache *cache, u64 offset, const void *from,
		       u32 bytes)
{
	lockdep_assert_held(cache->lower->lock);
	while (bytes) {
		u32 in, block = div_u64_rem(offset, cache->block_bytes, &in);
		u32 part = min(bytes, cache->block_bytes - in);
		int err = hold_block(cache, block);

		if (err)
			return err;
		memcpy(cache->data + in, from, part);
		cache->dirty = true;
		offset += part;
		from += part;
		bytes -= part;
	}
	return 0;
}

/**
 * mtdc_ebcache_scan() - find the good blocks
 * @cache: the cache, just created
 * @lower: the MTD below, of as many blocks as it was created for
 *
 * Context: process, may sleep, @lower's lock held, the MTD is there.
 * Return: 0; -ENOSPC if there are too few good blocks, -EROFS if one of them is
 * locked, or an error of the lower MTD.
 */
int mtdc_ebcache_scan(struct mtdc_ebcache *cache, struct mtdc_lower *lower)
{
	u32 i;

	lockdep_assert_held(lower->lock);
	cache->lower = lower;
	for (i = 0; i < cache->blocks.total; i++) {
		u64 offset = (u64)i * cache->block_bytes;
		int bad = mtdc_lower_is_bad(lower, offset);

		if (bad < 0)
			return bad;
		if (bad)
			continue;
		if (mtdc_lower_is_locked(lower, offset, cache->block_bytes))
			return -EROFS;
		mtdc_blocks_add(&cache->blocks, i);
	}
	return mtdc_blocks_settle(&cache->blocks);
}

/**
 * mtdc_ebcache_create() - allocate what a cache needs
 * @cache: the cache, zeroed
 * @blocks: number of eraseblocks of the media
 * @block_bytes: size of an eraseblock
 * @write_bytes: unit of writing of the media
 *
 * Context: process, may sleep, no lock held that is taken in reclaim.
 * Return: 0 or -ENOMEM.
 */
int mtdc_ebcache_create(struct mtdc_ebcache *cache, u32 blocks, u32 block_bytes,
			u32 write_bytes)
{
	size_t bits = BITS_TO_LONGS(blocks) * sizeof(long);

	cache->block = MTDC_EBCACHE_NONE;
	cache->block_bytes = block_bytes;
	cache->unit_bytes = roundup(UNIT_BYTES, write_bytes);
	cache->memory_bytes = bits + mtdc_blocks_memory(blocks);
	/* Rather no device than an OOM kill for the sake of one. */
	cache->memory = kvzalloc(cache->memory_bytes, GFP_KERNEL |
				 __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	cache->data = kvmalloc(block_bytes, GFP_KERNEL | __GFP_RETRY_MAYFAIL |
			       __GFP_NOWARN);
	if (!cache->memory || !cache->data) {
		mtdc_ebcache_destroy(cache);
		return -ENOMEM;
	}
	cache->written = cache->memory;
	mtdc_blocks_init(&cache->blocks, cache->memory + bits, blocks);
	return 0;
}

/**
 * mtdc_ebcache_destroy() - free a cache, used or not
 * @cache: the cache; nobody uses it any more
 *
 * Context: process, may sleep.
 */
void mtdc_ebcache_destroy(struct mtdc_ebcache *cache)
{
	kvfree(cache->data);
	kvfree(cache->memory);
	cache->data = NULL;
	cache->memory = NULL;
}
