/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What it takes to work on a page beside the store's lock.
 */
#ifndef MTDC_STORE_SCRATCH_H
#define MTDC_STORE_SCRATCH_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "comp.h"
#include "map.h"
#include "stats.h"

/* More processors than this share. */
#define MTDC_SCRATCHES_MAX	8U

/**
 * struct mtdc_scratch - a compressor, and a buffer for what it makes
 * @lock: protects all that follows; taken above the store's lock
 * @comp: the compressor, one page at a time
 * @buffer: room for a header, and a compressed or raw page behind it
 * @data: the page whose contents have been prepared, or NULL
 * @page: the logical page that they are for
 * @place: how and where it is kept, as far as that is known
 * @start: when it was begun to be read, in ns
 * @ns: how long it took to prepare it
 * @err: what came of reading it from the media
 * @stats: what is counted beside the store's lock, to be added to the store's
 */
struct mtdc_scratch {
	struct mutex lock;	/* everything in here */
	struct mtdc_comp comp;
	u8 *buffer;
	const void *data;
	u32 page;
	struct mtdc_place place;
	u64 start;
	u64 ns;
	int err;
	struct mtdc_stats stats;
};

/**
 * struct mtdc_scratches - those of one device
 * @buffer_bytes: size of the buffer of each, and of the store's own
 * @n: how many there are; none where there is one processor, where the media are no
 *	memory, or where there was no memory for them
 * @each: each of them
 *
 * All of it is constant once created.
 */
struct mtdc_scratches {
	size_t buffer_bytes;
	u32 n;
	struct mtdc_scratch *each[MTDC_SCRATCHES_MAX];
};

void mtdc_scratches_create(struct mtdc_scratches *scratches, u32 n,
			   const struct mtdc_comp *like, u32 page_bytes,
			   size_t buffer_bytes);
void mtdc_scratches_destroy(struct mtdc_scratches *scratches);
size_t mtdc_scratches_memory(const struct mtdc_scratches *scratches);
void mtdc_scratches_count(struct mtdc_scratches *scratches,
			  struct mtdc_stats *sum);
struct mtdc_scratch *mtdc_scratch_get(struct mtdc_scratches *scratches);
void mtdc_scratch_put(struct mtdc_scratch *scratch);

#endif /* MTDC_STORE_SCRATCH_H */
