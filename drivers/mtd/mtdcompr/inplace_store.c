// SPDX-License-Identifier: GPL-2.0
/*
 * Pages on media that can be rewritten in place.
 *
 * This file takes space, writes fragments to the lower MTD, or to the eraseblock
 * cache, and only then points the map at them and gives the old fragments back.
 * What is in the pages, and whether it was compressed, it does not know.
 *
 * A page is never in between: until its new fragments are all on the media, the
 * map points at the old ones. Only where a page finds no space but that of its own
 * old copy is the old copy given up first; if the media then fail to take the new
 * one, the page is lost, and says so when it is read.
 *
 * After so many page writes, one page is moved for the sake of even wear (inplace_drift.c).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "inplace_store.h"
#include "lower.h"
#include "media.h"
#include "store.h"
#include "trace.h"

/*
 * One page in so many may be split into more than one fragment; the paper's
 * policy splits nearly all of them on full media.
 */
#define MTDC_PAGES_A_LINK	16U

static u64 extent_offset(const struct mtdc_store *store,
			 const struct mtdc_extent *extent)
{
	return (u64)extent->start * store->geo.granule_bytes;
}

/* Payload that a fragment of the chain holds when @left bytes are to come. */
static u32 extent_payload(const struct mtdc_store *store,
			  const struct mtdc_extent *extent, u32 left)
{
	return min(extent->len * store->geo.granule_bytes -
		   MTDC_FRAGMENT_BYTES, left);
}

static struct mtdc_media_id fragment_id(const struct mtdc_store *store,
					u32 page,
					const struct mtdc_place *place,
					unsigned int nr)
{
	return (struct mtdc_media_id) {
		.nonce = store->nonce,
		.page = page,
		.generation = place->generation,
		.nr = nr,
	};
}

static int read_media(struct mtdc_store *store, u64 offset, void *to, u32 bytes)
{
	if (mtdc_ebcache_used(&store->cache))
		return mtdc_ebcache_read(&store->cache, offset, to, bytes);
	return mtdc_lower_read(&store->lower, offset, to, bytes, NULL);
}

static int write_media(struct mtdc_store *store, u64 offset, const void *from,
		       u32 bytes)
{
	if (mtdc_ebcache_used(&store->cache))
		return mtdc_ebcache_write(&store->cache, offset, from, bytes);
	return mtdc_lower_write(&store->lower, offset, from, bytes);
}

static int read_bytes(struct mtdc_store *store,
		      const struct mtdc_extent *extent, u8 *to, u32 bytes)
{
	store->stats.media_read_bytes += bytes;
	/* A driver that reads nothing and says 0 must not get by. */
	memset(to, 0xff, MTDC_FRAGMENT_BYTES);
	return read_media(store, extent_offset(store, extent), to, bytes);
}

/* Users of an MTD take -EBADMSG for data that are there. */
static int read_error(struct mtdc_store *store, int err)
{
	store->stats.err_media_read++;
	return mtd_is_eccerr(err) ? -EIO : err;
}

/*
 * read_fragment() - read one of a page's, header and payload
 *
 * Many a driver of NAND reads whole pages, and says that the ECC could not correct them
 * where only others' bytes are wrong: the checksum tells. Where it is wrong and the driver
 * has nothing to say, it may have been the bus: look twice.
 */
static int read_fragment(struct mtdc_store *store,
			 const struct mtdc_extent *extent,
			 const struct mtdc_media_id *id, u8 *to, u32 payload)
{
	unsigned int tries;

	for (tries = 0; tries < 2; tries++) {
		int err = read_bytes(store, extent, to,
				     payload + MTDC_FRAGMENT_BYTES);

		if ((!err || mtd_is_eccerr(err)) &&
		    !mtdc_media_verify(to, payload, id))
			return 0;
		if (err)
			return read_error(store, err);
	}
	store->stats.err_checksum++;
	return -EIO;
}

static int count_write(struct mtdc_store *store, int err, u64 offset,
		       u32 bytes)
{
	mtdc_stats_wear(&store->stats, offset, bytes,
			mtdc_wear_region_bytes(&store->geo));
	if (err)
		store->stats.err_media_write++;
	return err;
}

/*
 * write_chain() - put @store->page.new on the media
 *
 * The payload stands in the buffer behind room for one header. The header of
 * each further fragment stands where the payload before it ends for as long as
 * it is written, and so does padding where it goes on.
 */
static int write_chain(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *place = &store->page.new;
	u8 *fragment = store->page.buffer;
	u32 left = place->bytes;
	unsigned int i;

	for (i = 0; i < place->n; i++) {
		const struct mtdc_extent *extent = &place->chain[i];
		struct mtdc_media_id id = fragment_id(store, page, place, i);
		u32 payload = extent_payload(store, extent, left);
		u32 bytes = payload + MTDC_FRAGMENT_BYTES;
		u32 padded = roundup(bytes, store->geo.write_bytes);
		u64 offset = extent_offset(store, extent);
		u8 before[MTDC_FRAGMENT_BYTES];
		int err;

		memcpy(before, fragment, sizeof(before));
		if (!store->page.sealed || place->n > 1)
			mtdc_media_seal(fragment, payload, &id);
		if (padded != bytes)
			memset(fragment + bytes, 0, padded - bytes);
		err = write_media(store, offset, fragment, padded);
		memcpy(fragment, before, sizeof(before));
		if (count_write(store, err, offset, padded))
			return err;
		fragment += payload;
		left -= payload;
	}
	return 0;
}

/*
 * read_chain() - get the payload of @store->page.old from the media
 *
 * It ends up in the buffer behind room for one header, as for write_chain().
 */
static int read_chain(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *place = &store->page.old;
	u8 *fragment = store->page.buffer;
	u32 left = place->bytes;
	unsigned int i;

	for (i = 0; i < place->n; i++) {
		const struct mtdc_extent *extent = &place->chain[i];
		struct mtdc_media_id id = fragment_id(store, page, place, i);
		u32 payload = extent_payload(store, extent, left);
		u8 before[MTDC_FRAGMENT_BYTES];
		int err;

		memcpy(before, fragment, sizeof(before));
		err = read_fragment(store, extent, &id, fragment, payload);
		if (err)
			return err;
		memcpy(fragment, before, sizeof(before));
		fragment += payload;
		left -= payload;
	}
	return 0;
}

static int take_space(struct mtdc_store *store, u32 page, u32 bytes,
		      bool elsewhere)
{
	struct mtdc_freelist *freelist = &store->inplace->freelist;
	struct mtdc_place *place = &store->page.new;
	unsigned int max = clamp(mtdc_map_room(store->map, page), 1U,
				 MTDC_CHAIN_MAX);
	int n;

	if (elsewhere)
		n = mtdc_freelist_alloc_elsewhere(freelist, bytes, place->chain,
						  max);
	else
		n = mtdc_freelist_alloc(freelist, bytes, place->chain, max);
	place->n = max(n, 0);
	return n > 0 ? 0 : n;
}

/*
 * allocate() - find space for @bytes of @page, into @store->page.new
 * @given_up: the space of @store->page.old had to be given back for it
 */
static int allocate(struct mtdc_store *store, u32 page, u32 bytes,
		    bool *given_up)
{
	const struct mtdc_place *old = &store->page.old;
	int err = take_space(store, page, bytes, false);

	*given_up = false;
	if (err && old->n) {
		mtdc_freelist_free(&store->inplace->freelist, old->chain, old->n);
		err = take_space(store, page, bytes, false);
		if (err)
			mtdc_freelist_claim(&store->inplace->freelist, old->chain,
					    old->n);
		*given_up = !err;
	}
	return err;
}

/* Let the map say @store->page.new where it said @store->page.old. */
static void replace(struct mtdc_store *store, u32 page)
{
	/* Whoever made the new place has seen to it that it finds its links. */
	if (WARN_ON_ONCE(mtdc_map_set(store->map, page, &store->page.new))) {
		store->page.new.kind = MTDC_LOST;
		store->page.new.n = 0;
		mtdc_map_set(store->map, page, &store->page.new);
	}
}

static void free_old(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *old = &store->page.old;

	if (!old->n)
		return;
	trace_mtdc_free(store->nr, page, old->bytes, old->n);
	mtdc_freelist_free(&store->inplace->freelist, old->chain, old->n);
}

/* Put the page in the buffer on the media, at @store->page.new. */
static int put_in_space(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->page.new;

	trace_mtdc_alloc(store->nr, page, new->bytes, new->n);
	if (!store->page.sealed)
		new->generation = mtdc_store_generation(store);
	return write_chain(store, page);
}

/*
 * retry_elsewhere() - put the page into other fragments than it was in
 *
 * A policy that always takes the same one would fail on the same bad place
 * for ever; so from retry to retry it is another one, until a bad place of any
 * length is behind. It is not written off: it may have been the driver.
 */
static int retry_elsewhere(struct mtdc_store *store, u32 page)
{
	int err;

	store->inplace->failed = store->page.new;
	err = take_space(store, page, store->page.new.bytes, true);
	if (!err) {
		err = put_in_space(store, page);
		if (err)
			mtdc_freelist_free(&store->inplace->freelist, store->page.new.chain,
					   store->page.new.n);
	}
	mtdc_freelist_free(&store->inplace->freelist, store->inplace->failed.chain,
			   store->inplace->failed.n);
	return err;
}

static int inplace_write(struct mtdc_store *store, u32 page, bool *changed)
{
	bool given_up;
	int err = allocate(store, page, store->page.new.bytes, &given_up);

	*changed = false;
	if (err)
		return -ENOSPC;
	err = put_in_space(store, page);
	if (err && !retry_elsewhere(store, page))
		err = 0;
	*changed = !err || given_up;
	if (err) {
		store->page.new.kind = MTDC_LOST;
		store->page.new.n = 0;
	}
	if (*changed)
		replace(store, page);
	if (!err && !given_up)
		free_old(store, page);
	return err;
}

static bool is_stored(const void *map, u32 page)
{
	return mtdc_is_stored(mtdc_map_kind(map, page));
}

/* Move the page in the buffer, which is at @store->page.old. */
static void move(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->page.new;

	/* In one piece, or it would be split more and more. */
	if (mtdc_freelist_alloc(&store->inplace->freelist, store->page.old.bytes, new->chain,
				1) < 0)
		return;
	new->kind = store->page.old.kind;
	new->bytes = store->page.old.bytes;
	new->n = 1;
	if (put_in_space(store, page)) {
		mtdc_freelist_free(&store->inplace->freelist, new->chain, new->n);
		return;
	}
	replace(store, page);
	free_old(store, page);
	mtdc_stats_place(&store->stats, &store->page.old, false);
	mtdc_stats_place(&store->stats, new, true);
	store->stats.levelled++;
}

/*
 * A page that can't be read, finds no space, or that the media fail to take, stays
 * where it is: nobody has asked for it.
 */
static void inplace_written(struct mtdc_store *store)
{
	u32 page;

	if (!mtdc_drift_due(&store->inplace->drift))
		return;
	page = mtdc_drift_next(&store->inplace->drift, is_stored, store->map);
	if (page == MTDC_DRIFT_NONE)
		return;
	mtdc_map_get(store->map, page, &store->page.old);
	if (!read_chain(store, page))
		move(store, page);
}

static int inplace_read(struct mtdc_store *store, u32 page)
{
	return read_chain(store, page);
}

static int inplace_fetch(struct mtdc_store *store,
			 const struct mtdc_place *place, u8 *buffer)
{
	int err = read_bytes(store, &place->chain[0], buffer,
			     place->bytes + MTDC_FRAGMENT_BYTES);

	/* That may be what lies beside it. */
	if (mtd_is_eccerr(err))
		return err;
	return err ? read_error(store, err) : 0;
}

static int inplace_check(const struct mtdc_store *store, u32 page,
			 const struct mtdc_place *place, const u8 *buffer)
{
	struct mtdc_media_id id = fragment_id(store, page, place, 0);

	return mtdc_media_verify(buffer, place->bytes, &id) ? -EIO : 0;
}

static void inplace_seal(const struct mtdc_store *store, u32 page,
			 const struct mtdc_place *place, u8 *buffer)
{
	struct mtdc_media_id id = fragment_id(store, page, place, 0);

	mtdc_media_seal(buffer, place->bytes, &id);
}

static void inplace_drop(struct mtdc_store *store, u32 page)
{
	replace(store, page);
	free_old(store, page);
}

static int inplace_admit(struct mtdc_store *store, u32 page)
{
	u32 cursor = store->inplace->freelist.cursor;
	bool given_up;

	if (mtdc_freelist_largest(&store->inplace->freelist) >= store->inplace->freelist.top)
		return 0;
	mtdc_map_get(store->map, page, &store->page.old);
	if (allocate(store, page, store->geo.page_bytes, &given_up))
		return -ENOSPC;
	mtdc_freelist_free(&store->inplace->freelist, store->page.new.chain, store->page.new.n);
	if (given_up)
		mtdc_freelist_claim(&store->inplace->freelist, store->page.old.chain,
				    store->page.old.n);
	store->inplace->freelist.cursor = cursor;
	return 0;
}

static int inplace_sync(struct mtdc_store *store)
{
	int err = 0;

	if (mtdc_ebcache_used(&store->cache))
		err = mtdc_ebcache_flush(&store->cache);
	if (err)
		store->stats.err_media_write++;
	mtdc_lower_sync(&store->lower);
	return err;
}

static void inplace_survey(struct mtdc_store *store,
			   struct mtdc_survey *survey)
{
	const struct mtdc_freelist *freelist = &store->inplace->freelist;
	const struct mtdc_ebcache *cache = &store->cache;
	u32 granule = store->geo.granule_bytes;

	/* In the words of a log. Without a cache there are no failures. */
	if (cache->failures)
		survey->state = cache->blocks.spares ? "failing" : "worn";
	survey->free_bytes = (u64)freelist->free * granule;
	survey->free_fragments = freelist->fragments;
	survey->largest_bytes = (u64)mtdc_freelist_largest(freelist) * granule;
	survey->block_bytes = cache->block_bytes;
	survey->blocks = cache->blocks.logical;
	survey->blocks_bad = cache->blocks.total - cache->blocks.good +
		cache->stats.retired;
	survey->blocks_spare = cache->blocks.spares;
	survey->retired = cache->stats.retired;
	survey->loads = cache->stats.loads;
	survey->erases = cache->stats.erases;
	survey->read_bytes = cache->stats.read_bytes;
	survey->written_bytes = cache->stats.written_bytes;
	survey->bad_units = cache->stats.bad_units;
}

/* What was in the cache is to be on the media when somebody else reads them. */
static int inplace_close(struct mtdc_store *store)
{
	return mtdc_ebcache_used(&store->cache) ? inplace_sync(store) : 0;
}

static int inplace_create(struct mtdc_store *store)
{
	const struct mtdc_geometry *geo = &store->geo;
	u32 granules = div_u64(geo->media_bytes, geo->granule_bytes);
	u32 pages = div_u64(geo->size_bytes, geo->page_bytes);
	u32 links = pages / MTDC_PAGES_A_LINK + 4 * MTDC_CHAIN_MAX;
	size_t list_bytes = ALIGN(mtdc_freelist_memory(granules), sizeof(u64));
	struct mtdc_inplace *inplace;
	void *tables;

	if (geo->policy == MTDC_ALLOC_LARGEST)
		links = pages + MTDC_CHAIN_MAX;
	store->metadata_bytes = sizeof(*inplace) + list_bytes +
		mtdc_map_memory(pages, links);
	/* Rather no device than an OOM kill for the sake of one. */
	inplace = __vmalloc(store->metadata_bytes, GFP_KERNEL | __GFP_ZERO |
			    __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!inplace)
		return -ENOMEM;
	tables = inplace + 1;
	mtdc_freelist_init(&inplace->freelist, tables, granules,
			   geo->granule_bytes, MTDC_FRAGMENT_BYTES,
			   geo->page_bytes, geo->policy);
	mtdc_map_init(&inplace->map, tables + list_bytes, pages, links,
		      geo->granule_bytes, MTDC_FRAGMENT_BYTES);
	mtdc_drift_init(&inplace->drift, pages, geo->wearlevel);
	store->inplace = inplace;
	store->map = &inplace->map;
	return 0;
}

static void inplace_destroy(struct mtdc_store *store)
{
	vfree(store->inplace);
}

const struct mtdc_store_ops mtdc_inplace_store_ops = {
	.create = inplace_create,
	.destroy = inplace_destroy,
	.write = inplace_write,
	.written = inplace_written,
	.read = inplace_read,
	.fetch = inplace_fetch,
	.check = inplace_check,
	.seal = inplace_seal,
	.drop = inplace_drop,
	.admit = inplace_admit,
	.sync = inplace_sync,
	.survey = inplace_survey,
	.close = inplace_close,
};
