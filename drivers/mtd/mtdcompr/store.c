// SPDX-License-Identifier: GPL-2.0
/*
 * The page engine, for media that can be rewritten in place.
 *
 * This is the only file that combines the units: it detects filled pages,
 * compresses, takes space, writes fragments to the lower MTD, and only then
 * points the map at them and gives the old fragments back. It works on whole
 * pages; who asks for them, and how they come in pieces, it does not know.
 *
 * What has been read back is either what was written or an error. A page is
 * never in between: until its new fragments are all on the media, the map
 * points at the old ones. Only where a page finds no space but that of its
 * own old copy is the old copy given up first; if the media then fail to take
 * the new one, the page is lost, and says so when it is read.
 *
 * Nothing is allocated once the store has been created.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "fill.h"
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
	return mtdc_lower_read(&store->lower, offset, to, bytes);
}

static int write_media(struct mtdc_store *store, u64 offset, const void *from,
		       u32 bytes)
{
	if (mtdc_ebcache_used(&store->cache))
		return mtdc_ebcache_write(&store->cache, offset, from, bytes);
	return mtdc_lower_write(&store->lower, offset, from, bytes);
}

static int count_read(struct mtdc_store *store, int err, u32 bytes)
{
	store->stats.media_read_bytes += bytes;
	if (err)
		store->stats.err_media_read++;
	return err;
}

static int count_write(struct mtdc_store *store, int err, u64 offset,
		       u32 bytes)
{
	mtdc_stats_wear(&store->stats, offset, bytes,
			store->wear_region_bytes);
	if (err)
		store->stats.err_media_write++;
	return err;
}

/*
 * write_chain() - put @store->new on the media
 *
 * The payload stands in the buffer behind room for one header. The header of
 * each further fragment overwrites the end of the payload before it, which is
 * on the media by then.
 */
static int write_chain(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *place = &store->new;
	u8 *fragment = store->buffer;
	u32 left = place->bytes;
	unsigned int i;

	for (i = 0; i < place->n; i++) {
		const struct mtdc_extent *extent = &place->chain[i];
		struct mtdc_media_id id = fragment_id(store, page, place, i);
		u32 payload = extent_payload(store, extent, left);
		u32 bytes = payload + MTDC_FRAGMENT_BYTES;
		u32 padded = roundup(bytes, store->geo.write_bytes);
		u64 offset = extent_offset(store, extent);
		int err;

		mtdc_media_seal(fragment, payload, &id);
		if (padded != bytes)
			memset(fragment + bytes, 0, padded - bytes);
		err = write_media(store, offset, fragment, padded);
		if (count_write(store, err, offset, padded))
			return err;
		fragment += payload;
		left -= payload;
	}
	return 0;
}

/*
 * read_chain() - get the payload of @store->old from the media
 *
 * It ends up in the buffer behind room for one header, as for write_chain().
 */
static int read_chain(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *place = &store->old;
	u8 *fragment = store->buffer;
	u32 left = place->bytes;
	unsigned int i;

	for (i = 0; i < place->n; i++) {
		const struct mtdc_extent *extent = &place->chain[i];
		struct mtdc_media_id id = fragment_id(store, page, place, i);
		u32 payload = extent_payload(store, extent, left);
		u32 bytes = payload + MTDC_FRAGMENT_BYTES;
		u8 before[MTDC_FRAGMENT_BYTES];
		int err;

		memcpy(before, fragment, sizeof(before));
		/* A driver that reads nothing and says 0 must not get by. */
		memset(fragment, 0xff, sizeof(before));
		err = read_media(store, extent_offset(store, extent), fragment,
				 bytes);
		/* Users of an MTD take -EBADMSG for data that are there. */
		if (count_read(store, err, bytes))
			return err == -EBADMSG ? -EIO : err;
		if (mtdc_media_verify(fragment, payload, &id)) {
			store->stats.err_checksum++;
			return -EIO;
		}
		memcpy(fragment, before, sizeof(before));
		fragment += payload;
		left -= payload;
	}
	return 0;
}

/* @start: when the page came; the little since then is not worth a clock. */
static void compress(struct mtdc_store *store, const void *data, u64 start)
{
	u8 *payload = store->buffer + MTDC_FRAGMENT_BYTES;
	u32 page_bytes = store->geo.page_bytes;
	struct mtdc_place *place = &store->new;
	int len = -E2BIG;

	if (store->comp.ops->compress) {
		len = store->comp.ops->compress(store->comp.ctx, data,
						page_bytes, payload,
						page_bytes -
						store->geo.granule_bytes);
		store->stats.compress_ns += ktime_get_ns() - start;
		store->stats.compressions++;
	}
	place->kind = len > 0 ? MTDC_COMPRESSED : MTDC_RAW;
	place->bytes = len > 0 ? len : page_bytes;
	if (place->kind == MTDC_RAW)
		memcpy(payload, data, page_bytes);
}

static int decompress(struct mtdc_store *store, void *data)
{
	const u8 *payload = store->buffer + MTDC_FRAGMENT_BYTES;
	u32 page_bytes = store->geo.page_bytes;
	u64 start;
	int len;

	if (store->old.kind == MTDC_RAW) {
		memcpy(data, payload, page_bytes);
		return 0;
	}
	start = ktime_get_ns();
	len = store->comp.ops->decompress(store->comp.ctx, payload,
					  store->old.bytes, data, page_bytes);
	store->stats.decompress_ns += ktime_get_ns() - start;
	store->stats.decompressions++;
	if (len != page_bytes) {
		store->stats.err_decompress++;
		return -EIO;
	}
	return 0;
}

static int refuse_full(struct mtdc_store *store)
{
	store->stats.err_full++;
	pr_warn_ratelimited("%s: no space left on the media, a page is refused; choose a smaller ratio=\n",
			    store->name);
	return -ENOSPC;
}

static int take_space(struct mtdc_store *store, u32 page, u32 bytes)
{
	struct mtdc_place *place = &store->new;
	unsigned int max = clamp(mtdc_map_room(&store->map, page), 1U,
				 MTDC_CHAIN_MAX);
	int n = mtdc_freelist_alloc(&store->freelist, bytes, place->chain,
				    max);

	place->n = n > 0 ? n : 0;
	return n > 0 ? 0 : n;
}

/*
 * allocate() - find space for @bytes of @page, into @store->new
 * @given_up: the space of @store->old had to be given back for it
 */
static int allocate(struct mtdc_store *store, u32 page, u32 bytes,
		    bool *given_up)
{
	const struct mtdc_place *old = &store->old;
	int err = take_space(store, page, bytes);

	*given_up = false;
	if (err && old->n) {
		mtdc_freelist_free(&store->freelist, old->chain, old->n);
		err = take_space(store, page, bytes);
		if (err)
			mtdc_freelist_claim(&store->freelist, old->chain,
					    old->n);
		*given_up = !err;
	}
	return err;
}

/* Let the map say @store->new where it said @store->old, and count it. */
static void replace(struct mtdc_store *store, u32 page)
{
	/* Whoever made the new place has seen to it that it finds its links. */
	if (WARN_ON_ONCE(mtdc_map_set(&store->map, page, &store->new))) {
		store->new.kind = MTDC_LOST;
		store->new.n = 0;
		mtdc_map_set(&store->map, page, &store->new);
	}
	mtdc_stats_place(&store->stats, &store->old, false);
	mtdc_stats_place(&store->stats, &store->new, true);
	/* One has found space, or has left some. */
	if (store->old.n || store->new.n)
		mtdc_backoff_reset(&store->backoff);
}

static void free_old(struct mtdc_store *store, u32 page)
{
	const struct mtdc_place *old = &store->old;

	if (!old->n)
		return;
	trace_mtdc_free(store->nr, page, old->bytes, old->n);
	mtdc_freelist_free(&store->freelist, old->chain, old->n);
}

/* Replace @store->old by @store->new, which needs no media. */
static void replace_without_media(struct mtdc_store *store, u32 page)
{
	store->new.n = 0;
	replace(store, page);
	free_old(store, page);
}

/* Is the page one word over and over, and the map has room for the word? */
static bool is_filled(struct mtdc_store *store, u32 page, const void *data)
{
	struct mtdc_place *new = &store->new;

	if (!mtdc_fill_detect(data, store->geo.page_bytes, &new->word))
		return false;
	new->kind = MTDC_FILL;
	return mtdc_map_has_room(&store->map, page, new);
}

/* Put the page in the buffer on the media, at @store->new. */
static int put_in_space(struct mtdc_store *store, u32 page)
{
	struct mtdc_place *new = &store->new;

	trace_mtdc_alloc(store->nr, page, new->bytes, new->n);
	new->generation = store->generation++ % MTDC_GENERATIONS;
	return write_chain(store, page);
}

/*
 * retry_elsewhere() - put the page into other fragments than it was in
 *
 * A policy that always takes the same one would fail on the same bad place
 * for ever. The place is not written off: it may have been the driver.
 */
static int retry_elsewhere(struct mtdc_store *store, u32 page,
			   const void *data)
{
	int err;

	store->failed = store->new;
	/* Writing a chain in vain has left headers in the payload. */
	compress(store, data, ktime_get_ns());
	err = take_space(store, page, store->new.bytes);
	if (!err) {
		err = put_in_space(store, page);
		if (err)
			mtdc_freelist_free(&store->freelist, store->new.chain,
					   store->new.n);
	}
	mtdc_freelist_free(&store->freelist, store->failed.chain,
			   store->failed.n);
	return err;
}

static int write_stored(struct mtdc_store *store, u32 page, const void *data,
			u64 start)
{
	bool given_up;
	int err;

	compress(store, data, start);
	err = allocate(store, page, store->new.bytes, &given_up);
	if (err) {
		mtdc_backoff_failed(&store->backoff, jiffies);
		return refuse_full(store);
	}
	err = put_in_space(store, page);
	if (err && !retry_elsewhere(store, page, data))
		err = 0;
	if (err) {
		store->new.kind = MTDC_LOST;
		store->new.n = 0;
		if (given_up)
			replace(store, page);
		return err;
	}
	replace(store, page);
	if (!given_up)
		free_old(store, page);
	return 0;
}

/**
 * mtdc_store_admit() - will the store take this page, whatever is in it?
 * @store: the store
 * @page: the logical page
 *
 * Whoever accepts a page in pieces has to know before the first one: a piece
 * that was accepted can't be refused later.
 *
 * Context: process, @store->lock held.
 * Return: 0, or -ENOSPC if the page would not fit, were it incompressible.
 */
int mtdc_store_admit(struct mtdc_store *store, u32 page)
{
	u32 cursor = store->freelist.cursor;
	bool given_up;

	lockdep_assert_held(&store->lock);
	if (mtdc_freelist_largest(&store->freelist) >= store->freelist.top)
		return 0;
	mtdc_map_get(&store->map, page, &store->old);
	store->new.kind = MTDC_RAW;
	if (allocate(store, page, store->geo.page_bytes, &given_up))
		return refuse_full(store);
	mtdc_freelist_free(&store->freelist, store->new.chain, store->new.n);
	if (given_up)
		mtdc_freelist_claim(&store->freelist, store->old.chain,
				    store->old.n);
	store->freelist.cursor = cursor;
	return 0;
}

/**
 * mtdc_store_screen() - refuse a page that is not worth a try
 * @store: the store
 * @data: the page, or its beginning
 * @bytes: how much of it there is
 *
 * Where pages are refused by the thousand, one after the other, most of them
 * are refused here, at the first piece and without being compressed. Pages
 * that need no media are not, nor is one in so many, to see whether there is
 * space again. To be called for a page before any of it has been accepted, or
 * when its writer can still be told of it.
 *
 * Context: process, @store->lock held; runs in the swap-out path.
 * Return: 0 if it should be tried, -ENOSPC if it is refused.
 */
int mtdc_store_screen(struct mtdc_store *store, const void *data, u32 bytes)
{
	u64 word;

	lockdep_assert_held(&store->lock);
	if (likely(!mtdc_backoff_pending(&store->backoff)))
		return 0;
	/* Not to be told from a page of one word, or not on every machine. */
	if (!bytes || !IS_ALIGNED((unsigned long)data | bytes, sizeof(word)))
		return 0;
	if (mtdc_fill_detect(data, bytes, &word))
		return 0;
	if (!mtdc_backoff_skip(&store->backoff, jiffies, HZ))
		return 0;
	store->stats.full_untried++;
	return refuse_full(store);
}

/**
 * mtdc_store_write() - write a page
 * @store: the store
 * @page: the logical page
 * @data: its contents, aligned for a u64; must not change meanwhile
 *
 * Context: process, may sleep, @store->lock held; runs in the swap-out path.
 * Return: 0; -ENOSPC if the media are full, -ENODEV if they are gone, or the
 * error of the lower MTD. Unless it is 0, the page reads as before, or, if
 * the media failed on a page that found no space beside its old copy, as an
 * error.
 */
int mtdc_store_write(struct mtdc_store *store, u32 page, const void *data)
{
	u64 start = ktime_get_ns();
	int err = 0;

	lockdep_assert_held(&store->lock);
	if (mtdc_store_alive(store))
		return -ENODEV;
	mtdc_map_get(&store->map, page, &store->old);
	if (is_filled(store, page, data))
		replace_without_media(store, page);
	else
		err = write_stored(store, page, data, start);

	store->stats.page_writes++;
	store->stats.write_ns += ktime_get_ns() - start;
	/* Not to look the page up again for nobody. */
	if (trace_mtdc_page_write_enabled())
		trace_mtdc_page_write(store->nr, page,
				      mtdc_map_kind(&store->map, page),
				      store->new.n ? store->new.bytes : 0,
				      store->new.n, err);
	return err;
}

static int read_kind(struct mtdc_store *store, u32 page, void *data)
{
	int err;

	switch (store->old.kind) {
	case MTDC_NONE:
		memset(data, 0xff, store->geo.page_bytes);
		return 0;
	case MTDC_FILL:
		mtdc_fill_expand(data, store->geo.page_bytes, store->old.word);
		return 0;
	case MTDC_RAW:
	case MTDC_COMPRESSED:
		err = read_chain(store, page);
		return err ? err : decompress(store, data);
	default:
		return -EIO;
	}
}

/**
 * mtdc_store_read() - read a page
 * @store: the store
 * @page: the logical page
 * @data: where to, aligned for a u64; undefined after an error
 *
 * A page that was never written, or has been erased, reads as 0xff.
 *
 * Context: process, may sleep, @store->lock held.
 * Return: 0; -EIO if what is on the media is not what was written, or the
 * page is lost, -ENODEV if the media are gone, or the error of the lower MTD.
 */
int mtdc_store_read(struct mtdc_store *store, u32 page, void *data)
{
	u64 start = ktime_get_ns();
	int err;

	lockdep_assert_held(&store->lock);
	if (mtdc_store_alive(store))
		return -ENODEV;
	mtdc_map_get(&store->map, page, &store->old);
	err = read_kind(store, page, data);
	if (err)
		pr_err_ratelimited("%s: page %u can't be read: %d\n",
				   store->name, page, err);
	store->stats.page_reads++;
	store->stats.read_ns += ktime_get_ns() - start;
	trace_mtdc_page_read(store->nr, page, store->old.kind,
			     store->old.n ? store->old.bytes : 0,
			     store->old.n, err);
	return err;
}

/**
 * mtdc_store_erase() - forget pages
 * @store: the store
 * @first: the first logical page
 * @n: number of pages
 *
 * Context: process, @store->lock held.
 */
void mtdc_store_erase(struct mtdc_store *store, u32 first, u32 n)
{
	u32 page;

	lockdep_assert_held(&store->lock);
	for (page = first; page < first + n; page++) {
		if (mtdc_map_kind(&store->map, page) == MTDC_NONE)
			continue;
		mtdc_map_get(&store->map, page, &store->old);
		store->new.kind = MTDC_NONE;
		replace_without_media(store, page);
		store->stats.page_erases++;
	}
}

/**
 * mtdc_store_lose() - have a page read as an error until it is written again
 * @store: the store
 * @page: the logical page
 *
 * For contents that were accepted and could not be kept: neither they nor
 * what was there before may be read.
 *
 * Context: process, @store->lock held.
 */
void mtdc_store_lose(struct mtdc_store *store, u32 page)
{
	lockdep_assert_held(&store->lock);
	mtdc_map_get(&store->map, page, &store->old);
	store->new.kind = MTDC_LOST;
	replace_without_media(store, page);
	pr_err_ratelimited("%s: page %u is lost\n", store->name, page);
}

/**
 * mtdc_store_sync() - have the media finish what they were given
 * @store: the store
 *
 * Context: process, may sleep, @store->lock held.
 * Return: 0, -ENODEV if the media are gone, or the error of the lower MTD,
 * which failed to take what is cached: it stays in the cache.
 */
int mtdc_store_sync(struct mtdc_store *store)
{
	int err = 0;

	lockdep_assert_held(&store->lock);
	if (mtdc_store_alive(store))
		return -ENODEV;
	if (mtdc_ebcache_used(&store->cache))
		err = mtdc_ebcache_flush(&store->cache);
	if (err)
		store->stats.err_media_write++;
	mtdc_lower_sync(&store->lower);
	return err;
}

static int create_metadata(struct mtdc_store *store,
			   enum mtdc_alloc_policy policy)
{
	const struct mtdc_geometry *geo = &store->geo;
	u32 granules = div_u64(geo->media_bytes, geo->granule_bytes);
	u32 pages = div_u64(geo->size_bytes, geo->page_bytes);
	u32 links = pages / MTDC_PAGES_A_LINK + 4 * MTDC_CHAIN_MAX;
	size_t list_bytes = ALIGN(mtdc_freelist_memory(granules), sizeof(u64));

	if (policy == MTDC_ALLOC_LARGEST)
		links = pages + MTDC_CHAIN_MAX;
	store->metadata_bytes = list_bytes + mtdc_map_memory(pages, links);
	/* Rather no device than an OOM kill for the sake of one. */
	store->memory = __vmalloc(store->metadata_bytes, GFP_KERNEL |
				  __GFP_ZERO | __GFP_RETRY_MAYFAIL |
				  __GFP_NOWARN);
	if (!store->memory)
		return -ENOMEM;
	mtdc_freelist_init(&store->freelist, store->memory, granules,
			   geo->granule_bytes, MTDC_FRAGMENT_BYTES,
			   geo->page_bytes, policy);
	mtdc_map_init(&store->map, store->memory + list_bytes, pages, links,
		      geo->granule_bytes, MTDC_FRAGMENT_BYTES);
	return 0;
}

/**
 * mtdc_store_create() - set up an empty store
 * @store: the store, zeroed but for @lock, @lower and @cache
 * @nr: number of the device
 * @name: its name, which outlives the store
 * @geo: the geometry
 * @comp: the compressor
 * @level: its level
 * @policy: allocation policy
 *
 * Context: process, may sleep.
 * Return: 0; -ERANGE for a level that the compressor does not have, -ENOMEM.
 */
int mtdc_store_create(struct mtdc_store *store, unsigned int nr,
		      const char *name, const struct mtdc_geometry *geo,
		      const struct mtdc_comp_ops *comp, int level,
		      enum mtdc_alloc_policy policy)
{
	int err;

	store->nr = nr;
	store->name = name;
	store->geo = *geo;
	store->nonce = get_random_u32();
	store->wear_region_bytes = div_u64(geo->media_bytes,
					   MTDC_WEAR_REGIONS) + 1;

	err = mtdc_comp_create(&store->comp, comp, level, geo->page_bytes);
	if (err)
		return err;
	store->buffer_bytes = MTDC_FRAGMENT_BYTES + geo->write_bytes +
		mtdc_comp_bound(&store->comp, geo->page_bytes);
	store->buffer = kvzalloc(store->buffer_bytes, GFP_KERNEL);
	if (!store->buffer) {
		err = -ENOMEM;
		goto err_destroy_comp;
	}
	err = create_metadata(store, policy);
	if (err)
		goto err_free_buffer;
	return 0;

err_free_buffer:
	kvfree(store->buffer);
err_destroy_comp:
	mtdc_comp_destroy(&store->comp);
	return err;
}

/**
 * mtdc_store_destroy() - free a store
 * @store: the store; nobody uses it any more
 *
 * Context: process, may sleep.
 */
void mtdc_store_destroy(struct mtdc_store *store)
{
	vfree(store->memory);
	kvfree(store->buffer);
	mtdc_comp_destroy(&store->comp);
}
