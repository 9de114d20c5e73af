/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of swap-outs, of 32 pages side by side in a block: those of a program are seldom alone.
 */
#ifndef PROSWAPD_MONITOR_TABLE_H
#define PROSWAPD_MONITOR_TABLE_H

#include "monitor_record.h"

#define BLOCK_PAGES 32

struct monitor_block {
	uint64_t number;		/* of its first page, by BLOCK_PAGES */
	uint32_t swapped;		/* bit n: page n was in the swap at the last look */
	uint16_t next;			/* in the chain */
	uint8_t slot;
	uint8_t seen;			/* at this look; for those who look */
	struct monitor_record records[BLOCK_PAGES];
};

int monitor_table_open(uint32_t pages);
void monitor_table_close(void);
struct monitor_block *monitor_table_find(unsigned int slot, uint64_t number);
struct monitor_block *monitor_table_get(unsigned int slot, uint64_t number, uint64_t now_us);
void monitor_table_sweep(unsigned int slot);
void monitor_table_forget(unsigned int slot);
void monitor_table_drop(unsigned int slot);
int monitor_table_each(monitor_record_fn fn, void *arg);

#endif
