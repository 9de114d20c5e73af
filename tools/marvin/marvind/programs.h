/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that have registered, one place for each heap, and the requests to them.
 */
#ifndef MARVIND_PROGRAMS_H
#define MARVIND_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "messages.h"
#include "proc.h"
#include "who.h"

/* A guess: a desktop has some dozen; each look reads two files of /proc for each program. */
#define PROGRAMS_MAX 128
/*
 * Connections of a user in a second; the daemon shuts later ones at once. A guess: below the places
 * that there are, and above the programs that a user starts in a second.
 */
#define PROGRAMS_CALLS 100
/*
 * Packets of a program in a second. libmarvin sends at most two, and its answers; but packets of
 * many seconds may be in the queue if the daemon was held up. A guess.
 */
#define PROGRAMS_PACKETS 100

/* How often something has happened in the second that began at @since_ms. */
struct rate {
	uint32_t since_ms;
	unsigned int n;
};

/* The requests to a program. RssAnon in bytes. */
struct ask {
	uint64_t seq;			/* number of the last request */
	uint64_t awaits;		/* number of the request that has no answer yet; 0: none */
	uint32_t since_ms;		/* time of that request */
	uint64_t bytes;			/* of "drop" */
	uint64_t before;		/* RssAnon before the request */
	uint64_t dropped;		/* told.dropped before it */
	uint64_t gone;			/* bytes that are given, and not in memory any more */
	bool saves;			/* that request is "bg", not "drop" */
	bool pending;			/* "bg", or the "drop" after it, is not done yet */
	uint64_t bg_before;		/* RssAnon before the last "bg", */
	uint64_t bg_after;		/* and after the "drop" that follows it */
};

/* A program that cannot answer: how far the kernel has taken its memory. */
struct outside {
	uint64_t next;			/* byte of the heap to go on with */
	bool done;			/* end of the heap, or the kernel cannot take it */
};

struct program {
	struct caller caller;
	bool connected;			/* false: the place is free */
	struct proc_id id;		/* pid 0: connected, and not registered yet */
	uint64_t stack;			/* start of its stack: another one after each exec() */
	bool never;			/* on the list of programs that marvind never touches */
	bool stopped;			/* late with an answer, and stopped or frozen */
	struct heap heap;
	struct told told;
	struct rate packets;
	uint32_t used_ms;		/* time of its last load of a given page */
	bool background;
	struct ask ask;
	struct outside outside;
};

int programs_open(const char *path);
void programs_close(const char *path);
int programs_fd(void);
uint64_t programs_serve(const struct who *never, uint32_t now_ms);
void programs_look(void);
void programs_never(const struct who *never);
bool programs_check(struct program *program);
struct program *programs_find(pid_t pid);
struct program *programs_next(struct program *after);
struct program *programs_all(void);

void program_back(struct program *program, uint32_t now_ms);
void program_front(struct program *program, bool fetch);
void program_drop(struct program *program, uint64_t bytes, uint32_t now_ms);

#endif
