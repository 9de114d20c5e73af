// SPDX-License-Identifier: GPL-2.0

#include "level.h"

/**
 * level_of() - so much each may have at most, that all together have no more than a total
 * @have: what each has, bytes
 * @n: of them
 * @total: bytes
 *
 * Groups below the level give nothing. So a hog gives before small services do, and without a hog
 * many small services give alike. The level is the max-min fair share of the total.
 *
 * Return: bytes; UINT64_MAX, if they have no more than that.
 */
uint64_t level_of(const uint64_t *have, unsigned int n, uint64_t total)
{
	uint64_t level = 0, below, last;
	unsigned int above, i;

	/* Each round the level rises: the groups above it share the rest. */
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
 * level_cover() - the least size of the largest groups that together have a part of all memory
 * @have: what each has, bytes
 * @n: of them
 * @permille: the part
 *
 * Return: bytes. A fixed size would leave out many small groups without a large one.
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
