// SPDX-License-Identifier: GPL-2.0
/*
 * Counting.
 *
 * This file knows which counters an event changes; the store calls it, and proc.c prints the
 * counters. It also runs in user space, so it must not take a lock, sleep, allocate or print.
 * The caller serialises all calls; they are safe in any context.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "map.h"
#include "stats.h"

/* Chains of 1, 2, 3 to 4, 5 to 8 and more fragments. */
static unsigned int chain_bucket(unsigned int n)
{
	return min_t(u32, fls64(n - 1), MTDC_CHAIN_BUCKETS - 1);
}

/**
 * mtdc_stats_place() - count a page in or out
 * @stats: the counters
 * @place: where the page is, or was
 * @add: true to count it in, false to count it out
 */
void mtdc_stats_place(struct mtdc_stats *stats, const struct mtdc_place *place,
		      bool add)
{
	struct mtdc_kept *kept = &stats->kept;
	u64 sign = add ? 1 : -1ULL;

	if (place->kind == MTDC_NONE)
		return;
	kept->pages[place->kind] += sign;
	if (!place->n)
		return;
	kept->chains[chain_bucket(place->n)] += sign;
	kept->fragments += sign * place->n;
	kept->payload_bytes += sign * place->bytes;
	kept->granules += sign * mtdc_place_granules(place);
	kept->chain_max = max_t(u64, kept->chain_max, place->n);
}

/**
 * mtdc_stats_wear() - count a write to the media
 * @stats: the counters
 * @offset: where it began, in bytes
 * @bytes: its length
 * @region_bytes: size of a wear region, at least 1; all regions together
 *	cover the media
 */
void mtdc_stats_wear(struct mtdc_stats *stats, u64 offset, u64 bytes,
		     u64 region_bytes)
{
	stats->media_written_bytes += bytes;
	while (bytes) {
		u32 region = div64_u64(offset, region_bytes);
		u64 part = min((region + 1ULL) * region_bytes - offset, bytes);

		if (region >= MTDC_WEAR_REGIONS)
			return;
		stats->wear[region] += part;
		offset += part;
		bytes -= part;
	}
}

/**
 * mtdc_stats_page() - count a page
 * @pages: the pages
 * @ns: how long it took, or MTDC_NOT_TIMED
 */
void mtdc_stats_page(struct mtdc_latency *pages, u64 ns)
{
	pages->n++;
	if (likely(ns == MTDC_NOT_TIMED))
		return;
	pages->ns += ns;
	pages->times[min_t(u32, fls64(ns), MTDC_TIME_BUCKETS - 1)]++;
}

/**
 * mtdc_stats_timed() - how many pages were timed
 * @pages: the pages
 *
 * Return: their number.
 */
u64 mtdc_stats_timed(const struct mtdc_latency *pages)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < MTDC_TIME_BUCKETS; i++)
		n += pages->times[i];
	return n;
}

/**
 * mtdc_stats_add() - add the counters of a scratch
 * @sum: the counters
 * @part: the counters to add, of events only: its @kept is 0
 */
void mtdc_stats_add(struct mtdc_stats *sum, const struct mtdc_stats *part)
{
	const u64 *from = (const u64 *)part;
	u64 *to = (u64 *)sum;
	u32 i;

	BUILD_BUG_ON(sizeof(*sum) % sizeof(*to));
	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

/**
 * mtdc_stats_percentile() - time within which a share of the pages was done
 * @pages: the pages
 * @permille: the share, 1 to 1000
 *
 * Return: ns, rounded up to a power of two; 0 if no page was timed.
 */
u64 mtdc_stats_percentile(const struct mtdc_latency *pages, u32 permille)
{
	u64 timed = mtdc_stats_timed(pages);
	u64 rank = div_u64(timed * permille + 999, 1000);
	u32 i;

	for (i = 0; rank > pages->times[i]; i++)
		rank -= pages->times[i];
	return timed ? 1ULL << i : 0;
}
