/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which block the log empties, and how fast.
 */
#ifndef MTDC_LOG_PACE_H
#define MTDC_LOG_PACE_H

#include <linux/types.h>

#include "log_blocks.h"

/* Free blocks that it takes to use one for anything but to gain another. */
#define MTDC_PACE_FREE_MIN	2U

/**
 * enum mtdc_pace_why - why a block is emptied
 * @MTDC_PACE_SPACE: its dead records are space
 * @MTDC_PACE_WEAR: it was erased less often than others
 * @MTDC_PACE_SCRUB: its bits flip, or it failed
 * @MTDC_PACE_PINNED: it could not be read before
 */
enum mtdc_pace_why {
	MTDC_PACE_SPACE,
	MTDC_PACE_WEAR,
	MTDC_PACE_SCRUB,
	MTDC_PACE_PINNED
};

/**
 * struct mtdc_pace - the collection of garbage
 * @victim: the block that is being emptied, or MTDC_LOG_NONE
 * @why: why it is emptied
 * @reserve: free blocks that the host's stream may not open
 * @record_bytes: the longest record
 * @block_bytes: size of a block
 * @rate: bytes to be moved for each byte that the host's stream advances, times 256
 * @owed: bytes that the host's stream has advanced and nothing was moved for
 * @debt: bytes to be moved
 * @budget: bytes that may be moved for this request, unless a writer waits for space
 * @opened: blocks opened since wear was looked at last
 * @pinned: the pinned block that was tried last
 * @unread: reads that failed in this request
 * @idle: no writer waits for this request
 *
 * The caller serialises all access.
 */
struct mtdc_pace {
	u32 victim;
	enum mtdc_pace_why why;
	u32 reserve;
	u32 record_bytes;
	u32 block_bytes;
	u32 rate;
	u32 owed;
	u32 debt;
	u32 budget;
	u32 opened;
	u32 pinned;
	u32 unread;
	bool idle;
};

void mtdc_pace_begin(struct mtdc_pace *pace, bool idle);
bool mtdc_pace_is_idle_work(const struct mtdc_pace *pace, const struct mtdc_log_blocks *blocks);
bool mtdc_pace_may_read(const struct mtdc_pace *pace);
bool mtdc_pace_choose(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, bool blocked,
		      u32 movable);
bool mtdc_pace_is_due(struct mtdc_pace *pace);
void mtdc_pace_moved(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, u32 bytes);
void mtdc_pace_unread(struct mtdc_pace *pace, struct mtdc_log_blocks *blocks, int err);

#endif /* MTDC_LOG_PACE_H */
