/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_SPACE_H
#define COMMON_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parse.h"

/* A compressed device, by its own statistics. Bytes. */
struct space_device {
	uint64_t stored;		/* of pages, before compression */
	uint64_t used;			/* of the memory or flash below, for them */
	uint64_t free;			/* of it; UINT64_MAX: memory is taken as needed */
	bool full;			/* the last page that needed more was refused */
};

struct space {
	uint64_t total;			/* bytes of swap that is switched on */
	uint64_t used;			/* bytes of it that are in use */
	uint64_t left;			/* bytes that it still takes, at the present ratio */
};

int space_mtdcompr(const char *text, struct space_device *device);
int space_zram(const char *mm_stat, struct space_device *device);
uint64_t space_left(uint64_t free_bytes, const struct space_device *device);
int space_statistics(const char *disk, char *text, size_t size);
int space_read(struct space *space);

#endif
