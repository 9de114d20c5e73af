/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread of a heap: it ticks, and does marvind's requests.
 */
#ifndef MARVIN_WORKER_H
#define MARVIN_WORKER_H

#include "heap.h"

int worker_begin(struct marvin *heap);
void worker_end(struct marvin *heap);
void worker_forked(struct marvin *heap);

#endif
