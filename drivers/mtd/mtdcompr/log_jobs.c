// SPDX-License-Identifier: GPL-2.0
/*
 * The next job of the log on the media, and its outcome.
 *
 * mtdc_log_next() hands out one job after the other and mtdc_log_done() takes the outcome;
 * log_store.c does the jobs. The next job follows from the tables of the log alone: each function
 * whose name ends in _step looks for work of its kind, does the part that needs no media, and
 * makes a job of the rest. So a job that fails, and a request between two jobs, leave nothing half
 * done.
 *
 * A block that failed is emptied, and then tested by itself. A failed test says that the block is
 * bad only while other blocks work.
 *
 * This unit must never give up a record that the media may still have: mtdc_log_done() loses a
 * page only where the ECC or the checksum says so. It takes no lock, sleeps, allocates and
 * prints nothing.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log.h"
#include "log_jobs.h"
#include "log_pages.h"

/* A label is programmed at once if it takes at most 1/128 of a block. */
#define LABEL_PART	128U

/*
 * While the media fail, so many requests try another block each, as that one may be bad, and work
 * may go on soon. After that a request costs no erase. A guess.
 */
#define OTHERS_FIRST	8U

/* A block is tested with this byte, behind a label: every second bit is programmed. */
#define TEST_BYTE	0x55

/* The outcome of a step. */
enum step {
	STEP_NONE,
	STEP_AGAIN,		/* it did something that needs no media */
	STEP_JOB
};

enum purpose {
	FOR_STREAM,
	FOR_READY,
	FOR_TEST
};

static bool label_stands_alone(const struct mtdc_log *log)
{
	return mtdc_stream_label_space(&log->stream_geo) <= log->geo.block_bytes / LABEL_PART;
}

static enum step make_job(const struct mtdc_log *log, struct mtdc_log_job *job,
			  enum mtdc_log_kind kind, enum purpose purpose, u32 block)
{
	memset(job, 0, sizeof(*job));
	job->kind = kind;
	job->purpose = purpose;
	job->block = block;
	job->offset = (u64)block * log->geo.block_bytes;
	job->bytes = log->geo.block_bytes;
	return STEP_JOB;
}

/* Program or read a part of a block. */
static enum step part_job(const struct mtdc_log *log, struct mtdc_log_job *job,
			  enum mtdc_log_kind kind, enum purpose purpose, u32 block, u32 offset,
			  u8 *data, u32 bytes)
{
	make_job(log, job, kind, purpose, block);
	job->offset += offset;
	job->bytes = bytes;
	job->data = data;
	return STEP_JOB;
}

static u32 units_a_block(const struct mtdc_log *log)
{
	return log->geo.block_bytes / log->geo.unit_bytes;
}

static void seal_label(const struct mtdc_log *log, u32 block, u8 *label)
{
	mtdc_label_seal(label, log->blocks.wear.erases[block], log->geo.nonce);
}

/* Does the host's stream need a block? */
static bool needs_block(const struct mtdc_log *log)
{
	return log->wanted && log->streams[MTDC_LOG_HOST].block == MTDC_STREAM_NONE;
}

/* Does the host wait for a block that has to be emptied or tested first? */
static bool is_blocked(const struct mtdc_log *log)
{
	const struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];

	if (host->failed)
		return log->blocks.wear.nfree < MTDC_PACE_FREE_MIN;
	return needs_block(log) && log->ready == MTDC_LOG_NONE &&
		log->blocks.wear.nfree <= log->pace.reserve;
}

/*
 * Erase a free block: the least worn for the host, the most worn for what will stay. If media
 * that fail now and then spoiled the last one, too, no record could be moved any more and no
 * block would ever be free again. So that one is tested first.
 */
static enum step erase_job(struct mtdc_log *log, struct mtdc_log_job *job, enum purpose purpose,
			   enum mtdc_log_stream s)
{
	struct mtdc_log_blocks *blocks = &log->blocks;
	u32 block = s == MTDC_LOG_HOST ? mtdc_wear_least(&blocks->wear) :
		mtdc_wear_most(&blocks->wear);

	if (block == MTDC_WEAR_NONE)
		return STEP_NONE;
	if (blocks->wear.nfree == 1 && !mtdc_log_blocks_take_programs(blocks)) {
		mtdc_log_blocks_set(blocks, block, MTDC_BLOCK_FAILED);
		return STEP_AGAIN;
	}
	make_job(log, job, MTDC_LOG_ERASE, purpose, block);
	job->stream = s;
	return STEP_JOB;
}

/* Begin to fill a block that has been erased. */
static void open_block(struct mtdc_log *log, enum mtdc_log_stream s, u32 block, bool labelled)
{
	struct mtdc_stream *stream = &log->streams[s];
	u8 label[MTDC_LABEL_BYTES];

	seal_label(log, block, label);
	mtdc_stream_open(stream, block, labelled ? NULL : label);
	mtdc_log_blocks_set(&log->blocks, block, MTDC_BLOCK_OPEN);
	stream->flush = !labelled && label_stands_alone(log);
	log->pace.opened++;
	if (s == MTDC_LOG_HOST)
		log->pace.owed += stream->cursor;
}

/* Get a block for a stream that has none. */
static enum step open_step(struct mtdc_log *log, enum mtdc_log_stream s,
			   struct mtdc_log_job *job)
{
	u32 block = log->ready;

	if (block == MTDC_LOG_NONE || (s != MTDC_LOG_HOST && log->blocks.wear.nfree))
		return erase_job(log, job, FOR_STREAM, s);
	log->ready = MTDC_LOG_NONE;
	open_block(log, s, block, log->labelled);
	return STEP_AGAIN;
}

static enum step host_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	if (!needs_block(log) || is_blocked(log))
		return STEP_NONE;
	return open_step(log, MTDC_LOG_HOST, job);
}

/* A stream has advanced by bytes that hold no record. */
static void waste(struct mtdc_log *log, enum mtdc_log_stream s, u32 bytes)
{
	log->stats.padding_bytes += bytes;
	if (s == MTDC_LOG_HOST)
		log->pace.owed += bytes;
}

static enum step close_step(struct mtdc_log *log, enum mtdc_log_stream s)
{
	u32 block = log->streams[s].block;

	waste(log, s, mtdc_stream_close(&log->streams[s]));
	log->blocks.clock++;
	mtdc_log_blocks_close(&log->blocks, block);
	return STEP_AGAIN;
}

/* Program what a stream has to have programmed. */
static enum step program_step(struct mtdc_log *log, enum mtdc_log_stream s,
			      struct mtdc_log_job *job)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 due;

	if (stream->block == MTDC_STREAM_NONE || stream->failed)
		return STEP_NONE;
	due = mtdc_stream_due(stream);
	if (due) {
		mtdc_stream_pad(stream);
		part_job(log, job, MTDC_LOG_PROGRAM, FOR_STREAM, stream->block,
			 stream->programmed, mtdc_stream_next(stream), due);
		job->stream = s;
		return STEP_JOB;
	}
	stream->flush = false;
	return stream->close ? close_step(log, s) : STEP_NONE;
}

/* The block of a stream has failed, unless memory was short. */
static void blame(struct mtdc_log *log, enum mtdc_log_stream s)
{
	if (log->streams[s].failed != -ENOMEM)
		mtdc_log_blocks_blame(&log->blocks, log->streams[s].block);
}

/* Let a stream go on in another block, which has been erased, with all that it has buffered. */
static void go_on(struct mtdc_log *log, enum mtdc_log_stream s, u32 to)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 from = stream->block, base = stream->programmed ? MTDC_LABEL_BYTES : 0;
	u8 label[MTDC_LABEL_BYTES];

	blame(log, s);
	if (stream->programmed)
		waste(log, s, log->geo.block_bytes - stream->base);
	log->pace.opened++;
	mtdc_log_rehouse(log, from, stream->base, to, base, stream->data);
	seal_label(log, to, label);
	mtdc_stream_reopen(stream, to, label);
	mtdc_log_blocks_set(&log->blocks, to, MTDC_BLOCK_OPEN);
	log->blocks.clock++;
	mtdc_log_blocks_close(&log->blocks, from);
}

/*
 * Does a stream wait for the media, which failed whatever the block? When they work, it goes on in
 * its own block. Otherwise each outage would leave a block half full behind. If nothing of the
 * block could be programmed, it waits so that not every try costs an erase.
 */
static bool is_waiting(const struct mtdc_log *log, enum mtdc_log_stream s)
{
	const struct mtdc_stream *stream = &log->streams[s];

	if (stream->failed != -ENOMEM)
		return false;
	return stream->programmed ? mtdc_stream_can_skip(stream) :
		mtdc_log_blocks_are_failing(&log->blocks);
}

/*
 * If no block is left to go on in, nor to be tested, only the stream's next program can show that
 * the media work, and each that fails takes room. So it is tried at the requests 1, 2, 4, 8, ...
 * since a program succeeded last, or soon after them.
 */
static bool may_gamble(struct mtdc_log *log, const struct mtdc_stream *stream)
{
	struct mtdc_log_blocks *blocks = &log->blocks;

	if (blocks->wear.nfree || blocks->n[MTDC_BLOCK_FAILED] ||
	    blocks->n[MTDC_BLOCK_DOOMED] || blocks->waits < 2 * blocks->gambled ||
	    (stream->programmed && !mtdc_stream_can_skip(stream)))
		return false;
	blocks->gambled = blocks->waits;
	return true;
}

/* Let a stream go on behind what could not be programmed. */
static enum step skip_step(struct mtdc_log *log, enum mtdc_log_stream s)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 base = stream->base;

	waste(log, s, mtdc_stream_skip(stream));
	mtdc_log_rehouse(log, stream->block, base, stream->block, stream->base, stream->data);
	return STEP_AGAIN;
}

/* Let a stream begin its block again, if the media have nothing of it. */
static enum step again_job(struct mtdc_log *log, enum mtdc_log_stream s, struct mtdc_log_job *job)
{
	make_job(log, job, MTDC_LOG_ERASE, FOR_STREAM, log->streams[s].block);
	job->stream = s;
	return STEP_JOB;
}

static void begin_again(struct mtdc_log *log, enum mtdc_log_stream s)
{
	struct mtdc_stream *stream = &log->streams[s];
	u8 label[MTDC_LABEL_BYTES];

	blame(log, s);
	seal_label(log, stream->block, label);
	mtdc_stream_reopen(stream, stream->block, label);
}

/* Let a stream go on whose program has failed, in another block if that is to blame. */
static enum step replace_step(struct mtdc_log *log, enum mtdc_log_stream s,
			      struct mtdc_log_job *job)
{
	if (!log->streams[s].failed)
		return STEP_NONE;
	/* The block that was erased ahead is free, too; its label may be programmed already. */
	if (log->ready != MTDC_LOG_NONE && log->blocks.wear.nfree < MTDC_PACE_FREE_MIN) {
		mtdc_log_blocks_set(&log->blocks, log->ready, MTDC_BLOCK_FREE);
		log->ready = MTDC_LOG_NONE;
	}
	if (may_gamble(log, &log->streams[s]))
		return log->streams[s].programmed ? skip_step(log, s) : again_job(log, s, job);
	if (is_waiting(log, s))
		return log->blocks.streak > 0 ? skip_step(log, s) : STEP_NONE;
	/* Moved records need the last free block, or no block ever becomes free. */
	if (s == MTDC_LOG_HOST && log->blocks.wear.nfree < MTDC_PACE_FREE_MIN)
		return STEP_NONE;
	return erase_job(log, job, FOR_STREAM, s);
}

/*
 * Cold records get a block of their own: among others they would be moved again and again, as
 * others die.
 */
static void begin_apart(struct mtdc_log *log)
{
	struct mtdc_stream *moved = &log->streams[MTDC_LOG_MOVED];

	moved->close = moved->block != MTDC_STREAM_NONE && log->blocks.wear.nfree;
}

/* Bytes of records that can be moved; unlimited as long as there is another block for them. */
static u32 movable_bytes(const struct mtdc_log *log)
{
	const struct mtdc_stream *moved = &log->streams[MTDC_LOG_MOVED];

	if (log->blocks.wear.nfree)
		return U32_MAX;
	if (moved->block != MTDC_STREAM_NONE)
		return log->geo.block_bytes - moved->cursor;
	/* The host may take the block that was erased ahead. */
	return log->ready == MTDC_LOG_NONE ? 0 :
		log->geo.block_bytes - mtdc_stream_label_space(&log->stream_geo);
}

static enum step choose_step(struct mtdc_log *log)
{
	if (!mtdc_pace_choose(&log->pace, &log->blocks, is_blocked(log), movable_bytes(log)))
		return STEP_NONE;
	if (log->pace.why == MTDC_PACE_WEAR)
		begin_apart(log);
	return STEP_AGAIN;
}

static enum step empty_step(struct mtdc_log *log)
{
	u32 block = log->pace.victim;

	switch (log->pace.why) {
	case MTDC_PACE_WEAR:
		log->stats.levelled++;
		begin_apart(log);
		break;
	case MTDC_PACE_SCRUB:
		log->stats.scrubbed += !log->blocks.at[block].failed;
		break;
	default:
		log->stats.collected++;
		break;
	}
	log->pace.victim = MTDC_LOG_NONE;
	mtdc_log_blocks_close(&log->blocks, block);
	return STEP_AGAIN;
}

/*
 * The victim does not fit in the rest of the last block. If its records were moved there, and
 * then one could not be read, no block would be free, and none could ever be emptied.
 */
static enum step leave_step(struct mtdc_log *log)
{
	mtdc_log_blocks_close(&log->blocks, log->pace.victim);
	log->pace.victim = MTDC_LOG_NONE;
	return choose_step(log);
}

/* Move the next record of the victim. */
static enum step move_step(struct mtdc_log *log, u32 page, struct mtdc_log_job *job)
{
	struct mtdc_stream *stream = &log->streams[MTDC_LOG_MOVED];
	u32 offset, block;

	if (stream->block == MTDC_STREAM_NONE)
		return open_step(log, MTDC_LOG_MOVED, job);
	mtdc_map_get(&log->map, page, &log->place);
	if (!mtdc_stream_fits(stream, mtdc_log_stored_bytes(&log->place))) {
		stream->close = true;
		return program_step(log, MTDC_LOG_MOVED, job);
	}
	block = mtdc_log_block_of(log, &log->place, &offset);
	part_job(log, job, MTDC_LOG_READ, FOR_STREAM, block, offset, mtdc_stream_tail(stream),
		 log->place.bytes + MTDC_FRAGMENT_BYTES);
	job->page = page;
	job->payload_bytes = log->place.bytes;
	return STEP_JOB;
}

/* Empty blocks, if that has to be done. */
static enum step collect_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 page = MTDC_RESIDENTS_NONE;

	if (log->closing)
		return STEP_NONE;
	if (log->pace.victim != MTDC_LOG_NONE) {
		page = mtdc_residents_first(&log->blocks.residents, log->pace.victim);
		if (page == MTDC_RESIDENTS_NONE)
			return empty_step(log);
	}
	if (log->streams[MTDC_LOG_MOVED].failed || !mtdc_pace_may_read(&log->pace))
		return STEP_NONE;
	if (log->pace.victim == MTDC_LOG_NONE)
		return choose_step(log);
	if (!mtdc_pace_is_due(&log->pace) && !is_blocked(log))
		return STEP_NONE;
	if (log->blocks.at[log->pace.victim].live > movable_bytes(log))
		return leave_step(log);
	return move_step(log, page, job);
}

/* The block that is erased ahead: erase it, and give it its label. */
static enum step ready_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 bytes = mtdc_stream_label_space(&log->stream_geo);

	if (log->ready == MTDC_LOG_NONE) {
		if (!log->ahead || log->blocks.wear.nfree <= log->pace.reserve)
			return STEP_NONE;
		log->ahead = false;
		return erase_job(log, job, FOR_READY, MTDC_LOG_HOST);
	}
	if (log->labelled || !(log->closing || label_stands_alone(log)))
		return STEP_NONE;
	memset(log->scratch, 0xff, bytes);
	seal_label(log, log->ready, log->scratch);
	return part_job(log, job, MTDC_LOG_PROGRAM, FOR_READY, log->ready, 0, log->scratch,
			bytes);
}

/*
 * A test waits until no writer does. It runs at once if the host waits for a block, as it takes
 * less than emptying one, and if a stream waits for the media to work.
 */
static bool may_test(const struct mtdc_log *log)
{
	const u32 *n = log->blocks.n;

	if (log->closing || log->test.over)
		return false;
	if (is_waiting(log, MTDC_LOG_HOST) || is_waiting(log, MTDC_LOG_MOVED))
		return true;
	if (!n[MTDC_BLOCK_FAILED] && !n[MTDC_BLOCK_DOOMED] && !n[MTDC_BLOCK_CONVICTED])
		return false;
	return log->pace.idle || is_blocked(log);
}

/*
 * Choose a block to be tested. A block that fails its tests is bad, if others worked before,
 * between and after them: else its tests may have met a fault that all blocks share. So unless
 * others are known to work, a free block is tested first.
 */
static u32 choose_test(const struct mtdc_log *log)
{
	static const enum mtdc_block_state proven[] = {
		MTDC_BLOCK_DOOMED, MTDC_BLOCK_FAILED
	}, other[] = {
		MTDC_BLOCK_FREE, MTDC_BLOCK_FAILED, MTDC_BLOCK_DOOMED, MTDC_BLOCK_CONVICTED
	};
	bool sure = mtdc_log_blocks_are_proven(&log->blocks);
	u32 i, n = sure ? ARRAY_SIZE(proven) : ARRAY_SIZE(other);
	u32 block = MTDC_LOG_NONE;

	for (i = 0; i < n && block == MTDC_LOG_NONE; i++)
		block = mtdc_log_blocks_find(&log->blocks, log->test.from,
					     sure ? proven[i] : other[i], false);
	return block;
}

static void begin_test(struct mtdc_log *log)
{
	u32 block = choose_test(log);

	log->test.block = block;
	log->test.step = 0;
	log->test.probe = false;
	if (block == MTDC_LOG_NONE)
		return;
	log->test.from = block + 1;
	log->test.again = log->blocks.at[block].state == MTDC_BLOCK_DOOMED &&
		mtdc_log_blocks_are_proven(&log->blocks);
	mtdc_log_blocks_set(&log->blocks, block, MTDC_BLOCK_FAILED);
}

static void fill_test(const struct mtdc_log *log, u32 offset, bool program)
{
	/* Notice a driver that reads nothing and returns 0. */
	memset(log->scratch, program ? TEST_BYTE : 0, log->geo.unit_bytes);
	/* The erase count stays on the media. */
	if (!offset && program)
		seal_label(log, log->test.block, log->scratch);
}

/* The test of a block: erase it, program each unit, read each. */
static enum step test_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	struct mtdc_log_test *test = &log->test;
	u32 unit = log->geo.unit_bytes, units = units_a_block(log), offset;

	if (!may_test(log))
		return STEP_NONE;
	if (test->block == MTDC_LOG_NONE)
		begin_test(log);
	if (test->block == MTDC_LOG_NONE)
		return STEP_NONE;
	if (!test->step)
		return make_job(log, job, MTDC_LOG_ERASE, FOR_TEST, test->block);
	offset = (test->step - 1) % units * unit;
	fill_test(log, offset, test->step <= units);
	return part_job(log, job, test->step <= units ? MTDC_LOG_PROGRAM : MTDC_LOG_READ_BACK,
			FOR_TEST, test->block, offset, log->scratch, unit);
}

static enum step mark_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 block;

	if (!mtdc_log_blocks_are_proven(&log->blocks))
		return STEP_NONE;
	block = mtdc_log_blocks_find(&log->blocks, 0, MTDC_BLOCK_CONVICTED, false);
	if (block == MTDC_LOG_NONE)
		return STEP_NONE;
	return make_job(log, job, MTDC_LOG_MARK, FOR_TEST, block);
}

static enum step next_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	enum step step = mark_step(log, job);
	int s;

	/* Moved records go first: without them the host may have no space. */
	for (s = MTDC_LOG_STREAMS - 1; !step && s >= 0; s--) {
		step = replace_step(log, s, job);
		if (!step)
			step = program_step(log, s, job);
	}
	if (!step)
		step = host_step(log, job);
	if (!step)
		step = test_step(log, job);
	if (!step)
		step = collect_step(log, job);
	/* If collecting gains nothing any more, the host may use all blocks but two. */
	if (!step && needs_block(log) && log->blocks.wear.nfree > MTDC_PACE_FREE_MIN)
		step = open_step(log, MTDC_LOG_HOST, job);
	if (!step)
		step = ready_step(log, job);
	return step;
}

/**
 * mtdc_log_next() - the next job
 * @log: the log
 * @job: the job; the caller does it before it asks anything else of @log, and calls
 *	mtdc_log_done()
 *
 * Return: false if the log has no job, or too much has failed for this request.
 */
bool mtdc_log_next(struct mtdc_log *log, struct mtdc_log_job *job)
{
	enum step step = STEP_AGAIN;

	while (step == STEP_AGAIN && log->blocks.tries)
		step = next_step(log, job);
	return step == STEP_JOB;
}

/* An erase or a program of a block has failed that holds nothing. */
static void failed_empty(struct mtdc_log *log, u32 block, int err)
{
	/* Want of memory is not the block's fault. */
	if (err != -ENOMEM)
		mtdc_log_blocks_blame(&log->blocks, block);
	mtdc_log_blocks_close(&log->blocks, block);
}

/*
 * A bad block fails again at the same step: its erase, its first program, or a bad page. If each
 * operation of the media may fail, tests rarely fail at the same step.
 */
static void failed_test(struct mtdc_log *log, u32 block)
{
	struct mtdc_log_block *b = &log->blocks.at[block];
	bool again = log->test.again && b->step == (u8)log->test.step;

	b->failed = true;
	b->step = log->test.step;
	b->tests = again ? b->tests + 1 : 1;
	mtdc_log_blocks_set(&log->blocks, block, b->tests < MTDC_LOG_BLOCKS_TESTS ?
			    MTDC_BLOCK_DOOMED : MTDC_BLOCK_CONVICTED);
}

/* A step of the test of a block has been done. */
static void tested(struct mtdc_log *log, int err)
{
	u32 block = log->test.block;
	bool done = !err && ++log->test.step > 2 * units_a_block(log);

	/* Test a single block for a request, unless the host waits and another may do. */
	if (done || err)
		log->test.over = !is_blocked(log) || (err && log->blocks.at[block].failed);
	if (!err && !done)
		return;
	log->test.block = MTDC_LOG_NONE;
	if (done)
		mtdc_log_blocks_set(&log->blocks, block, MTDC_BLOCK_FREE);
	else if (err != -ENOMEM)
		failed_test(log, block);
	else
		mtdc_log_blocks_close(&log->blocks, block);
}

/* An erase or a program has failed, or a unit of a test reads as other bytes. */
static void count_failure(struct mtdc_log *log, const struct mtdc_log_job *job)
{
	bool again = job->purpose == FOR_TEST && log->blocks.at[job->block].failed;
	unsigned int s;

	mtdc_log_blocks_failed(&log->blocks, again);
	for (s = 0; mtdc_log_blocks_are_failing(&log->blocks) && s < MTDC_LOG_STREAMS; s++)
		if (log->streams[s].failed)
			log->streams[s].failed = -ENOMEM;
}

/* Is it hardly the fault of the block that is tested if a program fails? */
static bool is_no_fault(const struct mtdc_log *log, int err)
{
	return err == -ENOMEM || log->blocks.waits > OTHERS_FIRST;
}

/*
 * A unit of a test has been programmed, or not. If that may be the fault of the media or of the
 * memory, the next request tries the next unit. An erase for each try would wear out the block.
 */
static void programmed_test(struct mtdc_log *log, int err)
{
	struct mtdc_log_test *test = &log->test;

	if (err && test->step < units_a_block(log) && is_no_fault(log, err)) {
		test->step++;
		test->again = false;
		test->probe = true;
		test->over = true;
	} else if (!err && test->probe) {
		test->step = 0;
		test->probe = false;
	} else {
		tested(log, err);
	}
}

static void erased(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	u32 block = job->block;

	if (err) {
		log->stats.failed_erases++;
		count_failure(log, job);
	} else {
		log->stats.erases++;
		mtdc_wear_erased(&log->blocks.wear, block);
	}
	if (job->purpose == FOR_TEST) {
		tested(log, err);
	} else if (job->purpose == FOR_STREAM && log->streams[job->stream].block == block) {
		if (!err)
			begin_again(log, job->stream);
	} else if (err) {
		failed_empty(log, block, err);
	} else if (job->purpose == FOR_READY) {
		mtdc_log_blocks_set(&log->blocks, block, MTDC_BLOCK_READY);
		log->ready = block;
		log->labelled = false;
	} else if (log->streams[job->stream].failed) {
		go_on(log, job->stream, block);
	} else {
		open_block(log, job->stream, block, false);
	}
}

static void programmed(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	struct mtdc_stream *stream = &log->streams[job->stream];

	if (err) {
		log->stats.failed_programs++;
		if (job->purpose == FOR_STREAM)
			stream->failed = err;
		count_failure(log, job);
	} else {
		log->stats.programmed_bytes += job->bytes;
		mtdc_log_blocks_worked(&log->blocks);
	}
	if (job->purpose == FOR_TEST) {
		programmed_test(log, err);
	} else if (job->purpose == FOR_READY) {
		log->labelled = !err;
		if (!err)
			return;
		log->ready = MTDC_LOG_NONE;
		failed_empty(log, job->block, err);
	} else if (!err) {
		waste(log, job->stream, mtdc_stream_programmed(stream, job->bytes));
	}
}

/* A record of the victim has been read, or not. */
static void moved(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	struct mtdc_stream *stream = &log->streams[MTDC_LOG_MOVED];
	u32 bytes = mtdc_log_record_bytes(job->payload_bytes);
	u32 used = job->payload_bytes + MTDC_FRAGMENT_BYTES;
	struct mtdc_place *place = &log->place;
	u8 *tail = mtdc_stream_tail(stream);

	mtdc_log_blocks_read(&log->blocks, err);
	if (err && err != -EBADMSG) {
		mtdc_pace_unread(&log->pace, &log->blocks, err);
		return;
	}
	mtdc_map_get(&log->map, job->page, place);
	mtdc_log_leave(log, job->page, place);
	if (err) {
		/* This record is all that is lost. */
		place->kind = MTDC_LOST;
		place->n = 0;
		mtdc_map_set(&log->map, job->page, place);
		log->stats.lost++;
		return;
	}
	memset(tail + used, 0, bytes - used);
	mtdc_log_settle_in(log, job->page, place, stream->block,
			   mtdc_stream_append(stream, bytes));
	mtdc_log_seal(log, job->page, place, tail);
	log->stats.moved_bytes += bytes;
	mtdc_pace_moved(&log->pace, &log->blocks, bytes);
}

/* A unit of the block that is tested has been read. */
static void read_back(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	bool first = log->test.step == 1 + units_a_block(log);
	u32 label = first ? MTDC_LABEL_BYTES : 0, erases;

	mtdc_log_blocks_read(&log->blocks, err);
	if (!err && ((first && mtdc_label_parse(job->data, &erases)) ||
		     memchr_inv(job->data + label, TEST_BYTE, job->bytes - label)))
		err = -EIO;
	if (err)
		count_failure(log, job);
	/* If reads fail, a block that never failed is free again, or soon none would be. */
	if (log->blocks.unread && !log->blocks.at[job->block].failed)
		err = -ENOMEM;
	tested(log, err);
}

/**
 * mtdc_log_done() - the outcome of a job
 * @log: the log
 * @job: the job that mtdc_log_next() has made last
 * @err: 0, or the error of the media; for a record that the ECC can't correct, or that is not
 *	the one it should be, -EBADMSG
 */
void mtdc_log_done(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	switch (job->kind) {
	case MTDC_LOG_ERASE:
		erased(log, job, err);
		break;
	case MTDC_LOG_PROGRAM:
		programmed(log, job, err);
		break;
	case MTDC_LOG_READ:
		moved(log, job, err);
		break;
	case MTDC_LOG_READ_BACK:
		read_back(log, job, err);
		break;
	case MTDC_LOG_MARK:
		/* If it can't be marked, it fails again after the next attach. */
		mtdc_log_blocks_set(&log->blocks, job->block, MTDC_BLOCK_BAD);
		log->stats.retired++;
		break;
	}
}

/* A request begins; @idle: no writer waits for it. */
void mtdc_log_begin(struct mtdc_log *log, bool idle)
{
	log->wanted = false;
	log->test.over = false;
	log->ahead = idle && log->ready == MTDC_LOG_NONE &&
		log->blocks.wear.nfree > log->pace.reserve;
	mtdc_log_blocks_begin(&log->blocks);
	mtdc_pace_begin(&log->pace, idle);
}

/* Has the log work for a request that no writer waits for? */
bool mtdc_log_has_idle_work(const struct mtdc_log *log)
{
	return log->ahead || may_test(log) || mtdc_pace_is_idle_work(&log->pace, &log->blocks);
}

#ifdef MTDC_CHECKS
/* Are those blocks in use that say so? 0 or -EUCLEAN. */
int mtdc_log_check_jobs(const struct mtdc_log *log)
{
	const struct mtdc_log_blocks *blocks = &log->blocks;
	u32 s, open = 0, victims = log->pace.victim != MTDC_LOG_NONE;
	u32 ready = log->ready != MTDC_LOG_NONE;

	for (s = 0; s < MTDC_LOG_STREAMS; s++) {
		u32 block = log->streams[s].block;

		if (block == MTDC_STREAM_NONE)
			continue;
		if (block >= blocks->count || blocks->at[block].state != MTDC_BLOCK_OPEN)
			return -EUCLEAN;
		open++;
	}
	if (open != blocks->n[MTDC_BLOCK_OPEN] || victims != blocks->n[MTDC_BLOCK_VICTIM] ||
	    blocks->n[MTDC_BLOCK_READY] != ready)
		return -EUCLEAN;
	if (log->ready != MTDC_LOG_NONE && blocks->at[log->ready].state != MTDC_BLOCK_READY)
		return -EUCLEAN;
	if (victims && blocks->at[log->pace.victim].state != MTDC_BLOCK_VICTIM)
		return -EUCLEAN;
	if (log->test.block != MTDC_LOG_NONE &&
	    blocks->at[log->test.block].state != MTDC_BLOCK_FAILED)
		return -EUCLEAN;
	return 0;
}
#endif /* MTDC_CHECKS */
