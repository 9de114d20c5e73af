/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page buffers: bytes in, pages out.
 *
 * Functions without a Context line run in process context and may sleep.
 */
#ifndef MTDC_PAGEBUF_H
#define MTDC_PAGEBUF_H

#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#include "store.h"

/* Memory of the buffers of one device. */
#define MTDC_PAGEBUF_BYTES	(3 * PAGE_SIZE)

/**
 * struct mtdc_pagebuf - the page buffers of one device
 * @store: the store below
 * @gather: a page that is written in pieces
 * @parked: a complete page that was accepted and found no space yet
 * @cache: the page that was read last
 * @gather_page: number of the page in @gather
 * @parked_page: number of the page in @parked
 * @cache_page: number of the page in @cache
 * @low: offset of the first valid byte in @gather
 * @high: offset behind the last valid byte in @gather
 * @one_write: @gather was only written, in order, from the beginning of the page
 * @merged: the store has supplied bytes of @gather, so the writer may not be done with it
 *
 * store.lock protects all of it.
 */
struct mtdc_pagebuf {
	struct mtdc_store *store;
	u8 *gather;
	u8 *parked;
	u8 *cache;
	u32 gather_page;
	u32 parked_page;
	u32 cache_page;
	u32 low;
	u32 high;
	bool one_write;
	bool merged;
};

int mtdc_pagebuf_create(struct mtdc_pagebuf *pb, struct mtdc_store *store);
void mtdc_pagebuf_destroy(struct mtdc_pagebuf *pb);
int mtdc_pagebuf_write(struct mtdc_pagebuf *pb, u64 to, size_t bytes, const u8 *from, size_t *done);
int mtdc_pagebuf_read(struct mtdc_pagebuf *pb, u64 from, size_t bytes, u8 *to, size_t *done);
bool mtdc_pagebuf_fetch(struct mtdc_pagebuf *pb, struct mtdc_scratch *scratch, u32 page);
int mtdc_pagebuf_erase(struct mtdc_pagebuf *pb, u32 first, u32 n);
int mtdc_pagebuf_sync(struct mtdc_pagebuf *pb);

/**
 * mtdc_pagebuf_append() - write the next piece of the gathered page, unless it completes the page
 * @pb: the page buffers
 * @to: offset on the device, in bytes
 * @bytes: number of bytes
 * @from: the bytes
 *
 * A short cut for six of the eight writes that mtdblock makes of a page.
 *
 * Context: process, store.lock held.
 * Return: true if the piece is written; otherwise nothing has changed.
 */
static inline bool mtdc_pagebuf_append(struct mtdc_pagebuf *pb, u64 to, size_t bytes,
				       const u8 *from)
{
	u32 offset = offset_in_page(to);

	if (pb->gather_page != to >> PAGE_SHIFT || pb->high != offset ||
	    bytes >= PAGE_SIZE - offset || !pb->store->lower.mtd)
		return false;
	memcpy(pb->gather + offset, from, bytes);
	pb->high = offset + bytes;
	return true;
}

/**
 * mtdc_pagebuf_cached() - read bytes of the page that was read last
 * @pb: the page buffers
 * @from: offset on the device, in bytes
 * @bytes: number of bytes
 * @to: buffer
 *
 * A short cut for seven of the eight reads that mtdblock makes of a page.
 *
 * Context: process, store.lock held.
 * Return: true if the bytes are read; otherwise nothing has changed.
 */
static inline bool mtdc_pagebuf_cached(struct mtdc_pagebuf *pb, u64 from, size_t bytes, u8 *to)
{
	u32 page = from >> PAGE_SHIFT;
	u32 offset = offset_in_page(from);

	if (pb->cache_page != page || pb->gather_page == page ||
	    bytes > PAGE_SIZE - offset || !pb->store->lower.mtd)
		return false;
	memcpy(to, pb->cache + offset, bytes);
	return true;
}

#endif /* MTDC_PAGEBUF_H */
