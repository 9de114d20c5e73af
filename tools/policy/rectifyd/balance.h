/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much memory the apps at the back keep of what they need, and how much of it files may have
 * instead. Each side's cost is what was read back since the last switch, in time. PURE.
 */
#ifndef RECTIFYD_BALANCE_H
#define RECTIFYD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Since the last switch. Times are microseconds. */
struct balance_news {
	uint32_t ms;			/* how long that was */
	uint64_t file_us;		/* file pages that came back, by what one costs */
	uint64_t anon_us;		/* and anonymous ones */
	int32_t room;			/* pages that are free, beyond what has to be; or fewer */
	bool short_of_memory;		/* the kernel has looked for pages to take back */
};

struct balance {
	uint32_t keep;			/* at most so many stay of what is needed at the back */
	uint32_t too_much;		/* with as many, files had to be read again */
	unsigned int held;		/* switches that had room for more, since then */
	unsigned int settle;		/* switches for which files pay for what was before */
	unsigned int quiet;		/* switches since files had to be read again */
	unsigned int calm;		/* switches since memory was short */
	unsigned int thrash;		/* switches in a row that mostly waited for swap */
	unsigned int rest;		/* switches for which nothing is done */
};

/* What is to be done, and why. */
enum balance_state {
	BALANCE_PLENTY,			/* nothing: there is memory */
	BALANCE_THRASH,			/* nothing: what is needed is larger than the memory */
	BALANCE_WORK,
};

void balance_begin(struct balance *balance);
uint32_t balance_lacks(const struct balance *balance, const struct balance_news *news);
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t needed);

#endif
