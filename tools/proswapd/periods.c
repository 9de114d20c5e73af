// SPDX-License-Identifier: GPL-2.0
/*
 * A period is the mean of the times that most events agree on. A process is periodic once half of
 * its swap-outs agree for a whole period. Later its uses of memory, gathered in turns of three
 * periods, have to agree, else it is not periodic any more.
 */
#include <string.h>
#include "periods.h"

/* A shorter gap is a part of the same event. */
#define FIRST_US 8192
/* Bins of an octave. */
#define OCTAVE 8
/* 64 pages that were swapped out twice or more, and half of them agree: guesses. */
#define LEAST_PAGES 64
#define LEAST_SHARE 500
/* Fewer uses in a turn say nothing: a guess. */
#define LEAST_USES 4
/* A turn lasts three periods: a mean of fewer is chance, a guess. */
#define TURN_PERIODS 3

/* The paper gives no bounds. A window shorter than a look is none, one of minutes is never over. */
#define WINDOW_SHORTEST_US (RHYTHM_SHORTEST_MS * 1000u)
#define WINDOW_LONGEST_US (RHYTHM_LONGEST_MS * 1000u)

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
 * period_clear() - forget all times
 * @period: emptied
 */
void period_clear(struct period *period)
{
	memset(period, 0, sizeof(*period));
}

/**
 * period_add() - a time between two events
 * @period: the times
 * @gap_us: the time in microseconds
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
 * @period: the times
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

/**
 * rhythm_init() - forget a process
 * @rhythm: filled in
 */
void rhythm_init(struct rhythm *rhythm)
{
	memset(rhythm, 0, sizeof(*rhythm));
}

static void begin_turn(struct rhythm *rhythm, uint32_t now_ms)
{
	rhythm->turn_ms = now_ms;
	period_clear(&rhythm->uses);
}

/* is_period() - do most agree on a period that can be helped? */
static bool is_period(const struct period_found *found)
{
	uint64_t ms = found->us / 1000;

	return found->share >= LEAST_SHARE && ms >= RHYTHM_SHORTEST_MS && ms <= RHYTHM_LONGEST_MS;
}

/* is_near() - by a quarter, as the first times of a new one differ */
static bool is_near(uint32_t ms, uint32_t other_ms)
{
	return ms >= other_ms - other_ms / 4 && ms <= other_ms + other_ms / 4;
}

/**
 * rhythm_learn() - is it periodic?
 * @rhythm: the state, which is RHYTHM_LEARN
 * @now_ms: the time
 * @found: the period of its swap-outs
 *
 * The first pages that go out twice belong to the program's start, so wait until the period
 * has been seen for as long as it is.
 */
enum rhythm_change rhythm_learn(struct rhythm *rhythm, uint32_t now_ms,
				const struct period_found *found)
{
	uint32_t ms = (uint32_t)(found->us / 1000);

	if (found->events < LEAST_PAGES || !is_period(found)) {
		rhythm->seen_ms = 0;
		return RHYTHM_SAME;
	}
	if (!rhythm->seen_ms || !is_near(ms, rhythm->candidate_ms)) {
		rhythm->seen_ms = now_ms;
		rhythm->candidate_ms = ms;
	}
	if (now_ms - rhythm->seen_ms < ms)
		return RHYTHM_SAME;
	rhythm->state = RHYTHM_ACT;
	rhythm->period_ms = ms;
	rhythm->base_ms = ms;
	begin_turn(rhythm, now_ms);
	return RHYTHM_PERIODIC;
}

/**
 * rhythm_turn() - is it still periodic?
 * @rhythm: the state, which is RHYTHM_ACT
 * @now_ms: the time
 * @trim: its memory goes out after each use
 *
 * If a program has all its memory, it shows no uses, and its period is taken to be the same. If no
 * memory of a trimmed program comes back, its period is wrong. If fewer than half of the uses agree
 * within an octave, the program has no period any more.
 */
enum rhythm_change rhythm_turn(struct rhythm *rhythm, uint32_t now_ms, bool trim)
{
	struct period_found found;
	uint32_t ms;

	if (now_ms - rhythm->turn_ms < TURN_PERIODS * rhythm->period_ms)
		return RHYTHM_SAME;
	period_find(&rhythm->uses, &found);
	begin_turn(rhythm, now_ms);
	if (found.events < LEAST_USES && !trim)
		return RHYTHM_SAME;
	/* Frames that differ in their length have a mean. */
	ms = (uint32_t)((found.share >= LEAST_SHARE ? found.us : found.mean_us) / 1000);
	if (found.events < LEAST_USES || found.rough < LEAST_SHARE || ms < RHYTHM_SHORTEST_MS ||
	    ms > RHYTHM_LONGEST_MS) {
		rhythm_init(rhythm);
		return RHYTHM_LOST;
	}
	if (ms == rhythm->period_ms)
		return RHYTHM_SAME;
	rhythm->period_ms = ms;
	return RHYTHM_NEW_PERIOD;
}

/**
 * rhythm_hold() - how long is memory in use, once it is needed?
 * @rhythm: the state
 * @layout: the ranges; each has its own time
 * @tick_ms: the time from look to look
 * @turn: a turn is over
 *
 * A range is held for twice as long when more than a fifth of its pushed pages were needed again in
 * the same period, once a turn, and for an eighth less after each turn without such a page: also
 * after a turn without a push, as a range that is held for a period has none. Guesses.
 */
void rhythm_hold(struct rhythm *rhythm, struct layout *layout, uint32_t tick_ms, bool turn)
{
	uint32_t i;

	for (i = 0; i < layout->n; i++) {
		struct range *range = &layout->ranges[i];

		if (!range->doubled && range->again > CHUNK_PAGES &&
		    range->again * 5 > range->pushed) {
			range->hold_ms = range->hold_ms ? 2 * range->hold_ms : tick_ms;
			if (range->hold_ms > rhythm->period_ms)
				range->hold_ms = rhythm->period_ms;
			range->doubled = true;
		} else if (!turn) {
			continue;
		} else if (!range->doubled && !range->again) {
			range->hold_ms -= range->hold_ms / 8;
		}
		if (turn)
			range->doubled = false;
		range->pushed = 0;
		range->again = 0;
	}
}

/**
 * rhythm_watched() - is its page table looked at, to learn when each part of it is needed?
 * @rhythm: the state
 */
bool rhythm_watched(const struct rhythm *rhythm)
{
	return rhythm->state == RHYTHM_ACT || (rhythm->state == RHYTHM_LEARN && rhythm->seen_ms);
}

/**
 * rhythm_tick_ms() - how often a process is looked at
 * @rhythm: the state
 *
 * Return: milliseconds.
 */
uint32_t rhythm_tick_ms(const struct rhythm *rhythm)
{
	/* 48 looks a period, but from 5 to 100 a second: guesses. */
	uint32_t ms = rhythm->period_ms / 48;

	if (rhythm->state != RHYTHM_ACT)
		return 100;
	return ms < 10 ? 10 : ms > 200 ? 200 : ms;
}

/**
 * window_top_add() - line 2: the page with the most swap-outs
 * @top: updated, if @count is more
 * @count: swap-outs of a page
 * @mean_us: the mean time between them
 */
void window_top_add(struct window_top *top, uint32_t count, uint64_t mean_us)
{
	if (count > top->count)
		*top = (struct window_top){ count, mean_us };
}

/**
 * window_next() - the next window, if the last one is over
 * @window: the state
 * @now_us: the time
 * @top: the page that was swapped out most often
 * @alpha: permille of its length: how long a window is used
 * @gamma_us: the length while nothing is periodic
 *
 * Return: true, if a new one has begun.
 */
bool window_next(struct window *window, uint64_t now_us, const struct window_top *top,
		 unsigned int alpha, uint64_t gamma_us)
{
	if (window->end_us && now_us < window->end_us)
		return false;
	window->periodic = top->count >= 2;
	window->length_us = window->periodic ? top->mean_us : gamma_us;
	if (window->length_us < WINDOW_SHORTEST_US)
		window->length_us = WINDOW_SHORTEST_US;
	if (window->length_us > WINDOW_LONGEST_US)
		window->length_us = WINDOW_LONGEST_US;
	window->end_us = now_us + window->length_us * alpha / 1000;
	return true;
}
