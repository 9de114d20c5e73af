// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes in, pages out.
 *
 * mtdblock hands a page over as eight writes of 512 bytes, and asks for it in
 * eight reads. This file gathers the writes into one page before the store
 * sees it, and serves the reads from one decompression. Others (mkswap, dd,
 * everything that opens /dev/mtdN) read and write at any offset and length.
 * It knows nothing of compression or of media.
 *
 * The gather buffer holds one page with one range of valid bytes. While
 * writes extend the range, nothing has to be read, which is all that ever
 * happens to a page that is swapped out; it goes to the store the moment it
 * is complete. If a write leaves a gap, or a read wants bytes outside the
 * range, the rest comes from the store. An incomplete page stays in the
 * buffer until another page is written or the device is synced, and reads of
 * it see it; nothing is lost by closing the device.
 *
 * A page that is written in order from its beginning, and that nobody has read
 * or synced before it is complete, is one write: if the store refuses it, the
 * last piece fails, and the page reads as it did before. This is what mtdblock
 * does, whose eight pieces are one request; and only then is it known whether
 * the page, compressed, has room. In any other case bytes that were accepted
 * can't be refused later, so the store is asked first whether it would take
 * the page whatever it will contain. What finds no space in the end
 * nevertheless is parked in a buffer of its own, and others go on; where there is
 * a second such page, writes to other pages are refused. What the media fail to
 * take is lost, and reads as an error.
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

/* No page is in the buffer. */
#define NO_PAGE		U32_MAX

static bool is_gathering(const struct mtdc_pagebuf *pb)
{
	return pb->gather_page != NO_PAGE;
}

static bool is_complete(const struct mtdc_pagebuf *pb)
{
	return pb->low == 0 && pb->high == PAGE_SIZE;
}

/* Does the store take it as it is? */
static bool is_aligned(const void *data)
{
	return IS_ALIGNED((unsigned long)data, sizeof(u64));
}

static void forget(struct mtdc_pagebuf *pb, u32 page)
{
	if (pb->gather_page == page)
		pb->gather_page = NO_PAGE;
	if (pb->cache_page == page)
		pb->cache_page = NO_PAGE;
}

/* Have @page in the cache, as the store has it. */
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

/* Complete the gathered page from what the store has of it. */
static int merge(struct mtdc_pagebuf *pb)
{
	int err;

	if (is_complete(pb))
		return 0;
	err = load(pb, pb->gather_page);
	if (err)
		return err;
	memcpy(pb->gather, pb->cache, pb->low);
	memcpy(pb->gather + pb->high, pb->cache + pb->high,
	       PAGE_SIZE - pb->high);
	pb->low = 0;
	pb->high = PAGE_SIZE;
	pb->merged = true;
	pb->store->stats.merges++;
	return 0;
}

/* Give the complete gathered page to the store; on error it stays here. */
static int put_gathered(struct mtdc_pagebuf *pb)
{
	int err = mtdc_store_write(pb->store, pb->gather_page, pb->gather);

	/* Even after an error: the store may have lost what is cached. */
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

/* Full media, or want of memory: no reason to lose what was accepted. */
static bool is_passing(int err)
{
	return err == -ENOSPC || err == -ENOMEM;
}

/* Give the parked page to the store; on error it stays here. */
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

/* And if the media fail to take it, it is lost: its buffer is wanted. */
static int clear_parked(struct mtdc_pagebuf *pb)
{
	int err = flush_parked(pb);

	if (!err || is_passing(err))
		return err;
	mtdc_store_lose(pb->store, pb->parked_page);
	pb->parked_page = NO_PAGE;
	return 0;
}

/**
 * mtdc_pagebuf_flush() - give to the store what it does not have yet
 * @pb: the page buffers
 *
 * Context: process, may sleep, the store's lock held.
 * Return: 0, or the first error of the store; then what it refused is still
 * here.
 */
int mtdc_pagebuf_flush(struct mtdc_pagebuf *pb)
{
	int err, parked;

	lockdep_assert_held(&pb->store->lock);
	err = flush_gathered(pb);
	parked = flush_parked(pb);
	return err ? err : parked;
}

/* Exchange the page that is gathered, complete or none, for the parked one. */
static void exchange(struct mtdc_pagebuf *pb)
{
	swap(pb->gather, pb->parked);
	swap(pb->gather_page, pb->parked_page);
	pb->low = 0;
	pb->high = PAGE_SIZE;
	pb->one_write = false;
	pb->merged = true;
}

/* Give the gathered page to the store. What finds no space has been accepted, and stays. */
static int settle(struct mtdc_pagebuf *pb)
{
	u32 page = pb->gather_page;
	int err = flush_gathered(pb);

	if (!err || is_passing(err))
		return err;
	forget(pb, page);
	mtdc_store_lose(pb->store, page);
	return 0;
}

/* Is the gathered page one that may still be refused as a whole? */
static bool is_one_write(const struct mtdc_pagebuf *pb)
{
	return is_gathering(pb) && pb->one_write;
}

/*
 * The gathered page, valid up to @high, found no space, and the page for whose sake it
 * was tried is refused: it goes on being one write. Unless the store has lost what it
 * was completed from.
 */
static void resume_one_write(struct mtdc_pagebuf *pb, u32 high)
{
	if (mtdc_store_is_lost(pb->store, pb->gather_page))
		return;
	pb->high = high;
	pb->merged = false;
	pb->one_write = true;
}

/*
 * Make the gather buffer free for another page: what finds no space is parked.
 * Where another one is, the new page is refused until there is space, and one
 * write that is not complete stays one: mtdblock comes with the rest of it, and if
 * both had been accepted nobody would get past them. What could not be completed,
 * for want of memory, is not parked either.
 */
static int evict(struct mtdc_pagebuf *pb)
{
	bool one_write = is_one_write(pb);
	u32 high = pb->high;
	int err = 0;

	/* Both are compressed again for each page that comes, unless few are tried. */
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
	if (one_write)
		resume_one_write(pb, high);
	return err;
}

/* Have the parked page in the gather buffer again. */
static int take_back(struct mtdc_pagebuf *pb)
{
	int err = settle(pb);

	if (err && !is_complete(pb))
		return err;
	exchange(pb);
	return 0;
}

/* A page of which nothing has been accepted goes to the store as it comes. */
static int pass_on(struct mtdc_pagebuf *pb, u32 page, const u8 *from)
{
	/* Even if it fails: the store may have lost what is cached. */
	if (pb->cache_page == page)
		pb->cache_page = NO_PAGE;
	return mtdc_store_write(pb->store, page, from);
}

/*
 * What the pieces that were accepted would have been completed from has been lost: what
 * was refused stays in their stead, as whoever wrote it knows no more than that it failed.
 */
static void keep_refused(struct mtdc_pagebuf *pb, const u8 *from)
{
	memcpy(pb->gather, from, PAGE_SIZE);
	pb->low = 0;
	pb->high = PAGE_SIZE;
	pb->one_write = false;
	pb->merged = true;
}

/*
 * A page in one piece. What was accepted of it before stays until the store has taken
 * this: after an error the page reads as before.
 */
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
	err = pass_on(pb, page, from);
	if (!err)
		pb->gather_page = NO_PAGE;
	else if (is_gathering(pb) && !is_complete(pb) &&
		 mtdc_store_is_lost(pb->store, page))
		keep_refused(pb, from);
	return err;
}

/* Begin to gather a page at @offset; the first piece is there to be looked at. */
static int begin(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes,
		 const u8 *from)
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

/* The piece that completes a page, others of which may have been read already. */
static int write_last(struct mtdc_pagebuf *pb, u32 offset, u32 bytes,
		      const u8 *from)
{
	pb->cache_page = NO_PAGE;
	memcpy(pb->cache, pb->gather, PAGE_SIZE);
	memcpy(pb->cache + offset, from, bytes);
	return write_whole(pb, pb->gather_page, pb->cache);
}

/* A page that came in order, of which nobody knows yet: all of it is taken or none. */
static int put_one_write(struct mtdc_pagebuf *pb)
{
	/* What began like a page of one word need not be one. */
	int err = mtdc_store_screen(pb->store, pb->gather, PAGE_SIZE);

	if (!err)
		err = put_gathered(pb);
	pb->gather_page = NO_PAGE;
	return err;
}

static int write_part(struct mtdc_pagebuf *pb, u32 page, u32 offset,
		      u32 bytes, const u8 *from)
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

static int write_piece(struct mtdc_pagebuf *pb, u32 page, u32 offset,
		       u32 bytes, const u8 *from)
{
	int err = 0;

	if (unlikely(pb->parked_page == page)) {
		/* It stays where it is if what is gathered may still be refused. */
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
 * @to: where to, in bytes; the range is within the device
 * @bytes: how many
 * @from: where from
 * @done: how many were written, also after an error
 *
 * Context: process, may sleep, the store's lock held; runs in the swap-out
 * path.
 * Return: 0, or the error of the store.
 */
int mtdc_pagebuf_write(struct mtdc_pagebuf *pb, u64 to, size_t bytes,
		       const u8 *from, size_t *done)
{
	int err = mtdc_store_alive(pb->store);

	while (!err && *done < bytes) {
		u32 page = (to + *done) >> PAGE_SHIFT;
		u32 offset = offset_in_page(to + *done);
		u32 part = min_t(size_t, bytes - *done,
				 PAGE_SIZE - offset);

		err = write_piece(pb, page, offset, part, from + *done);
		if (!err)
			*done += part;
	}
	return err;
}

static int read_part(struct mtdc_pagebuf *pb, u32 page, u32 offset, u32 bytes,
		     u8 *to)
{
	int err;

	if (pb->gather_page == page) {
		/* Who has read the new bytes must not read the old ones again. */
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
	/* Who reads whole pages reads each of them once. */
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
 * @from: where from, in bytes; the range is within the device
 * @bytes: how many
 * @to: where to
 * @done: how many were read, also after an error
 *
 * Context: process, may sleep, the store's lock held.
 * Return: 0, or the error of the store.
 */
int mtdc_pagebuf_read(struct mtdc_pagebuf *pb, u64 from, size_t bytes,
		      u8 *to, size_t *done)
{
	int err = mtdc_store_alive(pb->store);

	while (!err && *done < bytes) {
		u32 page = (from + *done) >> PAGE_SHIFT;
		u32 offset = offset_in_page(from + *done);
		u32 part = min_t(size_t, bytes - *done,
				 PAGE_SIZE - offset);

		err = read_part(pb, page, offset, part, to + *done);
		if (!err)
			*done += part;
	}
	return err;
}

/**
 * mtdc_pagebuf_fetch() - begin to read a page, to be finished beside the lock
 * @pb: the page buffers
 * @scratch: where to
 * @page: the logical page
 *
 * Context: process, may sleep, @scratch->lock and the store's lock held.
 * Return: true if mtdc_store_finish() has to do the rest; false if the page has to be
 * read by mtdc_pagebuf_read() instead.
 */
bool mtdc_pagebuf_fetch(struct mtdc_pagebuf *pb, struct mtdc_scratch *scratch,
			u32 page)
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
 * Context: process, the store's lock held.
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
 * mtdc_pagebuf_sync() - have the media take all that was accepted
 * @pb: the page buffers
 *
 * Context: process, may sleep, the store's lock held.
 * Return: 0, -ENODEV if the media are gone, or the first error of the media, or of
 * mtdc_pagebuf_flush().
 */
int mtdc_pagebuf_sync(struct mtdc_pagebuf *pb)
{
	int err = mtdc_store_alive(pb->store);
	int unflushed;

	if (err)
		return err;
	/* A page that finds no space is no reason to keep the rest. */
	unflushed = mtdc_pagebuf_flush(pb);
	return mtdc_store_sync(pb->store) ?: unflushed;
}

/**
 * mtdc_pagebuf_create() - allocate the buffers
 * @pb: the page buffers
 * @store: where pages go
 *
 * Context: process, may sleep.
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
 *
 * Context: process, may sleep.
 */
void mtdc_pagebuf_destroy(struct mtdc_pagebuf *pb)
{
	kvfree(pb->cache);
	kvfree(pb->parked);
	kvfree(pb->gather);
}

/**
 * mtdc_pagebuf_memory() - memory that the buffers take
 * @pb: the page buffers
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_pagebuf_memory(const struct mtdc_pagebuf *pb)
{
	return 3 * PAGE_SIZE;
}
