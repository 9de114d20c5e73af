/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Points in time at equal distances, which do not drift, and the signals that end the program.
 */
#ifndef MEMTRACE_TICKS_H
#define MEMTRACE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

struct ticks {
	uint64_t begin_us;
	uint64_t interval_us;
	uint64_t nr;			/* of the tick that was last; the first is 0 */
};

void ticks_catch_signals(void);
bool ticks_stopped(void);
void ticks_begin(struct ticks *ticks, uint64_t interval_us);
bool ticks_wait(struct ticks *ticks);

#endif
