/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_MAPS_H
#define COMMON_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include "proc.h"

/* Of an entry of pagemap. */
#define MAPS_PRESENT 0x8000000000000000ULL
#define MAPS_SWAPPED 0x4000000000000000ULL
/* Entries that are read at once: 2 MiB of memory with pages of 4 KiB. */
#define MAPS_ENTRIES 512

struct mapping {
	struct map_line line;		/* its name is cut: "[stack]" fits */
	char name[8];
	uint64_t rss_kib;		/* smaps has these; in maps they are 0 */
	uint64_t referenced_kib;
	uint64_t swap_kib;
};

typedef int (*maps_fn)(const struct mapping *map, void *arg);

int maps_open(struct proc_id id, const char *name);
int maps_each(struct proc_id id, const char *name, maps_fn fn, void *arg);
int maps_entries(int pagemap, uint64_t first, size_t n, uint64_t *entries);

#endif
