/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many needed pages the apps at the back keep, and how many of them make room for files; and
 * which kind of pages the kernel should reclaim first. The cost of each kind is the time that the
 * app in front took to read such pages back. PURE. Times are microseconds.
 */
#ifndef RECTIFYD_BALANCE_H
#define RECTIFYD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* All of these are guesses. Numbers without a unit are switches. */
/* Memory is plenty after so many switches in a row without reclaim by the kernel. */
#define BALANCE_CALM 8
/* Thrashing: swap took half of the time in so many switches in a row. */
#define BALANCE_THRASHES 3
/* After thrashing nothing is done for so many switches. */
#define BALANCE_REST 16
/* A smaller cost does not count. */
#define BALANCE_LEAST_US 2000
/* Users do not feel a smaller cost. */
#define BALANCE_FELT_US 8000
/* If so many pages are free, neither files nor the next app lack memory: 8 MiB. */
#define BALANCE_ROOM 2048
/* The number of kept pages grows by at least so much. */
#define BALANCE_GROW_LEAST 128
/* Growth was too much if the number of kept pages falls within so many switches after it. */
#define BALANCE_GROWN 16
/* After a fall no growth for so many switches; after too much growth so many times as long. */
#define BALANCE_HOLD 8
#define BALANCE_HOLD_MORE 4
#define BALANCE_HOLD_MOST 4096
/*
 * Pages not known to be needed stay on trial. When they go out again, they may cost TRUST times as
 * much as files cost in about the last LATELY switches of the trial.
 */
#define BALANCE_TRUST 4
#define BALANCE_LATELY 32

/* Figures of the first seconds after a switch. */
struct balance_news {
	uint32_t ms;			/* length of this time */
	uint32_t file_pages;		/* pages of files that were read again */
	uint64_t file_us;		/* time to read file_pages */
	uint64_t anon_us;		/* time to read swapped pages: all, */
	uint64_t hot_us;		/* pages known to be needed, */
	uint64_t cold_us;		/* and other pages */
	int32_t room;			/* free pages beyond a part of memory; negative: fewer */
	bool short_of_memory;		/* the kernel has reclaimed */
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
	uint64_t credit_us;		/* until they have cost this */
	bool stopped;			/* @give has ended once */
	unsigned int calm;		/* switches since memory was short */
	unsigned int thrash;		/* switches in a row that mostly waited for swap */
	unsigned int rest;		/* switches until the rest after thrashing ends */
};

/* Does rectifyd act, and if not, why? */
enum balance_state {
	BALANCE_PLENTY,			/* no: there is memory */
	BALANCE_THRASH,			/* no: apps need more than the memory */
	BALANCE_WORK,
};

/* Should the kernel reclaim anonymous pages first (vm.swappiness)? */
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
