/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode paper: algorithm 2 as it is printed, for each process by itself.
 */
#ifndef PROSWAPD_PAPER_H
#define PROSWAPD_PAPER_H

#include "config.h"

int paper_begin(const struct config *config);
uint32_t paper_step(const struct config *config, uint32_t now_ms, bool dry_run);
const char *paper_access(void);

#endif
