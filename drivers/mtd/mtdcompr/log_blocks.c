// SPDX-License-Identifier: GPL-2.0
/*
 * The eraseblocks of the log.
 *
 * This unit owns what the log knows of each block: its state, its live bytes, its pages, its erase
 * count, its key; and how the media have done of late. A block is in the heap of victims, or can be
 * opened, because of its state alone, so once all blocks are found only mtdc_log_blocks_set()
 * changes it.
 * The unit starts nothing: log_pace.c chooses the block to be emptied, log_jobs.c erases, programs
 * and tests. It takes no lock, sleeps, allocates and prints nothing.
 *
 * The usual ways of a block; Documentation/explanation/log-blocks.rst has all of them:
 *
 *	FREE -> OPEN -> CLOSED -> VICTIM -> FREE
 *	                  a record can't be read: VICTIM -> PINNED -> VICTIM
 *	                  the block had failed: VICTIM -> FAILED -> FREE, or
 *	                  it fails its tests: FAILED -> DOOMED -> CONVICTED -> BAD
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log_blocks.h"
#include "log_label.h"

static enum mtdc_wear_pool pool_of(enum mtdc_block_state state)
{
	switch (state) {
	case MTDC_BLOCK_FREE:
		return MTDC_WEAR_FREE;
	case MTDC_BLOCK_CLOSED:
		return MTDC_WEAR_USED;
	default:
		return MTDC_WEAR_OUT;
	}
}

/*
 * Change the state of a block; one with live records can only be OPEN, CLOSED, VICTIM or PINNED.
 */
void mtdc_log_blocks_set(struct mtdc_log_blocks *blocks, u32 block, enum mtdc_block_state state)
{
	struct mtdc_log_block *b = &blocks->at[block];
	/* A block that was a victim keeps its age. */
	u32 closed = b->state == MTDC_BLOCK_OPEN ? blocks->clock : blocks->gc.nodes[block].closed;

	if (b->state == MTDC_BLOCK_CLOSED) {
		mtdc_gc_remove(&blocks->gc, block);
		blocks->scrubs -= b->scrub;
	}
	blocks->n[b->state]--;
	blocks->n[state]++;
	b->state = state;
	if (state == MTDC_BLOCK_CLOSED) {
		mtdc_gc_add(&blocks->gc, block, b->live, closed);
		blocks->scrubs += b->scrub;
	}
	if (state == MTDC_BLOCK_FREE) {
		b->scrub = false;
		b->failed = false;
	}
	blocks->good -= state == MTDC_BLOCK_BAD;
	mtdc_wear_put(&blocks->wear, block, pool_of(state));
}

/* A block takes no more records. An empty one is free, or has to pass its test if it failed. */
void mtdc_log_blocks_close(struct mtdc_log_blocks *blocks, u32 block)
{
	const struct mtdc_log_block *b = &blocks->at[block];

	if (b->live)
		mtdc_log_blocks_set(blocks, block, MTDC_BLOCK_CLOSED);
	else
		mtdc_log_blocks_set(blocks, block,
				    b->failed ? MTDC_BLOCK_FAILED : MTDC_BLOCK_FREE);
}

/* Have a block emptied soon, if records are in it. */
void mtdc_log_blocks_scrub(struct mtdc_log_blocks *blocks, u32 block)
{
	struct mtdc_log_block *b = &blocks->at[block];

	if (b->scrub || (!b->live && b->state != MTDC_BLOCK_OPEN))
		return;
	b->scrub = true;
	blocks->scrubs += b->state == MTDC_BLOCK_CLOSED;
}

/* A block has failed, by an erase or a program, and has to pass a test when it is empty. */
void mtdc_log_blocks_blame(struct mtdc_log_blocks *blocks, u32 block)
{
	mtdc_log_blocks_scrub(blocks, block);
	blocks->at[block].failed = true;
}

/* Close all blocks again that could not be read. Looks at all blocks, if one is pinned. */
void mtdc_log_blocks_unpin(struct mtdc_log_blocks *blocks)
{
	u32 block;

	for (block = 0; blocks->n[MTDC_BLOCK_PINNED] && block < blocks->count; block++)
		if (blocks->at[block].state == MTDC_BLOCK_PINNED)
			mtdc_log_blocks_close(blocks, block);
}

/*
 * Find a block in @state, and with @scrub one that should be emptied soon. Looks from @from on
 * and goes round. Looks at all blocks, unless none is in this state.
 */
u32 mtdc_log_blocks_find(const struct mtdc_log_blocks *blocks, u32 from,
			 enum mtdc_block_state state, bool scrub)
{
	u32 i, block = from;

	for (i = 0; blocks->n[state] && i < blocks->count; i++, block++) {
		if (block >= blocks->count)
			block = 0;
		if (blocks->at[block].state == state && (!scrub || blocks->at[block].scrub))
			return block;
	}
	return MTDC_LOG_NONE;
}

/* A record of @page has come into a block. */
void mtdc_log_blocks_add(struct mtdc_log_blocks *blocks, u32 block, u32 page, u32 bytes)
{
	if (!blocks->at[block].live)
		mtdc_log_keys_make(&blocks->keys, block);
	mtdc_residents_add(&blocks->residents, block, page);
	blocks->at[block].live += bytes;
	blocks->live += bytes;
}

/* The record of @page in a block is dead. */
void mtdc_log_blocks_remove(struct mtdc_log_blocks *blocks, u32 block, u32 page, u32 bytes)
{
	struct mtdc_log_block *b = &blocks->at[block];

	mtdc_residents_remove(&blocks->residents, block, page);
	b->live -= bytes;
	blocks->live -= bytes;
	if (!b->live)
		mtdc_log_keys_wipe(&blocks->keys, block);
	if (b->state == MTDC_BLOCK_CLOSED)
		mtdc_gc_update(&blocks->gc, block, b->live);
	if (!b->live && (b->state == MTDC_BLOCK_CLOSED || b->state == MTDC_BLOCK_PINNED))
		mtdc_log_blocks_close(blocks, block);
}

/* A request begins. It may try failed operations again, but only once if the media fail. */
void mtdc_log_blocks_begin(struct mtdc_log_blocks *blocks)
{
	blocks->waits++;
	blocks->tries = mtdc_log_blocks_are_failing(blocks) ? 1 : MTDC_LOG_BLOCKS_TRIES;
}

/* A program has succeeded. */
void mtdc_log_blocks_worked(struct mtdc_log_blocks *blocks)
{
	blocks->waits = 0;
	blocks->gambled = 0;
	blocks->streak = min(max(blocks->streak, 0) + 1, blocks->proof);
}

/*
 * An erase or a program has failed. A block that failed its test may have had the same cause, and
 * is tested again. @again: the block has failed before, so this says nothing new of the others.
 */
void mtdc_log_blocks_failed(struct mtdc_log_blocks *blocks, bool again)
{
	u32 block;

	blocks->streak = max(min(blocks->streak, 0) - !again, -MTDC_LOG_BLOCKS_FAILING);
	blocks->tries -= !!blocks->tries;
	if (mtdc_log_blocks_are_failing(blocks))
		blocks->tries = 0;
	if (again || (!blocks->n[MTDC_BLOCK_DOOMED] && !blocks->n[MTDC_BLOCK_CONVICTED]))
		return;
	for (block = 0; block < blocks->count; block++)
		if (blocks->at[block].state == MTDC_BLOCK_DOOMED ||
		    blocks->at[block].state == MTDC_BLOCK_CONVICTED)
			mtdc_log_blocks_set(blocks, block, MTDC_BLOCK_FAILED);
}

/* A read has succeeded or failed. */
void mtdc_log_blocks_read(struct mtdc_log_blocks *blocks, int err)
{
	if (err != -EBADMSG && err != -ENOMEM)
		blocks->unread = err;
}

/* Bytes of memory that the blocks take. */
size_t mtdc_log_blocks_memory(u32 count, u32 pages, bool encrypt)
{
	return mtdc_residents_memory(pages, count) + mtdc_gc_memory(count) +
		(size_t)count * sizeof(struct mtdc_log_block) + mtdc_wear_memory(count) +
		(encrypt ? mtdc_log_keys_memory(count) : 0);
}

/*
 * Set up blocks that are all bad until mtdc_log_blocks_found(). @memory is zeroed, aligned for a
 * u32, and in use for as long as @blocks is.
 */
void mtdc_log_blocks_init(struct mtdc_log_blocks *blocks, void *memory,
			  const struct mtdc_log_blocks_geo *geo)
{
	blocks->count = geo->count;
	blocks->proof = max(geo->block_bytes / geo->unit_bytes, MTDC_LOG_BLOCKS_PROOF);
	blocks->n[MTDC_BLOCK_BAD] = geo->count;
	mtdc_residents_init(&blocks->residents, memory, geo->pages, geo->count);
	memory += mtdc_residents_memory(geo->pages, geo->count);
	mtdc_gc_init(&blocks->gc, memory, geo->count, geo->block_bytes, geo->gain_bytes);
	memory += mtdc_gc_memory(geo->count);
	blocks->at = memory;
	memory += (size_t)geo->count * sizeof(*blocks->at);
	mtdc_wear_init(&blocks->wear, memory, geo->count, geo->spread);
	memory += mtdc_wear_memory(geo->count);
	if (geo->encrypt)
		blocks->keys.at = memory;
}

/* A block is good. @label is its first bytes, or NULL if they can't be read. */
void mtdc_log_blocks_found(struct mtdc_log_blocks *blocks, u32 block, const void *label)
{
	u32 erases;

	blocks->good++;
	blocks->n[MTDC_BLOCK_BAD]--;
	blocks->n[MTDC_BLOCK_FREE]++;
	blocks->at[block].state = MTDC_BLOCK_FREE;
	if (label && !mtdc_label_parse(label, &erases))
		mtdc_wear_know(&blocks->wear, block, erases);
}

/* All good blocks have been found. */
void mtdc_log_blocks_settle(struct mtdc_log_blocks *blocks)
{
	u32 block;

	mtdc_wear_guess(&blocks->wear);
	for (block = 0; block < blocks->count; block++)
		if (blocks->at[block].state == MTDC_BLOCK_FREE)
			mtdc_log_blocks_set(blocks, block, MTDC_BLOCK_FREE);
}

#ifdef MTDC_CHECKS
/* A block has a key if it has live records, and no other has. A random key is not zero. */
static bool has_its_key(const struct mtdc_log_blocks *blocks, u32 block)
{
	if (!blocks->keys.at)
		return true;
	return !!memchr_inv(blocks->keys.at[block], 0, MTDC_KEY_BYTES) ==
		!!blocks->at[block].live;
}

/* Do heap and pool fit the state of the block? */
static bool is_sane(const struct mtdc_log_blocks *blocks, u32 block)
{
	const struct mtdc_log_block *b = &blocks->at[block];
	bool holds = b->state == MTDC_BLOCK_OPEN || b->state == MTDC_BLOCK_CLOSED ||
		b->state == MTDC_BLOCK_VICTIM || b->state == MTDC_BLOCK_PINNED;
	bool in_heap = blocks->gc.nodes[block].class != MTDC_GC_CLASSES;

	if (!has_its_key(blocks, block))
		return false;
	if ((b->failed || b->scrub) &&
	    (b->state == MTDC_BLOCK_FREE || b->state == MTDC_BLOCK_READY))
		return false;
	if (b->live ? !holds : b->state == MTDC_BLOCK_CLOSED || b->state == MTDC_BLOCK_PINNED)
		return false;
	return in_heap == (b->state == MTDC_BLOCK_CLOSED) &&
		blocks->wear.pool[block] == pool_of(b->state);
}

/* Do all invariants hold? 0 or -EUCLEAN. Looks at all blocks. */
int mtdc_log_blocks_check(const struct mtdc_log_blocks *blocks)
{
	u32 n[MTDC_BLOCK_STATES] = { 0 }, scrubs = 0, block;
	u64 live = 0;

	for (block = 0; block < blocks->count; block++) {
		const struct mtdc_log_block *b = &blocks->at[block];

		if (b->state >= MTDC_BLOCK_STATES || !is_sane(blocks, block))
			return -EUCLEAN;
		n[b->state]++;
		live += b->live;
		scrubs += b->scrub && b->state == MTDC_BLOCK_CLOSED;
	}
	for (block = 0; block < MTDC_BLOCK_STATES; block++)
		if (n[block] != blocks->n[block])
			return -EUCLEAN;
	if (live != blocks->live || scrubs != blocks->scrubs ||
	    blocks->good != blocks->count - n[MTDC_BLOCK_BAD])
		return -EUCLEAN;
	if (mtdc_residents_check(&blocks->residents) || mtdc_gc_check(&blocks->gc) ||
	    mtdc_wear_check(&blocks->wear))
		return -EUCLEAN;
	return 0;
}
#endif /* MTDC_CHECKS */
