/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log: pages packed on flash that has to be erased.
 */
#ifndef MTDC_LOG_H
#define MTDC_LOG_H

#include <linux/align.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "log_gc.h"
#include "log_label.h"
#include "log_residents.h"
#include "log_stream.h"
#include "log_wear.h"
#include "map.h"
#include "media.h"

/* A record begins at a multiple of this: the granule of the map. */
#define MTDC_LOG_ALIGN		4U

/* How uneven the erase counts may be, unless told otherwise. */
#define MTDC_LOG_SPREAD		32U

/* No block. */
#define MTDC_LOG_NONE		U32_MAX

/* The streams: what the host writes, and what is moved. */
enum mtdc_log_stream {
	MTDC_LOG_HOST,
	MTDC_LOG_MOVED,
	MTDC_LOG_STREAMS
};

/**
 * enum mtdc_log_state - how the log is
 * @MTDC_LOG_OK: all that is promised has room
 * @MTDC_LOG_FULL: the last page that was asked for would have been too much
 * @MTDC_LOG_FEW: more blocks are bad than were spare, and less has room
 * @MTDC_LOG_WORN: too few good blocks are left to write anything
 * @MTDC_LOG_FAILING: the media fail, and no block is to blame
 */
enum mtdc_log_state {
	MTDC_LOG_OK,
	MTDC_LOG_FULL,
	MTDC_LOG_FEW,
	MTDC_LOG_WORN,
	MTDC_LOG_FAILING
};

/**
 * enum mtdc_log_kind - what is to be done
 * @MTDC_LOG_ERASE: erase the block
 * @MTDC_LOG_PROGRAM: program @data
 * @MTDC_LOG_READ: read to @data, and verify the record
 * @MTDC_LOG_MARK: mark the block bad
 */
enum mtdc_log_kind {
	MTDC_LOG_ERASE,
	MTDC_LOG_PROGRAM,
	MTDC_LOG_READ,
	MTDC_LOG_MARK
};

/**
 * struct mtdc_log_job - the next thing to be done to the media
 * @kind: what
 * @purpose: what for; the log's own
 * @stream: for which stream; the log's own
 * @block: in which block
 * @offset: where, in bytes of the media
 * @bytes: how much
 * @data: what is to be programmed, or where to read to
 * @page: whose record is read
 * @generation: its version
 * @payload_bytes: length of its payload
 * @record: where the record stands when it has been read: its header, and then
 *	its payload. What is not read stands there already
 */
struct mtdc_log_job {
	enum mtdc_log_kind kind;
	u8 purpose;
	u8 stream;
	u32 block;
	u64 offset;
	u32 bytes;
	u8 *data;
	u32 page;
	u32 generation;
	u32 payload_bytes;
	const u8 *record;
};

/**
 * struct mtdc_log_geo - what a log is to be like
 * @blocks: number of blocks, bad ones included
 * @block_bytes: size of a block, see mtdc_log_suits()
 * @unit_bytes: what is programmed at a time
 * @write_bytes: the least that can be programmed
 * @page_bytes: size of a page
 * @pages: number of logical pages
 * @links: links of the map, for words that its slots have no room for
 * @spread: how uneven the erase counts may be
 * @nonce: of this attachment
 * @managed: somebody below levels wear and has spare blocks: the log does not
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
 * @retired: blocks given up
 * @lost: pages that could not be read when they were to be moved
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
 * struct mtdc_log_block - what the log itself knows of a block
 * @live: bytes of live records
 * @state: what it is used for
 * @strikes: times that it failed to be erased or programmed without being surely
 *	to blame
 * @unread: the same of being read
 * @scrub: it has had bit flips
 * @fatal: it has failed in a way that only bad blocks do
 * @doubted: it has failed, was not found guilty, and has not been filled since
 */
struct mtdc_log_block {
	u32 live;
	u8 state;
	u8 strikes;
	u8 unread;
	bool scrub:1;
	bool fatal:1;
	bool doubted:1;
};

/**
 * struct mtdc_log - a log
 * @map: where each page is; to be read by all, changed by the log only
 * @residents: which pages are in a block
 * @gc: the closed blocks
 * @wear: the erase counts
 * @streams: the open blocks
 * @stream_geo: what they are like
 * @blocks: all blocks
 * @geo: the geometry
 * @scratch: room for a record, or for a label that is programmed alone
 * @place: place of a page, for the moment
 * @moving: place of the record that is being moved
 * @stats: the counters
 * @promised: bytes of records that have room
 * @live: bytes of records that are live
 * @clock: blocks closed so far
 * @good: blocks that are not bad, or about to be
 * @needed: good blocks that it takes to have room for what is promised
 * @reserve: free blocks that the host's stream may not open
 * @ready: the block that is erased ahead, or MTDC_LOG_NONE
 * @parole: block that was doubted, and is tried as others are until it has been
 *	programmed or has failed, or MTDC_LOG_NONE
 * @victim: the block that is being emptied, or MTDC_LOG_NONE
 * @put_off: block that could not be read, not to be tried again for now
 * @replacement: block that a failed stream will go on in, or MTDC_LOG_NONE
 * @wanted: length of the record that the host waits to append
 * @owed: bytes that the host's stream has advanced and nothing was moved for
 * @debt: bytes to be moved
 * @budget: bytes that may be moved for this request, if nobody waits for it
 * @rate: bytes to be moved for each that the host's stream advances, times 256
 * @victim_why: what the victim is emptied for; the log's own
 * @opened: blocks opened since the last one was levelled
 * @nsuspect: blocks that have failed
 * @ndoomed: blocks to be given up that are not empty
 * @nmark: those that are
 * @nscrub: closed blocks to be scrubbed
 * @failures: erases and programs that failed since the last program that did
 *	not
 * @vain: those that failed since the last request began, others in between or not
 * @successes: reads that did not fail; programs say nothing of those
 * @struck: @successes when a read failed last
 * @accused: block that could not be read then
 * @probed: block that was read last to learn whether any can be
 * @refusals: requests since something was programmed last that might have failed
 * @patience: how many it takes to do that again
 * @read_failures: victims that could not be read, since the last request
 * @failed: errors of the streams whose block has failed
 * @spoiled: bytes that their last program may have left anything in
 * @skipped: streams that go on behind that, and nothing has been programmed since
 * @flush: streams that are to be flushed
 * @close: streams whose block is to be closed
 * @labelled: @ready has its label
 * @ahead: a block is to be erased ahead
 * @idle: nobody waits for us
 * @shared: so many have failed in a row that it may be what they share
 * @failing: a record could not be appended, and no program has succeeded since
 * @probe: a record is to be read to learn whether any can be
 * @closing: labels that are missing are to be programmed
 * @refused: the last page that was asked for was too much
 *
 * The caller serialises all access.
 */
struct mtdc_log {
	struct mtdc_map map;
	struct mtdc_residents residents;
	struct mtdc_gc gc;
	struct mtdc_wear wear;
	struct mtdc_stream streams[MTDC_LOG_STREAMS];
	struct mtdc_stream_geo stream_geo;
	struct mtdc_log_block *blocks;
	struct mtdc_log_geo geo;
	u8 *scratch;
	struct mtdc_place place;
	struct mtdc_place moving;
	struct mtdc_log_stats stats;
	u64 promised;
	u64 live;
	u32 clock;
	u32 good;
	u32 needed;
	u32 reserve;
	u32 ready;
	u32 parole;
	u32 victim;
	u32 put_off;
	u32 replacement[MTDC_LOG_STREAMS];
	u32 wanted;
	u32 owed;
	u32 debt;
	u32 budget;
	u32 rate;
	u32 victim_why;
	u32 opened;
	u32 nsuspect;
	u32 ndoomed;
	u32 nmark;
	u32 nscrub;
	u32 failures;
	u32 vain;
	u32 successes;
	u32 struck;
	u32 accused;
	u32 probed;
	u32 refusals;
	u32 patience;
	u32 read_failures;
	int failed[MTDC_LOG_STREAMS];
	u32 spoiled[MTDC_LOG_STREAMS];
	bool skipped[MTDC_LOG_STREAMS];
	bool flush[MTDC_LOG_STREAMS];
	bool close[MTDC_LOG_STREAMS];
	bool labelled;
	bool ahead;
	bool idle;
	bool shared;
	bool failing;
	bool probe;
	bool closing;
	bool refused;
};

/**
 * mtdc_log_record_bytes() - what a record takes
 * @payload_bytes: length of its payload
 *
 * Context: any.
 * Return: bytes, with header and padding.
 */
static inline u32 mtdc_log_record_bytes(u32 payload_bytes)
{
	return ALIGN(payload_bytes + MTDC_FRAGMENT_BYTES, MTDC_LOG_ALIGN);
}

bool mtdc_log_suits(const struct mtdc_log_geo *geo);
u64 mtdc_log_promise(const struct mtdc_log_geo *geo, u32 good);
size_t mtdc_log_memory(const struct mtdc_log_geo *geo);
void mtdc_log_init(struct mtdc_log *log, void *memory,
		   const struct mtdc_log_geo *geo);
void mtdc_log_found(struct mtdc_log *log, u32 block, const void *label);
void mtdc_log_found_bad(struct mtdc_log *log, u32 block);
int mtdc_log_settle(struct mtdc_log *log);

int mtdc_log_admit(struct mtdc_log *log, u32 page, u32 payload_bytes);
int mtdc_log_room(struct mtdc_log *log, u32 payload_bytes,
		  struct mtdc_log_job *job);
void mtdc_log_append(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		     const void *record);
int mtdc_log_put(struct mtdc_log *log, u32 page,
		 const struct mtdc_place *place);
u32 mtdc_log_find(const struct mtdc_log *log, const struct mtdc_place *place,
		  u64 *offset, const u8 **rest);
void mtdc_log_scrub(struct mtdc_log *log, u64 offset);
void mtdc_log_alive(struct mtdc_log *log);

void mtdc_log_flush(struct mtdc_log *log);
void mtdc_log_close(struct mtdc_log *log);
bool mtdc_log_is_flushed(const struct mtdc_log *log);
bool mtdc_log_idle(struct mtdc_log *log);

bool mtdc_log_next(struct mtdc_log *log, struct mtdc_log_job *job);
void mtdc_log_done(struct mtdc_log *log, const struct mtdc_log_job *job,
		   int err);
enum mtdc_log_state mtdc_log_state(const struct mtdc_log *log);
u64 mtdc_log_capacity(const struct mtdc_log *log);
u32 mtdc_log_spares(const struct mtdc_log *log);
void mtdc_log_wear(const struct mtdc_log *log, u32 *least, u32 *mean, u32 *most);
bool mtdc_log_is_good(const struct mtdc_log *log, u32 block);
int mtdc_log_check(struct mtdc_log *log);

#endif /* MTDC_LOG_H */
