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

static inline void fill(uint8_t *bytes, size_t n, uint64_t seed)
{
	size_t i;

	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

static inline bool is_filled(const uint8_t *bytes, size_t n, uint64_t seed)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (bytes[i] != (uint8_t)(seed + i * 7 + (i >> 8)))
			return false;
	return true;
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
