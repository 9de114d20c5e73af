/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket where programs register, and the packets that they send.
 */
#ifndef MARVIND_MESSAGES_H
#define MARVIND_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of a name with its zero byte, as the list of marvinctl has room for it. */
#define MESSAGE_NAME 16
/* Bytes of a packet; the longest, "stat" with eight numbers of 16 digits, has 140. */
#define MESSAGE_BYTES 256

/* A connection, and the process that the kernel names for it. */
struct caller {
	int fd;
	pid_t pid;
	uid_t user;
};

/* The first packet: a heap of the program. */
struct heap {
	char name[MESSAGE_NAME];	/* no blanks, no control characters */
	uint64_t space;			/* an address in the program: whole pages */
	uint64_t bytes;
};

/* All later packets. No size is larger than the heap. */
struct told {
	uint64_t seq;			/* number of the request that is done; 0: none */
	uint64_t objects;
	uint64_t bytes;			/* of these objects */
	uint64_t unsaved;		/* bytes */
	uint64_t saved;
	uint64_t given;
	uint64_t loads;			/* times that the program waited for its store */
	uint64_t dropped;		/* bytes that the program took back itself, so far */
};

bool message_heap(const char *text, size_t page_bytes, struct heap *heap);
bool message_told(const char *text, const struct heap *heap, struct told *told);

int messages_open(const char *path);
int messages_accept(struct caller *caller);
ssize_t messages_read(const struct caller *caller, char *text, size_t size);
void messages_shut(const struct caller *caller);
void messages_close(const char *path);

#endif
