/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of output: its columns and what is in them. PURE.
 */
#ifndef MEMTRACE_ROW_H
#define MEMTRACE_ROW_H

#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* The most columns that a command has, with the two that all have. */
#define ROW_COLUMNS 24

struct column {
	const char *name;
	unsigned int scale;		/* decimal places of a number */
};

enum cell_kind {
	CELL_EMPTY,			/* not known: nothing in CSV, null in JSON */
	CELL_NUMBER,
	CELL_TEXT,
};

struct cell {
	enum cell_kind kind;
	int64_t number;			/* times ten to the power of the column's scale */
	const char *text;
};

struct cell cell_number(uint64_t number);
struct cell cell_signed(int64_t number);
struct cell cell_text(const char *text);
struct cell cell_share(uint64_t part, uint64_t whole);

void row_header(struct text *text, const struct column *columns, size_t n);
void row_csv(struct text *text, const struct column *columns, const struct cell *cells, size_t n);
void row_json(struct text *text, const struct column *columns, const struct cell *cells,
	      size_t n);

#endif
