// SPDX-License-Identifier: GPL-2.0

#include "level.h"

/**
 * level_of() - so much each may have at most, that all together have no more than a total
 * @have: what each has, bytes
 * @n: of them
 * @total: bytes
 *
 * Whoever has less than the level gives nothing. So a hog gives before small services do, and many
 * small ones give alike where there is no hog. The level is the max-min fair share of the total.
 *
 * Return: bytes; UINT64_MAX, if they have no more than that.
 */
uint64_t level_of(const uint64_t *have, unsigned int n, uint64_t total)
{
	uint64_t level = 0, below, last;
	unsigned int above, i;

	/* Each round the level rises to what is left for those above it. */
	do {
		last = level;
		below = 0;
		above = 0;
		for (i = 0; i < n; i++) {
			if (have[i] > level)
				above++;
			else
				below += have[i];
		}
		if (!above)
			return UINT64_MAX;
		level = below < total ? (total - below) / above : 0;
	} while (level > last);
	return level;
}

static uint64_t sum_from(const uint64_t *have, unsigned int n, uint64_t least)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += have[i] >= least ? have[i] : 0;
	return sum;
}

/**
 * level_cover() - whoever has that much belongs to the largest, who together have a part of all
 * @have: what each has, bytes
 * @n: of them
 * @permille: the part
 *
 * Return: bytes; no fixed size is left out, so that many small ones count like a large one.
 */
uint64_t level_cover(const uint64_t *have, unsigned int n, unsigned int permille)
{
	uint64_t wanted = sum_from(have, n, 0) / 1000 * permille;
	uint64_t low = 0, high = UINT64_MAX, middle;

	if (!wanted)
		return 0;
	/* sum_from(low) is enough, sum_from(high) may not be. */
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (sum_from(have, n, middle) >= wanted)
			low = middle;
		else
			high = middle;
	}
	return low;
}
