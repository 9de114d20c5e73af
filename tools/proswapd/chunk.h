/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chunk of a process' anonymous memory (layout.h), and when it was needed. What
 * comes in was needed then: that is all that every kernel tells of accesses. PURE.
 */
#ifndef PROSWAPD_CHUNK_H
#define PROSWAPD_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

/* Times are milliseconds after the start of the daemon; 0: never. */
struct chunk {
	uint32_t in;			/* bit n: page n is in memory */
	uint32_t out;			/* bit n: page n is in the swap */
	uint32_t used_ms;		/* it was needed: pages came in */
	uint32_t gap_ms;		/* between the last two such times */
	uint32_t pushed_ms;		/* it was pushed out by us, after it was used */
	uint32_t fetched_ms;		/* it was brought back by us, after it was used */
	uint32_t gone_ms;		/* the kernel took pages of it, after it was used */
	uint32_t again_ms;		/* it was needed soon after it was pushed out */
	uint32_t looked_ms;		/* the last look at it */
	uint32_t late_ms;		/* its last use was seen so long after it, at most */
	bool unsure;			/* gap_ms is: one of the two was seen late */
};

/* What a look at a chunk showed, in pages. */
struct chunk_news {
	unsigned int came;		/* came in */
	unsigned int again;		/* of these: it had been pushed out too early */
	unsigned int evicted;		/* went out, not by us */
	uint32_t gap_ms;		/* the time since the last use, if this is a new one, */
	uint32_t out_ms;		/* for how long it had been pushed out, */
	uint32_t kept_ms;		/* or had stayed before the kernel took it, */
	uint32_t late_ms;		/* and so long after it this was seen, at most */
};

void chunk_look(struct chunk *chunk, uint32_t in, uint32_t out, uint32_t now_ms, uint32_t period_ms,
		struct chunk_news *news);
bool chunk_due(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms, uint32_t tick_ms);
uint32_t chunk_next_ms(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms);

#endif
