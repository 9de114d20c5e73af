/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes in, pages out: the three page buffers of a device.
 */
#ifndef MTDC_PAGEBUF_H
#define MTDC_PAGEBUF_H

#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#include "store.h"

/**
 * struct mtdc_pagebuf - the page buffers of one device
 * @store: where pages go
 * @gather: a page that is being written in pieces, or has been in part
 * @parked: a complete page that was accepted and has found no space yet
 * @cache: the page that was read last
 * @gather_page: logical page in @gather
 * @parked_page: logical page in @parked
 * @cache_page: logical page in @cache
 * @low: first byte of @gather that is valid
 * @high: first byte after those that are valid
 * @one_write: all that was done with @gather is to write it from the beginning
 *	in order
 * @merged: @gather has been completed from the store, so that its being
 *	complete does not mean that the writer is done with it
 *
 * All of it is protected by the store's lock.
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
size_t mtdc_pagebuf_memory(const struct mtdc_pagebuf *pb);
int mtdc_pagebuf_write(struct mtdc_pagebuf *pb, u64 to, size_t bytes,
		       const u8 *from, size_t *done);
int mtdc_pagebuf_read(struct mtdc_pagebuf *pb, u64 from, size_t bytes,
		      u8 *to, size_t *done);
bool mtdc_pagebuf_fetch(struct mtdc_pagebuf *pb, struct mtdc_scratch *scratch,
			u32 page);
int mtdc_pagebuf_erase(struct mtdc_pagebuf *pb, u32 first, u32 n);
int mtdc_pagebuf_flush(struct mtdc_pagebuf *pb);
int mtdc_pagebuf_sync(struct mtdc_pagebuf *pb);

/**
 * mtdc_pagebuf_append() - add the next piece to a page, if it is that
 * @pb: the page buffers
 * @to: where to, in bytes
 * @bytes: how many
 * @from: where from
 *
 * A short cut for seven of the eight writes of mtdblock, whose cost is that of
 * getting here. The last one completes the page, and goes the whole way.
 *
 * Context: process, the store's lock held.
 * Return: true if it was, and is done; otherwise nothing has changed.
 */
static inline bool mtdc_pagebuf_append(struct mtdc_pagebuf *pb, u64 to,
				       size_t bytes, const u8 *from)
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
 * mtdc_pagebuf_cached() - read from the page that was read last, if it is that
 * @pb: the page buffers
 * @from: where from, in bytes
 * @bytes: how many
 * @to: where to
 *
 * A short cut for seven of the eight reads of mtdblock.
 *
 * Context: process, the store's lock held.
 * Return: true if it was, and is done; otherwise nothing has changed.
 */
static inline bool mtdc_pagebuf_cached(struct mtdc_pagebuf *pb, u64 from,
				       size_t bytes, u8 *to)
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
