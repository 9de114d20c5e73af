/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in a line of CSV. PURE.
 */
#ifndef MEMLOAD_CSV_H
#define MEMLOAD_CSV_H

#include <stddef.h>

int csv_quote(const char *name, char *buf, size_t size);

#endif
