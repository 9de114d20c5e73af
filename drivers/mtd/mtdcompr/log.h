/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log: pages packed on flash that has to be erased.
 */
#ifndef MTDC_LOG_H
#define MTDC_LOG_H

#include <linux/limits.h>
#include <linux/types.h>

#include "log_blocks.h"
#include "log_jobs.h"
#include "log_label.h"
#include "log_pace.h"
#include "log_pages.h"
#include "log_stream.h"
#include "map.h"

/* How uneven the erase counts may be, unless told otherwise. */
#define MTDC_LOG_SPREAD		32U

/* The streams: for pages that the host writes, and for records that are moved. */
enum mtdc_log_stream {
	MTDC_LOG_HOST,
	MTDC_LOG_MOVED,
	MTDC_LOG_STREAMS
};

/**
 * enum mtdc_log_state - how the log is
 * @MTDC_LOG_OK: all that is promised has room
 * @MTDC_LOG_FULL: the last page had no room
 * @MTDC_LOG_FEW: more blocks are bad than were spare, so less has room
 * @MTDC_LOG_WORN: too few good blocks are left to write anything
 * @MTDC_LOG_FAILING: the media fail, whatever the block
 */
enum mtdc_log_state {
	MTDC_LOG_OK,
	MTDC_LOG_FULL,
	MTDC_LOG_FEW,
	MTDC_LOG_WORN,
	MTDC_LOG_FAILING
};

/**
 * struct mtdc_log_geo - the geometry of a log
 * @blocks: number of blocks, bad ones included
 * @block_bytes: size of a block, see mtdc_log_suits()
 * @unit_bytes: size of a program
 * @write_bytes: size of the smallest program
 * @page_bytes: the longest payload, with what encryption puts behind it
 * @pages: number of logical pages
 * @links: links of the map, for words that its slots have no room for
 * @spread: how uneven the erase counts may be
 * @nonce: of this attachment
 * @managed: UBI below levels wear and has spare blocks, so the log does not
 * @encrypt: encrypt the records
 */
struct mtdc_log_geo {
	u32 blocks;
	u32 block_bytes;
	u32 unit_bytes;
	u32 write_bytes;
	u32 page_bytes;
	u32 pages;
	u32 links;
	u32 spread;
	u32 nonce;
	bool managed;
	bool encrypt;
};

/**
 * struct mtdc_log_stats - what a log has done
 * @host_bytes: bytes of records that the host has written
 * @moved_bytes: bytes of records that were moved
 * @padding_bytes: bytes that were wasted, by padding and at the end of blocks
 * @programmed_bytes: bytes programmed successfully
 * @erases: blocks erased successfully
 * @collected: victims emptied to gain space
 * @levelled: those emptied because they had rested too long
 * @scrubbed: those emptied for corrected bit flips
 * @retired: blocks marked bad
 * @lost: pages that were to move and whose bits were wrong
 * @failed_programs: programs that failed
 * @failed_erases: erases that failed
 */
struct mtdc_log_stats {
	u64 host_bytes;
	u64 moved_bytes;
	u64 padding_bytes;
	u64 programmed_bytes;
	u64 erases;
	u64 collected;
	u64 levelled;
	u64 scrubbed;
	u64 retired;
	u64 lost;
	u64 failed_programs;
	u64 failed_erases;
};

/**
 * struct mtdc_log_test - the test of a block that failed
 * @block: the block, or MTDC_LOG_NONE
 * @step: how much of the test it has passed
 * @from: where to look for the next block that is tested
 * @again: it has failed one before, and others have worked since
 * @probe: a program failed, maybe not for the block. Each further request programs one unit; when
 *	that works, the test begins again
 * @over: no more is tested for this request
 */
struct mtdc_log_test {
	u32 block;
	u32 step;
	u32 from;
	bool again;
	bool probe;
	bool over;
};

/**
 * struct mtdc_log - a log
 * @map: where each page is; all may read it, only the log changes it
 * @blocks: the blocks, and how the media have done
 * @streams: the open blocks
 * @pace: the collection of garbage
 * @test: the test of a block that failed
 * @stats: the counters
 * @geo: the geometry
 * @stream_geo: what the streams' blocks are like
 * @scratch: room for a label that is programmed alone, and for a unit of a test
 * @place: the place of a page, for the moment: it is large for the stack
 * @promised: bytes of records that have room
 * @needed: good blocks that it takes to have that room
 * @ready: the block that is erased ahead, or MTDC_LOG_NONE
 * @labelled: @ready has its label
 * @ahead: erase a block ahead
 * @wanted: the host waits to append a record
 * @closing: program the labels that are missing
 * @refused: the last page had no room
 *
 * The caller serialises all access.
 */
struct mtdc_log {
	struct mtdc_map map;
	struct mtdc_log_blocks blocks;
	struct mtdc_stream streams[MTDC_LOG_STREAMS];
	struct mtdc_pace pace;
	struct mtdc_log_test test;
	struct mtdc_log_stats stats;
	struct mtdc_log_geo geo;
	struct mtdc_stream_geo stream_geo;
	u8 *scratch;
	struct mtdc_place place;
	u64 promised;
	u32 needed;
	u32 ready;
	bool labelled;
	bool ahead;
	bool wanted;
	bool closing;
	bool refused;
};

bool mtdc_log_suits(const struct mtdc_log_geo *geo);
u64 mtdc_log_promise(const struct mtdc_log_geo *geo, u32 good);
size_t mtdc_log_memory(const struct mtdc_log_geo *geo);
void mtdc_log_init(struct mtdc_log *log, void *memory, const struct mtdc_log_geo *geo);
void mtdc_log_found(struct mtdc_log *log, u32 block, const void *label);
int mtdc_log_settle(struct mtdc_log *log);

int mtdc_log_admit(struct mtdc_log *log, u32 page, u32 payload_bytes);
int mtdc_log_room(struct mtdc_log *log, u32 payload_bytes, struct mtdc_log_job *job);
void mtdc_log_append(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		     const void *record);
int mtdc_log_put(struct mtdc_log *log, u32 page, const struct mtdc_place *place);
const u8 *mtdc_log_find(const struct mtdc_log *log, const struct mtdc_place *place,
			u64 *offset);
void mtdc_log_scrub(struct mtdc_log *log, u64 offset);

void mtdc_log_flush(struct mtdc_log *log);
void mtdc_log_close(struct mtdc_log *log);
bool mtdc_log_is_flushed(const struct mtdc_log *log);
bool mtdc_log_idle(struct mtdc_log *log);

enum mtdc_log_state mtdc_log_state(const struct mtdc_log *log);
u64 mtdc_log_capacity(const struct mtdc_log *log);
u32 mtdc_log_spares(const struct mtdc_log *log);
void mtdc_log_wear(const struct mtdc_log *log, u32 *least, u32 *mean, u32 *most);
bool mtdc_log_is_good(const struct mtdc_log *log, u32 block);
int mtdc_log_check(struct mtdc_log *log);

#endif /* MTDC_LOG_H */
