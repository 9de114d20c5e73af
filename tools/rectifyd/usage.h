/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages of an app are needed when it is in front. Every kernel tells which pages were out and
 * came in during a visit: these were needed in it. Pages that stay in memory show nothing. So some
 * of them go out, too, and show by their return that they are still needed. PURE.
 */
#ifndef RECTIFYD_USAGE_H
#define RECTIFYD_USAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Each kept page is doubted once in so many visits, at least and at most: guesses. */
#define USAGE_VISITS 8
#define USAGE_VISITS_MOST 64

/* Of a chunk; bit n: page n. */
struct usage {
	uint32_t out;			/* it was not in memory when the visit began */
	uint32_t seen;			/* it was needed in the last visit, or is hot */
	uint32_t hot;			/* it is needed in most visits: it stays */
	uint32_t doubted;		/* it was hot, and goes out to see whether it comes back */
};

/* Of a visit, in pages. */
struct usage_sums {
	uint32_t hot;			/* needed pages */
	uint32_t hot_back;		/* pages that came back: needed ones, */
	uint32_t cold_back;		/* and others, if they are not needed now */
	uint32_t doubted;		/* doubted pages that were out, */
	uint32_t needed;		/* and how many of them came back */
};

void usage_end(struct usage *usage, uint32_t in, bool doubt, struct usage_sums *sums);
uint32_t usage_visits(uint32_t visits, const struct usage_sums *sums);
bool usage_is_doubted(uint32_t nr, uint32_t visit, uint32_t visits);

#endif
