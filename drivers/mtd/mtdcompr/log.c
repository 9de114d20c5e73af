// SPDX-License-Identifier: GPL-2.0
/*
 * The log: pages packed on flash that has to be erased.
 *
 * This is the one pure unit that puts others together. It knows where every
 * page is, which blocks are free, open, closed and failed, and decides what has
 * to be erased, programmed, read and marked next, and what follows from it if
 * that fails. It does none of it: log_jobs.c hands out one job after the other.
 * It does not know what is in a record. It takes no lock, sleeps, allocates and
 * prints nothing. Documentation/log-store.rst says why it is as it is.
 *
 * Here are the tables, and what happens without any job: a record is appended
 * to the write buffer, a page is dropped, a block changes its state.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log.h"
#include "log_jobs.h"

/* Spare blocks in 1024, as in ebcache_blocks.c, and for the same reason. */
#define SPARES_IN_1024	20U

/*
 * Free blocks that only the collector may open: one to work with, the others
 * for blocks that fail meanwhile.
 */
#define RESERVE_MIN	2U
#define RESERVE_MAX	4U
#define RESERVE_PART	16U

/* With less blocks to promise, a device is not worth its name. */
#define PROMISED_MIN	2U

/* What is kept from being promised, so that collecting always gains: 1/16. */
#define SLACK_PART	16U

static u32 granules_a_block(const struct mtdc_log *log)
{
	return log->geo.block_bytes / MTDC_LOG_ALIGN;
}

/**
 * mtdc_log_block_of() - which block a stored page is in
 * @log: the log
 * @place: the page's place
 * @offset: where in the block, in bytes
 *
 * Context: any; the caller serialises.
 * Return: the block.
 */
u32 mtdc_log_block_of(const struct mtdc_log *log,
		      const struct mtdc_place *place, u32 *offset)
{
	u32 start = place->chain[0].start;

	*offset = start % granules_a_block(log) * MTDC_LOG_ALIGN;
	return start / granules_a_block(log);
}

static void say_where(const struct mtdc_log *log, struct mtdc_place *place,
		      u32 block, u32 offset)
{
	place->n = 1;
	place->chain[0].start = block * granules_a_block(log) +
		offset / MTDC_LOG_ALIGN;
	place->chain[0].len = mtdc_log_record_bytes(place->bytes) /
		MTDC_LOG_ALIGN;
}

static u32 stored_bytes(const struct mtdc_place *place)
{
	return mtdc_is_stored(place->kind) ? mtdc_log_record_bytes(place->bytes) : 0;
}

/* What a free block can be chosen for. */
static enum mtdc_wear_pool pool_of_free(const struct mtdc_log *log, u32 block)
{
	return log->blocks[block].doubted && log->parole != block ?
		MTDC_WEAR_LAST : MTDC_WEAR_FREE;
}

/**
 * mtdc_log_free() - a block can be erased and used again
 * @log: the log
 * @block: the block, which is empty, and in no heap
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_free(struct mtdc_log *log, u32 block)
{
	log->blocks[block].state = MTDC_BLOCK_FREE;
	log->blocks[block].scrub = false;
	mtdc_wear_put(&log->wear, block, pool_of_free(log, block));
}

/**
 * mtdc_log_shut() - a block is no longer written
 * @log: the log
 * @block: the block, in no heap
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_shut(struct mtdc_log *log, u32 block)
{
	struct mtdc_log_block *b = &log->blocks[block];

	if (!b->live) {
		mtdc_log_free(log, block);
		return;
	}
	b->state = MTDC_BLOCK_CLOSED;
	log->nscrub += b->scrub;
	mtdc_gc_add(&log->gc, block, b->live, log->clock);
	mtdc_wear_put(&log->wear, block, MTDC_WEAR_USED);
}

/**
 * mtdc_log_take() - a closed block is closed no longer
 * @log: the log
 * @block: the block
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_take(struct mtdc_log *log, u32 block)
{
	struct mtdc_log_block *b = &log->blocks[block];

	log->nscrub -= b->scrub;
	b->scrub = false;
	mtdc_gc_remove(&log->gc, block);
	mtdc_wear_put(&log->wear, block, MTDC_WEAR_OUT);
}

/**
 * mtdc_log_bury() - give a block up that is empty
 * @log: the log
 * @block: the block, in no heap and no pool
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_bury(struct mtdc_log *log, u32 block)
{
	bool mark = log->blocks[block].fatal;

	log->blocks[block].state = mark ? MTDC_BLOCK_MARK : MTDC_BLOCK_BAD;
	log->nmark += mark;
	/* There is nothing left in it to be read. */
	if (log->put_off == block)
		log->put_off = MTDC_LOG_NONE;
}

/* The record of a page is dead; @place is where it was. */
static void bereave(struct mtdc_log *log, u32 page,
		    const struct mtdc_place *place)
{
	u32 offset, block = mtdc_log_block_of(log, place, &offset);
	struct mtdc_log_block *b = &log->blocks[block];
	u32 bytes = stored_bytes(place);

	mtdc_residents_remove(&log->residents, block, page);
	b->live -= bytes;
	log->live -= bytes;
	if (b->state == MTDC_BLOCK_CLOSED) {
		mtdc_gc_update(&log->gc, block, b->live);
		if (!b->live) {
			mtdc_log_take(log, block);
			mtdc_log_free(log, block);
		}
	} else if (b->state == MTDC_BLOCK_DOOMED && !b->live &&
		   log->victim != block) {
		log->ndoomed--;
		mtdc_log_bury(log, block);
	}
}

/**
 * mtdc_log_put() - say of a page that it needs no media
 * @log: the log
 * @page: the logical page
 * @place: MTDC_NONE, MTDC_FILL with its word, or MTDC_LOST
 *
 * Context: any; the caller serialises.
 * Return: 0, or -ENOSPC with nothing changed if the map has no room for the
 * word.
 */
int mtdc_log_put(struct mtdc_log *log, u32 page,
		 const struct mtdc_place *place)
{
	int err;

	mtdc_map_get(&log->map, page, &log->place);
	err = mtdc_map_set(&log->map, page, place);
	if (!err && mtdc_is_stored(log->place.kind))
		bereave(log, page, &log->place);
	return err;
}

/**
 * mtdc_log_settle_in() - a record stands in a stream's buffer from now on
 * @log: the log
 * @s: the stream
 * @page: the logical page, whose record is nowhere else
 * @place: its place; where that is, is filled in
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_settle_in(struct mtdc_log *log, enum mtdc_log_stream s, u32 page,
			struct mtdc_place *place)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 bytes = stored_bytes(place);

	say_where(log, place, stream->block,
		  mtdc_stream_append(stream, bytes));
	/* One extent takes no link. */
	mtdc_map_set(&log->map, page, place);
	mtdc_residents_add(&log->residents, stream->block, page);
	log->blocks[stream->block].live += bytes;
	log->live += bytes;
}

/**
 * mtdc_log_rehouse() - a record is in another block than before
 * @log: the log
 * @page: the logical page
 * @place: where it is; then, where it will be
 * @block: its next block
 * @offset: where in that
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_rehouse(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		      u32 block, u32 offset)
{
	u32 bytes = stored_bytes(place), in;
	u32 from = mtdc_log_block_of(log, place, &in);

	mtdc_residents_remove(&log->residents, from, page);
	log->blocks[from].live -= bytes;
	say_where(log, place, block, offset);
	mtdc_map_set(&log->map, page, place);
	mtdc_residents_add(&log->residents, block, page);
	log->blocks[block].live += bytes;
}

static struct mtdc_stream_geo stream_geo_of(const struct mtdc_log_geo *geo)
{
	return (struct mtdc_stream_geo) {
		.block_bytes = geo->block_bytes,
		.unit_bytes = geo->unit_bytes,
		.write_bytes = geo->write_bytes,
		.record_bytes = mtdc_log_record_bytes(geo->page_bytes),
		.label_bytes = MTDC_LABEL_BYTES,
	};
}

/* What can be promised with so many blocks to write to. */
static u64 capacity_of(const struct mtdc_stream_geo *geo, u32 reserve, u32 good)
{
	u32 held = reserve + MTDC_LOG_STREAMS;
	u32 least = geo->block_bytes - mtdc_stream_label_space(geo) -
		geo->record_bytes;

	least -= least / SLACK_PART;
	return good > held ? (u64)(good - held) * least : 0;
}

/* Blocks that are kept free for the collector. */
static u32 reserve_of(u32 good)
{
	return clamp(good / RESERVE_PART, RESERVE_MIN, RESERVE_MAX);
}

/* Blocks that may go bad before less has room than was promised. */
static u32 spares_of(const struct mtdc_log_geo *geo)
{
	if (geo->managed)
		return 0;
	return max((u32)((u64)geo->blocks * SPARES_IN_1024 >> 10), 1U);
}

/**
 * mtdc_log_promise() - bytes of records that a log will promise to have room for
 * @geo: what it is to be like; it suits
 * @good: number of blocks that are not bad
 *
 * Context: any.
 * Return: bytes, or 0 if there are too few good blocks.
 */
u64 mtdc_log_promise(const struct mtdc_log_geo *geo, u32 good)
{
	struct mtdc_stream_geo stream = stream_geo_of(geo);
	u32 reserve = reserve_of(good), spares = spares_of(geo);

	if (good < spares + reserve + MTDC_LOG_STREAMS + PROMISED_MIN)
		return 0;
	return capacity_of(&stream, reserve, good - spares);
}

/**
 * mtdc_log_capacity() - bytes of records that have room
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: what was promised, or less if too many blocks are bad.
 */
u64 mtdc_log_capacity(const struct mtdc_log *log)
{
	return min(log->promised,
		   capacity_of(&log->stream_geo, log->reserve, log->good));
}

/**
 * mtdc_log_spares() - how many blocks may go bad before less has room?
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: their number.
 */
u32 mtdc_log_spares(const struct mtdc_log *log)
{
	return log->good > log->needed ? log->good - log->needed : 0;
}

/**
 * mtdc_log_wear() - erase counts of the good blocks
 * @log: the log
 * @least: the least
 * @mean: the mean
 * @most: the most; all 0 if there are none
 *
 * Context: any; the caller serialises. Takes time in proportion to the blocks.
 */
void mtdc_log_wear(const struct mtdc_log *log, u32 *least, u32 *mean, u32 *most)
{
	u32 block, n = 0;
	u64 sum = 0;

	*least = U32_MAX;
	*most = 0;
	for (block = 0; block < log->geo.blocks; block++) {
		u32 erases = log->wear.erases[block];

		if (!mtdc_log_is_good(log, block))
			continue;
		*least = min(*least, erases);
		*most = max(*most, erases);
		sum += erases;
		n++;
	}
	*mean = n ? div_u64(sum, n) : 0;
	*least = min(*least, *most);
}

/**
 * mtdc_log_is_good() - is a block in use, or could be?
 * @log: the log
 * @block: the block
 *
 * Context: any; the caller serialises.
 * Return: false if it is bad or about to be given up.
 */
bool mtdc_log_is_good(const struct mtdc_log *log, u32 block)
{
	u8 state = log->blocks[block].state;

	return state != MTDC_BLOCK_BAD && state != MTDC_BLOCK_MARK &&
		state != MTDC_BLOCK_DOOMED;
}

/**
 * mtdc_log_state() - how the log is
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: the state.
 */
enum mtdc_log_state mtdc_log_state(const struct mtdc_log *log)
{
	u64 capacity = mtdc_log_capacity(log);

	if (!capacity)
		return MTDC_LOG_WORN;
	if (log->shared || log->failing)
		return MTDC_LOG_FAILING;
	if (capacity < log->promised)
		return MTDC_LOG_FEW;
	return log->refused ? MTDC_LOG_FULL : MTDC_LOG_OK;
}

/**
 * mtdc_log_admit() - may a page be written?
 * @log: the log
 * @page: the logical page
 * @payload_bytes: length of its payload
 *
 * To be called first for each page. Media that failed are tried once more. What takes no
 * more than it did may be written even where less has room by now than is stored.
 *
 * Context: any; the caller serialises.
 * Return: 0; -ENOSPC if that is more than has room, -EIO if too few blocks are
 * left for any.
 */
int mtdc_log_admit(struct mtdc_log *log, u32 page, u32 payload_bytes)
{
	u32 bytes = mtdc_log_record_bytes(payload_bytes), before;
	u64 capacity = mtdc_log_capacity(log);

	mtdc_log_retry(log);
	mtdc_map_get(&log->map, page, &log->place);
	before = stored_bytes(&log->place);
	log->refused = bytes > before &&
		log->live - before + bytes > capacity;
	if (!capacity)
		return -EIO;
	return log->refused ? -ENOSPC : 0;
}

/**
 * mtdc_log_append() - write a record
 * @log: the log, whose mtdc_log_room() has just said 0
 * @page: the logical page
 * @place: what it is: its kind, length and generation; where it is, is filled
 *	in
 * @record: header and payload
 *
 * It can be read at once. What has to be done for it then are the next jobs.
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_append(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		     const void *record)
{
	struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];
	u32 bytes = place->bytes + MTDC_FRAGMENT_BYTES;
	u32 record_bytes = mtdc_log_record_bytes(place->bytes);

	memcpy(mtdc_stream_tail(host), record, bytes);
	memset(mtdc_stream_tail(host) + bytes, 0, record_bytes - bytes);
	mtdc_map_get(&log->map, page, &log->place);
	if (mtdc_is_stored(log->place.kind))
		bereave(log, page, &log->place);
	mtdc_log_settle_in(log, MTDC_LOG_HOST, page, place);
	log->stats.host_bytes += record_bytes;
	log->owed += record_bytes;
}

/**
 * mtdc_log_find() - where a stored page is read from
 * @log: the log
 * @place: its place
 * @offset: where on the media its record begins, in bytes
 * @rest: that of the record which is not on the media
 *
 * Context: any; the caller serialises. @rest is right until the log is next
 * used.
 * Return: bytes of header and payload that are on the media, all before those
 * that are not.
 */
u32 mtdc_log_find(const struct mtdc_log *log, const struct mtdc_place *place,
		  u64 *offset, const u8 **rest)
{
	u32 bytes = place->bytes + MTDC_FRAGMENT_BYTES;
	u32 in, block = mtdc_log_block_of(log, place, &in);
	unsigned int s;

	*offset = (u64)block * log->geo.block_bytes + in;
	*rest = NULL;
	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		if (log->streams[s].block == block)
			return mtdc_stream_split(&log->streams[s], in, bytes,
						 rest);
	return bytes;
}

/**
 * mtdc_log_scrub() - a read had more bit flips corrected than is healthy
 * @log: the log
 * @offset: where on the media, in bytes
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_scrub(struct mtdc_log *log, u64 offset)
{
	/* A block has fewer granules than a u32 can say, the media as many. */
	u32 block = (u32)(offset / MTDC_LOG_ALIGN) / granules_a_block(log);
	struct mtdc_log_block *b = &log->blocks[block];

	if (b->scrub || (b->state != MTDC_BLOCK_CLOSED &&
			 b->state != MTDC_BLOCK_OPEN))
		return;
	b->scrub = true;
	log->nscrub += b->state == MTDC_BLOCK_CLOSED;
}

static size_t scratch_bytes(const struct mtdc_log_geo *geo)
{
	u32 record = mtdc_log_record_bytes(geo->page_bytes);

	return max(record, roundup(MTDC_LABEL_BYTES, geo->write_bytes));
}

static size_t stream_bytes(const struct mtdc_log_geo *geo)
{
	const struct mtdc_stream_geo stream = stream_geo_of(geo);

	return mtdc_stream_memory(&stream);
}

/**
 * mtdc_log_suits() - can there be a log like this?
 * @geo: what it is to be like
 *
 * Context: any.
 * Return: true if a block has room for three records and a unit, and what is to
 * be a multiple of something is.
 */
bool mtdc_log_suits(const struct mtdc_log_geo *geo)
{
	u64 least = 3ULL * mtdc_log_record_bytes(geo->page_bytes) +
		MTDC_LABEL_BYTES + geo->unit_bytes;

	if (!geo->write_bytes || geo->write_bytes % MTDC_LOG_ALIGN ||
	    !geo->unit_bytes || geo->unit_bytes % geo->write_bytes ||
	    geo->block_bytes % geo->unit_bytes || geo->block_bytes < least)
		return false;
	return geo->blocks >= 2 && geo->pages &&
		(u64)geo->blocks * (geo->block_bytes / MTDC_LOG_ALIGN) <=
		U32_MAX;
}

/**
 * mtdc_log_memory() - memory that a log takes
 * @geo: what it is to be like
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_log_memory(const struct mtdc_log_geo *geo)
{
	return mtdc_map_memory(geo->pages, geo->links) +
		mtdc_residents_memory(geo->pages, geo->blocks) +
		mtdc_gc_memory(geo->blocks) +
		(size_t)geo->blocks * sizeof(struct mtdc_log_block) +
		mtdc_wear_memory(geo->blocks) +
		MTDC_LOG_STREAMS * stream_bytes(geo) + scratch_bytes(geo);
}

/* What the collector closes because the next record has no room has more live. */
static u32 gain_bytes(const struct mtdc_stream_geo *geo)
{
	return geo->block_bytes - mtdc_stream_label_space(geo) -
		geo->record_bytes;
}

/**
 * mtdc_log_init() - set up a log of which nothing is known yet
 * @log: the log, zeroed
 * @memory: mtdc_log_memory() bytes, zeroed, aligned for a u64, in use for as
 *	long as @log is
 * @geo: what it is to be like; it suits
 *
 * To be followed by mtdc_log_found() or mtdc_log_found_bad() for each block,
 * and mtdc_log_settle().
 *
 * Context: any.
 */
void mtdc_log_init(struct mtdc_log *log, void *memory,
		   const struct mtdc_log_geo *geo)
{
	unsigned int s;

	log->geo = *geo;
	log->stream_geo = stream_geo_of(geo);
	mtdc_map_init(&log->map, memory, geo->pages, geo->links,
		      MTDC_LOG_ALIGN, MTDC_FRAGMENT_BYTES);
	memory += mtdc_map_memory(geo->pages, geo->links);
	mtdc_residents_init(&log->residents, memory, geo->pages, geo->blocks);
	memory += mtdc_residents_memory(geo->pages, geo->blocks);
	mtdc_gc_init(&log->gc, memory, geo->blocks, geo->block_bytes,
		     gain_bytes(&log->stream_geo));
	memory += mtdc_gc_memory(geo->blocks);
	log->blocks = memory;
	memory += (size_t)geo->blocks * sizeof(*log->blocks);
	mtdc_wear_init(&log->wear, memory, geo->blocks,
		       geo->managed ? U32_MAX : geo->spread);
	memory += mtdc_wear_memory(geo->blocks);
	for (s = 0; s < MTDC_LOG_STREAMS; s++) {
		mtdc_stream_init(&log->streams[s], memory, &log->stream_geo);
		memory += stream_bytes(geo);
		log->replacement[s] = MTDC_LOG_NONE;
	}
	log->scratch = memory;
	log->ready = MTDC_LOG_NONE;
	log->parole = MTDC_LOG_NONE;
	log->victim = MTDC_LOG_NONE;
	log->put_off = MTDC_LOG_NONE;
	log->struck = U32_MAX;
	log->accused = MTDC_LOG_NONE;
	log->patience = 1;
}

/**
 * mtdc_log_found() - a block is good
 * @log: the log, not yet settled
 * @block: the block
 * @label: MTDC_LABEL_BYTES of what it begins with, whatever that is; NULL if
 *	that can't be read
 *
 * Context: any.
 */
void mtdc_log_found(struct mtdc_log *log, u32 block, const void *label)
{
	u32 erases;

	log->blocks[block].state = MTDC_BLOCK_FREE;
	log->good++;
	if (label && !mtdc_label_parse(label, &erases))
		mtdc_wear_know(&log->wear, block, erases);
}

/**
 * mtdc_log_found_bad() - a block is bad
 * @log: the log, not yet settled
 * @block: the block
 *
 * Context: any.
 */
void mtdc_log_found_bad(struct mtdc_log *log, u32 block)
{
	log->blocks[block].state = MTDC_BLOCK_BAD;
}

/**
 * mtdc_log_settle() - begin, all blocks are found
 * @log: the log
 *
 * Context: any.
 * Return: 0, or -ENOSPC if there are too few good blocks.
 */
int mtdc_log_settle(struct mtdc_log *log)
{
	u32 blocks = log->geo.blocks, i;

	log->reserve = reserve_of(log->good);
	log->promised = mtdc_log_promise(&log->geo, log->good);
	if (!log->promised)
		return -ENOSPC;
	log->needed = log->good - spares_of(&log->geo);
	mtdc_wear_guess(&log->wear);
	for (i = 0; i < blocks; i++)
		if (log->blocks[i].state == MTDC_BLOCK_FREE)
			mtdc_log_free(log, i);
	return 0;
}

#ifdef MTDC_CHECKS
/* Does a page say that it is where its block has it? Adds up what is live. */
static bool is_resident(struct mtdc_log *log, u32 block, u32 page, u32 *live,
			u32 *end)
{
	struct mtdc_place *place = &log->place;
	u32 offset;

	mtdc_map_get(&log->map, page, place);
	if (!mtdc_is_stored(place->kind) || place->n != 1 ||
	    mtdc_log_block_of(log, place, &offset) != block || offset < *end)
		return false;
	*end = offset + stored_bytes(place);
	*live += stored_bytes(place);
	return *end <= log->geo.block_bytes;
}

static int check_block(struct mtdc_log *log, u32 block, u32 *residents)
{
	const struct mtdc_log_block *b = &log->blocks[block];
	u32 first = mtdc_residents_first(&log->residents, block), page = first;
	u32 live = 0, end = MTDC_LABEL_BYTES;
	bool in_heap = log->gc.nodes[block].class != MTDC_GC_CLASSES;
	bool closed = b->state == MTDC_BLOCK_CLOSED;
	bool is_free = b->state == MTDC_BLOCK_FREE;
	u8 pool = MTDC_WEAR_OUT;

	if (page != MTDC_RESIDENTS_NONE) {
		do {
			if (!is_resident(log, block, page, &live, &end))
				return -EUCLEAN;
			++*residents;
			page = log->residents.rings[page].next;
		} while (page != first);
	}
	if (live != b->live || (closed && !live) || b->state > MTDC_BLOCK_MARK)
		return -EUCLEAN;
	if (live && (is_free || b->state < MTDC_BLOCK_OPEN ||
		     b->state == MTDC_BLOCK_MARK))
		return -EUCLEAN;
	if (closed)
		pool = MTDC_WEAR_USED;
	else if (is_free)
		pool = pool_of_free(log, block);
	return closed == in_heap && pool == log->wear.pool[block] ? 0 :
		-EUCLEAN;
}

static int check_blocks(struct mtdc_log *log)
{
	u32 n[MTDC_BLOCK_STATES] = { 0 };
	u32 block, page, residents = 0, stored = 0, scrub = 0, good = 0;
	u64 live = 0;

	for (block = 0; block < log->geo.blocks; block++) {
		const struct mtdc_log_block *b = &log->blocks[block];

		if (check_block(log, block, &residents))
			return -EUCLEAN;
		n[b->state]++;
		live += b->live;
		scrub += b->scrub && b->state == MTDC_BLOCK_CLOSED;
		good += mtdc_log_is_good(log, block);
	}
	for (page = 0; page < log->geo.pages; page++) {
		enum mtdc_kind kind = mtdc_map_kind(&log->map, page);

		stored += kind == MTDC_RAW || kind == MTDC_COMPRESSED;
	}
	if (residents != stored || live != log->live || good != log->good ||
	    scrub != log->nscrub || n[MTDC_BLOCK_SUSPECT] != log->nsuspect ||
	    n[MTDC_BLOCK_DOOMED] != log->ndoomed ||
	    n[MTDC_BLOCK_MARK] != log->nmark)
		return -EUCLEAN;
	return mtdc_log_check_open(log, n);
}

/**
 * mtdc_log_check() - walk the invariants
 * @log: the log
 *
 * Every stored page is in the block where the map has it, behind the one before
 * it; the sums are right, and so are the parts of the log.
 *
 * Context: any; the caller serialises. Takes time in proportion to the pages.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_log_check(struct mtdc_log *log)
{
	unsigned int s;

	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		if (mtdc_stream_check(&log->streams[s]))
			return -EUCLEAN;
	if (mtdc_map_check(&log->map) || mtdc_residents_check(&log->residents) ||
	    mtdc_gc_check(&log->gc) || mtdc_wear_check(&log->wear))
		return -EUCLEAN;
	return check_blocks(log);
}
#endif /* MTDC_CHECKS */
