// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of one eraseblock: with it, flash looks like media that can be rewritten in place
 * and have no bad blocks.
 *
 * A write goes to a copy of its eraseblock in memory. Before a write to another eraseblock, the
 * copy is written back: the eraseblock is erased and programmed anew. In the worst case that is
 * an erase for each page, which is why the paper calls this method inappropriate; the log
 * (log_store.c) is the better one.
 *
 * This file owns the copy and the mapping of logical to physical eraseblocks. It must never
 * drop the copy before the media have its contents: after two failures it writes the copy to a
 * spare eraseblock, marks the failed one bad, and if no spare one is left, refuses writes to
 * other eraseblocks. It does not know what the bytes mean: if the ECC can't correct a write
 * unit, the unit is rewritten as it was read, because the pages in it have checksums.
 * inplace_store.c calls it, with the store's lock held.
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

/* Size of a piece if the write unit is smaller (NOR: one byte); a guess. */
#define UNIT_BYTES	512U

/* Offset of a logical block on the media, in bytes. */
static u64 block_offset(const struct mtdc_ebcache *cache, u32 block)
{
	return (u64)cache->blocks.at[block] * cache->block_bytes;
}

static u32 unit_at(const struct mtdc_ebcache *cache, u32 offset)
{
	return min(cache->unit_bytes, cache->block_bytes - offset);
}

static int read_media(struct mtdc_ebcache *cache, u64 offset, void *to, u32 bytes)
{
	cache->stats.read_bytes += bytes;
	return mtdc_lower_read(cache->lower, offset, to, bytes, NULL);
}

/* Read a block unit by unit, because the ECC can't correct one of them. */
static int read_units(struct mtdc_ebcache *cache, u64 from)
{
	u32 offset, unit;

	for (offset = 0; offset < cache->block_bytes; offset += unit) {
		int err;

		unit = unit_at(cache, offset);
		err = read_media(cache, from + offset, cache->data + offset, unit);
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
	/* Contents from before the attach are meaningless, so do not read them. */
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

/* Program an erased block; skip units that are all 0xff. */
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
		err = mtdc_lower_write(cache->lower, to + start, cache->data + start, end - start);
		if (err)
			return err;
		start = end;
	}
	return 0;
}

static int erase_and_program(struct mtdc_ebcache *cache)
{
	u64 to = block_offset(cache, cache->block);

	cache->stats.erases++;
	return mtdc_lower_erase(cache->lower, to, cache->block_bytes) ?:
		program(cache, to);
}

/*
 * The block has failed with @why: put its contents into a spare one. If that fails as well, the
 * cause may be common to both (power, a write-protect pin), so retire neither.
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
	 * Other errors (locked, a time-out) can be temporary. After the next attach, a block
	 * that was not marked is tried again.
	 */
	if (why == -EIO)
		mtdc_lower_mark_bad(cache->lower, failed);
	return 0;
}

/**
 * mtdc_ebcache_flush() - write the cached block back if it is dirty
 * @cache: the cache
 *
 * Context: may sleep, the lower MTD's lock held.
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
	 * Drivers return many errors for a failed block: EIO, EROFS, ETIMEDOUT, and EINVAL for
	 * NOR with Intel's command set. ENOMEM alone surely has another cause.
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
 * @offset: offset in the logical blocks, in bytes
 * @to: destination
 * @bytes: number of bytes
 *
 * Context: may sleep, the lower MTD's lock held.
 * Return: 0; -EBADMSG if the ECC can't correct the data, which are in @to nevertheless; or
 * another error of the lower MTD.
 */
int mtdc_ebcache_read(struct mtdc_ebcache *cache, u64 offset, void *to, u32 bytes)
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
			err = read_media(cache, block_offset(cache, block) + in, to, part);
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
 * Write the cached block back, for another one. While that fails, the kernel retries each page
 * that it wants to swap out, over and over, for minutes until the OOM killer runs; and each
 * try takes and wears some erases. So after MTDC_EBCACHE_TRIES failures, pause four times
 * as long as a try took. (store_backoff.c counts tries, because on full media all cost about
 * the same. The erases of two chips differ a thousandfold.)
 */
static int make_room(struct mtdc_ebcache *cache)
{
	unsigned long begun = jiffies;

	/* Pause only after our own failure: a sync calls mtdc_ebcache_flush(), too. */
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

/**
 * mtdc_ebcache_write() - write to the cache
 * @cache: the cache
 * @offset: offset in the logical blocks, in bytes
 * @from: source
 * @bytes: number of bytes
 *
 * Context: may sleep, the lower MTD's lock held; runs in the swap-out path.
 * Return: 0, or the error of the lower MTD when the cached block was written back, or the
 * wanted one read.
 */
int mtdc_ebcache_write(struct mtdc_ebcache *cache, u64 offset, const void *from, u32 bytes)
{
	lockdep_assert_held(cache->lower->lock);
	while (bytes) {
		u32 in, block = div_u64_rem(offset, cache->block_bytes, &in);
		u32 part = min(bytes, cache->block_bytes - in);
		int err = 0;

		if (block != cache->block)
			err = make_room(cache) ?: load(cache, block);
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
 * @lower: the MTD below, with the number of blocks that the cache was created for
 *
 * Context: may sleep, @lower's lock held, the MTD is there.
 * Return: 0; -ENOSPC if there are too few good blocks, -EROFS if one is locked, or an error of
 * the lower MTD.
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
 * mtdc_ebcache_create() - allocate the memory of a cache
 * @cache: the cache, zeroed
 * @blocks: number of eraseblocks of the media
 * @block_bytes: size of an eraseblock
 * @write_bytes: unit of writing of the media
 *
 * Context: may sleep, with no lock held that reclaim takes.
 * Return: 0 or -ENOMEM.
 */
int mtdc_ebcache_create(struct mtdc_ebcache *cache, u32 blocks, u32 block_bytes, u32 write_bytes)
{
	size_t bits = BITS_TO_LONGS(blocks) * sizeof(long);

	cache->block = MTDC_EBCACHE_NONE;
	cache->block_bytes = block_bytes;
	cache->unit_bytes = roundup(UNIT_BYTES, write_bytes);
	cache->memory_bytes = bits + mtdc_blocks_memory(blocks);
	/* The attach fails rather than to have the OOM killer find memory. */
	cache->written = kvzalloc(cache->memory_bytes, GFP_KERNEL |
				  __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	cache->data = kvmalloc(block_bytes, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!cache->written || !cache->data) {
		mtdc_ebcache_destroy(cache);
		return -ENOMEM;
	}
	mtdc_blocks_init(&cache->blocks, (void *)cache->written + bits, blocks);
	return 0;
}

/**
 * mtdc_ebcache_destroy() - free the memory of a cache, if it has any
 * @cache: the cache
 *
 * Context: may sleep.
 */
void mtdc_ebcache_destroy(struct mtdc_ebcache *cache)
{
	kvfree_sensitive(cache->data, cache->block_bytes);
	kvfree(cache->written);
	cache->data = NULL;
	cache->written = NULL;
}
