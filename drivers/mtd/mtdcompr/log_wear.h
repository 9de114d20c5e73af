/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Erase counts, and which block they speak for.
 */
#ifndef MTDC_LOG_WEAR_H
#define MTDC_LOG_WEAR_H

#include <linux/limits.h>
#include <linux/types.h>

/* No block. */
#define MTDC_WEAR_NONE		U32_MAX

/**
 * enum mtdc_wear_pool - why a block can be chosen
 * @MTDC_WEAR_OUT: it can't: it is open, being emptied or bad
 * @MTDC_WEAR_FREE: to be erased and written
 * @MTDC_WEAR_USED: to be emptied
 */
enum mtdc_wear_pool {
	MTDC_WEAR_OUT,
	MTDC_WEAR_FREE,
	MTDC_WEAR_USED
};

/**
 * struct mtdc_wear - the erase counts of one medium
 * @erases: count of each block
 * @least_free: tree of winners: the free block that was erased least
 * @most_free: the same: the free one that was erased most
 * @least_used: the same: the used one that was erased least
 * @pool: pool of each block, or that its count is not known yet
 * @blocks: number of blocks
 * @nfree: number of free blocks
 * @spread: bound of the difference between two counts
 *
 * The caller serialises all access.
 */
struct mtdc_wear {
	u32 *erases;
	u32 *least_free;
	u32 *most_free;
	u32 *least_used;
	u8 *pool;
	u32 blocks;
	u32 nfree;
	u32 spread;
};

size_t mtdc_wear_memory(u32 blocks);
void mtdc_wear_init(struct mtdc_wear *wear, void *memory, u32 blocks,
		    u32 spread);
void mtdc_wear_know(struct mtdc_wear *wear, u32 block, u32 erases);
void mtdc_wear_guess(struct mtdc_wear *wear);
void mtdc_wear_put(struct mtdc_wear *wear, u32 block,
		   enum mtdc_wear_pool pool);
void mtdc_wear_erased(struct mtdc_wear *wear, u32 block);
u32 mtdc_wear_least(const struct mtdc_wear *wear);
u32 mtdc_wear_most(const struct mtdc_wear *wear);
u32 mtdc_wear_rested(const struct mtdc_wear *wear);
int mtdc_wear_check(const struct mtdc_wear *wear);

#endif /* MTDC_LOG_WEAR_H */
