/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listens to the tracepoints of block requests, in a trace buffer of our own.
 */
#ifndef MEMTRACE_BLKTRACE_H
#define MEMTRACE_BLKTRACE_H

#include "flights.h"

int blktrace_open(void);
int blktrace_read(struct flights *flights, uint64_t *lost);
void blktrace_close(void);

#endif
