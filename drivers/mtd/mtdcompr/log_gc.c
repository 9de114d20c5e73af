// SPDX-License-Identifier: GPL-2.0
/*
 * Which block to empty.
 *
 * This unit knows how much of each closed block is live, and when it was
 * closed; it does not know what lives there, nor empties anything. It takes no
 * lock, sleeps, allocates and prints nothing.
 *
 * To empty a block of which u is live costs reading and writing u, and brings
 * 1 - u. A block that has been left alone for long will hardly get emptier by
 * waiting, and what it brings lasts: so the best one is that with the most
 * (1 - u) / 2u * age, as in the log-structured file system of Rosenblum and
 * Ousterhout (1992), with the cost of flash, where only what is live is read.
 *
 * The age of all blocks grows at the same rate, so of blocks with the same u
 * the oldest is the best and remains so. With u in 64 classes there is a heap
 * for each, by the time of closing, and no more than 64 blocks to be compared.
 * A heap is a skew heap: the merging of two is all that there is to it, and it
 * needs no memory but three links a block.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "log_gc.h"

/* What a block of the last class would bring is not worth the work. */
#define CLASSES_WORTH	(MTDC_GC_CLASSES - 1)

static u32 class_of(const struct mtdc_gc *gc, u32 live)
{
	return min(live / gc->class_bytes, MTDC_GC_CLASSES - 1);
}

/* Was @a closed before @b? The clock may have gone round. */
static bool is_older(const struct mtdc_gc *gc, u32 a, u32 b)
{
	s32 later = gc->nodes[a].closed - gc->nodes[b].closed;

	return later ? later < 0 : a < b;
}

/* Put @block in the place that @up has for it, or at the top of @class. */
static void hang(struct mtdc_gc *gc, u32 class, u32 up, u32 block)
{
	if (up == MTDC_GC_NONE)
		gc->heaps[class] = block;
	else
		gc->nodes[up].left = block;
	if (block != MTDC_GC_NONE)
		gc->nodes[block].up = up;
}

/*
 * merge() - make one heap of two, and hang it where @up has its left one
 *
 * The older top becomes the top of both; its children change sides, and the
 * other heap is merged into the one that was on the right.
 */
static void merge(struct mtdc_gc *gc, u32 class, u32 up, u32 a, u32 b)
{
	while (a != MTDC_GC_NONE && b != MTDC_GC_NONE) {
		u32 top = is_older(gc, a, b) ? a : b;
		u32 right = gc->nodes[top].right;

		b = top == a ? b : a;
		gc->nodes[top].right = gc->nodes[top].left;
		hang(gc, class, up, top);
		up = top;
		a = right;
	}
	hang(gc, class, up, a != MTDC_GC_NONE ? a : b);
}

static void insert(struct mtdc_gc *gc, u32 block, u32 class)
{
	struct mtdc_gc_node *node = &gc->nodes[block];

	node->left = MTDC_GC_NONE;
	node->right = MTDC_GC_NONE;
	node->class = class;
	merge(gc, class, MTDC_GC_NONE, gc->heaps[class], block);
	gc->present |= BIT_ULL(class);
}

/**
 * mtdc_gc_remove() - a block may no longer be emptied
 * @gc: the blocks that may
 * @block: one of them
 *
 * Context: any; the caller serialises.
 */
void mtdc_gc_remove(struct mtdc_gc *gc, u32 block)
{
	struct mtdc_gc_node *node = &gc->nodes[block];
	u32 class = node->class, up = node->up;

	/* merge() hangs what remains on the left. */
	if (up != MTDC_GC_NONE && gc->nodes[up].right == block) {
		gc->nodes[up].right = gc->nodes[up].left;
		gc->nodes[up].left = block;
	}
	merge(gc, class, up, node->left, node->right);
	if (gc->heaps[class] == MTDC_GC_NONE)
		gc->present &= ~BIT_ULL(class);
	node->class = MTDC_GC_CLASSES;
}

/**
 * mtdc_gc_add() - a block may be emptied from now on
 * @gc: the blocks that may
 * @block: another one
 * @live: bytes that are live in it
 * @now: the time, which is when it was closed
 *
 * Context: any; the caller serialises.
 */
void mtdc_gc_add(struct mtdc_gc *gc, u32 block, u32 live, u32 now)
{
	gc->nodes[block].closed = now;
	insert(gc, block, class_of(gc, live));
}

/**
 * mtdc_gc_update() - other bytes are live in a block than before
 * @gc: the blocks that may be emptied
 * @block: any; nothing happens to it if it is none of them
 * @live: bytes that are live in it
 *
 * Context: any; the caller serialises.
 */
void mtdc_gc_update(struct mtdc_gc *gc, u32 block, u32 live)
{
	u32 class;

	if (gc->nodes[block].class == MTDC_GC_CLASSES)
		return;
	class = class_of(gc, live);
	if (class == gc->nodes[block].class)
		return;
	mtdc_gc_remove(gc, block);
	insert(gc, block, class);
}

/* Is the best block of class @a better than that of @b? */
static bool is_better(const struct mtdc_gc *gc, u32 now, u32 a, u32 b)
{
	u64 age_a = now - gc->nodes[gc->heaps[a]].closed + 1;
	u64 age_b = now - gc->nodes[gc->heaps[b]].closed + 1;
	u32 cost_a = 2 * a + 1, cost_b = 2 * b + 1;

	/* (1 - u) / u of the middle of a class, times age, without division. */
	return (2 * MTDC_GC_CLASSES - cost_a) * age_a * cost_b >
		(2 * MTDC_GC_CLASSES - cost_b) * age_b * cost_a;
}

/**
 * mtdc_gc_choose() - the best block to empty
 * @gc: the blocks that may be emptied
 * @now: the time
 * @policy: what "best" means
 *
 * Context: any; the caller serialises.
 * Return: the block, or MTDC_GC_NONE if none is worth it.
 */
u32 mtdc_gc_choose(const struct mtdc_gc *gc, u32 now,
		   enum mtdc_gc_policy policy)
{
	u64 classes = gc->present & ~BIT_ULL(CLASSES_WORTH);
	u32 best;

	/* Not the first class that may have blocks which gain nothing, nor those above. */
	if (policy == MTDC_GC_BENEFIT)
		classes &= BIT_ULL(gc->gain_bytes / gc->class_bytes) - 1;
	if (!classes)
		return MTDC_GC_NONE;
	best = __ffs64(classes);
	if (policy == MTDC_GC_GREEDY)
		return gc->heaps[best];
	for (classes &= classes - 1; classes; classes &= classes - 1) {
		u32 class = __ffs64(classes);

		if (is_better(gc, now, class, best))
			best = class;
	}
	return gc->heaps[best];
}

/**
 * mtdc_gc_memory() - memory that the heaps take
 * @blocks: number of blocks
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_gc_memory(u32 blocks)
{
	return (size_t)blocks * sizeof(struct mtdc_gc_node);
}

/**
 * mtdc_gc_init() - set up heaps without a block
 * @gc: the blocks that may be emptied
 * @memory: mtdc_gc_memory() bytes, aligned for a u32, in use for as long as
 *	@gc is
 * @blocks: number of blocks
 * @block_bytes: bytes that can be live in one
 * @gain_bytes: with less live it surely gains something to empty one; less
 *	than @block_bytes. Blocks with more would be emptied for their age alone
 *
 * Context: any.
 */
void mtdc_gc_init(struct mtdc_gc *gc, void *memory, u32 blocks, u32 block_bytes,
		  u32 gain_bytes)
{
	u32 i;

	gc->nodes = memory;
	gc->present = 0;
	gc->blocks = blocks;
	gc->class_bytes = DIV_ROUND_UP(block_bytes, MTDC_GC_CLASSES);
	gc->gain_bytes = gain_bytes;
	for (i = 0; i < MTDC_GC_CLASSES; i++)
		gc->heaps[i] = MTDC_GC_NONE;
	for (i = 0; i < blocks; i++)
		gc->nodes[i].class = MTDC_GC_CLASSES;
}

#ifdef MTDC_CHECKS
static bool is_child(const struct mtdc_gc *gc, u32 up, u32 block)
{
	if (block == MTDC_GC_NONE)
		return true;
	return block < gc->blocks && gc->nodes[block].up == up &&
		gc->nodes[block].class == gc->nodes[up].class &&
		!is_older(gc, block, up);
}

/**
 * mtdc_gc_check() - walk the invariants
 * @gc: the blocks that may be emptied
 *
 * Every block of a class is below its top, and none is older than the one above.
 *
 * Context: any; the caller serialises. Takes time in proportion to the blocks.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_gc_check(const struct mtdc_gc *gc)
{
	u32 i, tops = 0;

	for (i = 0; i < gc->blocks; i++) {
		const struct mtdc_gc_node *node = &gc->nodes[i];

		if (node->class == MTDC_GC_CLASSES)
			continue;
		if (node->class > MTDC_GC_CLASSES || !is_child(gc, i, node->left) ||
		    !is_child(gc, i, node->right))
			return -EUCLEAN;
		if (node->up != MTDC_GC_NONE) {
			if (node->up >= gc->blocks ||
			    (gc->nodes[node->up].left != i &&
			     gc->nodes[node->up].right != i))
				return -EUCLEAN;
			continue;
		}
		if (gc->heaps[node->class] != i)
			return -EUCLEAN;
		tops++;
	}
	for (i = 0; i < MTDC_GC_CLASSES; i++) {
		u32 has = gc->present >> i & 1;

		if (!has && gc->heaps[i] != MTDC_GC_NONE)
			return -EUCLEAN;
		if (has && gc->heaps[i] >= gc->blocks)
			return -EUCLEAN;
		tops -= has;
	}
	return tops ? -EUCLEAN : 0;
}
#endif /* MTDC_CHECKS */
