/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's DAMON: sees what a process accesses, and pages out what fits a scheme. Mode paper.
 */
#ifndef PROSWAPD_DAMON_H
#define PROSWAPD_DAMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Processes at a time, a kernel thread each. */
#define DAMON_SLOTS 8

bool damon_there(void);
int damon_begin(void);
int damon_aim(unsigned int slot, pid_t pid, uint64_t window_us, bool periodic);
void damon_stop(unsigned int slot);

#endif
