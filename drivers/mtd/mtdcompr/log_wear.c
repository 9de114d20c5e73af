// SPDX-License-Identifier: GPL-2.0
/*
 * Erase counts, and which block they speak for.
 *
 * This unit owns the erase count of each block, and knows whether it is free or used. log_jobs.c
 * asks it which free block to open, log_pace.c which used block has rested too long. It erases and
 * moves nothing. It takes no lock, sleeps, allocates and prints nothing.
 *
 * Three blocks are wanted of two sets that change all the time: the least and the most worn free
 * block, and the least worn used one. For each there is a tree of winners in an array: the leaves
 * are the blocks, block b at blocks + b, and each node above says which of its two children wins,
 * up to node 1. A change is O(log n) and allocates nothing.
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

/* The player for @node in the tree of @pool. */
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

/* From now on a block can be chosen for @pool. */
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

/* A block has been erased. */
void mtdc_wear_erased(struct mtdc_wear *wear, u32 block)
{
	if (wear->erases[block] < MTDC_ERASES_MAX)
		wear->erases[block]++;
	replay_pool(wear, block, wear->pool[block]);
}

/* The count of a block has been found. */
void mtdc_wear_know(struct mtdc_wear *wear, u32 block, u32 erases)
{
	wear->erases[block] = erases;
	wear->pool[block] = MTDC_WEAR_OUT;
}

/*
 * Take the mean for each block whose count was not found: a block whose erase lost its power is
 * hardly different, and on a new medium all counts are 0.
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

/* The free block that was erased least, or MTDC_WEAR_NONE. */
u32 mtdc_wear_least(const struct mtdc_wear *wear)
{
	return wear->least_free[1];
}

/* The free block that was erased most, or MTDC_WEAR_NONE. */
u32 mtdc_wear_most(const struct mtdc_wear *wear)
{
	return wear->most_free[1];
}

/*
 * A used block that should be erased again, or MTDC_WEAR_NONE. Its data have not changed for long,
 * and are better in the most worn free block, if that is more worn by @spread. A used block with a
 * high count is no reason: it is where it belongs.
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

/* Bytes of memory that the counts take. */
size_t mtdc_wear_memory(u32 blocks)
{
	return (size_t)blocks * (4 * sizeof(u32) + sizeof(u8));
}

/*
 * Set up two or more blocks without counts. @memory is aligned for a u32, and in use for as long as
 * @wear is.
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
/* Did the right block win each game, and are @nfree free? 0 or -EUCLEAN. Looks at all blocks. */
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
