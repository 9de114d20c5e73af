/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of the device list, in a table that also gives help and completion. PURE.
 */
#ifndef LIST_COLUMNS_H
#define LIST_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>
#include "device.h"
#include "table.h"

#define COLUMN_MAX 64

/* Selected columns, as indices into the table. */
struct columns {
	unsigned int n;
	unsigned char at[COLUMN_MAX];
};

void columns_default(struct columns *columns);
void columns_all(struct columns *columns);
bool columns_parse(struct columns *columns, const char *list, char *bad, size_t size);
void columns_head(const struct columns *columns, struct table_head *heads);
void columns_row(const struct columns *columns, const struct device *device, bool bytes,
		 struct cell *cells);
void columns_help(FILE *out);
void columns_names(FILE *out);

#endif
