/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A secret, and pages around it, that follow from a seed: the program that looks for them on the
 * media needs nothing from the one that wrote them.
 */
#ifndef MTDC_TEST_SECRET_H
#define MTDC_TEST_SECRET_H

#include "pattern.h"

#define SECRET_BYTES	32u
/* Bytes of it that are a find: a match of the compressor may end in the middle. */
#define SECRET_FIND	12u
/* Bytes at the start of each page that are the same in all, if a test wants that. */
#define SECRET_START	64u

static inline void secret_make(uint8_t secret[SECRET_BYTES], uint64_t seed)
{
	uint64_t state = seed ^ 0x5ec2e75ec2e75ec2ull;

	pat_random(secret, SECRET_BYTES, &state);
}

/* Random letters: a code for letters (zlib, zstd) makes them shorter, matches (lz4) do not. */
static inline void secret_letters(uint8_t *buf, size_t len, uint64_t *state)
{
	size_t i;

	pat_random(buf, len, state);
	for (i = 0; i < len; i++)
		buf[i] = 0x30 + (buf[i] & 0x3f);
}

/* A copy that leaves nothing of the secret in a vector register, which the kernel would save. */
static inline void secret_put(uint8_t *to, const uint8_t *secret)
{
	unsigned int i;

	for (i = 0; i < SECRET_BYTES; i++) {
		to[i] = secret[i];
		asm volatile("" : : : "memory");
	}
}

/*
 * A page: half of it random bytes, letters or structures, the rest zeros, so that each compressor
 * finds something to do. Two pages in eight are nothing but random, and no compressor makes them
 * smaller. The secret, if there is one, stands twice in the page, at any offset: in the first half,
 * and among the zeros.
 */
static inline void secret_page(uint8_t *page, uint64_t seed, uint64_t number, uint64_t gen,
			       const uint8_t *secret)
{
	uint64_t state = pat_hash(seed, number, gen);
	size_t half = PAT_PAGE / 2, at = pat_next(&state) % (half - SECRET_BYTES);

	memset(page, 0, PAT_PAGE);
	switch (number / 2 % 4) {
	case 0:
		secret_letters(page, half, &state);
		break;
	case 1:
		pat_struct(page, half, &state);
		secret_letters(page + half / 2, half / 4, &state);
		break;
	case 2:
		pat_random(page, half, &state);
		break;
	default:
		pat_random(page, PAT_PAGE, &state);
		break;
	}
	if (!secret)
		return;
	secret_put(page + at, secret);
	secret_put(page + half + at, secret);
}

#endif
