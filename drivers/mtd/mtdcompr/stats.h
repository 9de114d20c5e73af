/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a device.
 */
#ifndef MTDC_STATS_H
#define MTDC_STATS_H

#include <linux/limits.h>
#include <linux/types.h>

/* Regions of the media, each with a counter of the bytes written to it. */
#define MTDC_WEAR_REGIONS	128U

/* Buckets of chain lengths: 1, 2, 3-4, 5-8, 9 and more fragments. */
#define MTDC_CHAIN_BUCKETS	5U

/*
 * Buckets of durations: bucket n counts those from 2^(n-1) ns to less than 2^n ns. The last
 * one begins at 4.6 minutes and has no end.
 */
#define MTDC_TIME_BUCKETS	40U

/*
 * One page in so many is timed: to read the clock for each page took 4 % of a write and 10 % of a
 * read (make bench-native). A prime, as requests and swap clusters have powers of two pages.
 */
#define MTDC_TIMED_ONE_IN	17U

/* For mtdc_stats_page(): the page was not timed. */
#define MTDC_NOT_TIMED		U64_MAX

/**
 * struct mtdc_kept - the pages that are kept at the moment
 * @pages: pages kept in each way, by enum mtdc_kind; MTDC_NONE is not counted
 * @chains: stored pages by the length of their chain
 * @fragments: fragments in use
 * @granules: granules in use
 * @payload_bytes: bytes of payload in them
 * @chain_max: longest chain so far
 */
struct mtdc_kept {
	u64 pages[8];
	u64 chains[MTDC_CHAIN_BUCKETS];
	u64 fragments;
	u64 granules;
	u64 payload_bytes;
	u64 chain_max;
};

/**
 * struct mtdc_timing - calls of a compressor for pages that are timed
 * @n: how many
 * @ns: time in them
 */
struct mtdc_timing {
	u64 n;
	u64 ns;
};

/**
 * struct mtdc_latency - pages that were written, or read
 * @n: how many
 * @ns: time that those took that were timed
 * @times: how many of these took how long
 */
struct mtdc_latency {
	u64 n;
	u64 ns;
	u64 times[MTDC_TIME_BUCKETS];
};

/**
 * struct mtdc_stats - counters of one device
 * @kept: the pages that are kept at the moment
 * @writes: pages written to the store
 * @reads: pages read from the store
 * @page_erases: pages forgotten by an erase
 * @merges: partial pages that were completed from their stored rest
 * @compress: calls of the compressor
 * @decompress: calls of the decompressor
 * @slots_freed: pages forgotten because their swap slots were freed
 * @levelled: pages moved in place for even wear
 * @media_written_bytes: bytes written to the media, headers included
 * @media_read_bytes: bytes read from the media, headers included
 * @err_full: writes refused because the media were full
 * @full_untried: how many of these were refused without a try
 * @err_checksum: fragments that differed from the data written
 * @err_decompress: payloads that passed the checksum but not the decompressor
 * @err_media_read: reads that the media failed
 * @err_media_write: writes that the media failed
 * @err_gone: requests after the media had gone
 * @wear: bytes written to each region of the media
 *
 * mtdc_stats_add() takes it as an array of u64.
 */
struct mtdc_stats {
	struct mtdc_kept kept;
	struct mtdc_latency writes;
	struct mtdc_latency reads;
	u64 page_erases;
	u64 merges;
	struct mtdc_timing compress;
	struct mtdc_timing decompress;
	u64 slots_freed;
	u64 levelled;
	u64 media_written_bytes;
	u64 media_read_bytes;
	u64 err_full;
	u64 full_untried;
	u64 err_checksum;
	u64 err_decompress;
	u64 err_media_read;
	u64 err_media_write;
	u64 err_gone;
	u64 wear[MTDC_WEAR_REGIONS];
};

struct mtdc_place;

void mtdc_stats_place(struct mtdc_stats *stats, const struct mtdc_place *place,
		      bool add);
void mtdc_stats_wear(struct mtdc_stats *stats, u64 offset, u64 bytes,
		     u64 region_bytes);

void mtdc_stats_page(struct mtdc_latency *pages, u64 ns);
u64 mtdc_stats_timed(const struct mtdc_latency *pages);
void mtdc_stats_add(struct mtdc_stats *sum, const struct mtdc_stats *part);
u64 mtdc_stats_percentile(const struct mtdc_latency *pages, u32 permille);

#endif /* MTDC_STATS_H */
