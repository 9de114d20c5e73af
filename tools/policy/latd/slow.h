/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread beside the main loop does what takes the kernel long: a lower limit and memory.reclaim
 * take memory back before write() returns. The calls that another program can hold run in a child
 * of this thread (aside.h). Of each kind the last wish counts.
 */
#ifndef LATD_SLOW_H
#define LATD_SLOW_H

#include <stdint.h>
#include "proc.h"
#include "scan.h"

int slow_start(void);
void slow_limit(uint64_t bytes);
void slow_push(uint64_t bytes, struct proc_id victim);
void slow_fetch(uint64_t bytes, const struct scan *scan);
void slow_stop(void);

#endif
