/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order in which processes get places: first those with major faults since the last scan. Of
 * these, those come first that were tried never, or longest ago; then those with the most faults.
 * PURE.
 */
#ifndef PROSWAPD_CONTEST_H
#define PROSWAPD_CONTEST_H

#include <stdbool.h>
#include <stdint.h>
#include "parse.h"

#define CONTEST_PLACES 16
/* Of a scan one user gets no more of them: the processes of one user keep no others out. */
#define CONTEST_OF_USER 8
/* Records of earlier scans: entry = process id modulo this. */
#define CONTEST_SEEN 1024

struct contest_entry {
	pid_t pid;
	uint64_t start;
	uid_t user;			/* set by the caller */
	uint32_t tried_ms;		/* when it lost a place, or got none; 0: never */
	uint32_t score;
	bool of_late;			/* the score is that of the time since the last scan */
};

struct contest {
	unsigned int n;
	unsigned int waiting;		/* processes with major faults since the last scan */
	struct contest_entry best[CONTEST_PLACES];
};

void contest_reset(void);
void contest_begin(struct contest *contest);
void contest_news(struct contest_entry *entry, const struct proc_stat *stat, uint64_t did);
void contest_add(struct contest *contest, const struct contest_entry *entry);
void contest_tried(pid_t pid, uint64_t start, uint32_t now_ms);

#endif
