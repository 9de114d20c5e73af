/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A piece of memory of which all bytes are known at any time: they follow from its number, from
 * how often it was written, and from the mark in its first eight bytes. So bytes of another piece,
 * of an older version and of nobody are all found.
 */
#ifndef LOAD_TRACKED_H
#define LOAD_TRACKED_H

#include <pthread.h>
#include "heapkind.h"

struct tracked {
	struct piece piece;
	pthread_rwlock_t lock;		/* the caller's; of all of this, and of its bytes */
	uint64_t mark;
	uint32_t nr;
	uint32_t version;
};

enum tracked_result {
	TRACKED_RIGHT,
	TRACKED_UNREADABLE,		/* for now: it may be tried again */
	TRACKED_LOST,			/* for good */
	TRACKED_FOREIGN,		/* it is the parent's, who has changed it */
	TRACKED_NO_MEMORY,
	TRACKED_WRONG,			/* it has other bytes, which was said */
};

size_t tracked_bytes(uint32_t nr, uint32_t version);
enum tracked_result tracked_make(struct tracked *object, uint32_t nr);
enum tracked_result tracked_check(struct tracked *object);
enum tracked_result tracked_write(struct tracked *object, bool before);
enum tracked_result tracked_mark(struct tracked *object);
enum tracked_result tracked_remake(struct tracked *object);
enum tracked_result tracked_pin(struct tracked *object, uint32_t us, bool write);
enum tracked_result tracked_spoil(struct tracked *object, size_t at);

#endif
