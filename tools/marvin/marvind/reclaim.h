/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes memory back from programs, when it is short or when marvinctl says so.
 */
#ifndef MARVIND_RECLAIM_H
#define MARVIND_RECLAIM_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"
#include "daemon.h"
#include "programs.h"

/* If all programs wait, that counts as some that wait four times as long. A guess. */
#define RECLAIM_FULL_WEIGHT 4
/* Time for an answer: libmarvin's thread reads its socket at once, and saves some MiB. A guess. */
#define RECLAIM_LATE_MS 1000U
/* Bytes that the kernel takes in one call, so that a step ends soon after its time. A guess. */
#define RECLAIM_CALL_BYTES (32ULL << 20)

/* The figures of a look. */
struct view {
	const struct program *programs;	/* PROGRAMS_MAX places */
	uint32_t now_ms;
	uint64_t page;			/* bytes */
	uint64_t total;			/* bytes of memory; 0: not read */
	uint64_t available;
	uint64_t some_us;		/* some programs have waited for memory, */
	uint64_t full_us;		/* and all have, since the last look */
	uint64_t passed_us;		/* since the last look; 0: this is the first one */
};

/* The decision of a look; a place for each program. */
struct plan {
	uint64_t bytes;			/* to take back; 0: memory is plenty */
	uint64_t drop[PROGRAMS_MAX];	/* bytes that a program is asked to drop; 0: none */
	uint64_t outside[PROGRAMS_MAX];	/* bytes that the kernel takes from it; 0: none */
	uid_t users[PROGRAMS_MAX];	/* users of programs, each once */
	unsigned int n_users;
	bool waits;			/* for an answer that is not late yet */
};

/* A program on its way to the background. RssAnon in bytes. */
struct reclaim_state {
	bool pending;			/* not all of it is saved, given and dropped */
	uint64_t before;
	uint64_t after;			/* now, or when it was done */
};

void reclaim_plan(const struct config *config, const struct view *view, struct plan *plan);

int reclaim_begin(const struct config *config);
void reclaim_serve(const struct daemon_run *run);
uint32_t reclaim_step(const struct daemon_run *run);
int reclaim_once(const struct daemon_run *run);
int reclaim_back(pid_t pid, uint32_t now_ms, bool dry_run);
int reclaim_front(const struct config *config, pid_t pid, uint32_t now_ms, bool dry_run);
int reclaim_state(pid_t pid, struct reclaim_state *state);
uint64_t reclaim_taken(void);
uint64_t reclaim_available(void);
void reclaim_end(const struct daemon_run *run);

#endif
