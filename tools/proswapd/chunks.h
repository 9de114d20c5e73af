/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chunks of a process' anonymous memory (layout.h): when each was needed, when it is needed again,
 * and which ones go out and come back. Pages that come in were needed; every kernel shows at least
 * these accesses. PURE.
 */
#ifndef PROSWAPD_CHUNKS_H
#define PROSWAPD_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"

/* Times are milliseconds after the start of the daemon; 0: never. */
struct chunk {
	uint32_t in;			/* bit n: page n is in memory */
	uint32_t out;			/* bit n: page n is in the swap */
	uint32_t used_ms;		/* it was needed: pages came in */
	uint32_t gap_ms;		/* between the last two such times */
	uint32_t pushed_ms;		/* we pushed it out after that use */
	uint32_t fetched_ms;		/* we brought it back after that use */
	uint32_t gone_ms;		/* the kernel took pages of it after that use */
	uint32_t again_ms;		/* it was needed soon after it was pushed out */
	uint32_t looked_ms;		/* the last look at it */
	uint32_t late_ms;		/* the last use was seen at most so long after it */
	bool unsure;			/* gap_ms is unsure: one of both uses was seen late */
};

/* The news of a look at a chunk, in pages. */
struct chunk_news {
	unsigned int came;		/* came in */
	unsigned int again;		/* of these: pushed out too early */
	unsigned int evicted;		/* went out, not by us */
	uint32_t gap_ms;		/* of a new use: time since the last use, */
	uint32_t out_ms;		/* time that the chunk had been pushed out, */
	uint32_t kept_ms;		/* or had stayed before the kernel took it, */
	uint32_t late_ms;		/* the use was seen at most so long after it */
};

void chunk_look(struct chunk *chunk, uint32_t in, uint32_t out, uint32_t now_ms, uint32_t period_ms,
		struct chunk_news *news);
bool chunk_due(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms, uint32_t tick_ms);
uint32_t chunk_next_ms(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms);

/* A process, as the rules see it. */
struct view {
	struct chunk *chunks;
	const struct layout *layout;
	uint32_t period_ms;		/* not 0 */
};

/* A request for pages, and the choice of chunks. */
struct choice {
	uint32_t now_ms;
	uint32_t want;			/* pages */
	uint32_t lead_ms;		/* bring a chunk back so long before it is needed */
	uint32_t horizon_ms;		/* three times the longest period of all */
	bool trim;			/* make the programs as small as they can be */
	uint32_t sum[64];		/* pages by the time to their next use */
	uint32_t from_ms;		/* push out chunks that are needed no sooner, */
	uint32_t above_ms;		/* all chunks that are needed no sooner than that, */
	uint32_t rest;			/* and so many pages of the chunks between */
};

void select_begin(struct choice *choice, uint32_t now_ms, uint32_t want, uint32_t horizon_ms);
void select_count(struct choice *choice, const struct view *view);
void select_decide(struct choice *choice);
bool select_push(struct choice *choice, const struct view *view, uint32_t nr);
bool select_fetch(struct choice *choice, const struct view *view, uint32_t nr);

/*
 * The sample: without pressure nothing goes out by itself, so nothing shows a period. Some chunks
 * that go out on purpose show it: each comes back when it is needed.
 */
/* 10 looks a second, as without a period: a period of 0.4 s shows. */
#define SAMPLE_TICK_MS 100
/* 32 chunks of 32 pages, which go out and in some times a second: 4 MiB. */
#define SAMPLE_CHUNKS 32
/* Look at a sample for 30 s of each 150: most programs have no period. Guesses. */
#define SAMPLE_WINDOW_MS 30000
#define SAMPLE_WINDOWS 5

bool sample_time(uint32_t now_ms);
bool sample_has(uint32_t nr, uint32_t n_chunks, uint32_t now_ms);
bool sample_push(const struct chunk *chunk, uint32_t now_ms);
bool sample_shows(const struct chunk_news *news);

#endif
