/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Print rows of cells as a table for people, for scripts or as JSON, in the forms of util-linux.
 * Does not know what the cells mean.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cell {
	char text[80];
	bool there;			/* false: empty, null in JSON */
	bool number;			/* without quotes in JSON */
};

struct table_head {
	const char *name;		/* in capitals */
	bool left;			/* left-aligned: texts; numbers are right-aligned */
};

enum table_form { TABLE_PLAIN, TABLE_RAW, TABLE_JSON };

struct table {
	const char *name;		/* name of the array in JSON */
	enum table_form form;
	bool noheadings;
	const struct table_head *heads;
	unsigned int columns;
	const struct cell *cells;	/* row by row */
	unsigned int rows;
};

void table_print(FILE *out, const struct table *table);
void table_json_rows(FILE *out, const struct table *table);
void table_json_text(FILE *out, const char *text);

void cell_text(struct cell *cell, const char *text);
void cell_number(struct cell *cell, uint64_t value);
void cell_size(struct cell *cell, uint64_t value, bool bytes);
void cell_time(struct cell *cell, uint64_t ns, bool bare);

#endif
