// SPDX-License-Identifier: GPL-2.0
/*
 * Which block to empty.
 *
 * This unit owns the closed blocks, by their live bytes and by the time when they were closed.
 * log_pace.c asks it for a victim. It does not know what lives in a block and empties none. It
 * takes no lock, sleeps, allocates and prints nothing.
 *
 * To empty a block whose live part is u costs reading and writing u, and gains 1 - u. A block that
 * rested for long will hardly get emptier by waiting, and its gain lasts. So the block with the
 * most (1 - u) / 2u * age is the best, as in the log-structured file system of Rosenblum and
 * Ousterhout (1992), with the cost of flash, where only live records are read.
 *
 * The age of all blocks grows at the same rate, so of blocks with the same u the oldest is the best
 * and remains so. u has 64 classes, and each class a heap by the time of closing: at most 64 blocks
 * are compared. The heaps are skew heaps: merging is the only operation, and a block takes three
 * links.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "log_gc.h"

/* The gain from a block of the last class is not worth the work. */
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

/* A block may no longer be emptied. */
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

/* A block may be emptied from now on; @now is the time, when it was closed. */
void mtdc_gc_add(struct mtdc_gc *gc, u32 block, u32 live, u32 now)
{
	gc->nodes[block].closed = now;
	insert(gc, block, class_of(gc, live));
}

/* A block has other live bytes than before. Nothing happens if it may not be emptied. */
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

/* Is the best block of class @a better than the best of @b? */
static bool is_better(const struct mtdc_gc *gc, u32 now, u32 a, u32 b)
{
	u64 age_a = now - gc->nodes[gc->heaps[a]].closed + 1;
	u64 age_b = now - gc->nodes[gc->heaps[b]].closed + 1;
	u32 cost_a = 2 * a + 1, cost_b = 2 * b + 1;

	/* (1 - u) / u of the middle of a class, times age, without division. */
	return (2 * MTDC_GC_CLASSES - cost_a) * age_a * cost_b >
		(2 * MTDC_GC_CLASSES - cost_b) * age_b * cost_a;
}

/* The best block to empty by @policy, or MTDC_GC_NONE if none is worth it. */
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

/* Bytes of memory that the heaps take. */
size_t mtdc_gc_memory(u32 blocks)
{
	return (size_t)blocks * sizeof(struct mtdc_gc_node);
}

/*
 * Set up empty heaps. @memory is aligned for a u32, and in use for as long as @gc is. Emptying a
 * block with less than @gain_bytes live gains space; others would be emptied for their age alone.
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

/* Is each block below its top, and none older than the one above? 0 or -EUCLEAN. */
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
