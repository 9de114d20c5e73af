// SPDX-License-Identifier: GPL-2.0
/*
 * Erase counts, and which block they speak for.
 *
 * This unit knows how often each block was erased, and which blocks are free or
 * in use. It does not know what is in them, nor erases or moves anything. It
 * takes no lock, sleeps, allocates and prints nothing.
 *
 * Three questions are asked of two sets that change with every block: the least
 * and the most worn of those that are free, and the least worn of those in use.
 * Each is answered by a tree of winners in an array: the leaves are the blocks,
 * block b at blocks + b, and each node above says which one of its two children
 * wins, up to node 1. A change is O(log n), and there is nothing to allocate.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "log_label.h"
#include "log_wear.h"

/* Not a pool: the count is not known, and the block is in none. */
#define MTDC_WEAR_UNKNOWN	0xff

/* Does @a win against @b? Of two equal counts, the one with the lower number does. */
static bool wins(const struct mtdc_wear *wear, u32 a, u32 b, bool most)
{
	u32 erases_a = wear->erases[a], erases_b = wear->erases[b];

	if (erases_a == erases_b)
		return a < b;
	return most ? erases_a > erases_b : erases_a < erases_b;
}

/* Who plays for @node in the tree of @pool. */
static u32 contender(const struct mtdc_wear *wear, const u32 *tree, u32 node,
		     enum mtdc_wear_pool pool)
{
	if (node < wear->blocks)
		return tree[node];
	node -= wear->blocks;
	return wear->pool[node] == pool ? node : MTDC_WEAR_NONE;
}

static u32 play(const struct mtdc_wear *wear, const u32 *tree, u32 node,
		enum mtdc_wear_pool pool, bool most)
{
	u32 a = contender(wear, tree, 2 * node, pool);
	u32 b = contender(wear, tree, 2 * node + 1, pool);

	if (a == MTDC_WEAR_NONE)
		return b;
	if (b == MTDC_WEAR_NONE)
		return a;
	return wins(wear, a, b, most) ? a : b;
}

/* All games above a leaf, as its count may have changed and its winner not. */
static void replay(const struct mtdc_wear *wear, u32 *tree, u32 block,
		   enum mtdc_wear_pool pool, bool most)
{
	u32 node;

	for (node = (wear->blocks + block) / 2; node; node /= 2)
		tree[node] = play(wear, tree, node, pool, most);
}

static void replay_pool(struct mtdc_wear *wear, u32 block, u8 pool)
{
	if (pool == MTDC_WEAR_USED) {
		replay(wear, wear->least_used, block, pool, false);
	} else if (pool == MTDC_WEAR_FREE) {
		replay(wear, wear->least_free, block, MTDC_WEAR_FREE, false);
		replay(wear, wear->most_free, block, MTDC_WEAR_FREE, true);
	}
}

/**
 * mtdc_wear_put() - what a block can be chosen for from now on
 * @wear: the counts
 * @block: the block
 * @pool: the pool
 *
 * Context: any; the caller serialises.
 */
void mtdc_wear_put(struct mtdc_wear *wear, u32 block, enum mtdc_wear_pool pool)
{
	u8 old = wear->pool[block];

	if (old == pool)
		return;
	wear->nfree += (pool == MTDC_WEAR_FREE) - (old == MTDC_WEAR_FREE);
	wear->pool[block] = pool;
	replay_pool(wear, block, old);
	replay_pool(wear, block, pool);
}

/**
 * mtdc_wear_erased() - a block has been erased
 * @wear: the counts
 * @block: the block
 *
 * Context: any; the caller serialises.
 */
void mtdc_wear_erased(struct mtdc_wear *wear, u32 block)
{
	if (wear->erases[block] < MTDC_ERASES_MAX)
		wear->erases[block]++;
	replay_pool(wear, block, wear->pool[block]);
}

/**
 * mtdc_wear_know() - a block's count has been found
 * @wear: the counts
 * @block: the block, of which none was known
 * @erases: how often it has been erased
 *
 * Context: any; the caller serialises.
 */
void mtdc_wear_know(struct mtdc_wear *wear, u32 block, u32 erases)
{
	wear->erases[block] = erases;
	wear->pool[block] = MTDC_WEAR_OUT;
}

/**
 * mtdc_wear_guess() - have a count for those blocks of which none was found
 * @wear: the counts
 *
 * It is the mean of the others: that of a block whose erase the power failed in
 * is hardly another, and on a new medium all are 0.
 *
 * Context: any; the caller serialises.
 */
void mtdc_wear_guess(struct mtdc_wear *wear)
{
	u64 sum = 0;
	u32 i, known = 0;

	for (i = 0; i < wear->blocks; i++) {
		if (wear->pool[i] == MTDC_WEAR_UNKNOWN)
			continue;
		sum += wear->erases[i];
		known++;
	}
	for (i = 0; i < wear->blocks; i++)
		if (wear->pool[i] == MTDC_WEAR_UNKNOWN)
			mtdc_wear_know(wear, i, known ? div_u64(sum, known) : 0);
}

/**
 * mtdc_wear_least() - the free block that was erased least
 * @wear: the counts
 *
 * Context: any; the caller serialises.
 * Return: the block, or MTDC_WEAR_NONE.
 */
u32 mtdc_wear_least(const struct mtdc_wear *wear)
{
	return wear->least_free[1];
}

/**
 * mtdc_wear_most() - the free block that was erased most
 * @wear: the counts
 *
 * Context: any; the caller serialises.
 * Return: the block, or MTDC_WEAR_NONE.
 */
u32 mtdc_wear_most(const struct mtdc_wear *wear)
{
	return wear->most_free[1];
}

/**
 * mtdc_wear_rested() - a block in use that should be erased again
 * @wear: the counts
 *
 * Its data have not changed for long, and a free block is so much more worn
 * that they are better there. A block in use with a high count is no reason:
 * it is where it belongs.
 *
 * Context: any; the caller serialises.
 * Return: the block, or MTDC_WEAR_NONE.
 */
u32 mtdc_wear_rested(const struct mtdc_wear *wear)
{
	u32 used = wear->least_used[1], most = wear->most_free[1];

	if (used == MTDC_WEAR_NONE || most == MTDC_WEAR_NONE)
		return MTDC_WEAR_NONE;
	if ((u64)wear->erases[used] + wear->spread >= wear->erases[most])
		return MTDC_WEAR_NONE;
	return used;
}

/**
 * mtdc_wear_memory() - memory that the counts take
 * @blocks: number of blocks
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_wear_memory(u32 blocks)
{
	return (size_t)blocks * (4 * sizeof(u32) + sizeof(u8));
}

/**
 * mtdc_wear_init() - set up blocks whose counts are not known
 * @wear: the counts
 * @memory: mtdc_wear_memory() bytes, aligned for a u32, in use for as long as
 *	@wear is
 * @blocks: number of blocks, at least 2
 * @spread: how much more often a block may be erased than one that rests
 *
 * Context: any.
 */
void mtdc_wear_init(struct mtdc_wear *wear, void *memory, u32 blocks,
		    u32 spread)
{
	u32 i;

	wear->erases = memory;
	wear->least_free = wear->erases + blocks;
	wear->most_free = wear->least_free + blocks;
	wear->least_used = wear->most_free + blocks;
	wear->pool = (u8 *)(wear->least_used + blocks);
	wear->blocks = blocks;
	wear->nfree = 0;
	wear->spread = spread;
	for (i = 0; i < blocks; i++) {
		wear->erases[i] = 0;
		wear->least_free[i] = MTDC_WEAR_NONE;
		wear->most_free[i] = MTDC_WEAR_NONE;
		wear->least_used[i] = MTDC_WEAR_NONE;
		wear->pool[i] = MTDC_WEAR_UNKNOWN;
	}
}

#ifdef MTDC_CHECKS
/**
 * mtdc_wear_check() - walk the invariants
 * @wear: the counts
 *
 * Every game has been won by the right one, and @wear->nfree blocks are free.
 *
 * Context: any; the caller serialises. Takes time in proportion to the blocks.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_wear_check(const struct mtdc_wear *wear)
{
	u32 i, nfree = 0;

	for (i = 0; i < wear->blocks; i++)
		nfree += wear->pool[i] == MTDC_WEAR_FREE;
	for (i = 1; i < wear->blocks; i++)
		if (wear->least_free[i] != play(wear, wear->least_free, i,
						MTDC_WEAR_FREE, false) ||
		    wear->most_free[i] != play(wear, wear->most_free, i,
					       MTDC_WEAR_FREE, true) ||
		    wear->least_used[i] != play(wear, wear->least_used, i,
						MTDC_WEAR_USED, false))
			return -EUCLEAN;
	return nfree == wear->nfree ? 0 : -EUCLEAN;
}
#endif /* MTDC_CHECKS */
