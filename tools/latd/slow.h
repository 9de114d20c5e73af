/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread beside the main loop does what takes the kernel long: a lower limit and memory.reclaim
 * take memory back before write() returns. The calls that another program can hold run in a child
 * of this thread (aside.h). Of each kind the last wish counts.
 */
#ifndef LATD_SLOW_H
#define LATD_SLOW_H

#include <stdint.h>
#include "paths.h"
#include "proc.h"
#include "scan.h"

/* Groups of the others. */
#define SLOW_GROUPS 80

struct slow_group {
	char path[PATHS_LONGEST];
	uint64_t limit;			/* memory.high from now on */
	uint64_t cap;			/* memory.high before latd */
};

int slow_start(void);
void slow_limit(const struct slow_group *groups, unsigned int n);
void slow_forget(const char *path);
void slow_push(uint64_t bytes, const struct slow_group *groups, unsigned int n,
	       struct proc_id victim);
void slow_fetch(uint64_t bytes, const struct scan *scan);
void slow_stop(void);

#endif
