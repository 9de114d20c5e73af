/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The regions of memory that the load "pattern" accesses. A page has contents that follow from the
 * seed and its number, or those of a file. With --verify there is a stamp at its end, too: the
 * page's number, and how often the page was written since.
 */
#ifndef MEMLOAD_REGION_H
#define MEMLOAD_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "contents.h"
#include "loadopt.h"
#include "patcfg.h"
#include "work.h"

struct region_stamp {
	uint64_t number;
	uint64_t writes;
};

struct region {
	const struct patcfg_region *cfg;
	uint64_t first;			/* number of its first page */
	size_t size;			/* bytes that may be accessed */
	size_t pages;
	uint8_t *map;
	int fd;				/* of its file, or -1 */
	uint64_t *writes;		/* what the stamps must say; NULL: there are none */
	uint64_t *sums;			/* of pages from a file; NULL: not verified, or no file */
};

struct regions {
	struct contents contents;	/* without the stamp */
	size_t page;			/* bytes */
	unsigned int n;
	struct region regions[PATCFG_REGIONS];
};

int regions_begin(struct regions *all, const struct patcfg *cfg, const struct loadopt *options);
int regions_fill(struct regions *all, struct work *work);
void regions_corrupt(struct regions *all);
int regions_check(const struct regions *all);
void regions_end(struct regions *all);

struct region_stamp *region_stamp(const struct regions *all, const struct region *region,
				  size_t nr);
int region_check_stamp(const struct regions *all, const struct region *region, size_t nr);

#endif
