/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes back objects of one program, by its table. The table is the program's: everything in it may
 * be anything, and change at any time. Nothing of it is used before it was copied and looked at.
 */
#ifndef MARVIND_RECLAIM_H
#define MARVIND_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include "../lib/entry.h"

/* Entries that a table may have. */
#define RECLAIM_OBJECTS (1U << 20)

/* What the head of a table says, after it was looked at. */
struct reclaim_shape {
	uint32_t objects;
	uint32_t page_bytes;
	uint64_t space;			/* address in the program */
	uint64_t space_pages;
};

/*
 * Has the kernel drop pages of the program. Returns the bytes of @ranges that it was done for,
 * which are fewer where one of them could not be; or a negative errno, and it was done for none.
 */
typedef ssize_t (*reclaim_advise)(const struct iovec *ranges, size_t n, void *arg);

struct reclaim {
	int fd;
	struct marvin_table *table;	/* shared with the program; NULL: closed */
	size_t bytes;
	struct reclaim_shape shape;
	uint32_t next;			/* entry to go on with */
	uint64_t pages;			/* taken since entry 0 */
	reclaim_advise advise;
	void *arg;
};

/* What there is, in pages. */
struct reclaim_sum {
	uint64_t objects;
	uint64_t pages;
	uint64_t given;			/* the kernel may drop them */
	uint64_t out;			/* they are in the store only */
};

int reclaim_shape(const struct marvin_table *head, uint64_t bytes, struct reclaim_shape *shape);
bool reclaim_wants(uint32_t word);
uint32_t reclaim_unlocked(uint32_t word, bool taken);
bool reclaim_range(const struct reclaim_shape *shape, uint32_t page, uint32_t pages,
		   struct iovec *range);

int reclaim_open(struct reclaim *reclaim, int fd, reclaim_advise advise, void *arg);
void reclaim_close(struct reclaim *reclaim);
int reclaim_count(const struct reclaim *reclaim, struct reclaim_sum *sum);
int64_t reclaim_take(struct reclaim *reclaim, uint64_t bytes, uint64_t until_us);

#endif
