/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The accesses of the load "pattern": some to one region, one after the other.
 */
#ifndef MEMLOAD_ACCESS_H
#define MEMLOAD_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include "patcfg.h"
#include "region.h"
#include "sequence.h"

/* What all accesses have in common. */
struct accesses {
	const struct regions *regions;
	struct sequence sequence;	/* where random ones go to */
	uint64_t rounds;		/* of computation after each */
	uint64_t result;		/* of that, and of what was read, so that it is done */
};

/* A pattern of a phase. */
struct access {
	struct region *region;
	bool random;
	enum patcfg_mode mode;
	uint64_t stride;
	size_t at;			/* the next byte, if they are not random */
};

int access_some(struct accesses *all, struct access *access, unsigned int n);

#endif
