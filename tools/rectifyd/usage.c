// SPDX-License-Identifier: GPL-2.0

#include "usage.h"

/**
 * usage_begin() - the app comes to the front
 * @usage: of a chunk
 * @out: its pages that are in the swap
 */
void usage_begin(struct usage *usage, uint32_t out)
{
	usage->out = out;
}

static uint32_t count(uint32_t pages)
{
	return (uint32_t)__builtin_popcount(pages);
}

/**
 * usage_end() - it has gone to the back
 * @usage: of a chunk
 * @in: its pages that are in memory
 * @doubt: what was in memory all the time is not taken to be needed still
 * @sums: what is seen is added
 *
 * A page that is new, and was never out, is taken for one that is not needed: apps fill memory that
 * they do not come back to. One that was needed once may be used for something else the next time:
 * it stays after two visits, one after the other, in which it was.
 */
void usage_end(struct usage *usage, uint32_t in, bool doubt, struct usage_sums *sums)
{
	uint32_t came = in & usage->out, hot = (usage->hot & in) | (came & usage->seen);

	sums->hot_back += count(came & usage->hot);
	/* Not what is known to be needed from here on: it is not paid for again. */
	sums->cold_back += count(came & ~usage->hot & (usage->doubted | ~usage->seen));
	/* If it went. */
	sums->doubted += count(usage->doubted & usage->out);
	sums->needed += count(came & usage->doubted);
	usage->seen = came | hot;
	usage->doubted = doubt ? hot & ~came : 0;
	usage->hot = hot & ~usage->doubted;
	sums->hot += count(usage->hot);
}

/**
 * usage_visits() - how often what is kept is doubted
 * @visits: until now, each so many visits
 * @sums: of the last visit
 *
 * Return: each so many visits; twice as many where nearly all that was doubted is needed.
 */
uint32_t usage_visits(uint32_t visits, const struct usage_sums *sums)
{
	if (!sums->doubted)
		return visits;
	if (sums->needed < sums->doubted - sums->doubted / 2)
		return USAGE_VISITS;
	if (sums->needed >= sums->doubted - sums->doubted / 8 && visits < USAGE_VISITS_MOST)
		return visits * 2;
	return visits;
}

/**
 * usage_is_doubted() - is what stayed in memory doubted in this visit?
 * @nr: the chunk
 * @visit: number of the visit
 * @visits: each so many visits
 */
bool usage_is_doubted(uint32_t nr, uint32_t visit, uint32_t visits)
{
	return nr % visits == visit % visits;
}
