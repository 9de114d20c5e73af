// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "period.h"

#define FIRST_US 8192
/* Bins of an octave. */
#define OCTAVE 8

/* bin() - the logarithm, with three bits after the point that are taken as if it were straight */
static unsigned int bin(uint64_t gap_us)
{
	uint64_t at = gap_us / (FIRST_US / 8);
	unsigned int octave = 0;

	if (at < 8)
		return 0;
	while (at >= 16) {
		at /= 2;
		octave++;
	}
	octave = octave * 8 + (unsigned int)at - 8;
	return octave < PERIOD_BINS ? octave : PERIOD_BINS - 1;
}

/**
 * period_clear() - nothing is known
 * @period: emptied
 */
void period_clear(struct period *period)
{
	memset(period, 0, sizeof(*period));
}

/**
 * period_add() - a time between two events
 * @period: what is known
 * @gap_us: the time in microseconds; one of less than 8 ms is a part of the same event
 */
void period_add(struct period *period, uint64_t gap_us)
{
	unsigned int i = bin(gap_us);

	if (gap_us < FIRST_US || period->total == UINT32_MAX)
		return;
	period->count[i]++;
	period->sum_us[i] += gap_us;
	period->total++;
}

/* most() - where @n bins side by side have the most events, and how many these are */
static uint32_t most(const struct period *period, unsigned int n, uint64_t *events)
{
	unsigned int i, best = 0;
	uint64_t have = 0;

	*events = 0;
	for (i = 0; i < PERIOD_BINS; i++) {
		have += period->count[i];
		if (i >= n)
			have -= period->count[i - n];
		if (i + 1 >= n && have > *events) {
			*events = have;
			best = i + 1 - n;
		}
	}
	return best;
}

/**
 * period_find() - the period that most events agree on
 * @period: what is known
 * @found: the mean of the three bins side by side that have the most, the share that they have,
 *	the share of the eight that have the most, and the mean of all
 *
 * Three bins are a quarter of an octave and more: times within a seventh of each other agree.
 * Eight are an octave. Times of a program that is not periodic are spread over octaves: of
 * exponential ones no octave has more than 29 %, also after a quarter of their mean was added.
 */
void period_find(const struct period *period, struct period_found *found)
{
	uint64_t sum, count;
	unsigned int i, best;

	memset(found, 0, sizeof(*found));
	found->events = period->total;
	if (!period->total)
		return;
	for (i = 0, sum = 0; i < PERIOD_BINS; i++)
		sum += period->sum_us[i];
	found->mean_us = sum / period->total;
	most(period, OCTAVE, &count);
	found->rough = (unsigned int)(count * 1000 / period->total);
	best = most(period, 3, &count);
	sum = period->sum_us[best] + period->sum_us[best + 1] + period->sum_us[best + 2];
	found->us = sum / count;
	found->share = (unsigned int)(count * 1000 / period->total);
}
