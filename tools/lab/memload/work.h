/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the loads: end by a signal or after a time, keep a rate, write progress, measure
 * latencies.
 */
#ifndef MEMLOAD_WORK_H
#define MEMLOAD_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Pages between two readings of the clock. */
#define WORK_PIECE 8U

struct work {
	const char *name;		/* name of the file of progress, or NULL */
	uint64_t duration_us;		/* 0: no limit */
	uint64_t rate;			/* MiB a second; 0: no limit */
	uint64_t touched;		/* bytes */
	uint64_t passes;		/* complete passes */
	uint64_t begin_us;
	uint64_t end_us;		/* UINT64_MAX: no end */
	uint64_t free_us;		/* when the rate allows the next bytes */
	uint64_t next_us;		/* when the next line of progress is due */
	FILE *progress;
};

/* Times that something took. */
struct latencies {
	uint64_t *us;
	size_t n;
};

void latencies_begin(struct latencies *latencies, uint64_t most);
void latencies_sort(struct latencies *latencies);
double latencies_ms(const struct latencies *latencies, unsigned int percent);
void work_catch_signals(void);
bool work_stopped(void);
bool work_sleep_until(uint64_t us);
void work_begin(struct work *work);
bool work_sleep(struct work *work, uint64_t until_us);
bool work_step(struct work *work, uint64_t bytes);
int work_end(struct work *work);
FILE *work_open(const char *name, const char *header);
void work_written(FILE *file, const char *name);

#endif
