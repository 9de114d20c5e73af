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
 * they do not come back to. One that went out in the visit, or before it, and is out still, is not
 * needed either.
 */
void usage_end(struct usage *usage, uint32_t in, bool doubt)
{
	uint32_t came = in & usage->out;

	usage->hot = doubt ? came : (usage->hot & in) | came;
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
