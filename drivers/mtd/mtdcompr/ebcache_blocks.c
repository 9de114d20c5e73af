// SPDX-License-Identifier: GPL-2.0
/*
 * The good eraseblocks: a logical block is a physical one that worked so far.
 *
 * This unit knows which blocks are in use, and how many are kept aside for
 * those that will fail. It does not know how a block is found to be bad, what
 * is in it, or how large it is.
 */
#include <linux/errno.h>
#include <linux/minmax.h>

#include "ebcache_blocks.h"

/*
 * Spare blocks in 1024, as UBI keeps: data sheets of SLC NAND promise that no
 * more than 20 blocks in 1024 go bad in the life of a chip (Kconfig help of
 * MTD_UBI_BEB_LIMIT).
 */
#define SPARES_IN_1024	20U

/* With fewer, a device is not worth its name. */
#define LOGICAL_MIN	2U

/**
 * mtdc_blocks_memory() - memory that the table of a medium takes
 * @total: number of physical blocks
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_blocks_memory(u32 total)
{
	return (size_t)total * sizeof(u32);
}

/**
 * mtdc_blocks_init() - set up an empty table
 * @blocks: the table
 * @memory: what it lives in, mtdc_blocks_memory() bytes, aligned for a u32
 * @total: number of physical blocks
 *
 * Context: any; the caller serialises.
 */
void mtdc_blocks_init(struct mtdc_blocks *blocks, void *memory, u32 total)
{
	blocks->at = memory;
	blocks->total = total;
	blocks->good = 0;
	blocks->logical = 0;
	blocks->spares = 0;
}

/**
 * mtdc_blocks_add() - add a good block
 * @blocks: the table, not yet settled
 * @physical: number of the block, higher than the one before
 *
 * Context: any; the caller serialises.
 */
void mtdc_blocks_add(struct mtdc_blocks *blocks, u32 physical)
{
	blocks->at[blocks->good++] = physical;
}

/**
 * mtdc_blocks_settle() - keep some of the blocks aside
 * @blocks: the table, with all good blocks added
 *
 * The number follows from all blocks: where many are bad already, more will be.
 *
 * Context: any; the caller serialises.
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

static void exchange_with_last_spare(struct mtdc_blocks *blocks, u32 logical)
{
	swap(blocks->at[logical],
	     blocks->at[blocks->logical + blocks->spares - 1]);
}

/**
 * mtdc_blocks_try_spare() - let a spare block stand for a logical one
 * @blocks: the table
 * @logical: number of the logical block, whose physical one has failed
 *
 * To be followed by mtdc_blocks_keep_spare() or mtdc_blocks_undo_spare().
 *
 * Context: any; the caller serialises.
 * Return: 0, or -ENOSPC if no spare one is left: nothing changed.
 */
int mtdc_blocks_try_spare(struct mtdc_blocks *blocks, u32 logical)
{
	if (!blocks->spares)
		return -ENOSPC;
	exchange_with_last_spare(blocks, logical);
	return 0;
}

/**
 * mtdc_blocks_keep_spare() - forget the block that the spare one stands for
 * @blocks: the table
 *
 * Context: any; the caller serialises.
 */
void mtdc_blocks_keep_spare(struct mtdc_blocks *blocks)
{
	blocks->spares--;
}

/**
 * mtdc_blocks_undo_spare() - go back to the block that failed first
 * @blocks: the table
 * @logical: number of the logical block
 *
 * The next one to be tried is another spare block, if there is one.
 *
 * Context: any; the caller serialises.
 */
void mtdc_blocks_undo_spare(struct mtdc_blocks *blocks, u32 logical)
{
	u32 *spare = blocks->at + blocks->logical;
	u32 last, i;

	exchange_with_last_spare(blocks, logical);
	last = spare[blocks->spares - 1];
	for (i = blocks->spares - 1; i; i--)
		spare[i] = spare[i - 1];
	spare[0] = last;
}

#ifdef MTDC_CHECKS
/**
 * mtdc_blocks_check() - verify the invariants
 * @blocks: the table
 *
 * Takes time that grows with the square of the number of blocks.
 *
 * Context: any; the caller serialises.
 * Return: 0, or -EUCLEAN if two blocks stand for the same one, or one for none.
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
