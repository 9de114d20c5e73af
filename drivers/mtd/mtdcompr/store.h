/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page engine: reads and writes whole pages.
 */
#ifndef MTDC_STORE_H
#define MTDC_STORE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "comp.h"
#include "ebcache.h"
#include "log.h"
#include "lower.h"
#include "map.h"
#include "media.h"
#include "stats.h"
#include "store_backoff.h"
#include "store_scratch.h"
#include "store_seals.h"

/**
 * struct mtdc_geometry - what a store is created with
 * @media_bytes: bytes that can be stored on the media
 * @span_bytes: size of the media, with everything that is not for pages
 * @size_bytes: size of the logical device, whole pages
 * @page_bytes: size of a page
 * @granule_bytes: unit of space on the media
 * @write_bytes: unit of writing of the media, a granule is a multiple of it; 0 for a log
 * @policy: which free space a page gets; not for a log
 * @wearlevel: page writes for each page that is moved for even wear, 0 to move none; not
 *	for a log
 * @log: geometry of the log; it has 0 blocks if pages are kept in place
 * @seal: how pages are sealed
 * @wipe: overwrite freed pages; not for a log, nor with the eraseblock cache
 * @scratches: number of scratches, at most MTDC_SCRATCHES_MAX; 0 for a log, with the
 *	eraseblock cache, and where they are of no use
 */
struct mtdc_geometry {
	u64 media_bytes;
	u64 span_bytes;
	u64 size_bytes;
	u32 page_bytes;
	u32 granule_bytes;
	u32 write_bytes;
	enum mtdc_alloc_policy policy;
	u32 wearlevel;
	struct mtdc_log_geo log;
	enum mtdc_seal seal;
	bool wipe;
	u32 scratches;
};

/**
 * struct mtdc_survey - the present state of a store
 * @state: in a word
 * @free_bytes: free space
 * @free_fragments: number of free fragments
 * @largest_bytes: the largest of them
 * @block_bytes: size of an eraseblock; without eraseblocks, this and the rest are 0
 * @blocks: eraseblocks in use
 * @blocks_bad: bad eraseblocks
 * @blocks_spare: eraseblocks that may still go bad without a loss of space
 * @retired: eraseblocks that went bad since the attach
 * @loads: blocks read into the eraseblock cache
 * @erases: blocks erased
 * @read_bytes: bytes read for @loads; from a log, all bytes read
 * @written_bytes: bytes programmed
 * @bad_units: units that could not be read for @loads
 * @least_erased: lowest erase count of a block
 * @mean_erased: mean erase count
 * @most_erased: highest erase count
 * @log: statistics of the log
 */
struct mtdc_survey {
	const char *state;
	u64 free_bytes;
	u64 free_fragments;
	u64 largest_bytes;
	u32 block_bytes;
	u32 blocks;
	u32 blocks_bad;
	u32 blocks_spare;
	u64 retired;
	u64 loads;
	u64 erases;
	u64 read_bytes;
	u64 written_bytes;
	u64 bad_units;
	u32 least_erased;
	u32 mean_erased;
	u32 most_erased;
	struct mtdc_log_stats log;
};

struct mtdc_inplace;
struct mtdc_store;
struct mtdc_store_log;

/**
 * struct mtdc_store_ops - a way to keep pages on media
 * @create: allocate its tables and set @map and @metadata_bytes of the store; 0 or -ENOMEM
 * @destroy: free the tables
 * @write: write the payload in the buffer, whose kind and length are in @new, to the media,
 *	and point the map at it; 0, -ENOSPC, or the error of the media. @changed tells whether
 *	the map has changed; if it has, and there is an error, the page is MTDC_LOST
 * @written: a page has been written and counted
 * @read: read the payload of @old, into the buffer or where it lies, and say where it is; it
 *	stays there until @lock is given up. 0, -EIO if the checksum is wrong, or the error of
 *	the media
 * @fetch: read one fragment at @place into @buffer, with room for its header, and verify
 *	nothing; 0, or the error of the media. It does not count -EBADMSG, because @read may
 *	get the data nevertheless. NULL if @scratches of the geometry is 0
 * @drop: let the map say @new, which needs no media, instead of @old
 * @admit: would the page find space, whatever its contents? 0, -ENOSPC, or -EIO if
 *	nothing can be written any more
 * @sync: let the media finish everything that they were given; 0 or their error
 * @survey: fill in the description
 * @close: let the media take everything that outlives the store; 0 or their error
 * @wipe_keys: replace all keys by others, without @lock
 *
 * @old, @new and the buffer are in @page of the store. All but @create and
 * @destroy are called with the store's lock held, and all of these but @survey only while
 * the media are there.
 */
struct mtdc_store_ops {
	int (*create)(struct mtdc_store *store);
	void (*destroy)(struct mtdc_store *store);
	int (*write)(struct mtdc_store *store, u32 page, bool *changed);
	void (*written)(struct mtdc_store *store);
	int (*read)(struct mtdc_store *store, u32 page, const u8 **payload);
	int (*fetch)(struct mtdc_store *store, const struct mtdc_place *place,
		     u8 *buffer);
	void (*drop)(struct mtdc_store *store, u32 page);
	int (*admit)(struct mtdc_store *store, u32 page);
	int (*sync)(struct mtdc_store *store);
	void (*survey)(struct mtdc_store *store, struct mtdc_survey *survey);
	int (*close)(struct mtdc_store *store);
	void (*wipe_keys)(struct mtdc_store *store);
};

/**
 * struct mtdc_page - the page that a store is working on
 * @buffer: a fragment header and a compressed or raw page; a write may exchange it for the
 *	buffer of a scratch
 * @old: its present place
 * @new: its next place
 * @prepared: the scratch where the caller has prepared the page to write, or NULL
 * @sealed: @new has its generation, and the payload is sealed as one fragment
 * @uncorrected: the ECC could not correct all that was read
 * @may_retry: the caller can free pages and try again: do not count a refusal
 */
struct mtdc_page {
	u8 *buffer;
	struct mtdc_place old;
	struct mtdc_place new;
	struct mtdc_scratch *prepared;
	bool sealed;
	bool uncorrected;
	bool may_retry;
};

/**
 * struct mtdc_store - the store of one device
 * @lock: protects everything marked L, and the page buffers above the store; taken below
 *	mtd_table_mutex and mtdblock's mutex, above the locks of the lower MTD's driver
 * @lower: (L) the MTD below
 * @cache: (L) the eraseblock cache, used or not
 * @comp: (L) the compressor, one page at a time
 * @ops: (I) how pages are kept
 * @map: (L) where each page is; the pointer is constant
 * @log: (L) the log, or NULL; the pointer is constant
 * @inplace: (L) the tables of pages in place, or NULL; the pointer is constant
 * @backoff: (L) writes that found no space
 * @full: (L) the last page that needed media was refused
 * @stats: (L) the counters
 * @page: (L) the page that the store is working on
 * @scratches: (I) for work without @lock; each has a lock of its own, above @lock
 * @seals: the numbers of the pages' versions, and the key of media that are rewritten in place
 * @memory: (I) tables of the log
 * @geo: (I) geometry
 * @metadata_bytes: (I) memory of the tables
 * @nr: (I) number of the device, for tracepoints
 * @name: (I) name of the device, for messages; outlives the store
 *
 * I: set at attach, constant afterwards. L: protected by @lock.
 */
struct mtdc_store {
	struct mutex lock;	/* everything marked L */
	struct mtdc_lower lower;
	struct mtdc_ebcache cache;
	struct mtdc_comp comp;
	const struct mtdc_store_ops *ops;
	struct mtdc_map *map;
	struct mtdc_store_log *log;
	struct mtdc_inplace *inplace;
	struct mtdc_backoff backoff;
	bool full;
	struct mtdc_stats stats;
	struct mtdc_page page;
	struct mtdc_scratches scratches;
	struct mtdc_seals seals;
	void *memory;
	struct mtdc_geometry geo;
	size_t metadata_bytes;
	unsigned int nr;
	const char *name;
};

int mtdc_store_create(struct mtdc_store *store, const struct mtdc_store_ops *ops,
		      const struct mtdc_geometry *geo, const struct mtdc_comp_ops *comp, int level);
void mtdc_store_destroy(struct mtdc_store *store);
int mtdc_store_admit(struct mtdc_store *store, u32 page);
int mtdc_store_screen(struct mtdc_store *store, const void *data, u32 bytes);
int mtdc_store_write(struct mtdc_store *store, u32 page, const void *data);
int mtdc_store_read(struct mtdc_store *store, u32 page, void *data);
void mtdc_store_prepare(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page,
			const void *data);
bool mtdc_store_fetch(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page);
int mtdc_store_finish(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page, void *data);
void mtdc_store_erase(struct mtdc_store *store, u32 first, u32 n);
bool mtdc_store_is_lost(const struct mtdc_store *store, u32 page);
void mtdc_store_lose(struct mtdc_store *store, u32 page);
int mtdc_store_sync(struct mtdc_store *store);
int mtdc_store_close(struct mtdc_store *store);
void mtdc_store_wipe_keys(struct mtdc_store *store);
void mtdc_store_survey(struct mtdc_store *store, struct mtdc_survey *survey);

/**
 * mtdc_wear_region_bytes() - size of a region with a counter of its own for wear
 * @geo: geometry of the store
 *
 * Return: bytes; MTDC_WEAR_REGIONS of them cover the media.
 */
static inline u64 mtdc_wear_region_bytes(const struct mtdc_geometry *geo)
{
	return div_u64(geo->span_bytes, MTDC_WEAR_REGIONS) + 1;
}

/**
 * mtdc_store_tail() - bytes that a stored page has behind its payload
 * @store: the store
 *
 * Context: any.
 * Return: bytes; they are a part of the length that the map has.
 */
static inline u32 mtdc_store_tail(const struct mtdc_store *store)
{
	return mtdc_seals_tail(store->geo.seal);
}

/**
 * mtdc_store_has_space() - a page has found new space or given some back: try the next page
 * @store: the store
 *
 * Context: any, @store->lock held.
 */
static inline void mtdc_store_has_space(struct mtdc_store *store)
{
	lockdep_assert_held(&store->lock);
	mtdc_backoff_reset(&store->backoff);
	store->full = false;
}

/**
 * mtdc_store_alive() - is the lower MTD still there? Counts the request if it is not.
 * @store: the store
 *
 * Context: process, @store->lock held.
 * Return: 0, or -ENODEV.
 */
static inline int mtdc_store_alive(struct mtdc_store *store)
{
	lockdep_assert_held(&store->lock);
	if (likely(store->lower.mtd))
		return 0;
	store->stats.err_gone++;
	return -ENODEV;
}

#endif /* MTDC_STORE_H */
