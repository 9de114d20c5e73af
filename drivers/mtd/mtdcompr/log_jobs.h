/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next job of the log on the media, and its outcome.
 */
#ifndef MTDC_LOG_JOBS_H
#define MTDC_LOG_JOBS_H

#include <linux/types.h>

struct mtdc_log;

/**
 * enum mtdc_log_kind - kinds of jobs
 * @MTDC_LOG_ERASE: erase the block
 * @MTDC_LOG_PROGRAM: program @data
 * @MTDC_LOG_READ: read to @data, which is a record, verify and decrypt it
 * @MTDC_LOG_READ_BACK: read to @data, which is no record
 * @MTDC_LOG_MARK: mark the block bad
 */
enum mtdc_log_kind {
	MTDC_LOG_ERASE,
	MTDC_LOG_PROGRAM,
	MTDC_LOG_READ,
	MTDC_LOG_READ_BACK,
	MTDC_LOG_MARK
};

/**
 * struct mtdc_log_job - one operation on the media
 * @kind: its kind
 * @purpose: its purpose; the log's own
 * @stream: the stream it is for; the log's own
 * @block: its block
 * @offset: where, in bytes of the media
 * @bytes: length
 * @data: the bytes to program, or where to read to
 * @page: the page whose record is read
 * @payload_bytes: length of its payload
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
	u32 payload_bytes;
};

void mtdc_log_begin(struct mtdc_log *log, bool idle);
bool mtdc_log_next(struct mtdc_log *log, struct mtdc_log_job *job);
void mtdc_log_done(struct mtdc_log *log, const struct mtdc_log_job *job, int err);
bool mtdc_log_has_idle_work(const struct mtdc_log *log);
int mtdc_log_check_jobs(const struct mtdc_log *log);

#endif /* MTDC_LOG_JOBS_H */
