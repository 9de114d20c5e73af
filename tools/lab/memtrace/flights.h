/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests between their beginning and their completion, and the sums of those complete, by
 * device and process. PURE: it is given events, and knows nothing of where they are from.
 *
 * All tables have a fixed size. A request that does not fit is not counted, and that is.
 */
#ifndef MEMTRACE_FLIGHTS_H
#define MEMTRACE_FLIGHTS_H

#include <stddef.h>
#include "blkline.h"

#define FLIGHTS_SLOTS	4096U
#define FLIGHTS_USERS	256U

struct flight {
	bool used;
	struct blk_event issue;
};

/* What one process has done on one device. */
struct flight_user {
	unsigned int major;
	unsigned int minor;
	pid_t pid;
	char comm[16];
	uint64_t reads;
	uint64_t writes;
	uint64_t read_sectors;
	uint64_t written_sectors;
	uint64_t us;			/* from issue to completion, added up */
};

struct flights {
	struct flight slots[FLIGHTS_SLOTS];
	struct flight_user users[FLIGHTS_USERS];
	size_t nusers;
	uint64_t dropped;		/* since the beginning */
};

void flights_event(struct flights *flights, const struct blk_event *event);
void flights_reset_users(struct flights *flights);

#endif
