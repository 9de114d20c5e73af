// SPDX-License-Identifier: GPL-2.0
/*
 * Which block the log empties, and how fast.
 *
 * This unit owns the choice of the victim, and the debt: how many bytes have to be moved for the
 * host's writes, so that space is there in time and no write waits for long. log_jobs.c moves the
 * records and tells this unit. log_gc.c and log_wear.c know the best block for space and for wear.
 * The unit never chooses a block for space that gains none. It takes no lock, sleeps, allocates
 * and prints nothing.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "log_pace.h"

/* Blocks above the reserve that are kept free, so that no writer has to wait. */
#define LOW_ABOVE	2U
/* And so many more while no writer waits. */
#define LOW_IDLE	2U

/* At most one block in four is opened for the sake of wear. */
#define OPENED_A_LEVELLING	4U

/* Bytes to be moved for each of the host's, times 256. */
#define RATE_ONE	256U
#define RATE_MOST	(16 * RATE_ONE)

/* Pages to be moved for one request, while no writer waits for space. */
#define BUDGET_RECORDS	4U

/* Reads that may fail for one request. */
#define READ_TRIES	3U

/* A request begins; @idle: no writer waits for it. */
void mtdc_pace_begin(struct mtdc_pace *pace, bool idle)
{
	pace->idle = idle;
	pace->unread = 0;
	pace->budget = BUDGET_RECORDS * pace->record_bytes;
	if (idle)
		pace->debt = pace->block_bytes / 4;
}

static u32 enough(const struct mtdc_pace *pace)
{
	return pace->reserve + LOW_ABOVE + (pace->idle ? LOW_IDLE : 0);
}

/* Are fewer blocks free than there should be? */
static bool is_short(const struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks)
{
	return blocks->wear.nfree < enough(pace);
}

/* Does emptying it surely gain space? If not, it could go on for ever. */
static bool gains(const struct mtdc_log_blocks *blocks, u32 block)
{
	return block != MTDC_LOG_NONE && blocks->at[block].live < blocks->gc.gain_bytes;
}

static u32 choose_gain(const struct mtdc_log_blocks *blocks)
{
	u32 block = mtdc_gc_choose(&blocks->gc, blocks->clock, MTDC_GC_GREEDY);

	return gains(blocks, block) ? block : MTDC_LOG_NONE;
}

/* A block to be emptied for another reason than its space; sets the reason. */
static u32 choose_for_others(struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks)
{
	u32 block = MTDC_LOG_NONE;

	if (blocks->wear.nfree < MTDC_PACE_FREE_MIN)
		return block;
	pace->why = MTDC_PACE_SCRUB;
	if (blocks->scrubs)
		block = mtdc_log_blocks_find(blocks, 0, MTDC_BLOCK_CLOSED, true);
	if (block != MTDC_LOG_NONE || pace->opened < OPENED_A_LEVELLING)
		return block;
	pace->why = MTDC_PACE_WEAR;
	pace->opened = 0;
	return mtdc_wear_rested(&blocks->wear);
}

/* A block that could not be read, behind the one that was tried last. */
static u32 choose_pinned(struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks)
{
	pace->why = MTDC_PACE_PINNED;
	pace->pinned = mtdc_log_blocks_find(blocks, pace->pinned + 1, MTDC_BLOCK_PINNED, false);
	return pace->pinned;
}

/* The block in @state that has least live, at most @movable, or the first one from @from on. */
static u32 find_small(const struct mtdc_log_blocks *blocks, enum mtdc_block_state state,
		      u32 movable, u32 from, bool least)
{
	u32 i, best = MTDC_LOG_NONE;

	for (i = 0; blocks->n[state] && i < blocks->count; i++, from++) {
		if (from >= blocks->count)
			from = 0;
		if (blocks->at[from].state != state || blocks->at[from].live > movable)
			continue;
		best = from;
		if (!least)
			break;
		movable = blocks->at[from].live;
	}
	return best;
}

/*
 * Records are being moved to the last block. A victim that fits in its rest frees a block, even if
 * it can be read only later: its other records have room until then. The victim with the least live
 * leaves most room for programs that fail. Looks at all blocks.
 */
static u32 choose_small(struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks, u32 movable)
{
	u32 block = find_small(blocks, MTDC_BLOCK_CLOSED, movable, 0, true);

	pace->why = MTDC_PACE_SPACE;
	if (block != MTDC_LOG_NONE || pace->unread)
		return block;
	pace->why = MTDC_PACE_PINNED;
	block = find_small(blocks, MTDC_BLOCK_PINNED, movable, pace->pinned + 1, false);
	if (block != MTDC_LOG_NONE)
		pace->pinned = block;
	return block;
}

static u32 choose(struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks, bool blocked,
		  u32 movable)
{
	u32 block = MTDC_LOG_NONE;

	if (movable != U32_MAX)
		return choose_small(pace, blocks, movable);
	/* A writer that waits, waits for space. */
	if (blocked)
		block = choose_gain(blocks);
	if (block == MTDC_LOG_NONE)
		block = choose_for_others(pace, blocks);
	else
		pace->why = MTDC_PACE_SPACE;
	if (block != MTDC_LOG_NONE)
		return block;
	if (!blocked && is_short(pace, blocks)) {
		pace->why = MTDC_PACE_SPACE;
		if (!pace->idle)
			block = mtdc_gc_choose(&blocks->gc, blocks->clock, MTDC_GC_BENEFIT);
		if (block == MTDC_LOG_NONE)
			block = choose_gain(blocks);
	}
	/* When there is time, or nothing else is left. */
	if (block == MTDC_LOG_NONE && (blocked || pace->idle) && !pace->unread)
		block = choose_pinned(pace, blocks);
	return block;
}

/* So fast that the victim is empty before the space that it gives is used. */
static u32 rate_of(const struct mtdc_pace *pace, u32 live)
{
	u32 gain = pace->block_bytes - min(live, pace->block_bytes);
	u32 rate;

	if (pace->why != MTDC_PACE_SPACE)
		return 2 * RATE_ONE;
	/* So that the product fits. */
	while (live >> 22) {
		live >>= 1;
		gain >>= 1;
	}
	rate = gain ? live * RATE_ONE / gain : RATE_MOST;
	return min(rate + rate / 4 + 1, RATE_MOST);
}

/*
 * Choose a victim; @blocked: a writer waits for a free block; @movable: bytes of records that can
 * be moved, U32_MAX for any number. False if no block has to be emptied.
 */
bool mtdc_pace_choose(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, bool blocked,
		      u32 movable)
{
	u32 block = choose(pace, blocks, blocked, movable);

	if (block == MTDC_LOG_NONE) {
		pace->owed = 0;
		pace->debt = 0;
		return false;
	}
	pace->victim = block;
	pace->rate = rate_of(pace, blocks->at[block].live);
	mtdc_log_blocks_set(blocks, block, MTDC_BLOCK_VICTIM);
	return true;
}

/* Is a record of the victim to be moved now? */
bool mtdc_pace_is_due(struct mtdc_pace *pace)
{
	u64 debt = pace->debt + ((u64)pace->owed * pace->rate >> 8);

	pace->owed = 0;
	pace->debt = min_t(u64, debt, pace->block_bytes);
	return pace->debt && pace->budget;
}

/* A record of the victim has been moved. */
void mtdc_pace_moved(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, u32 bytes)
{
	pace->debt -= min(pace->debt, bytes);
	pace->budget -= min(pace->budget, bytes);
	/* If it can be read again, so may the others. */
	if (pace->why == MTDC_PACE_PINNED)
		mtdc_log_blocks_unpin(blocks);
}

/* May a record be read to be moved, or have too many reads failed for this request? */
bool mtdc_pace_may_read(const struct mtdc_pace *pace)
{
	return pace->unread < READ_TRIES;
}

/*
 * A record of the victim can't be read, though not because its bits are wrong. Another victim is
 * taken and this one is tried again later, so the record is never given up. -ENOMEM says nothing of
 * the block: nothing more is moved for this request.
 */
void mtdc_pace_unread(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, int err)
{
	if (err == -ENOMEM) {
		pace->unread = READ_TRIES;
		mtdc_log_blocks_close(blocks, pace->victim);
	} else {
		pace->unread++;
		mtdc_log_blocks_set(blocks, pace->victim, MTDC_BLOCK_PINNED);
	}
	pace->victim = MTDC_LOG_NONE;
}

/* Is there a block to be emptied when no writer waits? */
bool mtdc_pace_is_idle_work(const struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks)
{
	if (blocks->scrubs || blocks->n[MTDC_BLOCK_PINNED])
		return true;
	return is_short(pace, blocks) &&
		(pace->victim != MTDC_LOG_NONE ||
		 choose_gain(blocks) != MTDC_LOG_NONE);
}
