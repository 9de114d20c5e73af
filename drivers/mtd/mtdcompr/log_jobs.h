/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What log.c, log_jobs.c and log_pace.c know of each other, and no one else needs to.
 */
#ifndef MTDC_LOG_JOBS_H
#define MTDC_LOG_JOBS_H

#include "log.h"

/**
 * enum mtdc_block_state - what a block is used for
 * @MTDC_BLOCK_BAD: nothing, for ever
 * @MTDC_BLOCK_FREE: nothing yet; to be erased before it is
 * @MTDC_BLOCK_READY: the same, erased ahead
 * @MTDC_BLOCK_OPEN: a stream fills it, or will in a moment
 * @MTDC_BLOCK_CLOSED: it is full
 * @MTDC_BLOCK_VICTIM: it is being emptied
 * @MTDC_BLOCK_SUSPECT: it has failed, or what it shares with others
 * @MTDC_BLOCK_DOOMED: it is bad, but not empty
 * @MTDC_BLOCK_MARK: it is empty and to be marked bad
 * @MTDC_BLOCK_STATES: their number
 */
enum mtdc_block_state {
	MTDC_BLOCK_BAD,
	MTDC_BLOCK_FREE,
	MTDC_BLOCK_READY,
	MTDC_BLOCK_OPEN,
	MTDC_BLOCK_CLOSED,
	MTDC_BLOCK_VICTIM,
	MTDC_BLOCK_SUSPECT,
	MTDC_BLOCK_DOOMED,
	MTDC_BLOCK_MARK,
	MTDC_BLOCK_STATES
};

/**
 * enum step - what came of looking whether something is to be done
 * @STEP_NONE: nothing is
 * @STEP_AGAIN: something has been done: look again
 * @STEP_JOB: there is a job
 */
enum step {
	STEP_NONE,
	STEP_AGAIN,
	STEP_JOB
};

/* Failures in a row, of different blocks, after which no more are tried. */
#define MTDC_LOG_TRIES	3U

/* Victims that may turn out unreadable before somebody is told. */
#define MTDC_LOG_READ_TRIES	3U

/* Free blocks that it takes to use one for anything but to gain another. */
#define MTDC_LOG_FREE_MIN	2U

/* log.c, and of log_jobs.c what it needs */
u32 mtdc_log_block_of(const struct mtdc_log *log,
		      const struct mtdc_place *place, u32 *offset);
void mtdc_log_free(struct mtdc_log *log, u32 block);
void mtdc_log_shut(struct mtdc_log *log, u32 block);
void mtdc_log_take(struct mtdc_log *log, u32 block);
void mtdc_log_bury(struct mtdc_log *log, u32 block);
void mtdc_log_settle_in(struct mtdc_log *log, enum mtdc_log_stream s, u32 page,
			struct mtdc_place *place);
void mtdc_log_rehouse(struct mtdc_log *log, u32 page, struct mtdc_place *place,
		      u32 block, u32 offset);
void mtdc_log_retry(struct mtdc_log *log);
int mtdc_log_check_open(const struct mtdc_log *log, const u32 *states);

/* log_jobs.c, for log_pace.c */
bool mtdc_log_host_may_open(const struct mtdc_log *log);
enum step mtdc_log_open_step(struct mtdc_log *log, enum mtdc_log_stream s,
			     struct mtdc_log_job *job);
enum step mtdc_log_program_step(struct mtdc_log *log, enum mtdc_log_stream s,
				struct mtdc_log_job *job);
enum step mtdc_log_move_job(const struct mtdc_log *log, u32 page, u8 *to,
			    struct mtdc_log_job *job);

/* log_pace.c, for log_jobs.c */
bool mtdc_log_is_blocked(const struct mtdc_log *log);
u32 mtdc_log_find_state(const struct mtdc_log *log,
			enum mtdc_block_state state, bool scrub);
enum step mtdc_log_collect_step(struct mtdc_log *log,
				struct mtdc_log_job *job);

#endif /* MTDC_LOG_JOBS_H */
