// SPDX-License-Identifier: GPL-2.0
/*
 * Which blocks the log empties, when, and how fast.
 *
 * This file knows the reasons to empty a block: its space is needed, it is bad,
 * its bits flip, or it has rested for too long; and the pace, so that the space is
 * there when it is needed, and no write waits for long. log_gc.c and log_wear.c know which
 * block is the best; how a record is moved, log_jobs.c knows.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "log.h"
#include "log_jobs.h"

/* Blocks above the reserve that are kept free, so that nobody has to wait. */
#define LOW_ABOVE	2U
/* And as many more when there is nothing else to do. */
#define LOW_IDLE	2U

/* One block in so many is opened for the sake of wear, at most. */
#define OPENED_A_LEVELLING	4U

/* Bytes to be moved for each of the host's, times 256. */
#define RATE_ONE	256U
#define RATE_MOST	(16 * RATE_ONE)

enum why {
	WHY_SPACE,
	WHY_WEAR,
	WHY_SCRUB,
	WHY_DOOMED
};

/**
 * mtdc_log_find_state() - find a block that is used for this
 * @log: the log
 * @state: what it is used for
 * @scrub: it has to have bit flips, too
 *
 * Looks at all blocks, which only those do who know that there is one.
 *
 * Context: any; the caller serialises.
 * Return: a block that may be tried now, or MTDC_LOG_NONE.
 */
u32 mtdc_log_find_state(const struct mtdc_log *log,
			enum mtdc_block_state state, bool scrub)
{
	u32 block;

	for (block = 0; block < log->geo.blocks; block++)
		if (log->blocks[block].state == state &&
		    block != log->put_off &&
		    (!scrub || log->blocks[block].scrub))
			return block;
	return MTDC_LOG_NONE;
}

/**
 * mtdc_log_is_blocked() - does the host wait for a block that has to be emptied?
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: true if it does.
 */
bool mtdc_log_is_blocked(const struct mtdc_log *log)
{
	if (log->failed[MTDC_LOG_HOST])
		return log->replacement[MTDC_LOG_HOST] == MTDC_LOG_NONE &&
			log->wear.nfree < MTDC_LOG_FREE_MIN;
	return log->wanted &&
		log->streams[MTDC_LOG_HOST].block == MTDC_LOG_NONE &&
		!mtdc_log_host_may_open(log);
}

/* A block to be emptied for another reason than its space, and why. */
static u32 choose_for_others(struct mtdc_log *log, enum why *why)
{
	u32 block = MTDC_LOG_NONE;

	if (log->wear.nfree < MTDC_LOG_FREE_MIN)
		return block;
	*why = WHY_DOOMED;
	if (log->ndoomed)
		block = mtdc_log_find_state(log, MTDC_BLOCK_DOOMED, false);
	if (block != MTDC_LOG_NONE)
		return block;
	*why = WHY_SCRUB;
	if (log->nscrub)
		block = mtdc_log_find_state(log, MTDC_BLOCK_CLOSED, true);
	if (block != MTDC_LOG_NONE || log->opened < OPENED_A_LEVELLING)
		return block;
	*why = WHY_WEAR;
	log->opened = 0;
	return mtdc_wear_rested(&log->wear);
}

/* Does it surely gain a block to empty this one? So that there is an end to it. */
static bool gains(const struct mtdc_log *log, u32 block)
{
	return log->blocks[block].live < log->gc.gain_bytes;
}

/* What to empty for space at once: only what gains, or it would go on for ever. */
static u32 choose_gain(struct mtdc_log *log)
{
	u32 block = mtdc_gc_choose(&log->gc, log->clock, MTDC_GC_GREEDY);

	return block != MTDC_LOG_NONE && gains(log, block) ? block :
		MTDC_LOG_NONE;
}

static u32 choose(struct mtdc_log *log, enum why *why)
{
	u32 low = log->reserve + LOW_ABOVE + (log->idle ? LOW_IDLE : 0);
	bool blocked = mtdc_log_is_blocked(log);
	u32 block = MTDC_LOG_NONE;

	/* Whoever waits, waits for space. */
	*why = WHY_SPACE;
	if (blocked)
		block = choose_gain(log);
	if (block != MTDC_LOG_NONE)
		return block;
	block = choose_for_others(log, why);
	if (block != MTDC_LOG_NONE || blocked || log->wear.nfree >= low)
		return block;
	*why = WHY_SPACE;
	if (!log->idle)
		block = mtdc_gc_choose(&log->gc, log->clock, MTDC_GC_BENEFIT);
	return block != MTDC_LOG_NONE ? block : choose_gain(log);
}

/* So much that the victim is empty before the space that it gives is used. */
static u32 rate_of(const struct mtdc_log *log, u32 live)
{
	u32 gain = log->geo.block_bytes - min(live, log->geo.block_bytes);
	u32 rate;

	/* Neither has more than 24 significant bits then. */
	while (live >> 22) {
		live >>= 1;
		gain >>= 1;
	}
	rate = gain ? live * RATE_ONE / gain : RATE_MOST;
	return min(rate + rate / 4 + 1, RATE_MOST);
}

/*
 * Cold data stay in a block of their own: among others they would be moved again
 * and again with what dies there.
 */
static void begin_apart(struct mtdc_log *log)
{
	log->close[MTDC_LOG_MOVED] =
		log->streams[MTDC_LOG_MOVED].block != MTDC_LOG_NONE;
}

static enum step choose_step(struct mtdc_log *log)
{
	enum why why;
	u32 block = choose(log, &why);

	if (block == MTDC_LOG_NONE) {
		log->owed = 0;
		log->debt = 0;
		return STEP_NONE;
	}
	log->victim = block;
	log->victim_why = why;
	log->rate = why == WHY_SPACE ?
		rate_of(log, log->blocks[block].live) : 2 * RATE_ONE;
	if (why == WHY_DOOMED)
		return STEP_AGAIN;
	mtdc_log_take(log, block);
	log->blocks[block].state = MTDC_BLOCK_VICTIM;
	if (why == WHY_WEAR)
		begin_apart(log);
	return STEP_AGAIN;
}

static enum step finish_victim(struct mtdc_log *log)
{
	u32 block = log->victim;

	log->victim = MTDC_LOG_NONE;
	switch (log->victim_why) {
	case WHY_DOOMED:
		log->ndoomed--;
		mtdc_log_bury(log, block);
		return STEP_AGAIN;
	case WHY_WEAR:
		log->stats.levelled++;
		begin_apart(log);
		break;
	case WHY_SCRUB:
		log->stats.scrubbed++;
		break;
	default:
		log->stats.collected++;
		break;
	}
	mtdc_log_free(log, block);
	return STEP_AGAIN;
}

/* Bytes of debt for what the host's stream has advanced. */
static void charge(struct mtdc_log *log)
{
	u64 debt = log->debt + ((u64)log->owed * log->rate >> 8);

	log->owed = 0;
	log->debt = min_t(u64, debt, log->geo.block_bytes);
}

/* Move the next record of the victim. */
static enum step move_step(struct mtdc_log *log, u32 page,
			   struct mtdc_log_job *job)
{
	struct mtdc_stream *stream = &log->streams[MTDC_LOG_MOVED];
	u32 bytes;

	mtdc_map_get(&log->map, page, &log->moving);
	bytes = mtdc_log_record_bytes(log->moving.bytes);
	if (stream->block == MTDC_LOG_NONE)
		return mtdc_log_open_step(log, MTDC_LOG_MOVED, job);
	if (!mtdc_stream_fits(stream, bytes)) {
		log->close[MTDC_LOG_MOVED] = true;
		return mtdc_log_program_step(log, MTDC_LOG_MOVED, job);
	}
	return mtdc_log_move_job(log, page, mtdc_stream_tail(stream), job);
}

/**
 * mtdc_log_collect_step() - empty blocks, if that has to be done
 * @log: the log
 * @job: what it takes
 *
 * Context: any; the caller serialises.
 * Return: whether there is a job.
 */
enum step mtdc_log_collect_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 page;

	if (log->failed[MTDC_LOG_MOVED] || log->closing ||
	    log->read_failures >= MTDC_LOG_READ_TRIES)
		return STEP_NONE;
	if (log->victim == MTDC_LOG_NONE)
		return choose_step(log);
	charge(log);
	page = mtdc_residents_first(&log->residents, log->victim);
	if (page == MTDC_RESIDENTS_NONE)
		return finish_victim(log);
	if ((!log->debt || !log->budget) && !mtdc_log_is_blocked(log))
		return STEP_NONE;
	return move_step(log, page, job);
}

/**
 * mtdc_log_idle() - nobody waits, do what will be of use
 * @log: the log
 *
 * To be followed by all jobs there are, and to be called again.
 *
 * Context: any; the caller serialises.
 * Return: true if there is something.
 */
bool mtdc_log_idle(struct mtdc_log *log)
{
	u32 enough = log->reserve + LOW_ABOVE + LOW_IDLE;

	mtdc_log_retry(log);
	log->idle = true;
	log->ahead = log->ready == MTDC_LOG_NONE &&
		log->wear.nfree > log->reserve;
	log->debt = log->geo.block_bytes / 4;
	return log->ahead || log->ndoomed || log->nscrub ||
		(log->wear.nfree < enough &&
		 (log->victim != MTDC_LOG_NONE ||
		  choose_gain(log) != MTDC_LOG_NONE));
}
