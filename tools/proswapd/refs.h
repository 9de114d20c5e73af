/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accesses to a process' memory, by the kernel's marks in the page table: of each mapping
 * as a whole, as the files tell no more. For kernels without DAMON; mode paper.
 */
#ifndef PROSWAPD_REFS_H
#define PROSWAPD_REFS_H

#include "layout.h"
#include "proc.h"

int refs_clear(struct proc_id id);
int refs_read(struct proc_id id, const struct layout *layout, unsigned int *permille);

#endif
