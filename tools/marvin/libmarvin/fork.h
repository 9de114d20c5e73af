/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heaps in a fork.
 */
#ifndef MARVIN_FORK_H
#define MARVIN_FORK_H

#include "heap.h"

void fork_forget(struct marvin *heap, const int *fds);
void fork_begin(struct marvin *heap);
void fork_allow(struct marvin *heap, bool allow);
int fork_add(struct marvin *heap);
void fork_remove(struct marvin *heap);
void fork_look(struct marvin *heap);

#endif
