/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loads, and what they share.
 */
#ifndef LOAD_LOADS_H
#define LOAD_LOADS_H

#include <stdbool.h>
#include <stdint.h>
#include "options.h"

struct load_options {
	bool plain;
	bool mapped;
	bool background;		/* waster: go to the background after the first round */
	const char *store;
	const char *road;		/* NULL: libmarvin's choice */
	const char *name;
	uint64_t mib;
	uint64_t rounds;
	uint64_t interval_ms;
	uint64_t ratio;
	uint64_t tick_ms;
	uint64_t threads;
	uint64_t seed;
	uint64_t drop_kib;		/* verify: KiB to drop in each round */
	char *const *pids;		/* memory: processes, NULL at the end */
	bool fork;
	bool lossy;
};

#define LOAD_THREADS 64

uint64_t load_now_us(void);
uint64_t load_cpu_us(void);

/* Exit statuses, also of the loads in Lua; options.h has the others. */
#define STATUS_RIGHT	0
#define STATUS_LOST	4		/* an object is lost */

/* Each returns an exit status. */
int waster_run(const struct load_options *options);
int timer_run(const struct load_options *options);
int memory_run(const struct load_options *options);
int walk_run(const struct load_options *options);
int micro_run(const struct load_options *options);
int verify_run(const struct load_options *options);

#endif
