/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_COST_H
#define COMMON_COST_H

#include <stdint.h>

/* Reads of disks since the system began. */
struct cost_reads {
	uint64_t pages;			/* of 4 KiB */
	uint64_t ms;			/* all reads, one after the other, */
	uint64_t busy_ms;		/* and what disks were busy, writes included */
};

void cost_disks(const char *diskstats, const char *swap, struct cost_reads *reads);
uint64_t cost_page_ns(const struct cost_reads *before, const struct cost_reads *now);
uint64_t cost_swap_ns(void);
uint64_t cost_swap_write_ns(void);
int cost_file_reads(struct cost_reads *reads);

#endif
