/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which block to empty.
 */
#ifndef MTDC_LOG_GC_H
#define MTDC_LOG_GC_H

#include <linux/limits.h>
#include <linux/types.h>

/* Classes of blocks by their live bytes, in equal steps. */
#define MTDC_GC_CLASSES		64U

/* No block. */
#define MTDC_GC_NONE		U32_MAX

/**
 * enum mtdc_gc_policy - which block is the best one
 * @MTDC_GC_BENEFIT: the block with the most space for the work, times its age; only blocks that
 *	surely gain space
 * @MTDC_GC_GREEDY: the block with the least to move
 */
enum mtdc_gc_policy {
	MTDC_GC_BENEFIT,
	MTDC_GC_GREEDY
};

/**
 * struct mtdc_gc_node - a block's place in the heap of its class
 * @up: the block above, or MTDC_GC_NONE
 * @left: one below
 * @right: the other one
 * @closed: when the block was closed
 * @class: the class, or MTDC_GC_CLASSES if the block is in no heap
 */
struct mtdc_gc_node {
	u32 up;
	u32 left;
	u32 right;
	u32 closed;
	u32 class;
};

/**
 * struct mtdc_gc - the blocks that may be emptied
 * @nodes: a node for each block
 * @heaps: top of each class's heap: the block that was closed first
 * @present: a bit for each class that has any
 * @blocks: number of blocks
 * @class_bytes: bytes from one class to the next
 * @gain_bytes: emptying a block with fewer live bytes surely gains space
 *
 * The caller serialises all access.
 */
struct mtdc_gc {
	struct mtdc_gc_node *nodes;
	u32 heaps[MTDC_GC_CLASSES];
	u64 present;
	u32 blocks;
	u32 class_bytes;
	u32 gain_bytes;
};

size_t mtdc_gc_memory(u32 blocks);
void mtdc_gc_init(struct mtdc_gc *gc, void *memory, u32 blocks, u32 block_bytes,
		  u32 gain_bytes);
void mtdc_gc_add(struct mtdc_gc *gc, u32 block, u32 live, u32 now);
void mtdc_gc_remove(struct mtdc_gc *gc, u32 block);
void mtdc_gc_update(struct mtdc_gc *gc, u32 block, u32 live);
u32 mtdc_gc_choose(const struct mtdc_gc *gc, u32 now,
		   enum mtdc_gc_policy policy);
int mtdc_gc_check(const struct mtdc_gc *gc);

#endif /* MTDC_LOG_GC_H */
