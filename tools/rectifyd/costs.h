/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a switch costs an app: how long its processes waited for memory and files since it came to
 * the front. Not what devices take, nor what others wait. PURE.
 */
#ifndef RECTIFYD_COSTS_H
#define RECTIFYD_COSTS_H

#include <stdint.h>

/* By what it is known; the best one that there is. */
enum costs_source {
	COSTS_NONE,
	COSTS_PRESSURE,			/* PSI of the app's control group */
	COSTS_DELAYS,			/* delay accounting of its processes */
	COSTS_FAULTS,			/* their major faults, by what a page costs */
};

/* Until some moment, in microseconds. */
struct costs {
	enum costs_source source;
	uint64_t memory_us;		/* PSI of memory, */
	uint64_t io_us;			/* and that of I/O, or what else is known of such waits */
	uint64_t system_us;		/* in the kernel, as to decompress pages */
};

extern const char *const costs_names[];

uint64_t costs_since(const struct costs *before, const struct costs *now);
uint64_t costs_delay(const char *stat);

#endif
