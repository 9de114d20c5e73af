/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of several rounds, and the clock.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdint.h>

#define ROUNDS_MOST 1000U

struct rounds {
	double figures[ROUNDS_MOST];	/* sorted by rounds_sort() */
	uint32_t n;
};

uint64_t rounds_now_ns(void);
uint32_t rounds_random(uint64_t *state);
void rounds_add(struct rounds *rounds, double figure);
void rounds_sort(struct rounds *rounds);
double rounds_median(const struct rounds *rounds);

#endif
