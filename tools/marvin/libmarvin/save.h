/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ahead-of-time saving, and giving memory back. One tick at a time.
 */
#ifndef MARVIN_SAVE_H
#define MARVIN_SAVE_H

#include "heap.h"

/* What is copied at a time; larger writes gain nothing on flash. */
#define SAVE_BYTES (1U << 20)

int save_tick(struct marvin *heap, uint64_t until_ms, bool all);
uint64_t save_drop(struct marvin *heap, uint64_t bytes);

#endif
