/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages of an app are needed when it is in front (during a visit). Every kernel tells which
 * pages were out and were read during a visit: the visit needed them. Pages that stay in memory
 * show nothing. So some needed pages go out, too (they are doubted): if they are read again, they
 * are still needed. PURE.
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
	uint32_t out;			/* not in memory when the visit began */
	uint32_t seen;			/* needed in the last visit, hot, or doubted */
	uint32_t hot;			/* needed in most visits: stays in memory */
	uint32_t doubted;		/* was hot, and goes out to see if it comes back */
};

/* Of a visit, in pages. */
struct usage_sums {
	uint32_t hot;			/* needed pages */
	uint32_t hot_back;		/* pages that came back: hot ones, */
	uint32_t cold_back;		/* and others, without pages seen once, which get hot */
	uint32_t doubted;		/* doubted pages that were out, */
	uint32_t needed;		/* and how many of them came back */
};

void usage_end(struct usage *usage, uint32_t in, bool doubt, struct usage_sums *sums);
uint32_t usage_visits(uint32_t visits, const struct usage_sums *sums);
bool usage_is_doubted(uint32_t nr, uint32_t visit, uint32_t visits);

#endif
