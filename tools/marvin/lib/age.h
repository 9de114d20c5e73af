/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The estimation of the working set, by object: whether it was read and written since the last
 * tick, and a shift register of four ticks for each of both, as in Marvin for Android's runtime
 * (2019). PURE.
 */
#ifndef MARVIN_AGE_H
#define MARVIN_AGE_H

#include <stdbool.h>
#include "entry.h"

/* A register below this is cold: not used in the last three ticks. */
#define AGE_COLD 2

/**
 * age_shift() - a tick is over
 * @word: of an entry
 *
 * Return: its word with the uses of the tick in its history.
 */
static inline uint32_t age_shift(uint32_t word)
{
	uint32_t reads = word >> ENTRY_READS & 15, writes = word >> ENTRY_WRITES & 15;

	reads = reads >> 1 | (word & ENTRY_READ ? 8 : 0);
	writes = writes >> 1 | (word & ENTRY_WRITTEN ? 8 : 0);
	word &= ~(15U << ENTRY_READS | 15U << ENTRY_WRITES | ENTRY_READ | ENTRY_WRITTEN);
	return word | reads << ENTRY_READS | writes << ENTRY_WRITES;
}

/**
 * age_settled() - is it likely that it is not written soon?
 * @word: of an entry
 */
static inline bool age_settled(uint32_t word)
{
	return !(word & ENTRY_WRITTEN) && (word >> ENTRY_WRITES & 15) < AGE_COLD;
}

/**
 * age_cold() - is it likely that it is not used soon?
 * @word: of an entry
 */
static inline bool age_cold(uint32_t word)
{
	return age_settled(word) && !(word & ENTRY_READ) && (word >> ENTRY_READS & 15) < AGE_COLD;
}

#endif
