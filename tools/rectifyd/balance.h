/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much memory the apps at the back keep of what they need, and how much of it files may have
 * instead; and which kind of pages the kernel is to take first. Each side's cost is the time that
 * the app which came to the front took to read it back. PURE. Times are microseconds.
 */
#ifndef RECTIFYD_BALANCE_H
#define RECTIFYD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* All of these are guesses. Numbers without a unit are switches. */
/* Memory is plenty if the kernel did not look for any at so many in a row. */
#define BALANCE_CALM 8
/* Apps need more than the memory if swap took half of the time in so many in a row. */
#define BALANCE_THRASHES 3
/* Then nothing is done for so many. */
#define BALANCE_REST 16
/* A smaller cost does not count. */
#define BALANCE_LEAST_US 2000
/* Users do not feel a smaller cost. */
#define BALANCE_FELT_US 8000
/* If so many pages are free, neither files nor the next app lack memory: 8 MiB. */
#define BALANCE_ROOM 2048
/* The kept pages grow by so many at least. */
#define BALANCE_GROW_LEAST 128
/* Growth was too much if the kept pages shrink within so many. */
#define BALANCE_GROWN 16
/* No growth for so many after they shrank, and so many times longer if growth was too much. */
#define BALANCE_HOLD 8
#define BALANCE_HOLD_MORE 4
#define BALANCE_HOLD_MOST 4096
/* Other pages may cost so many times as much as files while they stayed, in about so many. */
#define BALANCE_TRUST 4
#define BALANCE_LATELY 32

/* Of the first seconds after a switch. */
struct balance_news {
	uint32_t ms;			/* how long that was */
	uint32_t file_pages;		/* that came back, */
	uint64_t file_us;		/* and their price */
	uint64_t anon_us;		/* price of the swapped pages that came back; */
	uint64_t hot_us;		/* of those that were known to be needed, */
	uint64_t cold_us;		/* and of others */
	int32_t room;			/* free pages beyond a part of memory; negative: fewer */
	bool short_of_memory;		/* the kernel has looked for pages to take */
};

struct balance {
	uint32_t keep;			/* needed pages that stay at the back, at most */
	uint64_t file_us;		/* means of the last switches */
	uint64_t hot_us;
	uint64_t cold_us;
	unsigned int grown;		/* switches until growth of @keep was right */
	unsigned int hold;		/* no growth for so many switches, */
	unsigned int next_hold;		/* and for so many the next time */
	bool give;			/* pages that are not known to be needed go out, */
	uint64_t credit_us;		/* until they have cost this; */
	bool stopped;			/* they did once */
	unsigned int calm;		/* switches since memory was short */
	unsigned int thrash;		/* switches in a row that mostly waited for swap */
	unsigned int rest;		/* switches without any act left */
};

/* To act or not, and why. */
enum balance_state {
	BALANCE_PLENTY,			/* nothing: there is memory */
	BALANCE_THRASH,			/* nothing: apps need more than the memory */
	BALANCE_WORK,
};

/* Is the kernel to take anonymous pages first (vm.swappiness)? */
struct lean {
	uint64_t file_us;		/* means of the last switches */
	uint64_t anon_us;
	bool on;
};

void balance_begin(struct balance *balance);
bool balance_counts(bool generations, uint32_t visit, uint32_t since_new, uint32_t apps);
void balance_limit(struct balance_news *news, uint64_t waited_us);
bool balance_gives(const struct balance *balance, const struct balance_news *news);
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t needed);

bool lean_step(struct lean *lean, uint64_t file_us, uint64_t anon_us);

#endif
