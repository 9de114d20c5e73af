/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's ways to read more than was asked for: readahead of disks and of the swap, and pages
 * mapped around a fault.
 */
#ifndef PROSWAPD_KNOBS_H
#define PROSWAPD_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

int knobs_swap_readahead(bool on);
int knobs_all(bool on);
int knobs_drop_cache(void);

#endif
