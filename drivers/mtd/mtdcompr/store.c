// SPDX-License-Identifier: GPL-2.0
/*
 * The page engine: reads and writes whole pages.
 *
 * This file owns the store of a device: it detects filled pages, compresses, counts, and hands
 * the payload to the ops that keep it on the media (inplace_store.c or log_store.c, as dev.c
 * chose). pagebuf.c calls it, with the store's lock held and the media there, and front_blk.c
 * for pages that it prepares or finishes without the lock. It must never return data that
 * differ from the data written: a read returns them or an error. It never sees the pieces of a
 * page, and allocates nothing once the store has been created.
 *
 * If the media are memory and there is more than one processor, a whole page is compressed
 * before the lock is taken, and checked and decompressed after it is released, in a scratch
 * (store_scratch.c). That saves time under the lock; nothing else depends on it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "lower.h"
#include "media.h"
#include "store.h"
#include "store_fill.h"
#include "trace.h"

/* Put @data into @buffer behind room for a header, compressed if that saves a granule. */
static void compress(const struct mtdc_store *store, const struct mtdc_comp *comp,
		     const void *data, u8 *buffer, struct mtdc_place *place)
{
	u8 *payload = buffer + MTDC_FRAGMENT_BYTES;
	u32 page_bytes = store->geo.page_bytes;
	int len = -E2BIG;

	if (comp->ops->compress)
		len = comp->ops->compress(comp->ctx, data, page_bytes, payload,
					  page_bytes - store->geo.granule_bytes);
	place->kind = len > 0 ? MTDC_COMPRESSED : MTDC_RAW;
	place->bytes = (len > 0 ? len : page_bytes) + mtdc_store_tail(store);
	if (place->kind == MTDC_RAW)
		memcpy(payload, data, page_bytes);
}

/* When the page begins, or MTDC_NOT_TIMED; @nr: how many there were before it. */
static u64 clock_of(u32 nr)
{
	return nr % MTDC_TIMED_ONE_IN ? MTDC_NOT_TIMED : ktime_get_ns();
}

/* Time since @start, if that is one. */
static u64 since(u64 start)
{
	return start == MTDC_NOT_TIMED ? MTDC_NOT_TIMED : ktime_get_ns() - start;
}

static void count_call(struct mtdc_timing *calls, u64 ns)
{
	if (ns == MTDC_NOT_TIMED)
		return;
	calls->n++;
	calls->ns += ns;
}

/* Get the page with this payload into @data. */
static int decompress(const struct mtdc_store *store, const struct mtdc_comp *comp,
		      const struct mtdc_place *place, const u8 *payload, void *data,
		      struct mtdc_stats *stats, bool timed)
{
	u32 page_bytes = store->geo.page_bytes;
	u64 start;
	int len;

	if (place->kind == MTDC_RAW) {
		memcpy(data, payload, page_bytes);
		return 0;
	}
	start = timed ? ktime_get_ns() : MTDC_NOT_TIMED;
	len = comp->ops->decompress(comp->ctx, payload, place->bytes - mtdc_store_tail(store), data,
				    page_bytes);
	count_call(&stats->decompress, since(start));
	if (len != page_bytes) {
		stats->err_decompress++;
		return -EIO;
	}
	return 0;
}

static int refuse_full(struct mtdc_store *store, bool untried)
{
	if (store->page.may_retry)
		return -ENOSPC;
	store->stats.err_full++;
	store->stats.full_untried += untried;
	store->full = true;
	pr_warn_ratelimited("%s: no space left on the media, a page is refused; choose a smaller ratio=\n",
			    store->name);
	return -ENOSPC;
}

/* Count the page at its new place instead of its old one. */
static void account(struct mtdc_store *store)
{
	mtdc_stats_place(&store->stats, &store->page.old, false);
	mtdc_stats_place(&store->stats, &store->page.new, true);
	if (mtdc_place_gains(&store->page.old, &store->page.new))
		mtdc_store_has_space(store);
}

/* Let the map say the new place, which needs no media. */
static void replace_without_media(struct mtdc_store *store, u32 page)
{
	store->page.new.n = 0;
	store->ops->drop(store, page);
	account(store);
}

/* The scratch that the caller has prepared this page in, to be used once, or NULL. */
static struct mtdc_scratch *take_prepared(struct mtdc_store *store, u32 page, const void *data)
{
	struct mtdc_scratch *prepared = store->page.prepared;

	if (!prepared || prepared->data != data || prepared->page != page)
		return NULL;
	prepared->data = NULL;
	return prepared;
}

static bool detect_fill(const struct mtdc_store *store, const void *data,
			struct mtdc_place *place)
{
	if (!mtdc_fill_detect(data, store->geo.page_bytes, &place->word))
		return false;
	place->kind = MTDC_FILL;
	return true;
}

/* Is the page one word over and over, and has the map room for the word? */
static bool is_filled(struct mtdc_store *store, u32 page, const void *data,
		      const struct mtdc_scratch *prepared)
{
	struct mtdc_place *new = &store->page.new;

	if (prepared) {
		new->kind = prepared->place.kind;
		new->word = prepared->place.word;
	} else if (!detect_fill(store, data, new)) {
		return false;
	}
	return new->kind == MTDC_FILL && mtdc_map_has_room(store->map, page, new);
}

/*
 * make_payload() - compress the page into the buffer, unless @prepared has done it
 * @start: when the write of the page began, or MTDC_NOT_TIMED; the fill check since then is not
 *	worth a clock read
 */
static void make_payload(struct mtdc_store *store, const void *data, u64 start,
			 struct mtdc_scratch *prepared)
{
	struct mtdc_place *new = &store->page.new;
	u64 ns;

	if (prepared && prepared->place.kind != MTDC_FILL) {
		swap(store->page.buffer, prepared->buffer);
		new->kind = prepared->place.kind;
		new->bytes = prepared->place.bytes;
		new->generation = prepared->place.generation;
		store->page.sealed = true;
		ns = prepared->ns;
	} else {
		compress(store, &store->comp, data, store->page.buffer, new);
		ns = since(start);
	}
	if (store->comp.ops->compress)
		count_call(&store->stats.compress, ns);
}

static int put_payload(struct mtdc_store *store, u32 page)
{
	bool changed;
	int err = store->ops->write(store, page, &changed);

	store->page.sealed = false;
	if (changed)
		account(store);
	if (err != -ENOSPC)
		return err;
	if (!store->page.may_retry)
		mtdc_backoff_failed(&store->backoff, jiffies);
	return refuse_full(store, false);
}

/**
 * mtdc_store_is_lost() - are the contents of a page lost?
 * @store: the store
 * @page: the logical page
 *
 * Context: process, @store->lock held.
 * Return: true until the page is written again, or erased.
 */
bool mtdc_store_is_lost(const struct mtdc_store *store, u32 page)
{
	lockdep_assert_held(&store->lock);
	return mtdc_map_kind(store->map, page) == MTDC_LOST;
}

/**
 * mtdc_store_admit() - will the store take this page, whatever its contents?
 * @store: the store
 * @page: the logical page
 *
 * The page buffers ask before they accept the first piece of a page: they cannot refuse a
 * piece that they have accepted.
 *
 * Context: process, @store->lock held.
 * Return: 0; -ENOSPC if the page would not fit uncompressed; -EIO if nothing can be written
 * any more, or if the page is lost, because one piece alone does not bring it back.
 */
int mtdc_store_admit(struct mtdc_store *store, u32 page)
{
	int err;

	lockdep_assert_held(&store->lock);
	if (mtdc_store_is_lost(store, page))
		return -EIO;
	err = store->ops->admit(store, page);
	return err == -ENOSPC ? refuse_full(store, false) : err;
}

/**
 * mtdc_store_screen() - refuse a page that is not worth a try
 * @store: the store
 * @data: the page, or its beginning
 * @bytes: how much of it there is
 *
 * While full media refuse thousands of pages in a row, this refuses most of them at the first
 * piece, before they are compressed. It lets pages through that need no media, and now and
 * then another page, to see whether there is space again. Call it before any piece of the
 * page has been accepted, or while its writer can still be told.
 *
 * Context: process, @store->lock held; runs in the swap-out path.
 * Return: 0 to try the page, -ENOSPC to refuse it.
 */
int mtdc_store_screen(struct mtdc_store *store, const void *data, u32 bytes)
{
	u64 word;

	lockdep_assert_held(&store->lock);
	if (likely(!mtdc_backoff_pending(&store->backoff)))
		return 0;
	/* Too short or too badly aligned to look for a word. */
	if (!bytes || !IS_ALIGNED((unsigned long)data | bytes, sizeof(word)))
		return 0;
	if (mtdc_fill_detect(data, bytes, &word))
		return 0;
	if (!mtdc_backoff_skip(&store->backoff, jiffies, HZ))
		return 0;
	return refuse_full(store, true);
}

/* When the write began, or MTDC_NOT_TIMED; that a page is prepared is a part of it. */
static u64 write_start(const struct mtdc_store *store, const struct mtdc_scratch *prepared)
{
	if (!prepared)
		return clock_of(store->stats.writes.n);
	return prepared->ns == MTDC_NOT_TIMED ? MTDC_NOT_TIMED : ktime_get_ns() - prepared->ns;
}

/**
 * mtdc_store_write() - write a page
 * @store: the store, its media there
 * @page: the logical page
 * @data: its contents, aligned for a u64; if they change meanwhile, the stored page is a mix
 *	of old and new bytes
 *
 * Context: process, may sleep, @store->lock held; runs in the swap-out path.
 * Return: 0; -ENOSPC if the media are full, or the error of the lower MTD. After an error the
 * page reads as before; but if the media failed on a page that found no space beside its old
 * copy, reads of it fail.
 */
int mtdc_store_write(struct mtdc_store *store, u32 page, const void *data)
{
	struct mtdc_scratch *prepared = take_prepared(store, page, data);
	u64 start = write_start(store, prepared);
	struct mtdc_place *new = &store->page.new;
	int err = 0;

	lockdep_assert_held(&store->lock);
	mtdc_map_get(store->map, page, &store->page.old);
	if (is_filled(store, page, data, prepared)) {
		replace_without_media(store, page);
	} else {
		make_payload(store, data, start, prepared);
		err = put_payload(store, page);
	}

	/* The caller frees pages and tries again, so count the second try only. */
	if (err == -ENOSPC && store->page.may_retry)
		return err;
	/* Look the page up again only if a tracer is there. */
	if (trace_mtdc_page_write_enabled())
		trace_mtdc_page_write(store->nr, page, mtdc_map_kind(store->map, page),
				      new->n ? new->bytes : 0, new->n, err);
	if (!err && new->n)
		store->ops->written(store);
	mtdc_stats_page(&store->stats.writes, since(start));
	return err;
}

/**
 * mtdc_store_prepare() - compress a page before it is written
 * @store: the store
 * @scratch: where to; mtdc_store_write() uses it if it is @store->page.prepared by then
 * @page: the logical page that will be written
 * @data: its contents, as for mtdc_store_write(); they must stay the same until then
 *
 * Context: process, @scratch->lock held, @store->lock not; runs in the swap-out path.
 */
void mtdc_store_prepare(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page,
			const void *data)
{
	struct mtdc_place *place = &scratch->place;
	u64 start;

	lockdep_assert_held(&scratch->lock);
	/* Compress nothing that may be refused untried. A wrong answer only costs time. */
	if (data_race(mtdc_backoff_pending(&store->backoff)))
		return;
	start = clock_of(scratch->turn++);
	if (!detect_fill(store, data, place)) {
		compress(store, &scratch->comp, data, scratch->buffer, place);
		/* mtdc_store_write() finds this error, too, and says so. */
		if (mtdc_seals_close(&store->seals, scratch->buffer, page, place))
			return;
	}
	scratch->ns = since(start);
	scratch->data = data;
	scratch->page = page;
}

/* Get a page that needs no media into @data. */
static int expand(const struct mtdc_store *store, const struct mtdc_place *place, void *data)
{
	switch (place->kind) {
	case MTDC_NONE:
		memset(data, 0xff, store->geo.page_bytes);
		return 0;
	case MTDC_FILL:
		mtdc_fill_expand(data, store->geo.page_bytes, place->word);
		return 0;
	default:
		return -EIO;
	}
}

/* A page has been read. */
static void count_page_read(const struct mtdc_store *store, u32 page,
			    const struct mtdc_place *place, int err, u64 start,
			    struct mtdc_stats *stats)
{
	if (err)
		pr_err_ratelimited("%s: page %u can't be read: %d\n", store->name, page, err);
	mtdc_stats_page(&stats->reads, since(start));
	trace_mtdc_page_read(store->nr, page, place->kind, place->n ? place->bytes : 0,
			     place->n, err);
}

/**
 * mtdc_store_read() - read a page
 * @store: the store, its media there
 * @page: the logical page
 * @data: where to, aligned for a u64; undefined after an error
 *
 * A page that was never written, or has been erased, reads as 0xff.
 *
 * Context: process, may sleep, @store->lock held.
 * Return: 0; -EIO if the media have other data than those written, or the page is lost; or the
 * error of the lower MTD.
 */
int mtdc_store_read(struct mtdc_store *store, u32 page, void *data)
{
	struct mtdc_place *place = &store->page.old;
	u64 start = clock_of(store->stats.reads.n);
	const u8 *payload;
	int err;

	lockdep_assert_held(&store->lock);
	mtdc_map_get(store->map, page, place);
	if (mtdc_is_stored(place->kind)) {
		err = store->ops->read(store, page, &payload);
		if (!err)
			err = decompress(store, &store->comp, place, payload, data,
					 &store->stats, start != MTDC_NOT_TIMED);
	} else {
		err = expand(store, place, data);
	}
	count_page_read(store, page, place, err, start, &store->stats);
	return err;
}

/**
 * mtdc_store_fetch() - begin to read a page: the part that needs the lock
 * @store: the store, its media there
 * @scratch: where to
 * @page: the logical page
 *
 * Context: process, may sleep, @scratch->lock and @store->lock held.
 * Return: true if mtdc_store_finish() can do the rest; false if the caller has to use
 * mtdc_store_read() instead.
 */
bool mtdc_store_fetch(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page)
{
	struct mtdc_place *place = &scratch->place;

	lockdep_assert_held(&scratch->lock);
	lockdep_assert_held(&store->lock);
	scratch->start = clock_of(scratch->stats.reads.n);
	scratch->err = 0;
	mtdc_map_get(store->map, page, place);
	if (place->n > 1)
		return false;
	if (mtdc_is_stored(place->kind))
		scratch->err = store->ops->fetch(store, place, scratch->buffer);
	return scratch->err != -EBADMSG;
}

static int finish_stored(const struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page,
			 void *data)
{
	const struct mtdc_place *place = &scratch->place;

	if (scratch->err)
		return scratch->err;
	if (mtdc_seals_open(&store->seals, scratch->buffer, page, place))
		return -EBADMSG;
	return decompress(store, &scratch->comp, place, scratch->buffer + MTDC_FRAGMENT_BYTES,
			  data, &scratch->stats, scratch->start != MTDC_NOT_TIMED);
}

/**
 * mtdc_store_finish() - finish reading a page that mtdc_store_fetch() has begun
 * @store: the store
 * @scratch: where it is
 * @page: the logical page
 * @data: where to, aligned for a u64; undefined after an error
 *
 * The page may have been rewritten since, and the media may be gone: this reads the contents
 * at the time of mtdc_store_fetch().
 *
 * Context: process, @scratch->lock held since then, @store->lock not.
 * Return: as mtdc_store_read(); -EBADMSG, with nothing counted, if the checksum is wrong:
 * the caller has to use mtdc_store_read(), which looks again.
 */
int mtdc_store_finish(struct mtdc_store *store, struct mtdc_scratch *scratch, u32 page, void *data)
{
	const struct mtdc_place *place = &scratch->place;
	int err;

	lockdep_assert_held(&scratch->lock);
	if (mtdc_is_stored(place->kind))
		err = finish_stored(store, scratch, page, data);
	else
		err = expand(store, place, data);
	if (err != -EBADMSG)
		count_page_read(store, page, place, err, scratch->start, &scratch->stats);
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
		if (mtdc_map_kind(store->map, page) == MTDC_NONE)
			continue;
		mtdc_map_get(store->map, page, &store->page.old);
		store->page.new.kind = MTDC_NONE;
		replace_without_media(store, page);
		store->stats.page_erases++;
	}
}

/**
 * mtdc_store_lose() - let reads of a page fail until it is written again
 * @store: the store
 * @page: the logical page
 *
 * For contents that were accepted and could not be kept: a read must return neither a part of
 * them nor the contents before.
 *
 * Context: process, @store->lock held.
 */
void mtdc_store_lose(struct mtdc_store *store, u32 page)
{
	lockdep_assert_held(&store->lock);
	mtdc_map_get(store->map, page, &store->page.old);
	store->page.new.kind = MTDC_LOST;
	replace_without_media(store, page);
	pr_err_ratelimited("%s: page %u is lost\n", store->name, page);
}

/**
 * mtdc_store_sync() - let the media finish everything that they were given
 * @store: the store, its media there
 *
 * Ends the backoff: swapoff syncs, and a write of mkswap after that should be tried. While the
 * kernel writes to full swap, it does not sync.
 *
 * Context: process, may sleep, @store->lock held.
 * Return: 0, or the error of the lower MTD; the cache still has the data that the MTD failed
 * to take.
 */
int mtdc_store_sync(struct mtdc_store *store)
{
	lockdep_assert_held(&store->lock);
	mtdc_backoff_reset(&store->backoff);
	return store->ops->sync(store);
}

/**
 * mtdc_store_close() - let the media take everything that outlives the store
 * @store: the store, which is not read or written any more
 *
 * Context: process, may sleep, @store->lock held.
 * Return: 0, also if the media are gone, or the error of the lower MTD.
 */
int mtdc_store_close(struct mtdc_store *store)
{
	lockdep_assert_held(&store->lock);
	return store->lower.mtd ? store->ops->close(store) : 0;
}

/**
 * mtdc_store_wipe_keys() - let no page be read any more
 * @store: the store
 *
 * Pages that are not encrypted stay as they are.
 *
 * Context: any, with or without @store->lock: a page that is written at the same moment can't be
 * read, either.
 */
void mtdc_store_wipe_keys(struct mtdc_store *store)
{
	if (mtdc_seals_encrypt(&store->seals))
		store->ops->wipe_keys(store);
}

/**
 * mtdc_store_survey() - describe the present state of a store
 * @store: the store
 * @survey: the description
 *
 * Context: process, @store->lock held.
 */
void mtdc_store_survey(struct mtdc_store *store, struct mtdc_survey *survey)
{
	lockdep_assert_held(&store->lock);
	memset(survey, 0, sizeof(*survey));
	survey->state = store->full ? "full" : "ok";
	store->ops->survey(store, survey);
	if (!store->lower.mtd)
		survey->state = "gone";
}

/**
 * mtdc_store_create() - set up an empty store
 * @store: the store, zeroed except @lock, @lower, @cache, @nr and @name
 * @ops: how to keep pages on the media
 * @geo: the geometry
 * @comp: the compressor
 * @level: its level
 *
 * Context: process, may sleep.
 * Return: 0; -ERANGE if the compressor does not have this level, -ENOMEM.
 */
int mtdc_store_create(struct mtdc_store *store, const struct mtdc_store_ops *ops,
		      const struct mtdc_geometry *geo, const struct mtdc_comp_ops *comp, int level)
{
	size_t buffer_bytes;
	int err;

	store->ops = ops;
	store->geo = *geo;
	mtdc_seals_init(&store->seals, geo->seal);

	err = mtdc_comp_create(&store->comp, comp, level, geo->page_bytes);
	if (err)
		goto err_wipe;
	buffer_bytes = MTDC_FRAGMENT_BYTES + geo->write_bytes +
		mtdc_comp_bound(&store->comp, geo->page_bytes);
	if (mtdc_seals_encrypt(&store->seals))
		buffer_bytes += mtdc_seals_tail(geo->seal) + MTDC_TAG_BYTES;
	store->page.buffer = kvzalloc(buffer_bytes, GFP_KERNEL);
	if (!store->page.buffer) {
		err = -ENOMEM;
		goto err_destroy_comp;
	}
	mtdc_scratches_create(&store->scratches, geo->scratches, &store->comp, geo->page_bytes,
			      buffer_bytes);
	err = ops->create(store);
	if (err)
		goto err_destroy_scratches;
	return 0;

err_destroy_scratches:
	mtdc_scratches_destroy(&store->scratches);
	kvfree_sensitive(store->page.buffer, buffer_bytes);
err_destroy_comp:
	mtdc_comp_destroy(&store->comp);
err_wipe:
	mtdc_seals_wipe(&store->seals);
	return err;
}

/**
 * mtdc_store_destroy() - free a store
 * @store: the store, which nothing uses any more
 *
 * Context: process, may sleep.
 */
void mtdc_store_destroy(struct mtdc_store *store)
{
	store->ops->destroy(store);
	kvfree_sensitive(store->page.buffer, store->scratches.buffer_bytes);
	mtdc_scratches_destroy(&store->scratches);
	mtdc_comp_destroy(&store->comp);
	mtdc_seals_wipe(&store->seals);
}
