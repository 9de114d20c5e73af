// SPDX-License-Identifier: GPL-2.0
/*
 * The log: pages packed on flash that has to be erased.
 *
 * This unit owns the map and the promise: how many bytes of records have room. log_store.c
 * calls it to write, find and flush pages. log_jobs.c decides which blocks have to be erased,
 * programmed, read and marked for that. The log touches no media itself, so the unit tests can
 * run its decisions many million times in user space. It does not look into a record. It
 * takes no lock, sleeps, allocates and prints nothing; its callers serialise all access, in any
 * context. Documentation/explanation/log-store.rst gives the reasons.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log.h"

/* Spare blocks in 1024, as in ebcache_blocks.c, and for the same reason. */
#define SPARES_IN_1024	20U

/*
 * Free blocks that only the collector may open: one to work with, the others for blocks that fail
 * meanwhile, and for blocks half full that streams leave behind when the media fail for a moment.
 */
#define RESERVE_MIN	3U
#define RESERVE_MAX	5U
#define RESERVE_PART	16U

/* Another block half full is not promised, but the host may use it. */
#define HALF_FULL	1U

/* With fewer blocks to promise, a device is not worth its name. */
#define PROMISED_MIN	2U

/* A sixteenth is not promised, so that emptying a block always gains space. */
#define SLACK_PART	16U

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

/*
 * A block that was closed because the next record had no room was filled so far at least.
 * Emptying a block with fewer live bytes gains space.
 */
static u32 filled_bytes(const struct mtdc_stream_geo *geo)
{
	return geo->block_bytes - mtdc_stream_label_space(geo) - geo->record_bytes;
}

/* Bytes that @good blocks can promise. */
static u64 capacity_of(const struct mtdc_stream_geo *geo, u32 reserve, u32 good)
{
	u32 held = reserve + MTDC_LOG_STREAMS + HALF_FULL, least = filled_bytes(geo);

	least -= least / SLACK_PART;
	return good > held ? (u64)(good - held) * least : 0;
}

/* Blocks that are kept free for the collector. */
static u32 reserve_of(u32 good)
{
	return clamp(good / RESERVE_PART + 1, RESERVE_MIN, RESERVE_MAX);
}

/* Blocks that may go bad before less has room than was promised. */
static u32 spares_of(const struct mtdc_log_geo *geo)
{
	if (geo->managed)
		return 0;
	return max((u32)((u64)geo->blocks * SPARES_IN_1024 >> 10), 1U);
}

/**
 * mtdc_log_promise() - bytes of records that a log would promise to store
 * @geo: its geometry, which suits
 * @good: number of blocks that are not bad
 *
 * Return: bytes, or 0 if there are too few good blocks.
 */
u64 mtdc_log_promise(const struct mtdc_log_geo *geo, u32 good)
{
	struct mtdc_stream_geo stream = stream_geo_of(geo);
	u32 reserve = reserve_of(good), spares = spares_of(geo);

	if (good < spares + reserve + MTDC_LOG_STREAMS + HALF_FULL + PROMISED_MIN)
		return 0;
	return capacity_of(&stream, reserve, good - spares);
}

/**
 * mtdc_log_capacity() - bytes of records that have room
 * @log: the log
 *
 * Return: the promise, or less if too many blocks are bad.
 */
u64 mtdc_log_capacity(const struct mtdc_log *log)
{
	return min(log->promised,
		   capacity_of(&log->stream_geo, log->pace.reserve, log->blocks.good));
}

/**
 * mtdc_log_spares() - how many blocks may go bad before less has room?
 * @log: the log
 *
 * Return: their number.
 */
u32 mtdc_log_spares(const struct mtdc_log *log)
{
	return log->blocks.good > log->needed ? log->blocks.good - log->needed : 0;
}

/**
 * mtdc_log_is_good() - is a block not bad?
 * @log: the log
 * @block: the block
 *
 * Return: true if it is in use, or could be.
 */
bool mtdc_log_is_good(const struct mtdc_log *log, u32 block)
{
	return log->blocks.at[block].state != MTDC_BLOCK_BAD;
}

/**
 * mtdc_log_wear() - erase counts of the good blocks
 * @log: the log
 * @least: the least
 * @mean: the mean
 * @most: the most; all 0 without a good block
 *
 * Takes time in proportion to the blocks.
 */
void mtdc_log_wear(const struct mtdc_log *log, u32 *least, u32 *mean, u32 *most)
{
	u32 block, n = 0;
	u64 sum = 0;

	*least = U32_MAX;
	*most = 0;
	for (block = 0; block < log->geo.blocks; block++) {
		u32 erases = log->blocks.wear.erases[block];

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
 * mtdc_log_state() - how the log is
 * @log: the log
 *
 * Return: the state.
 */
enum mtdc_log_state mtdc_log_state(const struct mtdc_log *log)
{
	u64 capacity = mtdc_log_capacity(log);

	if (!capacity)
		return MTDC_LOG_WORN;
	if (mtdc_log_blocks_are_failing(&log->blocks))
		return MTDC_LOG_FAILING;
	if (capacity < log->promised)
		return MTDC_LOG_FEW;
	return log->refused ? MTDC_LOG_FULL : MTDC_LOG_OK;
}

/**
 * mtdc_log_put() - say of a page that it needs no media
 * @log: the log
 * @page: the logical page
 * @place: MTDC_NONE, MTDC_FILL with its word, or MTDC_LOST
 *
 * Return: 0, or -ENOSPC with nothing changed if the map has no room for the word.
 */
int mtdc_log_put(struct mtdc_log *log, u32 page, const struct mtdc_place *place)
{
	int err;

	mtdc_map_get(&log->map, page, &log->place);
	err = mtdc_map_set(&log->map, page, place);
	if (!err)
		mtdc_log_leave(log, page, &log->place);
	return err;
}

/**
 * mtdc_log_admit() - may a page be written?
 * @log: the log
 * @page: the logical page
 * @payload_bytes: length of its payload
 *
 * Each write begins with it. If more is stored than has room by now, a page may be written
 * that takes no more than it did.
 *
 * Return: 0; -ENOSPC if it has no room, -EIO if too few blocks are left for any page.
 */
int mtdc_log_admit(struct mtdc_log *log, u32 page, u32 payload_bytes)
{
	u32 bytes = mtdc_log_record_bytes(payload_bytes), before;
	u64 capacity = mtdc_log_capacity(log);

	mtdc_log_begin(log, false);
	mtdc_map_get(&log->map, page, &log->place);
	before = mtdc_log_stored_bytes(&log->place);
	log->refused = bytes > before && log->blocks.live - before + bytes > capacity;
	if (!capacity)
		return -EIO;
	return log->refused ? -ENOSPC : 0;
}

static bool has_room(struct mtdc_log *log, u32 bytes)
{
	struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];

	if (host->failed || host->block == MTDC_STREAM_NONE)
		return false;
	if (!mtdc_stream_fits(host, bytes)) {
		host->close = true;
		return false;
	}
	return !host->close && !mtdc_stream_due(host);
}

/**
 * mtdc_log_room() - can a record be appended now?
 * @log: the log, after mtdc_log_admit() for this page
 * @payload_bytes: length of its payload
 * @job: a job to be done first, as from mtdc_log_next()
 *
 * Return: 0 if it can; -EAGAIN after making a job, to call again when it is done; -EIO if the
 * media fail; -ENOSPC if no block can be freed though nothing failed.
 */
int mtdc_log_room(struct mtdc_log *log, u32 payload_bytes, struct mtdc_log_job *job)
{
	u32 bytes = mtdc_log_record_bytes(payload_bytes);

	log->wanted = true;
	if (!has_room(log, bytes)) {
		if (mtdc_log_next(log, job))
			return -EAGAIN;
		/* It may have needed no job to open a block. */
		if (!has_room(log, bytes)) {
			if (mtdc_log_blocks_have_failed(&log->blocks) || log->pace.unread ||
			    log->streams[MTDC_LOG_HOST].failed ||
			    log->streams[MTDC_LOG_MOVED].failed)
				return -EIO;
			log->refused = true;
			return -ENOSPC;
		}
	}
	log->wanted = false;
	return 0;
}

/**
 * mtdc_log_append() - write a record
 * @log: the log, just after mtdc_log_room() said 0
 * @page: the logical page
 * @place: its kind, length and generation; the log fills in where it is
 * @record: header and payload; if records are encrypted, the payload is not yet, and the rest need
 *	not be there
 *
 * The page can be read at once. The caller does the next jobs until none is left.
 */
void mtdc_log_append(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		     const void *record)
{
	struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];
	u32 used = place->bytes + MTDC_FRAGMENT_BYTES;
	u32 bytes = mtdc_log_record_bytes(place->bytes);
	u8 *tail = mtdc_stream_tail(host);

	memcpy(tail, record, used);
	memset(tail + used, 0, bytes - used);
	mtdc_map_get(&log->map, page, &log->place);
	mtdc_log_leave(log, page, &log->place);
	mtdc_log_settle_in(log, page, place, host->block, mtdc_stream_append(host, bytes));
	mtdc_log_seal(log, page, place, tail);
	log->stats.host_bytes += bytes;
	log->pace.owed += bytes;
}

/**
 * mtdc_log_find() - where a stored page is read from
 * @log: the log
 * @place: its place
 * @offset: where on the media its record begins, in bytes
 *
 * The answer is right until the log is next used.
 * Return: the record, or NULL if it is on the media.
 */
const u8 *mtdc_log_find(const struct mtdc_log *log, const struct mtdc_place *place,
			u64 *offset)
{
	u32 in, block = mtdc_log_block_of(log, place, &in);
	unsigned int s;

	*offset = (u64)block * log->geo.block_bytes + in;
	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		if (log->streams[s].block == block)
			return mtdc_stream_find(&log->streams[s], in);
	return NULL;
}

/**
 * mtdc_log_scrub() - a read had more bit flips corrected than is healthy
 * @log: the log
 * @offset: where on the media, in bytes
 */
void mtdc_log_scrub(struct mtdc_log *log, u64 offset)
{
	mtdc_log_blocks_scrub(&log->blocks, div_u64(offset, log->geo.block_bytes));
}

/**
 * mtdc_log_flush() - have all that was appended be programmed
 * @log: the log
 *
 * The caller does all jobs after it.
 */
void mtdc_log_flush(struct mtdc_log *log)
{
	struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];

	mtdc_log_begin(log, false);
	host->flush = host->block != MTDC_STREAM_NONE;
}

/**
 * mtdc_log_close() - have all erase counts be programmed
 * @log: the log; the caller does all jobs and does not use it again
 */
void mtdc_log_close(struct mtdc_log *log)
{
	unsigned int s;

	mtdc_log_begin(log, false);
	log->closing = true;
	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		log->streams[s].flush = log->streams[s].block != MTDC_STREAM_NONE;
}

/**
 * mtdc_log_is_flushed() - is all that was appended on the media?
 * @log: the log
 *
 * Return: true if it is.
 */
bool mtdc_log_is_flushed(const struct mtdc_log *log)
{
	return mtdc_stream_is_flushed(&log->streams[MTDC_LOG_HOST]);
}

/**
 * mtdc_log_idle() - work ahead, while no writer waits
 * @log: the log
 *
 * The caller does all jobs, and calls it again.
 *
 * Return: true if the log has work.
 */
bool mtdc_log_idle(struct mtdc_log *log)
{
	mtdc_log_begin(log, true);
	return mtdc_log_has_idle_work(log);
}

static size_t scratch_bytes(const struct mtdc_stream_geo *geo)
{
	return max(mtdc_stream_label_space(geo), geo->unit_bytes);
}

/**
 * mtdc_log_suits() - can a log have this geometry?
 * @geo: the geometry
 *
 * Return: true if a block has room for three records and a unit, a block is whole units, a unit
 * whole write units, and a label fits in a unit.
 */
bool mtdc_log_suits(const struct mtdc_log_geo *geo)
{
	u64 least = 3ULL * mtdc_log_record_bytes(geo->page_bytes) + MTDC_LABEL_BYTES +
		geo->unit_bytes;

	if (!geo->write_bytes || geo->write_bytes % MTDC_LOG_ALIGN ||
	    geo->unit_bytes < MTDC_LABEL_BYTES || geo->unit_bytes % geo->write_bytes ||
	    geo->block_bytes % geo->unit_bytes || geo->block_bytes < least)
		return false;
	return geo->blocks >= 2 && geo->pages &&
		(u64)geo->blocks * (geo->block_bytes / MTDC_LOG_ALIGN) <= U32_MAX;
}

/**
 * mtdc_log_memory() - memory that a log takes
 * @geo: its geometry
 *
 * Return: bytes.
 */
size_t mtdc_log_memory(const struct mtdc_log_geo *geo)
{
	struct mtdc_stream_geo stream = stream_geo_of(geo);

	return mtdc_map_memory(geo->pages, geo->links) +
		mtdc_log_blocks_memory(geo->blocks, geo->pages, geo->encrypt) +
		MTDC_LOG_STREAMS * mtdc_stream_memory(&stream) + scratch_bytes(&stream);
}

/**
 * mtdc_log_init() - set up a log without blocks
 * @log: the log, zeroed
 * @memory: mtdc_log_memory() bytes, zeroed, aligned for a u64, in use for as long as @log is
 * @geo: its geometry, which suits
 *
 * The caller calls mtdc_log_found() for each good block then, and mtdc_log_settle() in the end.
 */
void mtdc_log_init(struct mtdc_log *log, void *memory, const struct mtdc_log_geo *geo)
{
	struct mtdc_log_blocks_geo blocks_geo = {
		.count = geo->blocks,
		.pages = geo->pages,
		.block_bytes = geo->block_bytes,
		.unit_bytes = geo->unit_bytes,
		.spread = geo->managed ? U32_MAX : geo->spread,
		.encrypt = geo->encrypt,
	};
	unsigned int s;

	log->geo = *geo;
	log->stream_geo = stream_geo_of(geo);
	blocks_geo.gain_bytes = filled_bytes(&log->stream_geo);
	mtdc_map_init(&log->map, memory, geo->pages, geo->links, MTDC_LOG_ALIGN,
		      MTDC_FRAGMENT_BYTES);
	memory += mtdc_map_memory(geo->pages, geo->links);
	mtdc_log_blocks_init(&log->blocks, memory, &blocks_geo);
	memory += mtdc_log_blocks_memory(geo->blocks, geo->pages, geo->encrypt);
	/* Something follows each write buffer: mtdc_crypt_seal() takes 8 bytes for a moment. */
	for (s = 0; s < MTDC_LOG_STREAMS; s++) {
		mtdc_stream_init(&log->streams[s], memory, &log->stream_geo);
		memory += mtdc_stream_memory(&log->stream_geo);
	}
	log->scratch = memory;
	log->ready = MTDC_LOG_NONE;
	log->test.block = MTDC_LOG_NONE;
	log->pace.victim = MTDC_LOG_NONE;
	log->pace.pinned = MTDC_LOG_NONE;
	log->pace.block_bytes = geo->block_bytes;
	log->pace.record_bytes = log->stream_geo.record_bytes;
}

/**
 * mtdc_log_found() - a block is good
 * @log: the log, not yet settled
 * @block: the block
 * @label: its first MTDC_LABEL_BYTES, whatever they are; NULL if they can't be read
 */
void mtdc_log_found(struct mtdc_log *log, u32 block, const void *label)
{
	mtdc_log_blocks_found(&log->blocks, block, label);
}

/**
 * mtdc_log_settle() - begin: all good blocks were found
 * @log: the log
 *
 * Return: 0, or -ENOSPC if they are too few.
 */
int mtdc_log_settle(struct mtdc_log *log)
{
	u32 good = log->blocks.good;

	log->pace.reserve = reserve_of(good);
	log->promised = mtdc_log_promise(&log->geo, good);
	if (!log->promised)
		return -ENOSPC;
	log->needed = good - spares_of(&log->geo);
	mtdc_log_blocks_settle(&log->blocks);
	return 0;
}

#ifdef MTDC_CHECKS
/* Does the map have each page of a block there, and each behind the one before it? */
static bool is_home(struct mtdc_log *log, u32 block, u32 *residents)
{
	u32 first = mtdc_residents_first(&log->blocks.residents, block), page = first;
	u32 live = 0, end = MTDC_LABEL_BYTES, offset;
	struct mtdc_place *place = &log->place;

	while (page != MTDC_RESIDENTS_NONE) {
		mtdc_map_get(&log->map, page, place);
		if (!mtdc_is_stored(place->kind) || place->n != 1 ||
		    mtdc_log_block_of(log, place, &offset) != block || offset < end)
			return false;
		end = offset + mtdc_log_stored_bytes(place);
		live += mtdc_log_stored_bytes(place);
		++*residents;
		page = log->blocks.residents.rings[page].next;
		if (page == first)
			break;
	}
	return live == log->blocks.at[block].live && end <= log->geo.block_bytes;
}

/**
 * mtdc_log_check() - walk the invariants
 * @log: the log
 *
 * Every stored page is in the block where the map has it; the sums are right, and so are the
 * parts of the log.
 *
 * Takes time in proportion to the pages.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_log_check(struct mtdc_log *log)
{
	u32 i, residents = 0, stored = 0;

	for (i = 0; i < MTDC_LOG_STREAMS; i++)
		if (mtdc_stream_check(&log->streams[i]))
			return -EUCLEAN;
	if (mtdc_map_check(&log->map) || mtdc_log_blocks_check(&log->blocks) ||
	    mtdc_log_check_jobs(log))
		return -EUCLEAN;
	for (i = 0; i < log->geo.blocks; i++)
		if (!is_home(log, i, &residents))
			return -EUCLEAN;
	for (i = 0; i < log->geo.pages; i++)
		stored += mtdc_is_stored(mtdc_map_kind(&log->map, i));
	return residents == stored ? 0 : -EUCLEAN;
}
#endif /* MTDC_CHECKS */
