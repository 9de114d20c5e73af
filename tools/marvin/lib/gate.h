/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate: who uses objects is inside; the saver shuts the gate and waits until nobody is, to
 * change what they look at. Going in and out takes no atomic step, as the saver has the kernel
 * order memory for all threads (membarrier).
 */
#ifndef MARVIN_GATE_H
#define MARVIN_GATE_H

#include <stdbool.h>

void gate_begin(void);
bool gate_shut(void);
void gate_open(void);
void gate_forked(void);
void gate_lock(void);
void gate_unlock(void);

#endif
