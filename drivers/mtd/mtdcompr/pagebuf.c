// SPDX-License-Identifier: GPL-2.0
/*
 * The page buffers: bytes in, pages out.
 *
 * mtdblock writes a page as eight writes of 512 bytes, and reads it by eight reads. Other users
 * (mkswap, dd, mtdchar) read and write at any offset. This file owns three buffers of a page:
 *
 * gather	a page that is written in pieces, with one range of valid bytes
 * parked	a complete page that was accepted and found no space yet
 * cache	the page that was read last
 *
 * While writes extend the range in gather, nothing is read. A complete page goes to the store at
 * once. If a write leaves a gap, or a read needs bytes outside the range, the store supplies the
 * missing bytes. An incomplete page stays in gather, readable, until another page is written or the
 * device is synced.
 *
 * Swap-out through mtdblock writes a page in order from its beginning. If no other call reads or
 * syncs it meanwhile, it is "one write": only the last piece shows whether the compressed page
 * finds space, so if the store refuses it, the last piece fails, and the page reads as before. Any
 * other piece is accepted before that is known. So this file first asks the store whether it would
 * take the page whatever its contents, and must never drop it silently later: a page that finds no
 * space all the same is parked. If there is a second one, writes to other pages are refused. If
 * the media fail, the page is lost, and reads of it fail.
 *
 * front_mtd.c and front_blk.c call this file under store.lock, and it calls the store. It must
 * never look at media.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pagebuf.h"
#include "store.h"

/* The buffer is empty. */
#define NO_PAGE		U32_MAX

static bool is_gathering(const struct mtdc_pagebuf *pb)
{
	return pb->gather_page != NO_PAGE;
}

static bool is_complete(const struct mtdc_pagebuf *pb)
{
	return pb->low == 0 && pb->high == PAGE_SIZE;
}

/* Can the store work on it in place? */
static bool is_aligned(const void *data)
{
	return IS_ALIGNED((unsigned long)data, sizeof(u64));
}

/* Read @page into the cache. */
static int load(struct mtdc_pagebuf *pb, u32 page)
{
	int err;

	if (pb->cache_page == page)
		return 0;
	pb->cache_page = NO_PAGE;
	err = mtdc_store_read(pb->store, page, pb->cache);
	if (!err)
		pb->cache_page = page;
	return err;
}

/* Fill the rest of the gathered page from the store. */
static int merge(struct mtdc_pagebuf *pb)
{
	int err;

	if (is_complete(pb))
		return 0;
	err = load(pb, pb->gather_page);
	if (err)
		return err;
	memcpy(pb->gather, pb->cache, pb->low);
	memcpy(pb->gather + pb->high, pb->cache + pb->high, PAGE_SIZE - pb->high);
	pb->low = 0;
	pb->high = PAGE_SIZE;
	pb->merged = true;
	pb->store->stats.merges++;
	return 0;
}

/* Write the complete gathered page to the store; after an error it stays. */
static int put_gathered(struct mtdc_pagebuf *pb)
{
	int err = mtdc_store_write(pb->store, pb->gather_page, pb->gather);

	/* Also after an error: the store may have lost the page. */
	if (pb->cache_page == pb->gather_page)
		pb->cache_page = NO_PAGE;
	if (!err)
		pb->gather_page = NO_PAGE;
	return err;
}

static int flush_gathered(struct mtdc_pagebuf *pb)
{
	int err;

	if (!is_gathering(pb))
		return 0;
	pb->one_write = false;
	err = merge(pb);
	return err ? err : put_gathered(pb);
}

/* Full media, or no memory for a driver: the page can wait. */
static bool can_wait(int err)
{
	return err == -ENOSPC || err == -ENOMEM;
}

/* Write the parked page to the store; after an error it stays. */
static int flush_parked(struct mtdc_pagebuf *pb)
{
	int err;

	if (pb->parked_page == NO_PAGE)
		return 0;
	err = mtdc_store_write(pb->store, pb->parked_page, pb->parked);
	if (!err)
		pb->parked_page = NO_PAGE;
	return err;
}

/* Empty the parked buffer. If the media fail the page is lost, as another one needs the buffer. */
static int clear_parked(struct mtdc_pagebuf *pb)
{
	int err = flush_parked(pb);

	if (!err || can_wait(err))
		return err;
	mtdc_store_lose(pb->store, pb->parked_page);
	pb->parked_page = NO_PAGE;
	return 0;
}

/* Exchange gather, which has a complete page or none, and parked. */
static void exchange(struct mtdc_pagebuf *pb)
{
	swap(pb->gather, pb->parked);
	swap(pb->gather_page, pb->parked_page);
	pb->low = 0;
	pb->high = PAGE_SIZE;
	pb->one_write = false;
	pb->merged = true;
}

/* Empty gather. A page that finds no space stays; if the media fail the page is lost. */
static int settle(struct mtdc_pagebuf *pb)
{
	int err = flush_gathered(pb);

	if (!err || can_wait(err))
		return err;
	mtdc_store_lose(pb->store, pb->gather_page);
	pb->gather_page = NO_PAGE;
	return 0;
}

/* May the gathered page still be refused as a whole? */
static bool is_one_write(const struct mtdc_pagebuf *pb)
{
	return is_gathering(pb) && pb->one_write;
}

/*
 * Make gather free for another page: a page that finds no space is parked. If parked is taken, the
 * other page is refused. An incomplete one write then goes on as one: mtdblock comes with its rest,
 * and if both pages had been accepted no write would get past them.
 */
static int evict(struct mtdc_pagebuf *pb)
{
	bool one_write = is_one_write(pb);
	u32 high = pb->high;
	int err = 0;

	/* Do not compress both pages again for every page that comes. */
	if (pb->parked_page != NO_PAGE)
		err = mtdc_store_screen(pb->store, pb->parked, PAGE_SIZE);
	if (err)
		return err;
	err = settle(pb);
	if (!err)
		return 0;
	if (is_complete(pb) && !clear_parked(pb)) {
		exchange(pb);
		return 0;
	}
	/* If the store has lost the page, gather has the only copy, and must keep all of it. */
	if (one_write && !mtdc_store_is_lost(pb->store, pb->gather_page)) {
		pb->high = high;
		pb->merged = false;
		pb->one_write = true;
	}
	return err;
}

/* Move the parked page to gather, because it is written again. */
static int take_back(struct mtdc_pagebuf *pb)
{
	int err = settle(pb);

	if (err && !is_complete(pb))
		return err;
	exchange(pb);
	return 0;
}

/* Write a whole page. Pieces in gather stay until the store has taken the page. */
static int write_whole(struct mtdc_pagebuf *pb, u32 page, const u8 *from)
{
	int err = 0;

	if (!is_gathering(pb))
		err = mtdc_store_screen(pb->store, from, PAGE_SIZE);
	if (err)
		return err;
	if (!is_aligned(from)) {
		pb->cache_page = NO_PAGE;
		memcpy(pb->cache, from, PAGE_SIZE);
		from = pb->cache;
	}
	/* Even if the write fails: the store may have lost the page. */
	if (pb->cache_page == page)
		pb->cache_page = NO_PAGE;
	err = mtdc_store_write(pb->store, page, from);
	if (!err)
		pb->gather_page = NO_PAGE;
	return err;
}

/* Begin to gather a page, whose first piece is given. */
static int begin(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes, const u8 *from)
{
	int err;

	if (offset)
		err = mtdc_store_admit(pb->store, page);
	else
		err = mtdc_store_screen(pb->store, from, bytes);
	if (err)
		return err;
	pb->one_write = !offset;
	pb->gather_page = page;
	pb->low = offset;
	pb->high = offset;
	pb->merged = false;
	return 0;
}

/* The last piece of a page that is not one write: if it is refused, the other pieces stay. */
static int write_last(struct mtdc_pagebuf *pb, u32 offset, u32 bytes, const u8 *from)
{
	pb->cache_page = NO_PAGE;
	memcpy(pb->cache, pb->gather, PAGE_SIZE);
	memcpy(pb->cache + offset, from, bytes);
	return write_whole(pb, pb->gather_page, pb->cache);
}

/* Store the one write, which is complete, or refuse all of it. */
static int put_one_write(struct mtdc_pagebuf *pb)
{
	/* Ask again: the first piece may have looked like a page of one word. */
	int err = mtdc_store_screen(pb->store, pb->gather, PAGE_SIZE);

	if (!err)
		err = put_gathered(pb);
	pb->gather_page = NO_PAGE;
	return err;
}

static int write_part(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes, const u8 *from)
{
	u32 low, high;
	int err = 0;

	if (!is_gathering(pb))
		err = begin(pb, page, offset, bytes, from);
	else if (offset > pb->high || offset + bytes < pb->low)
		err = merge(pb);
	if (err)
		return err;
	if (offset != pb->high)
		pb->one_write = false;
	low = min(pb->low, offset);
	high = max(pb->high, offset + bytes);
	if (high - low == PAGE_SIZE && !pb->merged && !pb->one_write)
		return write_last(pb, offset, bytes, from);
	memcpy(pb->gather + offset, from, bytes);
	pb->low = low;
	pb->high = high;
	return is_complete(pb) && !pb->merged ? put_one_write(pb) : 0;
}

static int write_piece(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes, const u8 *from)
{
	int err = 0;

	if (unlikely(pb->parked_page == page)) {
		/* It stays parked if the gathered page may still be refused. */
		if (is_one_write(pb)) {
			memcpy(pb->parked + offset, from, bytes);
			return 0;
		}
		err = take_back(pb);
	} else if (is_gathering(pb) && pb->gather_page != page) {
		err = evict(pb);
	}
	if (err)
		return err;
	if (bytes == PAGE_SIZE)
		return write_whole(pb, page, from);
	return write_part(pb, page, offset, bytes, from);
}

/**
 * mtdc_pagebuf_write() - write bytes
 * @pb: the page buffers
 * @to: offset on the device, in bytes; the range is within the device
 * @bytes: number of bytes
 * @from: the bytes
 * @done: bytes that are written; the write begins there, and an error leaves it where it stopped
 *
 * Context: process, may sleep, store.lock held; runs in the swap-out path.
 * Return: 0, or the error of the store.
 */
int mtdc_pagebuf_write(struct mtdc_pagebuf *pb, u64 to, size_t bytes, const u8 *from, size_t *done)
{
	int err = mtdc_store_alive(pb->store);

	while (!err && *done < bytes) {
		u32 page = (to + *done) >> PAGE_SHIFT;
		u32 offset = offset_in_page(to + *done);
		u32 part = min_t(size_t, bytes - *done, PAGE_SIZE - offset);

		err = write_piece(pb, page, offset, part, from + *done);
		if (!err)
			*done += part;
	}
	return err;
}

static int read_part(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes, u8 *to)
{
	int err;

	if (pb->gather_page == page) {
		/* After this read the page must not turn back into its old contents. */
		pb->one_write = false;
		if (offset < pb->low || offset + bytes > pb->high) {
			err = merge(pb);
			if (err)
				return err;
		}
		memcpy(to, pb->gather + offset, bytes);
		return 0;
	}
	if (unlikely(pb->parked_page == page)) {
		memcpy(to, pb->parked + offset, bytes);
		return 0;
	}
	/* A reader of whole pages does not come back for the same one. */
	if (bytes == PAGE_SIZE && pb->cache_page != page && is_aligned(to))
		return mtdc_store_read(pb->store, page, to);
	err = load(pb, page);
	if (err)
		return err;
	memcpy(to, pb->cache + offset, bytes);
	return 0;
}

/**
 * mtdc_pagebuf_read() - read bytes
 * @pb: the page buffers
 * @from: offset on the device, in bytes; the range is within the device
 * @bytes: number of bytes
 * @to: buffer
 * @done: bytes that are read; the read begins there, and an error leaves it where it stopped
 *
 * Context: process, may sleep, store.lock held.
 * Return: 0, or the error of the store.
 */
int mtdc_pagebuf_read(struct mtdc_pagebuf *pb, u64 from, size_t bytes, u8 *to, size_t *done)
{
	int err = mtdc_store_alive(pb->store);

	while (!err && *done < bytes) {
		u32 page = (from + *done) >> PAGE_SHIFT;
		u32 offset = offset_in_page(from + *done);
		u32 part = min_t(size_t, bytes - *done, PAGE_SIZE - offset);

		err = read_part(pb, page, offset, part, to + *done);
		if (!err)
			*done += part;
	}
	return err;
}

/**
 * mtdc_pagebuf_fetch() - begin to read a page that mtdc_store_finish() can finish without the lock
 * @pb: the page buffers
 * @scratch: takes the fragment
 * @page: the logical page
 *
 * Context: process, may sleep, @scratch->lock and store.lock held.
 * Return: true if mtdc_store_finish() has to do the rest, false if mtdc_pagebuf_read() has to read
 * the page instead.
 */
bool mtdc_pagebuf_fetch(struct mtdc_pagebuf *pb, struct mtdc_scratch *scratch, u32 page)
{
	lockdep_assert_held(&pb->store->lock);
	if (pb->gather_page == page || pb->parked_page == page ||
	    pb->cache_page == page || !pb->store->lower.mtd)
		return false;
	return mtdc_store_fetch(pb->store, scratch, page);
}

/**
 * mtdc_pagebuf_erase() - forget pages
 * @pb: the page buffers
 * @first: the first logical page
 * @n: number of pages
 *
 * Context: process, store.lock held.
 * Return: 0, or -ENODEV if the media are gone.
 */
int mtdc_pagebuf_erase(struct mtdc_pagebuf *pb, u32 first, u32 n)
{
	int err = mtdc_store_alive(pb->store);

	if (err)
		return err;
	if (pb->gather_page - first < n)
		pb->gather_page = NO_PAGE;
	if (pb->parked_page - first < n)
		pb->parked_page = NO_PAGE;
	if (pb->cache_page - first < n)
		pb->cache_page = NO_PAGE;
	mtdc_store_erase(pb->store, first, n);
	return 0;
}

/**
 * mtdc_pagebuf_sync() - write everything that was accepted to the media
 * @pb: the page buffers
 *
 * Context: process, may sleep, store.lock held.
 * Return: 0, -ENODEV if the media are gone, or an error of the media or of the store; a page that
 * the store refused stays in its buffer.
 */
int mtdc_pagebuf_sync(struct mtdc_pagebuf *pb)
{
	int err = mtdc_store_alive(pb->store);
	int gathered, parked;

	if (err)
		return err;
	gathered = flush_gathered(pb);
	parked = flush_parked(pb);
	return mtdc_store_sync(pb->store) ?: gathered ?: parked;
}

/**
 * mtdc_pagebuf_create() - allocate the buffers
 * @pb: the page buffers
 * @store: the store below
 *
 * Return: 0 or -ENOMEM.
 */
int mtdc_pagebuf_create(struct mtdc_pagebuf *pb, struct mtdc_store *store)
{
	pb->store = store;
	pb->gather = kvmalloc(PAGE_SIZE, GFP_KERNEL);
	pb->parked = kvmalloc(PAGE_SIZE, GFP_KERNEL);
	pb->cache = kvmalloc(PAGE_SIZE, GFP_KERNEL);
	pb->gather_page = NO_PAGE;
	pb->parked_page = NO_PAGE;
	pb->cache_page = NO_PAGE;
	if (pb->gather && pb->parked && pb->cache)
		return 0;
	mtdc_pagebuf_destroy(pb);
	return -ENOMEM;
}

/**
 * mtdc_pagebuf_destroy() - free the buffers
 * @pb: the page buffers
 */
void mtdc_pagebuf_destroy(struct mtdc_pagebuf *pb)
{
	kvfree_sensitive(pb->cache, PAGE_SIZE);
	kvfree_sensitive(pb->parked, PAGE_SIZE);
	kvfree_sensitive(pb->gather, PAGE_SIZE);
}
