// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "chunk.h"

static unsigned int bits(uint32_t word)
{
	return (unsigned int)__builtin_popcount(word);
}

/* use() - it is needed, in a period after that in which it was needed before */
static void use(struct chunk *chunk, uint32_t now_ms, uint32_t period_ms, struct chunk_news *news)
{
	uint32_t late_ms = chunk->looked_ms ? now_ms - chunk->looked_ms : 0;

	chunk->unsure = late_ms > period_ms / 16 || chunk->late_ms > period_ms / 16;
	chunk->late_ms = late_ms;
	if (chunk->used_ms) {
		chunk->gap_ms = now_ms - chunk->used_ms;
		news->gap_ms = chunk->gap_ms;
		news->out_ms = chunk->pushed_ms ? now_ms - chunk->pushed_ms : 0;
		if (!chunk->pushed_ms && chunk->gone_ms)
			news->kept_ms = chunk->gone_ms - chunk->used_ms;
		news->late_ms = late_ms;
	}
	chunk->used_ms = now_ms;
	chunk->pushed_ms = 0;
	chunk->gone_ms = 0;
	chunk->fetched_ms = 0;
}

/**
 * chunk_look() - take in what the page table says now
 * @chunk: what was known, is made new
 * @in: bit n: page n is in memory
 * @out: bit n: page n is in the swap
 * @now_ms: the time
 * @period_ms: of the process; 0 while it is not known
 * @news: filled in
 *
 * Pages that come in less than a quarter of a period after the chunk was needed belong to the same
 * use.
 */
void chunk_look(struct chunk *chunk, uint32_t in, uint32_t out, uint32_t now_ms, uint32_t period_ms,
		struct chunk_news *news)
{
	uint32_t came, least = period_ms ? period_ms / 4 : 100;

	/* What was pushed out since the last look may have come in since. */
	if (chunk->pushed_ms && now_ms - chunk->pushed_ms <= now_ms - chunk->looked_ms) {
		chunk->out |= chunk->in;
		chunk->in = 0;
	}
	came = in & ~chunk->in;
	memset(news, 0, sizeof(*news));
	news->came = bits(came & chunk->out);
	if (!chunk->pushed_ms)
		news->evicted = bits(out & chunk->in);
	if (news->evicted && !chunk->gone_ms)
		chunk->gone_ms = now_ms;
	if (came && (!chunk->used_ms || now_ms - chunk->used_ms >= least))
		use(chunk, now_ms, period_ms, news);
	else if (news->came && chunk->pushed_ms)
		news->again = news->came;
	if (news->again) {
		chunk->pushed_ms = 0;
		chunk->again_ms = now_ms;
	}
	chunk->in = in;
	chunk->out = out;
	chunk->looked_ms = now_ms;
}

/**
 * chunk_due() - is it time to look at it?
 * @chunk: what is known
 * @now_ms: the time
 * @period_ms: of the process; 0 while it is not known
 * @tick_ms: the time from look to look
 *
 * A look costs as much as a hundredth of a page that goes out and in: what changes is looked at
 * each time, the rest three times a period. What comes in is what was expected to, or lies
 * behind something that did; the caller sees to that.
 */
bool chunk_due(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms,
	       uint32_t tick_ms)
{
	uint32_t next, early = 3 * tick_ms, rest_ms = period_ms / 3;

	/* Its time is not known, and it may stay in for no more than a quarter of a period. */
	if (chunk->out && period_ms > 4 * tick_ms &&
	    (!chunk->used_ms || now_ms - chunk->used_ms > period_ms + period_ms / 2))
		rest_ms = period_ms / 4 - tick_ms;
	if (!period_ms || !chunk->looked_ms || now_ms - chunk->looked_ms >= rest_ms)
		return true;
	/* It is coming in. */
	if (chunk->used_ms && now_ms - chunk->used_ms <= 2 * tick_ms)
		return true;
	if (!chunk->out || !chunk->used_ms)
		return false;
	next = chunk_next_ms(chunk, now_ms, period_ms);
	/* One that was seen late comes earlier than it seems. */
	if (early < chunk->late_ms)
		early = chunk->late_ms;
	return next <= early || next + 3 * tick_ms >= period_ms;
}

/**
 * chunk_next_ms() - when is it needed again?
 * @chunk: what is known
 * @now_ms: the time
 * @period_ms: of the process, not 0
 *
 * Its own rhythm counts where it is near to that of the process.
 *
 * Return: milliseconds from now; 0, if that is not known.
 */
uint32_t chunk_next_ms(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t gap = period_ms, past;

	if (!chunk->used_ms)
		return 0;
	if (!chunk->unsure && chunk->gap_ms > period_ms * 7 / 8 &&
	    chunk->gap_ms < period_ms * 9 / 8)
		gap = chunk->gap_ms;
	/* What stays in memory is needed each period without a sign of it. */
	past = (now_ms - chunk->used_ms) % gap;
	return gap - past;
}
