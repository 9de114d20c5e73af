/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOAD_LOADS_H
#define LOAD_LOADS_H

#include <stdbool.h>
#include <stdint.h>

struct load_options {
	bool plain;
	bool mapped;
	bool background;		/* of waster: after its first round */
	const char *store;
	const char *road;		/* NULL: as libmarvin chooses */
	const char *name;
	uint32_t mib;
	uint32_t rounds;
	uint32_t interval_ms;
	uint32_t ratio;
	uint32_t tick_ms;
	uint32_t threads;
	uint32_t seed;
	uint32_t drop_kib;		/* of verify, in each round; 0: nothing */
	char *const *pids;		/* of memory; ends with NULL */
	bool fork;
	bool lossy;
};

#define LOAD_THREADS 64

uint64_t load_now_us(void);
uint64_t load_cpu_us(void);

/* Exit statuses of all loads, also of those in Lua */
enum {
	LOAD_RIGHT = 0,
	LOAD_FAILED = 1,		/* no memory, no store, or another error */
	LOAD_USAGE = 2,
	LOAD_WRONG = 3,			/* bytes */
	LOAD_LOST = 4,			/* an object */
};

/* Each returns an exit status. */
int waster_run(const struct load_options *options);
int timer_run(const struct load_options *options);
int memory_run(const struct load_options *options);
int walk_run(const struct load_options *options);
int micro_run(const struct load_options *options);
int verify_run(const struct load_options *options);

#endif
