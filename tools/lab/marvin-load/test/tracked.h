/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object whose bytes are known at any time: they follow from its number, from how often it was
 * written, and from the mark in its first eight bytes. So a check finds bytes of another object,
 * of an older version, and any others.
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
	pthread_rwlock_t lock;		/* the caller's; of all of this, and of its bytes */
	uint64_t mark;
	uint32_t nr;
	uint32_t version;
	bool whole;			/* else it could not be made, or was changed in part */
};

enum tracked_result {
	TRACKED_RIGHT,
	TRACKED_UNREADABLE,		/* for now: it may be tried again */
	TRACKED_LOST,			/* for good */
	TRACKED_NO_MEMORY,
	TRACKED_WRONG,			/* it has other bytes, which was said */
};

/* A use of an object. TRACKED_CHECK needs its lock to read, each other use needs it to write. */
enum tracked_use {
	TRACKED_CHECK,			/* look at all bytes */
	TRACKED_WRITE,			/* make the next version; look before, if @arg is odd */
	TRACKED_MARK,			/* change the first bytes, and look at no others */
	TRACKED_REMAKE,			/* free it, and make it anew, of another size */
	TRACKED_RESIZE,			/* change its size */
	TRACKED_PIN,			/* pin it for @arg us; write it, if @arg is odd */
	TRACKED_TRANSFER,		/* have the kernel copy its bytes, and back; pinned */
	TRACKED_HINT,			/* it is cold, or, if @arg is odd, about to be used */
	TRACKED_SPOIL,			/* change byte @arg, to see that it is found */
};

void tracked_begin(bool lossy);
size_t tracked_held(uint32_t nr);
enum tracked_result tracked_make(struct tracked *object, uint32_t nr);
void tracked_drop(struct tracked *object);
enum tracked_result tracked_use(struct tracked *object, enum tracked_use use, uint32_t arg);

#endif
