/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the load "pattern" tells: a mark at the beginning of a phase, a line of CSV at its end, and
 * a sum of all.
 */
#ifndef MEMLOAD_PATOUT_H
#define MEMLOAD_PATOUT_H

#include <stdint.h>
#include <stdio.h>
#include "patopt.h"

/* A phase that was run. */
struct patout_phase {
	const char *name;
	uint64_t round;			/* 0: it is not counted */
	uint64_t begin_us;
	uint64_t end_us;
	uint64_t accesses;
	uint64_t pass;			/* accesses that are one pass */
	uint64_t major_faults;
	uint64_t minor_faults;
};

struct patout {
	const struct patopt *options;
	FILE *out;			/* or NULL */
	FILE *marks;			/* or NULL */
	uint64_t accesses;		/* of all phases that count */
	uint64_t us;			/* the same */
};

int patout_begin(struct patout *all, const struct patopt *options);
int patout_mark(struct patout *all, const char *name, uint64_t now_us);
int patout_phase(struct patout *all, const struct patout_phase *phase);
int patout_end(struct patout *all);

#endif
