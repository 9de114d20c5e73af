/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sums of /proc/PID/smaps, or of smaps_rollup, which has them already. PURE.
 */
#ifndef MEMTRACE_SMAPS_H
#define MEMTRACE_SMAPS_H

#include <stdint.h>

/* KiB, all of them. Huge pages of hugetlbfs are in none. */
struct smaps {
	uint64_t rss;
	uint64_t pss;
	uint64_t shared;		/* clean and dirty */
	uint64_t private;		/* clean and dirty */
	uint64_t anonymous;
	uint64_t swap;
	uint64_t swap_pss;
	unsigned int mappings;		/* 0: there was nothing to add */
};

void smaps_add(struct smaps *smaps, const char *line);

#endif
