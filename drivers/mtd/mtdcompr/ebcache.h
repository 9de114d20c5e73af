/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache of one eraseblock, for media that have to be erased.
 */
#ifndef MTDC_EBCACHE_H
#define MTDC_EBCACHE_H

#include <linux/types.h>

#include "ebcache_blocks.h"

struct mtdc_lower;

/**
 * struct mtdc_ebcache_stats - counters of one cache
 * @loads: eraseblocks read into the cache
 * @erases: erases, successful or not
 * @read_bytes: bytes read from the media
 * @written_bytes: bytes programmed
 * @bad_units: write units of loaded eraseblocks that the ECC could not correct
 * @retired: eraseblocks that failed and were replaced
 */
struct mtdc_ebcache_stats {
	u64 loads;
	u64 erases;
	u64 read_bytes;
	u64 written_bytes;
	u64 bad_units;
	u64 retired;
};

/**
 * struct mtdc_ebcache - a cache of one eraseblock
 * @lower: the MTD below
 * @blocks: logical eraseblocks, and spare ones
 * @written: a bit for each logical block, set if we have written it since the attach
 * @data: contents of the cached block
 * @block: its logical number, or MTDC_EBCACHE_NONE
 * @dirty: its contents differ from the media
 * @error: result of the last flush that had to make room for another block
 * @failures: flushes that have failed in a row
 * @failed_at: time of the last failed flush, in jiffies
 * @pause: how long a pause after it lasts, in jiffies
 * @block_bytes: size of an eraseblock
 * @unit_bytes: size of a piece, which is programmed or left blank
 * @memory_bytes: size of the allocation that holds @written and the table of @blocks
 * @stats: the counters
 *
 * All of it is protected by the lock of @lower's owner.
 */
struct mtdc_ebcache {
	struct mtdc_lower *lower;
	struct mtdc_blocks blocks;
	unsigned long *written;
	u8 *data;
	u32 block;
	bool dirty;
	int error;
	u32 failures;
	unsigned long failed_at;
	unsigned long pause;
	u32 block_bytes;
	u32 unit_bytes;
	size_t memory_bytes;
	struct mtdc_ebcache_stats stats;
};

#define MTDC_EBCACHE_NONE	U32_MAX

/* Flushes that fail in a row before there are pauses; a guess. */
#define MTDC_EBCACHE_TRIES	16U

int mtdc_ebcache_create(struct mtdc_ebcache *cache, u32 blocks, u32 block_bytes, u32 write_bytes);
void mtdc_ebcache_destroy(struct mtdc_ebcache *cache);
int mtdc_ebcache_scan(struct mtdc_ebcache *cache, struct mtdc_lower *lower);
int mtdc_ebcache_read(struct mtdc_ebcache *cache, u64 offset, void *to, u32 bytes);
int mtdc_ebcache_write(struct mtdc_ebcache *cache, u64 offset, const void *from, u32 bytes);
int mtdc_ebcache_flush(struct mtdc_ebcache *cache);

/**
 * mtdc_ebcache_used() - does this device have a cache?
 * @cache: the cache, zeroed if not
 *
 * Context: any.
 * Return: true if it does.
 */
static inline bool mtdc_ebcache_used(const struct mtdc_ebcache *cache)
{
	return cache->data;
}

#endif /* MTDC_EBCACHE_H */
