/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread that makes the ticks of a heap, and does what marvind wants.
 */
#ifndef MARVIN_WORKER_H
#define MARVIN_WORKER_H

#include "heap.h"

int worker_begin(struct marvin *heap);
void worker_end(struct marvin *heap);
void worker_forked(struct marvin *heap);

#endif
