/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Missing pages, and first writes.
 */
#ifndef MARVIN_LOAD_H
#define MARVIN_LOAD_H

#include "heap.h"

bool load_missing(void *arg, uint32_t page, void *buffer);
void load_ahead(void *arg, uint32_t page, void *buffer);
void load_write(void *arg, uint32_t page);
int load_range(struct marvin *heap, uint32_t page, uint32_t pages);

#endif
