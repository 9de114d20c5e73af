/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object with known bytes: they follow from its number, from the number of writes, and from the
 * mark in its first eight bytes. So a check finds bytes of another object, of an older version,
 * and any other wrong bytes.
 */
#ifndef LOAD_TRACKED_H
#define LOAD_TRACKED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracked {
	uint8_t *data;
	size_t bytes;
	pthread_rwlock_t lock;		/* the caller locks it; protects all fields and bytes */
	uint64_t mark;
	uint32_t nr;
	uint32_t version;
	bool whole;			/* false: not made, or changed only in part */
};

enum tracked_result {
	TRACKED_RIGHT,
	TRACKED_UNREADABLE,		/* for now: try again */
	TRACKED_LOST,			/* for good */
	TRACKED_NO_MEMORY,
	TRACKED_WRONG,			/* other bytes; a message was printed */
};

/* A use of an object. TRACKED_CHECK needs its lock to read, each other use needs it to write. */
enum tracked_use {
	TRACKED_CHECK,			/* check all bytes */
	TRACKED_WRITE,			/* make the next version; check before if @arg is odd */
	TRACKED_MARK,			/* change the mark only */
	TRACKED_REMAKE,			/* free it and make it again with another size */
	TRACKED_RESIZE,			/* change its size */
	TRACKED_PIN,			/* pin it for @arg us; write it if @arg is odd */
	TRACKED_TRANSFER,		/* pinned, let the kernel copy its bytes and back */
	TRACKED_HINT,			/* hint that it is cold or, if @arg is odd, needed soon */
	TRACKED_SPOIL,			/* change byte @arg, to test the check */
};

void tracked_begin(bool lossy);
size_t tracked_held(uint32_t nr);
enum tracked_result tracked_make(struct tracked *object, uint32_t nr);
void tracked_drop(struct tracked *object);
enum tracked_result tracked_use(struct tracked *object, enum tracked_use use, uint32_t arg);

#endif
