// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "rhythm.h"

/* Pages that were swapped out twice or more, of which half agree. */
#define LEAST_PAGES 64
#define LEAST_SHARE 500
/* Frames shorter than that need no help that comes ten times a second. */
#define SHORTEST_MS 50
#define LONGEST_MS 120000
/* Fewer uses in a turn say nothing. */
#define LEAST_USES 4
/* A turn lasts so many periods: a mean of few is what chance makes of it. */
#define TURN_PERIODS 3

/**
 * rhythm_init() - nothing is known of a process
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

	return found->share >= LEAST_SHARE && ms >= SHORTEST_MS && ms <= LONGEST_MS;
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
 * The first pages that go out twice are those of the program's beginning: a period has to be seen
 * for as long as it is.
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
 * One that has all that it needs in memory shows no uses; its period is taken to be what it was. If
 * nothing comes back of one that is trimmed, its period is wrong. If fewer than half of the uses
 * agree within an octave, the program has none any more.
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
	if (found.events < LEAST_USES || found.rough < LEAST_SHARE || ms < SHORTEST_MS ||
	    ms > LONGEST_MS) {
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
 * @layout: the ranges, of which each has its own time
 * @tick_ms: the time from look to look
 * @turn: a turn is over
 *
 * A range is held for twice as long when more than a fifth of what was pushed out of it was needed
 * again in the same period, once a turn, and for a little less after each turn in which nothing
 * was: also after one in which nothing went out, as what is held for a period never does.
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
	uint32_t ms = rhythm->period_ms / 48;

	if (rhythm->state != RHYTHM_ACT)
		return 100;
	return ms < 10 ? 10 : ms > 200 ? 200 : ms;
}
