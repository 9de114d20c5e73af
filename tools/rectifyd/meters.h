/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's counters, and the cost of a page: the news of a switch.
 */
#ifndef RECTIFYD_METERS_H
#define RECTIFYD_METERS_H

#include "balance.h"

void meters_begin(uint32_t now_ms);
void meters_switch(uint32_t now_ms, const char *group);
int meters_read(uint32_t now_ms, struct balance_news *news);
uint64_t meters_taken(void);
uint64_t meters_file_ns(void);
uint64_t meters_swap_ns(void);
uint64_t meters_swap_us(uint64_t pages);

#endif
