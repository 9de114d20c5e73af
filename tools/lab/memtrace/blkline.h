/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of trace_pipe for the events of a block request. PURE.
 */
#ifndef MEMTRACE_BLKLINE_H
#define MEMTRACE_BLKLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In this order. A request that goes to the driver at once is not queued before. */
enum blk_kind {
	BLK_INSERT,			/* queued */
	BLK_ISSUE,			/* given to the driver */
	BLK_COMPLETE,
};

struct blk_event {
	enum blk_kind kind;
	bool write;			/* or else read */
	uint64_t time_us;
	pid_t pid;			/* who was running */
	char comm[16];			/* not of a completion */
	unsigned int major;
	unsigned int minor;
	uint64_t sector;
	unsigned int sectors;
};

int blkline_parse(const char *line, struct blk_event *event);
unsigned long blkline_lost(const char *line);

#endif
