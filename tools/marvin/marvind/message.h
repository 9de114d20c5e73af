/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packets that programs send, which may be anything. PURE.
 */
#ifndef MARVIND_MESSAGE_H
#define MARVIND_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a name, as it is shown, with the zero byte. */
#define MESSAGE_NAME 16
/* Bytes of a packet at most. */
#define MESSAGE_BYTES 256

/* The first packet: a heap of the program. */
struct heap {
	char name[MESSAGE_NAME];	/* no blanks, and nothing that a terminal obeys */
	uint64_t space;			/* an address in the program: whole pages */
	uint64_t bytes;
};

/* All later packets. No size is larger than the heap. */
struct told {
	uint64_t seq;			/* the request that was done; 0: none */
	uint64_t objects;
	uint64_t bytes;			/* that they were asked for with */
	uint64_t unsaved;		/* bytes */
	uint64_t saved;
	uint64_t given;
	uint64_t loads;			/* times that the program waited for its store */
	uint64_t dropped;		/* bytes that the program took back itself, so far */
};

bool message_heap(const char *text, size_t page_bytes, struct heap *heap);
bool message_told(const char *text, const struct heap *heap, struct told *told);

#endif
