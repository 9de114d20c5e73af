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
 * @loads: blocks read into the cache
 * @erases: blocks erased, successfully or not
 * @read_bytes: bytes read from the media
 * @written_bytes: bytes programmed
 * @bad_units: write units of loaded blocks that the ECC could not correct
 * @retired: blocks that failed and were replaced
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
 * @blocks: which blocks are in use, and which are spare
 * @written: a bit for each logical block that holds anything of ours
 * @data: contents of the block that is cached
 * @block: its logical number, or MTDC_EBCACHE_NONE
 * @dirty: its contents differ from those on the media
 * @error: what the last try to take it out of the cache for another block has
 *	failed with
 * @failures: tries to write the cached block back that have failed, one after the
 *	other
 * @failed_at: when the last of them had failed, in jiffies
 * @pause: how long there is no other try from then on, if it is one too many, in jiffies
 * @block_bytes: size of an eraseblock
 * @unit_bytes: size of a piece that is programmed, or left blank
 * @memory: what @blocks and @written live in
 * @memory_bytes: size of @memory
 * @stats: the counters
 *
 * The caller serialises all access by the lock of the lower MTD's owner.
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
	void *memory;
	size_t memory_bytes;
	struct mtdc_ebcache_stats stats;
};

#define MTDC_EBCACHE_NONE	U32_MAX

/* So many tries in a row fail before there is a pause. */
#define MTDC_EBCACHE_TRIES	16U

int mtdc_ebcache_create(struct mtdc_ebcache *cache, u32 blocks, u32 block_bytes,
			u32 write_bytes);
void mtdc_ebcache_destroy(struct mtdc_ebcache *cache);
int mtdc_ebcache_scan(struct mtdc_ebcache *cache, struct mtdc_lower *lower);
int mtdc_ebcache_read(struct mtdc_ebcache *cache, u64 offset, void *to,
		      u32 bytes);
int mtdc_ebcache_write(struct mtdc_ebcache *cache, u64 offset, const void *from,
		       u32 bytes);
int mtdc_ebcache_flush(struct mtdc_ebcache *cache);

/**
 * mtdc_ebcache_used() - does this device have a cache?
 * @cache: the cache
 *
 * Context: any.
 * Return: true if it has.
 */
static inline bool mtdc_ebcache_used(const struct mtdc_ebcache *cache)
{
	return cache->data;
}

#endif /* MTDC_EBCACHE_H */
