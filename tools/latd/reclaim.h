/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread beside the main loop does what takes the kernel long: it sets limits, pushes memory out
 * and brings pages back. Of each kind the last wish counts.
 */
#ifndef LATD_RECLAIM_H
#define LATD_RECLAIM_H

#include <stdint.h>
#include "processes.h"

/* Longer paths are not dealt with as groups. systemd's and container engines' have some 200. */
#define PATHS_LONGEST 256
/*
 * Groups of the others at a time. More are left out, and their programs stopped by signals. Users
 * share the places (share.h). Guess: a server with as many services.
 */
#define OTHERS_MAX 80

struct group_limit {
	char path[PATHS_LONGEST];
	uint64_t limit;			/* memory.high from now on */
	uint64_t cap;			/* memory.high before latd */
};

int reclaim_start(void);
void reclaim_limit(const struct group_limit *limit);
void reclaim_forget(const char *path);
void reclaim_push(uint64_t bytes, const char *group, struct proc_id victim);
void reclaim_fetch(uint64_t bytes, const struct scan *scan);
void reclaim_stop(void);

#endif
