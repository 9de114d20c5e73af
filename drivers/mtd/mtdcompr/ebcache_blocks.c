// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping of logical to physical eraseblocks, and the spare ones.
 *
 * This file owns the table of a medium's good blocks. It must never map two logical blocks to
 * one physical block, nor use a block again after it was replaced. It does not know how a block
 * fails, nor its contents or size. ebcache.c calls it, and serialises the calls; all of them can
 * run in any context.
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "ebcache_blocks.h"

/*
 * Spare blocks in 1024, as UBI keeps: data sheets of SLC NAND promise that at most 20 blocks in
 * 1024 go bad in the life of a chip (Kconfig help of MTD_UBI_BEB_LIMIT).
 */
#define SPARES_IN_1024	20U

/* With one block, each write of another page would still erase it; a guess. */
#define LOGICAL_MIN	2U

/**
 * mtdc_blocks_memory() - size of the table of a medium
 * @total: number of physical blocks
 *
 * Return: bytes.
 */
size_t mtdc_blocks_memory(u32 total)
{
	return (size_t)total * sizeof(u32);
}

/**
 * mtdc_blocks_init() - set up an empty table
 * @blocks: the table
 * @memory: mtdc_blocks_memory() bytes for it, aligned for a u32
 * @total: number of physical blocks
 */
void mtdc_blocks_init(struct mtdc_blocks *blocks, void *memory, u32 total)
{
	*blocks = (struct mtdc_blocks){ .at = memory, .total = total };
}

/**
 * mtdc_blocks_add() - add a good block
 * @blocks: the table, not yet settled
 * @physical: number of the block, higher than the one before
 */
void mtdc_blocks_add(struct mtdc_blocks *blocks, u32 physical)
{
	blocks->at[blocks->good++] = physical;
}

/**
 * mtdc_blocks_settle() - keep some of the blocks as spare ones
 * @blocks: the table, with all good blocks added
 *
 * The number follows from the total, because more will go bad also if many are bad already.
 *
 * Return: 0, or -ENOSPC if there are too few good blocks.
 */
int mtdc_blocks_settle(struct mtdc_blocks *blocks)
{
	u32 spares = max((u32)((u64)blocks->total * SPARES_IN_1024 >> 10), 1U);

	if (blocks->good < spares + LOGICAL_MIN)
		return -ENOSPC;
	blocks->spares = spares;
	blocks->logical = blocks->good - spares;
	return 0;
}

/**
 * mtdc_blocks_try_spare() - map a logical block to the last spare one
 * @blocks: the table
 * @logical: number of the logical block, whose physical block has failed
 *
 * The caller calls mtdc_blocks_keep_spare() or mtdc_blocks_undo_spare() next.
 *
 * Return: 0, or -ENOSPC if no spare block is left: nothing has changed.
 */
int mtdc_blocks_try_spare(struct mtdc_blocks *blocks, u32 logical)
{
	if (!blocks->spares)
		return -ENOSPC;
	swap(blocks->at[logical], blocks->at[blocks->logical + blocks->spares - 1]);
	return 0;
}

/**
 * mtdc_blocks_keep_spare() - forget the failed block after mtdc_blocks_try_spare()
 * @blocks: the table
 */
void mtdc_blocks_keep_spare(struct mtdc_blocks *blocks)
{
	blocks->spares--;
}

/**
 * mtdc_blocks_undo_spare() - map to the failed block again after mtdc_blocks_try_spare()
 * @blocks: the table
 * @logical: number of the logical block
 *
 * The spare block moves to the front, so that the next try takes another one.
 */
void mtdc_blocks_undo_spare(struct mtdc_blocks *blocks, u32 logical)
{
	u32 *spare = blocks->at + blocks->logical;
	u32 tried = blocks->at[logical];
	u32 i = blocks->spares - 1;

	blocks->at[logical] = spare[i];
	for (; i; i--)
		spare[i] = spare[i - 1];
	spare[0] = tried;
}

#ifdef MTDC_CHECKS
/**
 * mtdc_blocks_check() - verify the invariants, in quadratic time
 * @blocks: the table
 *
 * Return: 0, or -EUCLEAN if a physical block is mapped twice, or does not exist.
 */
int mtdc_blocks_check(const struct mtdc_blocks *blocks)
{
	u32 n = blocks->logical + blocks->spares;
	u32 i, j;

	if (n > blocks->good || blocks->good > blocks->total)
		return -EUCLEAN;
	for (i = 0; i < n; i++) {
		if (blocks->at[i] >= blocks->total)
			return -EUCLEAN;
		for (j = 0; j < i; j++)
			if (blocks->at[i] == blocks->at[j])
				return -EUCLEAN;
	}
	return 0;
}
#endif /* MTDC_CHECKS */
