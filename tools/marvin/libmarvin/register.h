/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection of a heap to marvind. The heap tells its place and its figures; marvind asks it
 * to go to the background, and to drop memory. Packets of text go both ways:
 *
 *	to marvind	marvin 2 NAME SPACE BYTES PAGE		once; SPACE in hex
 *			stat SEQ OBJECTS BYTES UNSAVED SAVED GIVEN LOADS DROPPED
 *	from marvind	bg SEQ, fg SEQ, drop SEQ BYTES, fetch SEQ
 *
 * The stat with the number of a request says that the heap has done it; other ones have 0.
 *
 * Nothing here ever waits. All of it works without a marvind, too: then nothing happens.
 */
#ifndef MARVIN_REGISTER_H
#define MARVIN_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REGISTER_SOCKET "/run/marvind.reg"

struct marvin_stats;

enum request {
	REQUEST_NONE,
	REQUEST_BG,			/* save and give all; then look less often */
	REQUEST_FG,			/* the heap is in the foreground again */
	REQUEST_DROP,			/* take back so many given bytes */
	REQUEST_FETCH,			/* bring all given memory back */
};

/* Begins with register_begin(); one thread at a time. */
struct registration {
	int fd;				/* -1: no connection */
	dev_t dev;			/* of the socket: its number may be another file by now */
	ino_t ino;
	bool background;		/* marvind has said so */
	uint64_t answer;		/* a request that was done and not said; 0: none */
	uint64_t told_ms;		/* when the last stat was sent */
	char path[108];			/* of marvind's socket; "": no socket */
	char hello[128];		/* the first packet */
};

/* register_is_new() - is there a marvind that knows nothing of the heap's pages yet? */
static inline bool register_is_new(const struct registration *registration)
{
	return registration->fd >= 0 && !registration->told_ms;
}

void register_begin(struct registration *registration, const char *name, const void *space,
		    uint64_t bytes, size_t page);
bool register_try(struct registration *registration);
enum request register_read(struct registration *registration, uint64_t *seq, uint64_t *bytes);
bool register_tell(struct registration *registration, uint64_t seq,
		   const struct marvin_stats *stats);
int register_fd(struct registration *registration);
void register_forked(struct registration *registration);
void register_end(struct registration *registration);

#endif
