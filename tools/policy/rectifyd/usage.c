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

/**
 * usage_end() - it has gone to the back
 * @usage: of a chunk
 * @in: its pages that are in memory
 * @doubt: what was in memory all the time is not taken to be needed still
 *
 * A page that is new, and was never out, is taken for one that is not needed: apps fill memory that
 * they do not come back to. One that was needed once may be used for something else the next time:
 * it stays after two visits, one after the other, in which it was.
 */
void usage_end(struct usage *usage, uint32_t in, bool doubt)
{
	uint32_t came = in & usage->out, hot = (usage->hot & in) | (came & usage->seen);

	usage->seen = came | hot;
	usage->hot = doubt ? came & hot : hot;
}

/**
 * usage_doubted() - is what stayed in memory doubted in this visit?
 * @nr: the chunk
 * @visit: number of the visit
 */
bool usage_doubted(uint32_t nr, uint32_t visit)
{
	return nr % USAGE_VISITS == visit % USAGE_VISITS;
}
