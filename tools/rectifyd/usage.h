/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages of an app are needed when it is in front. A page that was out and came in during a
 * visit was needed in it: every kernel tells that. What stays in memory shows nothing; so a part of
 * it goes out, too, and shows by its return whether it is needed still. PURE.
 */
#ifndef RECTIFYD_USAGE_H
#define RECTIFYD_USAGE_H

#include <stdbool.h>
#include <stdint.h>

/* What is kept in memory is doubted each so many visits: at least, at most. */
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
	uint32_t hot;			/* what is needed */
	uint32_t hot_back;		/* what had gone out though it is needed, */
	uint32_t cold_back;		/* and though it was not known to be, nor is now */
	uint32_t doubted;		/* what was doubted, */
	uint32_t needed;		/* and is needed nevertheless */
};

void usage_begin(struct usage *usage, uint32_t out);
void usage_end(struct usage *usage, uint32_t in, bool doubt, struct usage_sums *sums);
uint32_t usage_visits(uint32_t visits, const struct usage_sums *sums);
bool usage_is_doubted(uint32_t nr, uint32_t visit, uint32_t visits);

#endif
