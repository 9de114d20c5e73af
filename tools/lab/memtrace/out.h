/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the lines go. All lines of one sample have its number and its time.
 */
#ifndef MEMTRACE_OUT_H
#define MEMTRACE_OUT_H

#include <stdbool.h>
#include <stdio.h>
#include "row.h"

struct out {
	FILE *file;
	const char *name;		/* of the file, for messages */
	bool json;
	struct column columns[ROW_COLUMNS];
	size_t ncolumns;
	uint64_t sample;		/* from 1 */
	uint64_t time_us;
};

int out_open(struct out *out, const char *path, bool json, const struct column *columns,
	     size_t n);
void out_sample(struct out *out, uint64_t time_us);
void out_row(struct out *out, const struct cell *cells);
int out_flush(struct out *out);
int out_close(struct out *out);

#endif
