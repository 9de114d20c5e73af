/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of hits and misses of the page cache. PURE.
 */
#ifndef MEMTRACE_CACHESTAT_H
#define MEMTRACE_CACHESTAT_H

#include <stdbool.h>
#include <stdint.h>

/* Calls that were counted. */
struct cache_calls {
	uint64_t accessed;		/* pages marked as accessed */
	uint64_t added;			/* pages put into the cache */
	uint64_t dirtied;		/* pages that became dirty */
	uint64_t buffers;		/* buffers that became dirty */
};

/* What /proc/vmstat has counted. A kernel that does not count something leaves it unknown. */
struct cache_vmstat {
	uint64_t read_kib;		/* read from block devices */
	uint64_t swapped_in;		/* pages */
	uint64_t dirtied;		/* pages */
	uint64_t major_faults;
	uint64_t refaults;		/* file pages that were dropped too early */
	bool has_dirtied;
	bool has_refaults;
};

struct cache_figures {
	uint64_t hits;
	uint64_t misses;
	uint64_t dirtied;
};

bool cachestat_profile(const char *text, const char *event, uint64_t *hits);
void cachestat_calls(const struct cache_calls *from, const struct cache_calls *to,
		     struct cache_figures *figures);
bool cachestat_vmstat(const char *text, struct cache_vmstat *vmstat);
uint64_t cachestat_misses(const struct cache_vmstat *from, const struct cache_vmstat *to,
			  unsigned int page_kib);

#endif
