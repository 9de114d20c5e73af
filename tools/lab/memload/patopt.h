/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options that only the load "pattern" has.
 */
#ifndef MEMLOAD_PATOPT_H
#define MEMLOAD_PATOPT_H

#include <stdbool.h>
#include <stdint.h>

struct patopt {
	uint64_t size_percent;
	uint64_t time_percent;
	uint64_t passes;		/* 0: phases end by time */
	uint64_t rounds;		/* of computation after an access */
	uint64_t repeat;
	uint64_t skip;			/* phases at the start that are run once and not counted */
	const char *out;		/* a file, "-", or NULL */
	const char *marks;		/* the same */
};

/* As getopt gives them. */
enum {
	PATOPT_SIZE_PERCENT = 40,
	PATOPT_TIME_PERCENT,
	PATOPT_PASSES,
	PATOPT_WORK,
	PATOPT_REPEAT,
	PATOPT_SKIP,
	PATOPT_OUT,
	PATOPT_MARKS,
};

void patopt_begin(struct patopt *options);
bool patopt_set(struct patopt *options, int option, const char *text);
bool patopt_complete(const struct patopt *options);

#endif
