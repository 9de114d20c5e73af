/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects whose contents follow from a number, for the suites that use them.
 */
#ifndef TEST_OBJECTS_H
#define TEST_OBJECTS_H

#include "harness.h"
#include "marvin.h"

static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* word_of() - the contents, of which a part of a word may be the last; @at counts words */
static inline uint64_t word_of(uint64_t seed, size_t at)
{
	return (seed + 1) * 0xff51afd7ed558ccdULL + at * 0x9e3779b97f4a7c15ULL;
}

/* fill_words() - from word @at on, until @end */
static inline void fill_words(uint8_t *bytes, size_t at, size_t end, uint64_t seed)
{
	uint64_t *words = (uint64_t *)bytes;

	for (; at < end; at++)
		words[at] = word_of(seed, at);
}

static inline bool are_words(const uint8_t *bytes, size_t at, size_t end, uint64_t seed)
{
	const uint64_t *words = (const uint64_t *)bytes;
	uint64_t wrong = 0;

	for (; at < end; at++)
		wrong |= words[at] ^ word_of(seed, at);
	return !wrong;
}

/* fill_end() - what is less than a word */
static inline void fill_end(uint8_t *bytes, size_t n, uint64_t seed)
{
	uint64_t last = word_of(seed, n / 8);

	memcpy(bytes + n / 8 * 8, &last, n % 8);
}

static inline bool is_end(const uint8_t *bytes, size_t n, uint64_t seed)
{
	uint64_t last = word_of(seed, n / 8);

	return !memcmp(bytes + n / 8 * 8, &last, n % 8);
}

static inline void fill(uint8_t *bytes, size_t n, uint64_t seed)
{
	fill_words(bytes, 0, n / 8, seed);
	fill_end(bytes, n, seed);
}

static inline bool is_filled(const uint8_t *bytes, size_t n, uint64_t seed)
{
	return are_words(bytes, 0, n / 8, seed) && is_end(bytes, n, seed);
}

static inline marvin_ref make(size_t bytes, uint64_t seed)
{
	marvin_ref ref = marvin_new(bytes);

	expect(ref != NULL);
	marvin_enter();
	fill(marvin_write(ref), bytes, seed);
	marvin_leave();
	return ref;
}

/* check() - has it these contents? false also, if it is lost */
static inline bool check(marvin_ref ref, uint64_t seed)
{
	const uint8_t *bytes;
	bool good;

	marvin_enter();
	bytes = marvin_read(ref);
	good = bytes && is_filled(bytes, ref->bytes, seed);
	marvin_leave();
	return good;
}

static inline void ticks(unsigned int n)
{
	while (n--)
		marvin_tick(1000);
}

#endif
