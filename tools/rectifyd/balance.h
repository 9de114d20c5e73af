/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much memory the apps at the back keep of what they need, and how much of it files may have
 * instead. Each side's cost is what the app that came read back then, in time. PURE.
 */
#ifndef RECTIFYD_BALANCE_H
#define RECTIFYD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Of the first seconds after a switch. Times are microseconds. */
struct balance_news {
	uint32_t ms;			/* how long that was */
	uint32_t file_pages;		/* that came back, */
	uint64_t file_us;		/* by what one costs */
	uint64_t anon_us;		/* and anonymous ones; */
	uint64_t hot_us;		/* those that were known to be needed, */
	uint64_t cold_us;		/* and others */
	int32_t room;			/* pages that are free, beyond what has to be; or fewer */
	bool short_of_memory;		/* the kernel has looked for pages to take back */
};

struct balance {
	uint32_t keep;			/* at most so many stay of what is needed at the back */
	uint64_t file_us;		/* what they cost at a switch, of late */
	uint64_t hot_us;
	uint64_t cold_us;
	unsigned int grown;		/* it grew within so many */
	unsigned int hold;		/* it does not grow for so many, */
	unsigned int next_hold;		/* and so many the next time */
	bool give;			/* what is not known to be needed goes out, */
	uint64_t credit_us;		/* unless it has cost more than that; */
	bool stopped;			/* that was tried */
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
bool balance_counts(bool generations, uint32_t visit, uint32_t since_new, uint32_t apps);
void balance_limit(struct balance_news *news, uint64_t waited_us);
bool balance_gives(const struct balance *balance, const struct balance_news *news);
bool balance_keeps(const struct balance *balance);
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t needed);

#endif
