/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of marvin-bench.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include "marvin.h"

struct bench_options {
	const char *store;		/* a directory, without a slash at its end */
	enum marvin_road road;
	uint32_t rounds;		/* 0: each part's own number */
	uint32_t tick_ms;
};

/* Each prints a table; false if bytes were wrong, or memory or the store failed. */
bool hot_run(const struct bench_options *options);
bool takeback_run(const struct bench_options *options);
bool onepage_run(const struct bench_options *options);
bool wait_run(const struct bench_options *options);

#endif
