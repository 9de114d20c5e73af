/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registered heaps. For each one its program has connected to the socket (door.h), and said
 * where the heap is. Every user may connect, so the registry checks each word of a program. A heap
 * stays until its connection or its process ends, its process executes another program, or its
 * users change.
 */
#ifndef MARVIND_REGISTRY_H
#define MARVIND_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "door.h"
#include "message.h"
#include "proc.h"
#include "who.h"

#define REGISTRY_MAX 128

/* The requests to a program, for one heap (ask.h). */
struct ask {
	uint64_t seq;			/* of the last request */
	uint64_t awaits;		/* of the request without an answer so far; 0: none */
	uint32_t since_ms;		/* when that was made */
	uint64_t bytes;			/* of "drop" */
	uint64_t before;		/* RssAnon when it was made */
	uint64_t dropped;		/* what the program said then */
	uint64_t gone;			/* bytes: given, and no memory any more, as far as known */
	bool saves;			/* that request is "bg", not "drop" */
	bool pending;			/* "bg" and the "drop" after it are not done yet */
	uint64_t bg_before;		/* RssAnon before the last "bg", */
	uint64_t bg_after;		/* and when it was done */
};

/* How far its memory was taken from outside, while the program is stopped (outside.h). */
struct outside {
	uint64_t next;			/* byte of the heap to go on with */
	bool done;			/* all of it was gone through, or cannot be */
};

struct program {
	struct caller caller;
	bool connected;			/* false: the place is free */
	struct proc_id id;		/* pid 0: it has not said what it is */
	uint64_t stack;			/* where its stack begins: another one after each exec() */
	bool never;			/* its memory is not touched */
	struct heap heap;
	struct told told;
	uint32_t packets;		/* that came since */
	uint32_t since_ms;		/* this time */
	uint32_t used_ms;		/* when it needed what was given */
	bool background;
	struct ask ask;
	struct outside outside;
};

int registry_open(const char *path);
void registry_close(const char *path);
int registry_fd(void);
void registry_serve(const struct who *never, uint32_t now_ms,
		    void (*heard)(struct program *program, uint32_t now_ms));
void registry_look(void);
void registry_never(const struct who *never);
bool registry_check(struct program *program);
struct program *registry_find(pid_t pid);
struct program *registry_next(struct program *after);
unsigned int registry_place(const struct program *program);

#endif
