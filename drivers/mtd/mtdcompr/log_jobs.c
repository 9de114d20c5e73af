// SPDX-License-Identifier: GPL-2.0
/*
 * What the log has to do next.
 *
 * Jobs are handed out here, and their outcome is taken. Which one is next
 * follows from the tables in log.c alone: each of the functions whose name ends
 * in _step looks whether there is something of its kind to be done, does what
 * needs no media itself, and makes a job of what does. So whatever fails, and
 * whatever happens between two jobs, the next one is right.
 *
 * What this file does not know: who waits for the jobs, and what a record means.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log.h"
#include "log_jobs.h"

/*
 * A block that fails in a way that may not be its fault is given up when it has
 * done that so many times, and so is a record that can't be read, if it is not the
 * ECC's doing. Only times count between which others worked: media that are dead for
 * a while must not lose what can be read when they are not.
 */
#define STRIKES		3U

/*
 * And one request ends when so many erases and programs have failed for it, even if
 * others worked in between: failures with a rhythm, two of four, let the same records go
 * round a few blocks for ever. Failures at random never got that far (test_log).
 */
#define VAIN_TRIES	16U

/*
 * Whoever wants room looks so often without a job in between: a stream that has failed may
 * go on behind that, be found to have too little left, be closed, and another be opened.
 */
#define ROOM_LOOKS	3U

/* What is moved for one request, if nobody waits for it: so many pages. */
#define BUDGET_RECORDS	4U

/* Requests, at the most, before something is programmed that may well fail. */
#define PATIENCE_MOST	65536U

/* A label is programmed at once if that is such a part of a block. */
#define LABEL_PART	128U

enum purpose {
	FOR_OPEN,
	FOR_REPLACEMENT,
	FOR_AGAIN,
	FOR_READY,
	FOR_DATA,
	FOR_LABEL,
	FOR_HEAD,
	FOR_MOVE,
	FOR_PROBE,
	FOR_MARK
};

static struct mtdc_stream *host_stream(struct mtdc_log *log)
{
	return &log->streams[MTDC_LOG_HOST];
}

static u32 record_bytes_of(const struct mtdc_place *place)
{
	return mtdc_log_record_bytes(place->bytes);
}

static bool label_stands_alone(const struct mtdc_log *log)
{
	return mtdc_stream_label_space(&log->stream_geo) <=
		log->geo.block_bytes / LABEL_PART;
}

static enum step make_job(const struct mtdc_log *log, struct mtdc_log_job *job,
			  enum mtdc_log_kind kind, enum purpose purpose,
			  u32 block)
{
	memset(job, 0, sizeof(*job));
	job->kind = kind;
	job->purpose = purpose;
	job->block = block;
	job->offset = (u64)block * log->geo.block_bytes;
	job->bytes = log->geo.block_bytes;
	return STEP_JOB;
}

/* Read @bytes of a record of which the rest stands behind @to already. */
static enum step read_job(const struct mtdc_log *log, struct mtdc_log_job *job,
			  enum purpose purpose, u32 page,
			  const struct mtdc_place *place, u8 *to, u32 bytes)
{
	u32 offset, block = mtdc_log_block_of(log, place, &offset);

	make_job(log, job, MTDC_LOG_READ, purpose, block);
	job->offset += offset;
	job->bytes = min(bytes, place->bytes + MTDC_FRAGMENT_BYTES);
	job->data = to;
	job->page = page;
	job->generation = place->generation;
	job->payload_bytes = place->bytes;
	job->record = to;
	return STEP_JOB;
}

/**
 * mtdc_log_move_job() - read the record that is to be moved next
 * @log: the log, in whose @moving the record's place is
 * @page: the logical page
 * @to: where to
 * @job: what it takes
 *
 * Context: any; the caller serialises.
 * Return: that there is a job.
 */
enum step mtdc_log_move_job(const struct mtdc_log *log, u32 page, u8 *to,
			    struct mtdc_log_job *job)
{
	return read_job(log, job, FOR_MOVE, page, &log->moving, to,
			record_bytes_of(&log->moving));
}

static enum step program_job(const struct mtdc_log *log,
			     struct mtdc_log_job *job, enum purpose purpose,
			     u32 block, u32 offset, u8 *data, u32 bytes)
{
	make_job(log, job, MTDC_LOG_PROGRAM, purpose, block);
	job->offset += offset;
	job->bytes = bytes;
	job->data = data;
	return STEP_JOB;
}

/*
 * Blocks that failed when all did may be as good as others. But those that did it once
 * can do it again, and would be acquitted for ever were they always tried together.
 */
static void pardon(struct mtdc_log *log, u32 block)
{
	log->blocks[block].fatal = false;
	log->blocks[block].doubted = true;
	mtdc_log_shut(log, block);
}

/* Something works: have one of them tried, alone. */
static void put_on_parole(struct mtdc_log *log)
{
	if (log->parole == MTDC_LOG_NONE)
		log->parole = mtdc_wear_release(&log->wear);
}

static void doom(struct mtdc_log *log, u32 block)
{
	struct mtdc_log_block *b = &log->blocks[block];

	log->good--;
	log->stats.retired++;
	if (!b->live) {
		mtdc_log_bury(log, block);
		return;
	}
	b->state = MTDC_BLOCK_DOOMED;
	log->ndoomed++;
}

/*
 * judge() - end the suspicion
 * @proof: another block has worked since, so it was the block's fault
 *
 * Looks at all blocks, but only after some have failed.
 */
static void judge(struct mtdc_log *log, bool proof)
{
	u32 block;

	if (!log->nsuspect)
		return;
	log->nsuspect = 0;
	for (block = 0; block < log->geo.blocks; block++) {
		struct mtdc_log_block *b = &log->blocks[block];

		if (b->state != MTDC_BLOCK_SUSPECT)
			continue;
		if (proof)
			b->strikes++;
		if (proof && (b->fatal || b->strikes >= STRIKES))
			doom(log, block);
		else
			pardon(log, block);
	}
}

/* A block has failed; it is in no heap and no pool. */
static void suspect(struct mtdc_log *log, u32 block, int err)
{
	struct mtdc_log_block *b = &log->blocks[block];

	if (block == log->parole)
		log->parole = MTDC_LOG_NONE;
	/* Want of memory is surely not its fault. */
	if (err == -ENOMEM) {
		mtdc_log_shut(log, block);
		return;
	}
	b->state = MTDC_BLOCK_SUSPECT;
	b->fatal = err == -EIO;
	log->nsuspect++;
}

/* An erase or a program has failed. */
static void count_failure(struct mtdc_log *log)
{
	log->vain++;
	if (++log->failures >= MTDC_LOG_TRIES)
		log->shared = true;
}

/* The free block that this stream should have. */
static u32 pick(struct mtdc_log *log, enum mtdc_log_stream s)
{
	return s == MTDC_LOG_HOST ? mtdc_wear_least(&log->wear) :
		mtdc_wear_most(&log->wear);
}

static enum step erase_job(struct mtdc_log *log, struct mtdc_log_job *job,
			   enum purpose purpose, enum mtdc_log_stream s)
{
	u32 block = pick(log, s);

	if (block == MTDC_LOG_NONE)
		return STEP_NONE;
	make_job(log, job, MTDC_LOG_ERASE, purpose, block);
	job->stream = s;
	return STEP_JOB;
}

static void seal_label(const struct mtdc_log *log, u32 block, u8 *label)
{
	mtdc_label_seal(label, log->wear.erases[block], log->geo.nonce);
}

/* Begin to fill a block that has been erased. */
static void open_block(struct mtdc_log *log, enum mtdc_log_stream s, u32 block,
		       bool labelled)
{
	struct mtdc_stream *stream = &log->streams[s];
	u8 label[MTDC_LABEL_BYTES];

	seal_label(log, block, label);
	mtdc_stream_open(stream, block, labelled ? NULL : label);
	log->blocks[block].state = MTDC_BLOCK_OPEN;
	log->flush[s] = !labelled && label_stands_alone(log);
	log->opened++;
	if (s == MTDC_LOG_HOST)
		log->owed += stream->cursor;
}

/**
 * mtdc_log_host_may_open() - is there a block for what the host writes?
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: true if there is one beside those in reserve.
 */
bool mtdc_log_host_may_open(const struct mtdc_log *log)
{
	return log->ready != MTDC_LOG_NONE ||
		log->wear.nfree > log->reserve;
}

/**
 * mtdc_log_open_step() - get a block for a stream that has none
 * @log: the log
 * @s: the stream
 * @job: what it takes
 *
 * Context: any; the caller serialises.
 * Return: whether there is a job.
 */
enum step mtdc_log_open_step(struct mtdc_log *log, enum mtdc_log_stream s,
			     struct mtdc_log_job *job)
{
	u32 block = log->ready;

	if (block == MTDC_LOG_NONE ||
	    (s != MTDC_LOG_HOST && log->wear.nfree))
		return erase_job(log, job, FOR_OPEN, s);
	log->ready = MTDC_LOG_NONE;
	open_block(log, s, block, log->labelled);
	return STEP_AGAIN;
}

static enum step host_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	if (!log->wanted || host_stream(log)->block != MTDC_LOG_NONE ||
	    !mtdc_log_host_may_open(log))
		return STEP_NONE;
	return mtdc_log_open_step(log, MTDC_LOG_HOST, job);
}

/* A stream has advanced by what is of no use. */
static void waste(struct mtdc_log *log, enum mtdc_log_stream s, u32 bytes)
{
	log->stats.padding_bytes += bytes;
	if (s == MTDC_LOG_HOST)
		log->owed += bytes;
}

static enum step close_stream(struct mtdc_log *log, enum mtdc_log_stream s)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 block = stream->block;

	waste(log, s, log->geo.block_bytes - stream->cursor);
	stream->block = MTDC_LOG_NONE;
	stream->programmed = 0;
	stream->cursor = 0;
	log->close[s] = false;
	log->clock++;
	/* All of it has been programmed. */
	log->blocks[block].strikes = 0;
	log->blocks[block].doubted = false;
	mtdc_log_shut(log, block);
	return STEP_AGAIN;
}

/**
 * mtdc_log_program_step() - program what a stream has to have programmed
 * @log: the log
 * @s: the stream
 * @job: what it takes
 *
 * Context: any; the caller serialises.
 * Return: whether there is a job.
 */
enum step mtdc_log_program_step(struct mtdc_log *log, enum mtdc_log_stream s,
				struct mtdc_log_job *job)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 due = mtdc_stream_due(stream);

	if (stream->block == MTDC_LOG_NONE || log->failed[s])
		return STEP_NONE;
	if (log->flush[s] || log->close[s])
		due = mtdc_stream_pad(stream);
	/* Where it may fail again, it shall not spoil much. */
	if (log->skipped[s])
		due = min(due, log->geo.write_bytes);
	if (due) {
		program_job(log, job, FOR_DATA, stream->block,
			    stream->programmed, stream->data, due);
		job->stream = s;
		return STEP_JOB;
	}
	log->flush[s] = false;
	return log->close[s] ? close_stream(log, s) : STEP_NONE;
}

/*
 * find_torn() - the page whose record is partly on the media of a stream's block
 * @offset: where in the block it begins
 *
 * Its place is in @log->moving. Only those records have to be looked at of
 * which something is in the buffer.
 */
static u32 find_torn(struct mtdc_log *log, const struct mtdc_stream *stream,
		     u32 *offset)
{
	u32 first = mtdc_residents_first(&log->residents, stream->block);
	u32 page = mtdc_residents_last(&log->residents, stream->block);
	u32 bytes;

	while (page != MTDC_RESIDENTS_NONE) {
		mtdc_map_get(&log->map, page, &log->moving);
		mtdc_log_block_of(log, &log->moving, offset);
		bytes = record_bytes_of(&log->moving);
		if (*offset < stream->programmed)
			return *offset + bytes > stream->programmed ? page :
				MTDC_RESIDENTS_NONE;
		if (page == first)
			break;
		page = log->residents.rings[page].prev;
	}
	return MTDC_RESIDENTS_NONE;
}

/* How much of a record is on the media that goes on in the buffer; @page is whose. */
static u32 head_of(struct mtdc_log *log, const struct mtdc_stream *stream, u32 *page)
{
	u32 offset;

	*page = find_torn(log, stream, &offset);
	return *page == MTDC_RESIDENTS_NONE ? 0 : stream->programmed - offset;
}

/* How many pages of a block begin at @cut or behind; @page is the first. */
static u32 count_behind(struct mtdc_log *log, u32 block, u32 cut, u32 *page)
{
	u32 first = mtdc_residents_first(&log->residents, block);
	u32 at = mtdc_residents_last(&log->residents, block);
	u32 n = 0, offset;

	while (at != MTDC_RESIDENTS_NONE) {
		mtdc_map_get(&log->map, at, &log->moving);
		mtdc_log_block_of(log, &log->moving, &offset);
		if (offset < cut)
			break;
		*page = at;
		n++;
		if (at == first)
			break;
		at = log->residents.rings[at].prev;
	}
	return n;
}

/* Let the records of a failed stream that are not on the media stand somewhere else. */
static void rehouse_behind(struct mtdc_log *log, u32 from, u32 cut, u32 to, u32 base)
{
	u32 page = MTDC_RESIDENTS_NONE, n, next, offset;

	for (n = count_behind(log, from, cut, &page); n; n--, page = next) {
		next = log->residents.rings[page].next;
		mtdc_map_get(&log->map, page, &log->moving);
		mtdc_log_block_of(log, &log->moving, &offset);
		mtdc_log_rehouse(log, page, &log->moving, to, offset - cut + base);
	}
}

static bool has_room_behind(const struct mtdc_log *log, enum mtdc_log_stream s, u32 head)
{
	const struct mtdc_stream *stream = &log->streams[s];

	return stream->programmed &&
		stream->cursor + head + log->spoiled[s] <= log->geo.block_bytes;
}

/*
 * can_skip() - may a stream go on in the block that has failed, behind what has?
 * @head: bytes on the media of the record that goes on in the buffer
 *
 * If it was not the block's fault, for then each time that the media are dead for a
 * while would take a block out of the reserve. Before it is tried, something has to have
 * worked since; after it has failed once, something of the stream.
 */
static bool can_skip(const struct mtdc_log *log, enum mtdc_log_stream s, u32 head)
{
	bool innocent = log->failed[s] == -ENOMEM ||
		(log->shared && log->replacement[s] != MTDC_LOG_NONE);

	return innocent && !log->skipped[s] && has_room_behind(log, s, head);
}

/* A block was erased and is not needed: don't lose its label, nor the erase. */
static void keep_ready(struct mtdc_log *log, u32 block)
{
	if (log->ready != MTDC_LOG_NONE || log->wear.nfree < log->reserve) {
		mtdc_log_free(log, block);
		return;
	}
	log->blocks[block].state = MTDC_BLOCK_READY;
	log->ready = block;
	log->labelled = false;
}

/* Let a stream go on in its block. */
static void go_on_behind(struct mtdc_log *log, enum mtdc_log_stream s, u32 head)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 spoiled = log->spoiled[s];

	rehouse_behind(log, stream->block, stream->programmed - head,
		       stream->block, stream->programmed + spoiled);
	mtdc_stream_skip(stream, spoiled, log->scratch, head);
	waste(log, s, spoiled + head);
	if (log->replacement[s] != MTDC_LOG_NONE)
		keep_ready(log, log->replacement[s]);
}

/* Let the replacement take a failed block's place. */
static void go_on_elsewhere(struct mtdc_log *log, enum mtdc_log_stream s, u32 head)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 from = stream->block, to = log->replacement[s];
	u32 base = stream->programmed ? MTDC_LABEL_BYTES : 0;
	u8 label[MTDC_LABEL_BYTES];

	rehouse_behind(log, from, stream->programmed - head, to, base);
	seal_label(log, to, label);
	mtdc_stream_reopen(stream, to, label, log->scratch, head);
	log->blocks[to].state = MTDC_BLOCK_OPEN;
	/* There is room in this one. */
	log->close[s] = false;
	log->clock++;
	suspect(log, from, log->failed[s]);
}

/*
 * go_on() - let a failed stream go on
 * @head: bytes in @log->scratch that go before those in the buffer
 */
static void go_on(struct mtdc_log *log, enum mtdc_log_stream s, u32 head)
{
	log->skipped[s] = can_skip(log, s, head);
	if (log->skipped[s])
		go_on_behind(log, s, head);
	else
		go_on_elsewhere(log, s, head);
	log->replacement[s] = MTDC_LOG_NONE;
	log->failed[s] = 0;
}

/* Get a stream out of what has failed. */
static enum step replace_step(struct mtdc_log *log, enum mtdc_log_stream s,
			      struct mtdc_log_job *job)
{
	struct mtdc_stream *stream = &log->streams[s];
	u32 page, head;

	if (!log->failed[s] || stream->block == log->put_off)
		return STEP_NONE;
	head = head_of(log, stream, &page);
	if (log->replacement[s] == MTDC_LOG_NONE && !can_skip(log, s, head)) {
		/* What was erased ahead is free, too; it may have a label already. */
		if (log->ready != MTDC_LOG_NONE && log->wear.nfree < MTDC_LOG_FREE_MIN) {
			mtdc_log_free(log, log->ready);
			log->ready = MTDC_LOG_NONE;
		}
		/* The collector can't do without one. */
		if (s == MTDC_LOG_HOST &&
		    log->wear.nfree < MTDC_LOG_FREE_MIN)
			return STEP_NONE;
		return erase_job(log, job, FOR_REPLACEMENT, s);
	}
	if (!head) {
		go_on(log, s, 0);
		return STEP_AGAIN;
	}
	/* Each of two streams has the other tried again. */
	if (log->read_failures >= MTDC_LOG_READ_TRIES)
		return STEP_NONE;
	memcpy(log->scratch + head, stream->data, record_bytes_of(&log->moving) - head);
	read_job(log, job, FOR_HEAD, page, &log->moving, log->scratch, head);
	job->stream = s;
	return STEP_JOB;
}

/*
 * Is it time to program something, with nothing known to work and room to be lost? After
 * twice as many requests as the last time, so that there is room for a long while.
 */
static bool may_gamble(struct mtdc_log *log)
{
	if (log->refusals < log->patience)
		return false;
	log->refusals = 0;
	log->patience = min(2 * log->patience, PATIENCE_MOST);
	return true;
}

/*
 * No block is left that a stream could go on in, and as long as it can't, none will
 * be. If nothing of its own is on the media, that may be erased once more. If something
 * is, it may go on behind what has failed.
 */
static enum step again_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	int s;

	for (s = MTDC_LOG_STREAMS - 1; s >= 0; s--) {
		const struct mtdc_stream *stream = &log->streams[s];
		u32 page;

		if (!log->failed[s] || log->replacement[s] != MTDC_LOG_NONE ||
		    stream->block == log->put_off)
			continue;
		if (!stream->programmed) {
			make_job(log, job, MTDC_LOG_ERASE, FOR_AGAIN, stream->block);
			job->stream = s;
			return STEP_JOB;
		}
		if (has_room_behind(log, s, head_of(log, stream, &page)) &&
		    may_gamble(log)) {
			log->failed[s] = -ENOMEM;
			log->skipped[s] = false;
			return STEP_AGAIN;
		}
	}
	return STEP_NONE;
}

static enum step mark_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 block;

	if (!log->nmark)
		return STEP_NONE;
	block = mtdc_log_find_state(log, MTDC_BLOCK_MARK, false);
	return make_job(log, job, MTDC_LOG_MARK, FOR_MARK, block);
}

/* The block that is erased ahead: erase it, and give it its label. */
static enum step ready_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 bytes = mtdc_stream_label_space(&log->stream_geo);

	if (log->ready == MTDC_LOG_NONE) {
		if (!log->ahead || log->wear.nfree <= log->reserve)
			return STEP_NONE;
		log->ahead = false;
		return erase_job(log, job, FOR_READY, MTDC_LOG_HOST);
	}
	if (log->labelled || !(log->closing || label_stands_alone(log)))
		return STEP_NONE;
	memset(log->scratch, 0xff, bytes);
	seal_label(log, log->ready, log->scratch);
	return program_job(log, job, FOR_LABEL, log->ready, 0, log->scratch,
			   bytes);
}

/*
 * A record can't be read, and nothing else has been tried since another one could not:
 * read one from another block, to learn whether anything can be.
 */
static enum step probe_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	u32 i, block = log->probed;

	if (!log->probe)
		return STEP_NONE;
	log->probe = false;
	for (i = 0; i < log->geo.blocks; i++) {
		u32 page;

		block = block + 1 < log->geo.blocks ? block + 1 : 0;
		if (log->blocks[block].state != MTDC_BLOCK_CLOSED ||
		    block == log->put_off)
			continue;
		log->probed = block;
		page = mtdc_residents_first(&log->residents, block);
		mtdc_map_get(&log->map, page, &log->moving);
		return read_job(log, job, FOR_PROBE, page, &log->moving,
				log->scratch, log->stream_geo.record_bytes);
	}
	return STEP_NONE;
}

static enum step next_step(struct mtdc_log *log, struct mtdc_log_job *job)
{
	enum step step = mark_step(log, job);
	int s;

	if (!step)
		step = probe_step(log, job);

	/* Without what is being moved there may be no space for the host. */
	for (s = MTDC_LOG_STREAMS - 1; !step && s >= 0; s--) {
		step = replace_step(log, s, job);
		if (!step)
			step = mtdc_log_program_step(log, s, job);
	}
	if (!step)
		step = host_step(log, job);
	if (!step)
		step = mtdc_log_collect_step(log, job);
	if (!step)
		step = ready_step(log, job);
	if (!step && log->nsuspect && mtdc_log_is_blocked(log)) {
		judge(log, false);
		step = STEP_AGAIN;
	}
	if (!step)
		step = again_step(log, job);
	return step;
}

/**
 * mtdc_log_next() - what has to be done next
 * @log: the log
 * @job: what; to be done before anything else is asked of @log, and then given
 *	to mtdc_log_done()
 *
 * Context: any; the caller serialises.
 * Return: true if there is something.
 */
bool mtdc_log_next(struct mtdc_log *log, struct mtdc_log_job *job)
{
	enum step step;

	do {
		if (log->failures >= MTDC_LOG_TRIES || log->vain >= VAIN_TRIES)
			return false;
		step = next_step(log, job);
	} while (step == STEP_AGAIN);
	return step == STEP_JOB;
}

static bool has_room(struct mtdc_log *log, u32 bytes)
{
	const struct mtdc_stream *host = host_stream(log);

	if (log->failed[MTDC_LOG_HOST] || host->block == MTDC_LOG_NONE)
		return false;
	if (!mtdc_stream_fits(host, bytes)) {
		log->close[MTDC_LOG_HOST] = true;
		return false;
	}
	return !log->close[MTDC_LOG_HOST] && !mtdc_stream_due(host) &&
		(!log->flush[MTDC_LOG_HOST] || mtdc_log_is_flushed(log));
}

/*
 * Is no block left to move records to? All that were free have failed since one was
 * emptied last. Whoever waits has to wait for pages to be thrown away.
 */
static bool is_out_of_blocks(const struct mtdc_log *log)
{
	return !log->wear.nfree && log->ready == MTDC_LOG_NONE &&
		log->streams[MTDC_LOG_MOVED].block == MTDC_LOG_NONE &&
		!log->failed[MTDC_LOG_HOST];
}

/**
 * mtdc_log_room() - can a record be appended now?
 * @log: the log
 * @payload_bytes: length of its payload
 * @job: what has to be done first, as from mtdc_log_next()
 *
 * Context: any; the caller serialises.
 * Return: 0 if it can be; -EAGAIN if @job has to be done, and this to be called
 * again; -EIO if there is no block to be had, for the media fail; -ENOSPC if there is
 * none though nothing has failed for this request, as more is stored than has room, or
 * no block is left to move records to.
 */
int mtdc_log_room(struct mtdc_log *log, u32 payload_bytes,
		  struct mtdc_log_job *job)
{
	u32 bytes = mtdc_log_record_bytes(payload_bytes);
	unsigned int looks;

	log->wanted = bytes;
	for (looks = 0; looks < ROOM_LOOKS; looks++) {
		if (has_room(log, bytes)) {
			log->wanted = 0;
			return 0;
		}
		if (mtdc_log_next(log, job))
			return -EAGAIN;
	}
	if (!log->vain && !log->shared &&
	    (log->live > mtdc_log_capacity(log) || is_out_of_blocks(log))) {
		log->refused = true;
		return -ENOSPC;
	}
	log->failing = true;
	return -EIO;
}

/* A stream begins anew in the block where it has failed. */
static void begin_again(struct mtdc_log *log, enum mtdc_log_stream s)
{
	struct mtdc_stream *stream = &log->streams[s];
	u8 label[MTDC_LABEL_BYTES];

	seal_label(log, stream->block, label);
	mtdc_stream_reopen(stream, stream->block, label, log->scratch, 0);
	log->failed[s] = 0;
}

static void erased(struct mtdc_log *log, const struct mtdc_log_job *job,
		   int err)
{
	u32 block = job->block;

	mtdc_wear_put(&log->wear, block, MTDC_WEAR_OUT);
	if (err) {
		log->stats.failed_erases++;
		count_failure(log);
		/* What is in no other block stays in this one. */
		if (job->purpose != FOR_AGAIN)
			suspect(log, block, err);
		return;
	}
	log->stats.erases++;
	mtdc_wear_erased(&log->wear, block);
	log->blocks[block].unread = 0;
	log->blocks[block].state = MTDC_BLOCK_OPEN;
	if (job->purpose == FOR_OPEN) {
		open_block(log, job->stream, block, false);
	} else if (job->purpose == FOR_REPLACEMENT) {
		log->replacement[job->stream] = block;
	} else if (job->purpose == FOR_AGAIN) {
		begin_again(log, job->stream);
	} else {
		log->blocks[block].state = MTDC_BLOCK_READY;
		log->ready = block;
		log->labelled = false;
	}
}

/*
 * If it was what they share, it was not the fault of those still open, either, nor of
 * the one that could not be read.
 */
static void acquit(struct mtdc_log *log)
{
	unsigned int s;

	if (!log->shared)
		return;
	for (s = 0; s < MTDC_LOG_STREAMS; s++) {
		if (!log->failed[s])
			continue;
		log->failed[s] = -ENOMEM;
		log->blocks[log->streams[s].block].doubted = true;
	}
	if (log->accused != MTDC_LOG_NONE && log->blocks[log->accused].unread)
		log->blocks[log->accused].unread--;
	log->accused = MTDC_LOG_NONE;
	log->shared = false;
}

static void programmed(struct mtdc_log *log, const struct mtdc_log_job *job,
		       int err)
{
	if (err) {
		log->stats.failed_programs++;
		count_failure(log);
		if (job->purpose == FOR_DATA) {
			log->failed[job->stream] = err;
			log->spoiled[job->stream] = job->bytes;
		} else {
			log->ready = MTDC_LOG_NONE;
			suspect(log, job->block, err);
		}
		return;
	}
	log->stats.programmed_bytes += job->bytes;
	if (job->block == log->parole)
		log->parole = MTDC_LOG_NONE;
	log->failures = 0;
	log->failing = false;
	log->refusals = 0;
	log->patience = 1;
	if (job->purpose == FOR_DATA) {
		waste(log, job->stream,
		      mtdc_stream_programmed(&log->streams[job->stream], job->bytes));
		log->skipped[job->stream] = false;
	} else {
		log->labelled = true;
	}
	judge(log, !log->shared);
	acquit(log);
	put_on_parole(log);
}

/* The record of a page can't be read: that is all that is lost. */
static void lose(struct mtdc_log *log, u32 page)
{
	log->moving.kind = MTDC_LOST;
	log->moving.n = 0;
	mtdc_log_put(log, page, &log->moving);
	log->stats.lost++;
}

/*
 * can_wait() - is there hope to read it another time?
 *
 * What the ECC can't correct will remain so. Other errors may pass, and want of memory
 * says nothing of the block.
 */
static bool can_wait(struct mtdc_log *log, u32 block, int err)
{
	struct mtdc_log_block *b = &log->blocks[block];

	if (err == -EBADMSG)
		return false;
	if (err == -ENOMEM)
		return true;
	if (log->successes == log->struck) {
		log->probe = true;
		return true;
	}
	log->struck = log->successes;
	log->accused = block;
	b->unread++;
	if (b->unread < STRIKES)
		return true;
	b->unread = 0;
	return false;
}

/* Let the block be put off until @log->put_off may be tried again. */
static void put_off(struct mtdc_log *log, u32 block)
{
	u32 before = log->put_off;

	log->put_off = block;
	if (before != MTDC_LOG_NONE &&
	    log->blocks[before].state == MTDC_BLOCK_VICTIM)
		mtdc_log_shut(log, before);
}

/* A record is to be read another time. */
static void let_wait(struct mtdc_log *log, u32 block)
{
	/* They are different ones: no block is to blame. */
	if (++log->read_failures >= MTDC_LOG_READ_TRIES)
		log->shared = true;
	put_off(log, block);
}

static void moved(struct mtdc_log *log, const struct mtdc_log_job *job, int err)
{
	u32 bytes = mtdc_log_record_bytes(job->payload_bytes);
	struct mtdc_stream *stream = &log->streams[MTDC_LOG_MOVED];
	u8 *end = mtdc_stream_tail(stream) + job->payload_bytes +
		MTDC_FRAGMENT_BYTES;

	if (err) {
		if (can_wait(log, job->block, err)) {
			log->victim = MTDC_LOG_NONE;
			let_wait(log, job->block);
		} else {
			lose(log, job->page);
		}
		return;
	}
	log->successes++;
	log->blocks[job->block].unread = 0;
	memset(end, 0, bytes - job->payload_bytes - MTDC_FRAGMENT_BYTES);
	log->stats.moved_bytes += bytes;
	log->debt -= min(log->debt, bytes);
	log->budget -= min(log->budget, bytes);
	mtdc_log_rehouse(log, job->page, &log->moving, stream->block,
			 mtdc_stream_append(stream, bytes));
}

static void head_read(struct mtdc_log *log, const struct mtdc_log_job *job,
		      int err)
{
	if (err) {
		if (can_wait(log, job->block, err))
			let_wait(log, job->block);
		else
			lose(log, job->page);
		return;
	}
	log->successes++;
	go_on(log, job->stream, job->bytes);
}

/**
 * mtdc_log_done() - what came of a job
 * @log: the log
 * @job: the job that mtdc_log_next() has made last
 * @err: 0, or the error of the media; for a record that the ECC can't correct,
 *	or that is not the one it should be, -EBADMSG
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_done(struct mtdc_log *log, const struct mtdc_log_job *job,
		   int err)
{
	switch (job->kind) {
	case MTDC_LOG_ERASE:
		erased(log, job, err);
		break;
	case MTDC_LOG_PROGRAM:
		programmed(log, job, err);
		break;
	case MTDC_LOG_READ:
		if (job->purpose == FOR_HEAD)
			head_read(log, job, err);
		else if (job->purpose == FOR_MOVE)
			moved(log, job, err);
		else
			log->successes += !err || err == -EBADMSG;
		break;
	default:
		/* Whoever can't be marked is found out again. */
		log->blocks[job->block].state = MTDC_BLOCK_BAD;
		log->nmark--;
		break;
	}
}

/**
 * mtdc_log_retry() - try what has failed once more
 * @log: the log
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_retry(struct mtdc_log *log)
{
	log->idle = false;
	log->wanted = 0;
	log->vain = 0;
	log->read_failures = 0;
	log->refusals++;
	log->budget = BUDGET_RECORDS * log->stream_geo.record_bytes;
	put_off(log, MTDC_LOG_NONE);
	if (log->failures >= MTDC_LOG_TRIES)
		log->failures = MTDC_LOG_TRIES - 1;
}

/**
 * mtdc_log_alive() - somebody has read from the media, and it worked
 * @log: the log
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_alive(struct mtdc_log *log)
{
	log->successes++;
}

/**
 * mtdc_log_flush() - have all that was appended be programmed
 * @log: the log
 *
 * To be followed by all jobs there are.
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_flush(struct mtdc_log *log)
{
	mtdc_log_retry(log);
	log->flush[MTDC_LOG_HOST] =
		host_stream(log)->block != MTDC_LOG_NONE;
}

/**
 * mtdc_log_close() - have all erase counts be programmed
 * @log: the log, which will not be used any more but for its jobs
 *
 * Context: any; the caller serialises.
 */
void mtdc_log_close(struct mtdc_log *log)
{
	unsigned int s;

	mtdc_log_retry(log);
	log->closing = true;
	log->wanted = 0;
	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		log->flush[s] = log->streams[s].block != MTDC_LOG_NONE;
}

/**
 * mtdc_log_is_flushed() - is all that was appended on the media?
 * @log: the log
 *
 * Context: any; the caller serialises.
 * Return: true if it is.
 */
bool mtdc_log_is_flushed(const struct mtdc_log *log)
{
	const struct mtdc_stream *host = &log->streams[MTDC_LOG_HOST];

	return host->cursor == host->programmed;
}

#ifdef MTDC_CHECKS
static bool is_open(const struct mtdc_log *log, u32 block, u32 *n)
{
	if (block == MTDC_LOG_NONE)
		return true;
	++*n;
	return block < log->geo.blocks &&
		log->blocks[block].state == MTDC_BLOCK_OPEN;
}

/**
 * mtdc_log_check_open() - verify that those blocks are in use that say so
 * @log: the log
 * @states: number of blocks of each state
 *
 * Context: any; the caller serialises.
 * Return: 0, or -EUCLEAN if some are not.
 */
int mtdc_log_check_open(const struct mtdc_log *log, const u32 *states)
{
	u32 s, n = 0, victims = 0, put_off = log->put_off;

	for (s = 0; s < MTDC_LOG_STREAMS; s++)
		if (!is_open(log, log->streams[s].block, &n) ||
		    !is_open(log, log->replacement[s], &n))
			return -EUCLEAN;
	if (n != states[MTDC_BLOCK_OPEN] ||
	    states[MTDC_BLOCK_READY] > 1)
		return -EUCLEAN;
	if (states[MTDC_BLOCK_READY] && log->ready == MTDC_LOG_NONE)
		return -EUCLEAN;
	if (log->victim != MTDC_LOG_NONE &&
	    log->blocks[log->victim].state == MTDC_BLOCK_VICTIM)
		victims++;
	if (put_off != MTDC_LOG_NONE &&
	    log->blocks[put_off].state == MTDC_BLOCK_VICTIM)
		victims++;
	return victims == states[MTDC_BLOCK_VICTIM] ? 0 : -EUCLEAN;
}
#endif /* MTDC_CHECKS */
