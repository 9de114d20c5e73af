// SPDX-License-Identifier: GPL-2.0

#include <stddef.h>
#include "choose.h"
#include "human.h"

/* Prefer a denser compressor if it holds a fourth more in at most three times the time. */
#define WORTH_PART 5
#define WORTH_OF 4
#define WORTH_TIMES 3

/* Larger swap costs tables, but the machine thrashes to a halt before it is full. */
#define MEMORY_TIMES 4

static uint64_t time_of(const struct measured *one)
{
	return one->write_ns + one->read_ns;
}

/* less() - does @one take less of the media for each page than @other? */
static bool less(const struct measured *one, const struct measured *other)
{
	return human_share(1000000, one->used, one->pages) <
	       human_share(1000000, other->used, other->pages);
}

/* worth() - is @one worth its time, beside the quickest? */
static bool worth(const struct measured *one, const struct measured *quickest)
{
	return human_share(1000000, one->used, one->pages) * WORTH_PART <=
	       human_share(1000000, quickest->used, quickest->pages) * WORTH_OF &&
	       time_of(one) <= time_of(quickest) * WORTH_TIMES;
}

/**
 * choose_best() - the compressor to use
 * @measured: results of measure_all()
 * @n: their number
 * @prefer: density, speed or a balance
 *
 * Return: an entry of @measured, or NULL if none was measured.
 */
const struct measured *choose_best(const struct measured *measured, unsigned int n,
				   enum prefer prefer)
{
	const struct measured *quickest = NULL, *best = NULL, *one;

	for (one = measured; one < measured + n; one++)
		if (one->done && one->pages && (!quickest || time_of(one) < time_of(quickest)))
			quickest = one;
	if (!quickest || prefer == PREFER_SPEED)
		return quickest;
	best = quickest;
	for (one = measured; one < measured + n; one++)
		if (one->done && one->pages && less(one, best) &&
		    (prefer == PREFER_SPACE || worth(one, quickest)))
			best = one;
	return best;
}

/**
 * choose_crypt() - tell whether pages on the media get encrypted
 * @measured: results of measure_all() on these media; NULL: they are of other media, or there are
 *	none, so nothing shows whether the module has the cipher
 * @n: their number
 * @keeps: the media keep their contents without power
 *
 * Return: a sentence, or NULL for no message.
 */
const char *choose_crypt(const struct measured *measured, unsigned int n, bool keeps)
{
	unsigned int i;

	for (i = 0; measured && i < n; i++) {
		if (!measured[i].done)
			continue;
		if (measured[i].encrypted)
			return "Pages on these media are encrypted.";
		if (!keeps)
			return NULL;
		return "Pages on these media are not encrypted: the module lacks the cipher.";
	}
	if (!keeps)
		return NULL;
	return "Pages on these media are encrypted unless the module lacks the cipher.";
}

/**
 * choose_ratio() - the ratio= that fills device and media at the same time, less a tenth
 * @stored: bytes of pages
 * @used: bytes that they take on the media
 *
 * Return: percent, as the module takes it.
 */
unsigned int choose_ratio(uint64_t stored, uint64_t used)
{
	uint64_t percent = human_share(90, stored, used);

	/* Pages of one repeated word take no space on the media. */
	if (!used || percent > MTDCOMPR_RATIO_MAX)
		return MTDCOMPR_RATIO_MAX;
	return percent ? (unsigned int)percent : 1;
}

/**
 * choose_limit() - limit a ratio to the swap that the machine can use
 * @ratio: percent
 * @media_bytes: size of the media
 * @memory_bytes: main memory; 0: unknown
 *
 * Return: @ratio, or less.
 */
unsigned int choose_limit(unsigned int ratio, uint64_t media_bytes, uint64_t memory_bytes)
{
	uint64_t most = human_share(100 * MEMORY_TIMES, memory_bytes, media_bytes);

	if (!memory_bytes || most >= ratio)
		return ratio;
	return most ? (unsigned int)most : 1;
}
