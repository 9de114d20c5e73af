/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates from two readings of a device's statistics. PURE.
 */
#ifndef TOP_COLUMNS_H
#define TOP_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include "device.h"
#include "table.h"

#define RATE_COLUMNS 12

bool rate_of(const char *before, const char *now, const char *key, uint64_t us, uint64_t *rate);
void rate_heads(struct table_head *heads);
void rate_row(const struct device *before, const struct device *now, uint64_t us, bool bytes,
	      struct cell *cells);

#endif
