/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scratches: for work on a page without the store's lock.
 */
#ifndef MTDC_STORE_SCRATCH_H
#define MTDC_STORE_SCRATCH_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "comp.h"
#include "map.h"
#include "stats.h"

/* Further processors share scratches: each takes the memory of a compressor. A guess. */
#define MTDC_SCRATCHES_MAX	8U

/**
 * struct mtdc_scratch - a compressor, and a buffer for its output
 * @lock: protects the rest; taken above the store's lock
 * @comp: the compressor, one page at a time
 * @buffer: room for a header, and a compressed or raw page behind it
 * @data: the contents that have been prepared for a write, or NULL
 * @page: the logical page that they are for
 * @place: kind, word, length and generation of the page; when it is read, its place
 * @turn: counts the pages that are prepared
 * @start: when the read of the page began, in ns, or MTDC_NOT_TIMED
 * @ns: time that preparing took, or MTDC_NOT_TIMED
 * @err: result of reading the page from the media
 * @stats: counters of the work without the store's lock
 */
struct mtdc_scratch {
	struct mutex lock;	/* the rest */
	struct mtdc_comp comp;
	u8 *buffer;
	const void *data;
	u32 page;
	struct mtdc_place place;
	u32 turn;
	u64 start;
	u64 ns;
	int err;
	struct mtdc_stats stats;
};

/**
 * struct mtdc_scratches - the scratches of one device, constant once created
 * @buffer_bytes: size of the buffer of each, and of the store's own
 * @n: how many there are; 0 with one processor, if the media are not memory, or if there
 *	was no memory for a scratch
 * @each: each of them
 */
struct mtdc_scratches {
	size_t buffer_bytes;
	u32 n;
	struct mtdc_scratch *each[MTDC_SCRATCHES_MAX];
};

void mtdc_scratches_create(struct mtdc_scratches *scratches, u32 n, const struct mtdc_comp *like,
			   u32 page_bytes, size_t buffer_bytes);
void mtdc_scratches_destroy(struct mtdc_scratches *scratches);
size_t mtdc_scratches_memory(const struct mtdc_scratches *scratches);
void mtdc_scratches_count(struct mtdc_scratches *scratches, struct mtdc_stats *sum);
struct mtdc_scratch *mtdc_scratch_get(struct mtdc_scratches *scratches);
void mtdc_scratch_put(struct mtdc_scratch *scratch);

#endif /* MTDC_STORE_SCRATCH_H */
