/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second thread does the work that takes the kernel long: it sets limits, pushes memory out and
 * brings pages back. The last request of each kind replaces earlier ones.
 */
#ifndef LATD_RECLAIM_H
#define LATD_RECLAIM_H

#include <stdint.h>
#include "processes.h"

/* Groups with longer paths are not used. Paths of systemd and container engines have about 200. */
#define PATHS_LONGEST 256
/*
 * Groups of the others at a time. The programs of further groups are stopped by signals. Users
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
