/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Save pages ahead of time, and give memory back. Only one tick runs at a time.
 */
#ifndef MARVIN_SAVE_H
#define MARVIN_SAVE_H

#include "heap.h"

/* Bytes that are copied at a time; larger writes gain nothing on flash. */
#define SAVE_BYTES (1U << 20)

/* save_bytes() - the same, for a road that has larger pages in a large space */
static inline size_t save_bytes(const struct marvin *heap)
{
	return heap->page_bytes > SAVE_BYTES ? heap->page_bytes : SAVE_BYTES;
}

int save_tick(struct marvin *heap, uint64_t until_ms, bool all);
uint64_t save_drop(struct marvin *heap, uint64_t bytes);

#endif
