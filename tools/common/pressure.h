/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_PRESSURE_H
#define COMMON_PRESSURE_H

#include <stdint.h>
#include "parse.h"

#define PRESSURE_MEMORY "/proc/pressure/memory"

struct pressure {
	int fd;				/* to read */
	int trigger_fd;			/* to poll() for POLLPRI; negative without a trigger */
	uint64_t some_us;		/* total at the last look */
	uint64_t full_us;
};

/* Waiting times since the last look, in microseconds, and the file as it is now. */
struct pressure_delta {
	uint64_t some_us;
	uint64_t full_us;
	struct psi now;
};

int pressure_open(struct pressure *pressure, const char *path);
int pressure_trigger(struct pressure *pressure, const char *path, unsigned int stall_us,
		     unsigned int window_us);
int pressure_read(struct pressure *pressure, struct pressure_delta *delta);
void pressure_close(struct pressure *pressure);

#endif
