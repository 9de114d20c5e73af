/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the load "apps" tells: a line of CSV for each switch, and a sum of all.
 */
#ifndef MEMLOAD_APPOUT_H
#define MEMLOAD_APPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A switch. */
struct appout_switch {
	uint64_t nr;			/* from 1 */
	unsigned int app;
	uint64_t begin_us;
	uint64_t end_us;
	uint64_t hook_us;
	uint64_t major_faults;
	uint64_t minor_faults;
	bool cold;			/* the app had to be started */
};

struct appout {
	const char *name;		/* a file, "-", or NULL */
	FILE *out;			/* or NULL */
	uint64_t *latencies;
	size_t n;
	uint64_t major_faults;
	uint64_t cold;
	uint64_t killed;
};

int appout_begin(struct appout *all, const char *name, uint64_t switches);
int appout_switch(struct appout *all, const struct appout_switch *told);
int appout_end(struct appout *all, uint64_t hook_failures, bool failed);

#endif
