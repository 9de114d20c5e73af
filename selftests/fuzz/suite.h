/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A suite of selftests/unit as a fuzz target: uses its operations and its model, but takes the
 * random numbers from the input.
 */
#ifndef SUITE_H
#define SUITE_H

#include "fuzz.h"

static struct input suite_input;
static u64 suite_noise;

#define HARNESS_RANDOM

static inline u64 random_u64(void)
{
#ifdef SUITE_NOISE
	/* Numbers for mere contents of pages should not use up the input. */
	suite_noise = suite_noise * 6364136223846793005ULL + 1442695040888963407ULL;
	return suite_noise ^ suite_noise >> 29;
#else
	return (u64)take_bytes(&suite_input, 4) << 32 | take_bytes(&suite_input, 4);
#endif
}

static inline u32 random_below(u32 n)
{
	return take_below(&suite_input, n);
}

#define main suite_main

/* Begin with this input. */
#define suite_begin(data, bytes) do {					\
	suite_input = (struct input) { data, bytes };			\
	suite_noise = 1;						\
	tap.keys = 1;							\
	tap.bad = 0;							\
	tap.notes = 0;							\
} while (0)

/* End the run if an expectation failed. */
#define suite_end() do {						\
	fflush(stdout);							\
	if (tap.bad)							\
		fuzz_die("%u expectations failed", tap.bad);		\
} while (0)

#endif /* SUITE_H */
