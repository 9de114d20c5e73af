/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of a process' memory was accessed, by the kernel's marks in the page table: of each mapping
 * as a whole, as the files tell no more. For kernels without DAMON; mode paper.
 */
#ifndef PROSWAPD_REFS_H
#define PROSWAPD_REFS_H

#include "layout.h"

int refs_clear(int pid);
int refs_read(int pid, const struct layout *layout, unsigned int *permille);

#endif
