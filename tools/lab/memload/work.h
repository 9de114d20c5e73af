/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all loads have: a rate, an end, a count of what was done, and lines that tell of it.
 */
#ifndef MEMLOAD_WORK_H
#define MEMLOAD_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "loadopt.h"

/* Pages between two looks at the clock. */
#define WORK_PIECE 8U

struct work {
	uint64_t begin_us;
	uint64_t end_us;		/* UINT64_MAX: no end */
	uint64_t rate;			/* bytes a second; 0: no limit */
	uint64_t free_us;		/* by the rate, the next bytes may be touched then */
	uint64_t touched;		/* bytes */
	uint64_t passes;		/* that are complete */
	FILE *progress;
	uint64_t next_us;		/* when the next line is due */
};

int work_begin(struct work *work, const struct loadopt *options);
bool work_sleep(struct work *work, uint64_t until_us);
bool work_step(struct work *work, uint64_t bytes);
void work_hold(struct work *work);
bool work_stopped(void);
int work_close(struct work *work);
int work_end(struct work *work);

#endif
