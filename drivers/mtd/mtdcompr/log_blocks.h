/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The eraseblocks of the log.
 */
#ifndef MTDC_LOG_BLOCKS_H
#define MTDC_LOG_BLOCKS_H

#include <linux/limits.h>
#include <linux/types.h>

#include "log_gc.h"
#include "log_keys.h"
#include "log_residents.h"
#include "log_wear.h"

/* No block. */
#define MTDC_LOG_NONE	U32_MAX

/*
 * So many failures without a program that succeeds are the media's fault, not the blocks'. A block
 * and its replacement may be broken; a third one is rare. A guess.
 */
#define MTDC_LOG_BLOCKS_FAILING	3

/*
 * The media work if a whole block's programs have succeeded in a row, but not fewer than these. A
 * guess for blocks of few units: if one program in two fails, one in 65,000 is followed by so many.
 */
#define MTDC_LOG_BLOCKS_PROOF	16U

/*
 * A block is bad that fails so many tests in a row at the same step. A guess: with two, and one
 * program in 50 failing at random, one good block in five was marked.
 */
#define MTDC_LOG_BLOCKS_TESTS	3U

/* Failures that one request may meet while others succeed. A guess. */
#define MTDC_LOG_BLOCKS_TRIES	8U

/**
 * enum mtdc_block_state - what a block is used for
 * @MTDC_BLOCK_BAD: nothing, for ever
 * @MTDC_BLOCK_FREE: nothing; it will be erased when it is opened
 * @MTDC_BLOCK_READY: nothing yet; it was erased ahead
 * @MTDC_BLOCK_OPEN: a stream fills it
 * @MTDC_BLOCK_CLOSED: it holds records and takes no more
 * @MTDC_BLOCK_VICTIM: its records are being moved
 * @MTDC_BLOCK_PINNED: a record in it could not be read; it is tried again later
 * @MTDC_BLOCK_FAILED: it is empty and waits for its test, or is being tested
 * @MTDC_BLOCK_DOOMED: it failed its test, too
 * @MTDC_BLOCK_CONVICTED: MTDC_LOG_BLOCKS_TESTS of its tests failed at the same step while others
 *	worked; bad if they go on working
 * @MTDC_BLOCK_STATES: the number of states
 */
enum mtdc_block_state {
	MTDC_BLOCK_BAD,
	MTDC_BLOCK_FREE,
	MTDC_BLOCK_READY,
	MTDC_BLOCK_OPEN,
	MTDC_BLOCK_CLOSED,
	MTDC_BLOCK_VICTIM,
	MTDC_BLOCK_PINNED,
	MTDC_BLOCK_FAILED,
	MTDC_BLOCK_DOOMED,
	MTDC_BLOCK_CONVICTED,
	MTDC_BLOCK_STATES
};

/**
 * struct mtdc_log_block - one block
 * @live: bytes of live records
 * @state: its state
 * @scrub: it should be emptied soon, because bits flip or it failed
 * @failed: it failed, and has to pass a test when it is empty
 * @step: the step of its test that failed last, modulo 256
 * @tests: tests in a row that failed at this step while others worked
 */
struct mtdc_log_block {
	u32 live;
	u8 state;
	bool scrub:1;
	bool failed:1;
	u8 step;
	u8 tests;
};

/**
 * struct mtdc_log_blocks - all blocks of a log
 * @at: each block
 * @residents: the pages of each block
 * @gc: the closed blocks, by the cost of emptying them
 * @wear: the erase counts
 * @keys: the keys of blocks with live records
 * @n: number of blocks in each state
 * @count: number of blocks
 * @good: number of blocks that are not bad
 * @scrubs: closed blocks that should be emptied soon
 * @clock: counts the blocks that were closed
 * @live: bytes of live records in all blocks
 * @proof: programs in a row that show that the media work
 * @streak: programs that succeeded in a row, at most @proof; if negative, failures since the
 *	last one
 * @tries: failures that the present request may still meet
 * @waits: requests since a program succeeded last, this one and idle ones included
 * @gambled: @waits when a stream went on untested last
 * @unread: a read failed, not for the ECC, and none has succeeded since
 *
 * The caller serialises all access.
 */
struct mtdc_log_blocks {
	struct mtdc_log_block *at;
	struct mtdc_residents residents;
	struct mtdc_gc gc;
	struct mtdc_wear wear;
	struct mtdc_log_keys keys;
	u32 n[MTDC_BLOCK_STATES];
	u32 count;
	u32 good;
	u32 scrubs;
	u32 clock;
	u64 live;
	s32 proof;
	s32 streak;
	u32 tries;
	u32 waits;
	u32 gambled;
	bool unread;
};

/**
 * struct mtdc_log_blocks_geo - the geometry of the blocks
 * @count: number of blocks, bad ones included
 * @pages: number of logical pages
 * @block_bytes: size of a block
 * @unit_bytes: size of a program
 * @gain_bytes: with less live in it, emptying a block surely gains space
 * @spread: how uneven the erase counts may be
 * @encrypt: give each block a key
 */
struct mtdc_log_blocks_geo {
	u32 count;
	u32 pages;
	u32 block_bytes;
	u32 unit_bytes;
	u32 gain_bytes;
	u32 spread;
	bool encrypt;
};

size_t mtdc_log_blocks_memory(u32 count, u32 pages, bool encrypt);
void mtdc_log_blocks_init(struct mtdc_log_blocks *blocks, void *memory,
			  const struct mtdc_log_blocks_geo *geo);
void mtdc_log_blocks_found(struct mtdc_log_blocks *blocks, u32 block, const void *label);
void mtdc_log_blocks_settle(struct mtdc_log_blocks *blocks);

void mtdc_log_blocks_set(struct mtdc_log_blocks *blocks, u32 block, enum mtdc_block_state state);
void mtdc_log_blocks_close(struct mtdc_log_blocks *blocks, u32 block);
void mtdc_log_blocks_scrub(struct mtdc_log_blocks *blocks, u32 block);
void mtdc_log_blocks_blame(struct mtdc_log_blocks *blocks, u32 block);
void mtdc_log_blocks_unpin(struct mtdc_log_blocks *blocks);
u32 mtdc_log_blocks_find(const struct mtdc_log_blocks *blocks, u32 from,
			 enum mtdc_block_state state, bool scrub);

void mtdc_log_blocks_add(struct mtdc_log_blocks *blocks, u32 block, u32 page, u32 bytes);
void mtdc_log_blocks_remove(struct mtdc_log_blocks *blocks, u32 block, u32 page, u32 bytes);

void mtdc_log_blocks_begin(struct mtdc_log_blocks *blocks);
void mtdc_log_blocks_worked(struct mtdc_log_blocks *blocks);
void mtdc_log_blocks_failed(struct mtdc_log_blocks *blocks, bool again);
void mtdc_log_blocks_read(struct mtdc_log_blocks *blocks, int err);
int mtdc_log_blocks_check(const struct mtdc_log_blocks *blocks);

/* Do the media fail, whatever the block? True until a program succeeds. */
static inline bool mtdc_log_blocks_are_failing(const struct mtdc_log_blocks *blocks)
{
	return blocks->streak <= -MTDC_LOG_BLOCKS_FAILING;
}

/* Did something fail for this request, or did the media fail when it began? */
static inline bool mtdc_log_blocks_have_failed(const struct mtdc_log_blocks *blocks)
{
	return blocks->tries < MTDC_LOG_BLOCKS_TRIES;
}

/* Do programs work, whatever the block? */
static inline bool mtdc_log_blocks_take_programs(const struct mtdc_log_blocks *blocks)
{
	return blocks->streak >= blocks->proof;
}

/* Do the media work, so that a block which fails now is bad? */
static inline bool mtdc_log_blocks_are_proven(const struct mtdc_log_blocks *blocks)
{
	return mtdc_log_blocks_take_programs(blocks) && !blocks->unread;
}

#endif /* MTDC_LOG_BLOCKS_H */
