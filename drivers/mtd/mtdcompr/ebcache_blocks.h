/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mapping of logical to physical eraseblocks.
 */
#ifndef MTDC_EBCACHE_BLOCKS_H
#define MTDC_EBCACHE_BLOCKS_H

#include <linux/types.h>

/* Eraseblocks of a medium at most: 64 GiB of 64 KiB each. */
#define MTDC_BLOCKS_MAX		0x100000U

/**
 * struct mtdc_blocks - the good eraseblocks of one medium
 * @at: the physical block of each logical block; then the spare blocks
 * @total: number of physical blocks
 * @good: number of blocks that were good at the attach
 * @logical: number of logical blocks
 * @spares: number of spare blocks that are left
 */
struct mtdc_blocks {
	u32 *at;
	u32 total;
	u32 good;
	u32 logical;
	u32 spares;
};

size_t mtdc_blocks_memory(u32 total);
void mtdc_blocks_init(struct mtdc_blocks *blocks, void *memory, u32 total);
void mtdc_blocks_add(struct mtdc_blocks *blocks, u32 physical);
int mtdc_blocks_settle(struct mtdc_blocks *blocks);
int mtdc_blocks_try_spare(struct mtdc_blocks *blocks, u32 logical);
void mtdc_blocks_keep_spare(struct mtdc_blocks *blocks);
void mtdc_blocks_undo_spare(struct mtdc_blocks *blocks, u32 logical);
int mtdc_blocks_check(const struct mtdc_blocks *blocks);

#endif /* MTDC_EBCACHE_BLOCKS_H */
