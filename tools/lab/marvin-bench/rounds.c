// SPDX-License-Identifier: GPL-2.0

#include <stdlib.h>
#include <time.h>
#include "rounds.h"

/**
 * rounds_now_ns() - the time
 *
 * Return: nanoseconds since the system's start.
 */
uint64_t rounds_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/**
 * rounds_random() - a random number
 * @state: any; changes
 *
 * Return: 32 bits.
 */
uint32_t rounds_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 32);
}

/**
 * rounds_add() - add a figure
 * @rounds: the figures; n is 0 at first
 * @figure: the figure; dropped if there are ROUNDS_MOST
 */
void rounds_add(struct rounds *rounds, double figure)
{
	if (rounds->n < ROUNDS_MOST)
		rounds->figures[rounds->n++] = figure;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/**
 * rounds_sort() - sort the figures, the least first
 * @rounds: at least one figure
 */
void rounds_sort(struct rounds *rounds)
{
	qsort(rounds->figures, rounds->n, sizeof(double), compare);
}

/**
 * rounds_median() - the figure in the middle
 * @rounds: sorted
 */
double rounds_median(const struct rounds *rounds)
{
	uint32_t half = rounds->n / 2;

	return rounds->n % 2 ? rounds->figures[half] :
			       (rounds->figures[half - 1] + rounds->figures[half]) / 2;
}
