/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What takes the kernel long is done by a thread beside the main loop: a lower limit and
 * memory.reclaim take memory back before write() returns. Of each kind the last wish counts.
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
