// SPDX-License-Identifier: GPL-2.0
/*
 * Pages on media that can be rewritten in place.
 *
 * This file owns the space on such media. It takes space for a page, writes the fragments to
 * the lower MTD or to the eraseblock cache, and only then points the map at them and gives
 * the old space back. store.c calls it by mtdc_inplace_store_ops, with the store's lock held.
 * It knows neither the contents of a page nor whether they are compressed.
 *
 * It must never leave a page in between: until all new fragments are on the media, the map
 * points at the old ones. There is one exception: if a page finds no space beside its old
 * copy, the old copy is given up first. If the media then fail, the page is lost, and
 * reads of it fail.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/prefetch.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "inplace_store.h"
#include "lower.h"
#include "media.h"
#include "store.h"
#include "trace.h"

/*
 * The map has a link for each 16 pages: alloc=rotate splits 1 page in 20 at 95 % full. The
 * policy of the paper splits nearly all pages on full media and gets a link for each.
 */
#define MTDC_PAGES_A_LINK	16U

static u64 extent_offset(const struct mtdc_store *store, const struct mtdc_extent *extent)
{
	return (u64)extent->start * store->geo.granule_bytes;
}

/* Bytes of payload in this fragment, of @left that are to come. */
static u32 extent_payload(const struct mtdc_store *store, const struct mtdc_extent *extent,
			  u32 left)
{
	return min(extent->len * store->geo.granule_bytes - MTDC_FRAGMENT_BYTES, left);
}

static int read_media(struct mtdc_store *store, const struct mtdc_extent *extent, u8 *to,
		      u32 bytes)
{
	u64 offset = extent_offset(store, extent);

	store->stats.media_read_bytes += bytes;
	/* If a driver reads nothing and returns 0, the header must not be an old one. */
	memset(to, 0xff, MTDC_FRAGMENT_BYTES);
	if (mtdc_ebcache_used(&store->cache))
		return mtdc_ebcache_read(&store->cache, offset, to, bytes);
	return mtdc_lower_read(&store->lower, offset, to, bytes, NULL);
}

static int write_media(struct mtdc_store *store, const struct mtdc_extent *extent,
		       const u8 *from, u32 bytes)
{
	u64 offset = extent_offset(store, extent);
	int err;

	if (mtdc_ebcache_used(&store->cache))
		err = mtdc_ebcache_write(&store->cache, offset, from, bytes);
	else
		err = mtdc_lower_write(&store->lower, offset, from, bytes);
	mtdc_stats_wear(&store->stats, offset, bytes, mtdc_wear_region_bytes(&store->geo));
	if (err)
		store->stats.err_media_write++;
	return err;
}

/* Count the error. Callers of an MTD take -EBADMSG as "the data are there". */
static int read_error(struct mtdc_store *store, int err)
{
	store->stats.err_media_read++;
	return mtd_is_eccerr(err) ? -EIO : err;
}

/*
 * read_fragment() - read and verify the header and payload of one plain fragment
 *
 * Many NAND drivers read whole NAND pages and report an ECC error even if only bytes beside
 * the fragment are wrong; so the checksum decides. If it is wrong although the driver
 * reports no error, the bus may have failed: read once more.
 */
static int read_fragment(struct mtdc_store *store, const struct mtdc_extent *extent,
			 const struct mtdc_media_id *id, u8 *to, u32 payload)
{
	unsigned int tries;

	for (tries = 0; tries < 2; tries++) {
		int err = read_media(store, extent, to, payload + MTDC_FRAGMENT_BYTES);

		if ((!err || mtd_is_eccerr(err)) && !mtdc_media_verify(to, payload, id))
			return 0;
		if (err)
			return read_error(store, err);
	}
	store->stats.err_checksum++;
	return -EIO;
}

/*
 * An encrypted page is sealed as one. Its further fragments need no header of their own, but the
 * bytes before them are another fragment's.
 */
static void clear_header(u8 *fragment, const struct mtdc_media_id *id)
{
	if (id->nr)
		memset(fragment, 0, MTDC_FRAGMENT_BYTES);
}

/* Read one fragment of an encrypted page. The tag tells more than the ECC. */
static int read_encrypted(struct mtdc_store *store, const struct mtdc_extent *extent,
			  const struct mtdc_media_id *id, u8 *to, u32 payload)
{
	int err = read_media(store, extent, to, payload + MTDC_FRAGMENT_BYTES);

	if (!mtd_is_eccerr(err))
		return err;
	store->page.uncorrected = true;
	return 0;
}

/* Write one fragment; padding goes behind the last one, the others are whole granules. */
static int write_fragment(struct mtdc_store *store, const struct mtdc_extent *extent,
			  const struct mtdc_media_id *id, u8 *from, u32 payload)
{
	u32 bytes = payload + MTDC_FRAGMENT_BYTES;
	u32 padded = roundup(bytes, store->geo.write_bytes);

	if (mtdc_seals_encrypt(&store->seals))
		clear_header(from, id);
	else if (!store->page.sealed || store->page.new.n > 1)
		mtdc_media_seal(from, payload, id);
	memset(from + bytes, 0, padded - bytes);
	return write_media(store, extent, from, padded);
}

/*
 * each_fragment() - read the page from @place into the buffer, or write it from there
 *
 * The payload is in the buffer behind room for one header. The header of each further
 * fragment overwrites the end of the payload before it while @transfer works on it.
 */
static int each_fragment(struct mtdc_store *store, u32 page, const struct mtdc_place *place,
			 int (*transfer)(struct mtdc_store *store,
					 const struct mtdc_extent *extent,
					 const struct mtdc_media_id *id, u8 *buffer, u32 payload))
{
	u8 before[MTDC_FRAGMENT_BYTES], *fragment = store->page.buffer;
	u32 left = place->bytes;
	unsigned int i;

	for (i = 0; i < place->n; i++) {
		struct mtdc_media_id id = mtdc_seals_id(&store->seals, page,
							place->generation, i);
		u32 payload = extent_payload(store, &place->chain[i], left);
		int err;

		memcpy(before, fragment, sizeof(before));
		err = transfer(store, &place->chain[i], &id, fragment, payload);
		/* The first header stays: the tag of an encrypted page needs it. */
		if (i || !mtdc_seals_encrypt(&store->seals))
			memcpy(fragment, before, sizeof(before));
		if (err)
			return err;
		fragment += payload;
		left -= payload;
	}
	return 0;
}

/* As read_fragment(), with all fragments. */
static int decrypt_to_buffer(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *old = &store->page.old;
	unsigned int tries;

	for (tries = 0; tries < 2; tries++) {
		int err;

		store->page.uncorrected = false;
		err = each_fragment(store, page, old, read_encrypted);
		if (!err && !mtdc_seals_open(&store->seals, store->page.buffer, page, old))
			return 0;
		if (err || store->page.uncorrected)
			return read_error(store, err ?: -EBADMSG);
	}
	store->stats.err_checksum++;
	return -EIO;
}

static int read_to_buffer(struct mtdc_store *store, u32 page)
{
	if (mtdc_seals_encrypt(&store->seals))
		return decrypt_to_buffer(store, page);
	return each_fragment(store, page, &store->page.old, read_fragment);
}

/* The payload of a page in one fragment, where it lies. NULL if it is not right there. */
static const u8 *look_at(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *old = &store->page.old;
	struct mtdc_media_id id = mtdc_seals_id(&store->seals, page, old->generation, 0);
	const u8 *fragment;
	u32 at;

	if (!store->lower.media || old->n != 1 || mtdc_seals_encrypt(&store->seals))
		return NULL;
	fragment = store->lower.media + extent_offset(store, &old->chain[0]);
	/* xxHash waits for each line that is in no cache: 5 % of a read on aged media. */
	for (at = 0; at < old->bytes + MTDC_FRAGMENT_BYTES; at += L1_CACHE_BYTES)
		prefetch(fragment + at);
	if (mtdc_media_verify(fragment, old->bytes, &id))
		return NULL;
	store->stats.media_read_bytes += old->bytes + MTDC_FRAGMENT_BYTES;
	return fragment + MTDC_FRAGMENT_BYTES;
}

/* Each writer to the media holds store.lock, so a checked payload stays as it is. */
static int inplace_read(struct mtdc_store *store, u32 page, const u8 **payload)
{
	*payload = look_at(store, page);
	if (*payload)
		return 0;
	*payload = store->page.buffer + MTDC_FRAGMENT_BYTES;
	return read_to_buffer(store, page);
}

/* Take space for @bytes of @page as its new place. */
static int take_space(struct mtdc_store *store, enum mtdc_alloc_policy policy, u32 page,
		      u32 bytes)
{
	struct mtdc_place *place = &store->page.new;
	unsigned int max = clamp(mtdc_map_room(store->map, page), 1U, MTDC_CHAIN_MAX);
	int n = mtdc_freelist_alloc(&store->inplace->freelist, policy, bytes, place->chain, max);

	place->n = max(n, 0);
	return n > 0 ? 0 : n;
}

/*
 * Overwrite the fragments of a place, if that is wanted. If the media fail to, that is counted as
 * any other failed write, and the space is free nevertheless.
 */
static int wipe(struct mtdc_store *store, const struct mtdc_place *place)
{
	unsigned int i;
	int err = 0;

	for (i = 0; store->inplace->zeros && i < place->n; i++)
		err = write_media(store, &place->chain[i], store->inplace->zeros,
				  place->chain[i].len * store->geo.granule_bytes) ?: err;
	return err;
}

static void give_back(struct mtdc_store *store, u32 page, const struct mtdc_place *place)
{
	if (!place->n)
		return;
	wipe(store, place);
	trace_mtdc_free(store->nr, page, place->bytes, place->n);
	mtdc_freelist_free(&store->inplace->freelist, place->chain, place->n);
}

/*
 * allocate() - take space for @bytes of @page as its new place
 * @given_up: the page's old space had to be given back for it
 */
static int allocate(struct mtdc_store *store, u32 page, u32 bytes, bool *given_up)
{
	struct mtdc_freelist *freelist = &store->inplace->freelist;
	const struct mtdc_place *old = &store->page.old;
	int err = take_space(store, store->geo.policy, page, bytes);

	*given_up = false;
	if (err && old->n) {
		mtdc_freelist_free(freelist, old->chain, old->n);
		err = take_space(store, store->geo.policy, page, bytes);
		if (err)
			mtdc_freelist_claim(freelist, old->chain, old->n);
		*given_up = !err;
	}
	return err;
}

/* Let the map point at the new place. */
static void replace(struct mtdc_store *store, u32 page)
{
	/* Cannot fail: take_space() and store.c have looked for the links. */
	if (WARN_ON_ONCE(mtdc_map_set(store->map, page, &store->page.new))) {
		store->page.new.kind = MTDC_LOST;
		store->page.new.n = 0;
		mtdc_map_set(store->map, page, &store->page.new);
	}
}

static void inplace_drop(struct mtdc_store *store, u32 page)
{
	replace(store, page);
	give_back(store, page, &store->page.old);
}

/* Number this version, and seal it if it is encrypted. A sealed page is written again as it is. */
static int number_version(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->page.new;
	int err;

	if (store->page.sealed)
		return 0;
	if (!mtdc_seals_encrypt(&store->seals)) {
		new->generation = mtdc_seals_generation(&store->seals);
		return 0;
	}
	err = mtdc_seals_close(&store->seals, store->page.buffer, page, new);
	store->page.sealed = !err;
	if (err)
		pr_err_ratelimited("%s: its key has sealed as many pages as it may; attach it again\n",
				   store->name);
	return err;
}

/* Write the page in the buffer to its new place, which has space. */
static int put_in_space(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->page.new;

	trace_mtdc_alloc(store->nr, page, new->bytes, new->n);
	return number_version(store, page) ?: each_fragment(store, page, new, write_fragment);
}

/*
 * retry_elsewhere() - the media failed on the new place: try another one
 *
 * A policy that always chooses the same space would fail on the same bad spot for ever. Each
 * retry takes the next space of the rotation, so it gets past a bad spot of any length. The
 * spot is not marked bad: the driver may have failed for another reason.
 */
static int retry_elsewhere(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *failed = &store->inplace->failed;
	int err;

	/* Keep the failed space until the new space is taken. */
	*failed = store->page.new;
	err = take_space(store, MTDC_ALLOC_ROTATE, page, failed->bytes);
	if (!err) {
		err = put_in_space(store, page);
		if (err)
			give_back(store, page, &store->page.new);
	}
	give_back(store, page, failed);
	return err;
}

static int inplace_write(struct mtdc_store *store, u32 page, bool *changed)
{
	struct mtdc_place *old = &store->page.old, *new = &store->page.new;
	bool given_up;
	int err;

	*changed = false;
	if (allocate(store, page, new->bytes, &given_up))
		return -ENOSPC;
	if (given_up) {
		trace_mtdc_free(store->nr, page, old->bytes, old->n);
		wipe(store, old);
	}
	err = put_in_space(store, page);
	if (err && !retry_elsewhere(store, page))
		err = 0;
	if (err) {
		new->kind = MTDC_LOST;
		new->n = 0;
	}
	if (err && !given_up)
		return err;
	*changed = true;
	replace(store, page);
	if (!given_up)
		give_back(store, page, old);
	return err;
}

static bool is_stored(const void *map, u32 page)
{
	return mtdc_is_stored(mtdc_map_kind(map, page));
}

/* Move the page in the buffer, which is at its old place. */
static void move(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *old = &store->page.old, *new = &store->page.new;

	/* In one piece: each move would split it further. */
	if (mtdc_freelist_alloc(&store->inplace->freelist, store->geo.policy, old->bytes,
				new->chain, 1) < 0)
		return;
	new->kind = old->kind;
	new->bytes = old->bytes;
	new->n = 1;
	if (put_in_space(store, page)) {
		give_back(store, page, new);
		return;
	}
	inplace_drop(store, page);
	mtdc_stats_place(&store->stats, old, false);
	mtdc_stats_place(&store->stats, new, true);
	store->stats.levelled++;
}

/*
 * After a page write, move another page if it is time. If it cannot be read, finds no space, or
 * the media fail to take it, it stays where it is, without an error.
 */
static void inplace_written(struct mtdc_store *store)
{
	struct mtdc_drift *drift = &store->inplace->drift;
	u32 page;

	if (!mtdc_drift_due(drift))
		return;
	page = mtdc_drift_next(drift, is_stored, store->map);
	if (page == MTDC_DRIFT_NONE)
		return;
	mtdc_map_get(store->map, page, &store->page.old);
	if (!read_to_buffer(store, page))
		move(store, page);
	store->page.sealed = false;
}

static int inplace_fetch(struct mtdc_store *store, const struct mtdc_place *place, u8 *buffer)
{
	int err = read_media(store, &place->chain[0], buffer, place->bytes + MTDC_FRAGMENT_BYTES);

	/* Do not count an ECC error: perhaps only bytes beside the fragment are wrong. */
	return err && !mtd_is_eccerr(err) ? read_error(store, err) : err;
}

static int inplace_admit(struct mtdc_store *store, u32 page)
{
	struct mtdc_freelist *freelist = &store->inplace->freelist;
	struct mtdc_place *old = &store->page.old, *new = &store->page.new;
	u32 cursor = freelist->cursor;
	bool given_up;

	if (mtdc_freelist_has_room(freelist))
		return 0;
	/* Try it, and undo that. */
	mtdc_map_get(store->map, page, old);
	if (allocate(store, page, store->geo.page_bytes + mtdc_store_tail(store), &given_up))
		return -ENOSPC;
	mtdc_freelist_free(freelist, new->chain, new->n);
	if (given_up)
		mtdc_freelist_claim(freelist, old->chain, old->n);
	freelist->cursor = cursor;
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
	struct mtdc_freelist *freelist = &store->inplace->freelist;
	const struct mtdc_ebcache *cache = &store->cache;
	u32 granule = store->geo.granule_bytes;

	/* The same words as for a log. Only the cache counts failures. */
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

/* Overwrite all pages that are left, if that is wanted. */
static int wipe_all(struct mtdc_store *store)
{
	int err = 0;
	u32 page;

	for (page = 0; store->inplace->zeros && page < store->map->pages; page++) {
		mtdc_map_get(store->map, page, &store->page.old);
		err = wipe(store, &store->page.old) ?: err;
		cond_resched();
	}
	return err;
}

/* Write back the cache: another user of the MTD may read it next. */
static int inplace_close(struct mtdc_store *store)
{
	return mtdc_ebcache_used(&store->cache) ? inplace_sync(store) : wipe_all(store);
}

static void inplace_wipe_keys(struct mtdc_store *store)
{
	mtdc_seals_replace(&store->seals);
}

/* Bytes of zeros that overwrite any fragment. */
static size_t zero_bytes(const struct mtdc_geometry *geo)
{
	u32 most = geo->page_bytes + mtdc_seals_tail(geo->seal) + MTDC_FRAGMENT_BYTES;

	return geo->wipe ? ALIGN(roundup(most, geo->granule_bytes), sizeof(u64)) : 0;
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
	store->metadata_bytes = sizeof(*inplace) + zero_bytes(geo) + list_bytes +
		mtdc_map_memory(pages, links);
	/* Better no device than an OOM kill. */
	inplace = __vmalloc(store->metadata_bytes, GFP_KERNEL | __GFP_ZERO |
			    __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!inplace)
		return -ENOMEM;
	tables = inplace + 1;
	if (geo->wipe)
		inplace->zeros = tables;
	tables += zero_bytes(geo);
	mtdc_freelist_init(&inplace->freelist, tables, granules, geo->granule_bytes,
			   MTDC_FRAGMENT_BYTES, geo->page_bytes + mtdc_seals_tail(geo->seal));
	mtdc_map_init(&inplace->map, tables + list_bytes, pages, links,
		      geo->granule_bytes, MTDC_FRAGMENT_BYTES);
	mtdc_drift_init(&inplace->drift, pages, geo->wearlevel);
	store->inplace = inplace;
	store->map = &inplace->map;
	return 0;
}

static void inplace_destroy(struct mtdc_store *store)
{
	/* The map has the words of filled pages. */
	kvfree_sensitive(store->inplace, store->metadata_bytes);
}

const struct mtdc_store_ops mtdc_inplace_store_ops = {
	.create = inplace_create,
	.destroy = inplace_destroy,
	.write = inplace_write,
	.written = inplace_written,
	.read = inplace_read,
	.fetch = inplace_fetch,
	.drop = inplace_drop,
	.admit = inplace_admit,
	.sync = inplace_sync,
	.survey = inplace_survey,
	.close = inplace_close,
	.wipe_keys = inplace_wipe_keys,
};
