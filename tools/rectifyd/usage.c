// SPDX-License-Identifier: GPL-2.0

#include "usage.h"

static uint32_t count_pages(uint32_t pages)
{
	return (uint32_t)__builtin_popcount(pages);
}

/**
 * usage_end() - note the pages that a visit needed, after its end
 * @usage: of a chunk
 * @in: its pages that are in memory
 * @doubt: doubt hot pages that were in memory all the time
 * @sums: the numbers of this chunk are added
 *
 * A new page, which was never out, counts as not needed, because apps fill memory that they do not
 * use again. A page that was needed once may hold other data the next time. So a page gets hot once
 * it was needed in two visits in a row.
 */
void usage_end(struct usage *usage, uint32_t in, bool doubt, struct usage_sums *sums)
{
	uint32_t came = in & usage->out, hot = (usage->hot & in) | (came & usage->seen);

	sums->hot_back += count_pages(came & usage->hot);
	/* Pages seen once, which get hot now, do not count: they will not be read again. */
	sums->cold_back += count_pages(came & ~usage->hot & (usage->doubted | ~usage->seen));
	/* Doubted pages count only if they really went out. */
	sums->doubted += count_pages(usage->doubted & usage->out);
	sums->needed += count_pages(came & usage->doubted);
	usage->seen = came | hot;
	usage->doubted = doubt ? hot & ~came : 0;
	usage->hot = hot & ~usage->doubted;
	sums->hot += count_pages(usage->hot);
}

/**
 * usage_visits() - the interval of doubt: a kept page is doubted once in so many visits
 * @visits: the interval until now
 * @sums: of the last visit
 *
 * Return: the next interval; twice as long if nearly all doubted pages were needed, and the
 * shortest one if less than half of them were.
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
 * usage_is_doubted() - are the pages of a chunk that stayed in memory doubted in this visit?
 * @nr: the chunk
 * @visit: number of the visit
 * @visits: the interval
 */
bool usage_is_doubted(uint32_t nr, uint32_t visit, uint32_t visits)
{
	return nr % visits == visit % visits;
}
