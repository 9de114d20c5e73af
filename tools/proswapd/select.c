// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "select.h"

#define BUCKETS 64
/* To trim: what is needed sooner is not worth the way out and in, */
#define TRIM_MS 500
/* and what was needed again soon after it had gone out stays for so many periods. */
#define STAY_PERIODS 2

static unsigned int pages(uint32_t bits)
{
	return (unsigned int)__builtin_popcount(bits);
}

/* is_in_use() - of a program that is trimmed: did it come back too soon, of late? */
static bool is_in_use(const struct choice *choice, const struct chunk *chunk, uint32_t period_ms)
{
	return chunk->again_ms && choice->now_ms - chunk->again_ms < STAY_PERIODS * period_ms;
}

/*
 * candidate() - may it go out? Its use is over, and it is not needed again soon. What has been in
 * memory for longer than a period goes last: of a circle that is too large the same part is kept,
 * and the rest comes and goes. A program that is trimmed also loses what was not seen in use.
 *
 * Return: milliseconds until it is needed again, and a period more if it came in during the last
 * one; or 0.
 */
static uint32_t candidate(const struct choice *choice, const struct view *view, uint32_t nr)
{
	const struct chunk *chunk = &view->chunks[nr];
	uint32_t next, hold = layout_range(view->layout, nr)->hold_ms;

	if (!chunk->in || chunk->pushed_ms)
		return 0;
	if (choice->trim && is_in_use(choice, chunk, view->period_ms))
		return 0;
	/* Nobody waits for its room: a frame that takes its time is left to end. */
	if (choice->trim && hold < view->period_ms / 8)
		hold = view->period_ms / 8;
	if (!chunk->used_ms)
		return choice->trim ? choice->horizon_ms : 0;
	if (choice->now_ms - chunk->used_ms < hold)
		return 0;
	next = chunk_next_ms(chunk, choice->now_ms, view->period_ms);
	if (next <= view->period_ms / 8 || (choice->trim && next < TRIM_MS))
		return 0;
	return choice->now_ms - chunk->used_ms < view->period_ms ? next + view->period_ms : next;
}

static unsigned int bucket(const struct choice *choice, uint32_t next_ms)
{
	uint64_t at = (uint64_t)next_ms * BUCKETS / (choice->horizon_ms + 1);

	return at < BUCKETS ? (unsigned int)at : BUCKETS - 1;
}

/**
 * select_begin() - begin to choose what goes out
 * @choice: filled in
 * @now_ms: the time
 * @want: pages that are to go
 * @horizon_ms: three times the longest period of all processes
 *
 * Then select_count() for each process, select_decide(), and select_push() for each chunk.
 */
void select_begin(struct choice *choice, uint32_t now_ms, uint32_t want, uint32_t horizon_ms)
{
	memset(choice, 0, sizeof(*choice));
	choice->now_ms = now_ms;
	choice->want = want;
	choice->horizon_ms = horizon_ms;
}

/**
 * select_count() - how much of a process could go, by the time until it is needed again
 * @choice: counted into
 * @view: the process
 */
void select_count(struct choice *choice, const struct view *view)
{
	uint32_t nr, next;

	for (nr = 0; nr < view->layout->n_chunks; nr++) {
		next = candidate(choice, view, nr);
		if (next)
			choice->sum[bucket(choice, next)] += pages(view->chunks[nr].in);
	}
}

/* border() - the first time of a bucket */
static uint32_t border(const struct choice *choice, unsigned int at)
{
	return (uint32_t)(((uint64_t)at * (choice->horizon_ms + 1) + BUCKETS - 1) / BUCKETS);
}

/**
 * select_decide() - from where on what could go does go
 * @choice: decided
 */
void select_decide(struct choice *choice)
{
	unsigned int at = BUCKETS;
	uint32_t have = 0;

	while (at && have < choice->want)
		have += choice->sum[--at];
	choice->from_ms = border(choice, at);
	choice->above_ms = at < BUCKETS ? border(choice, at + 1) : choice->from_ms;
	choice->rest = at < BUCKETS && choice->want + choice->sum[at] > have ?
		       choice->want + choice->sum[at] - have : 0;
}

/**
 * select_push() - does this one go out?
 * @choice: what is still wanted is counted down
 * @view: the process
 * @nr: the chunk
 *
 * Return: true, if it does; it is marked as pushed out.
 */
bool select_push(struct choice *choice, const struct view *view, uint32_t nr)
{
	uint32_t next, n = pages(view->chunks[nr].in);

	if (!choice->want)
		return false;
	next = candidate(choice, view, nr);
	if (!next || next < choice->from_ms)
		return false;
	if (next < choice->above_ms) {
		if (!choice->rest)
			return false;
		choice->rest = n < choice->rest ? choice->rest - n : 0;
	}
	choice->want = n < choice->want ? choice->want - n : 0;
	view->chunks[nr].pushed_ms = choice->now_ms;
	return true;
}

/**
 * select_fetch() - does this one come back?
 * @choice: what is still wanted is counted down
 * @view: the process
 * @nr: the chunk
 *
 * Return: true, if it is needed within the lead, and there is room; it is marked as brought back.
 */
bool select_fetch(struct choice *choice, const struct view *view, uint32_t nr)
{
	struct chunk *chunk = &view->chunks[nr];
	uint32_t n = pages(chunk->out);

	if (!n || n > choice->want || !chunk->used_ms || !chunk->gap_ms || chunk->fetched_ms)
		return false;
	if (chunk_next_ms(chunk, choice->now_ms, view->period_ms) > choice->lead_ms)
		return false;
	choice->want -= n;
	chunk->fetched_ms = choice->now_ms;
	return true;
}
