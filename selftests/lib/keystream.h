/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cipher of the driver's records, for the programs that try the bytes of a machine's memory as
 * its keys.
 */
#ifndef MTDC_TEST_KEYSTREAM_H
#define MTDC_TEST_KEYSTREAM_H

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KEY_WORDS	8
#define HEADER		8	/* a record's bytes before the payload: half of the tag */
/* Of 32 random bytes fewer are different once in 100,000 times. */
#define DIFFERENT	22

static inline uint32_t rotl(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}

static inline void quarter(uint32_t *x, int a, int b, int c, int d)
{
	x[a] += x[b];
	x[d] = rotl(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = rotl(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = rotl(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = rotl(x[b] ^ x[c], 7);
}

/* The first block of key stream for the payload (RFC 8439: block 0 is Poly1305's). */
static inline void chacha20_block(uint32_t out[16], const uint32_t *key, uint64_t nonce)
{
	const uint32_t begin[16] = {
		0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
		key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7],
		1, 0, (uint32_t)nonce, (uint32_t)(nonce >> 32),
	};
	int i;

	memcpy(out, begin, sizeof(begin));
	for (i = 0; i < 10; i++) {
		quarter(out, 0, 4, 8, 12);
		quarter(out, 1, 5, 9, 13);
		quarter(out, 2, 6, 10, 14);
		quarter(out, 3, 7, 11, 15);
		quarter(out, 0, 5, 10, 15);
		quarter(out, 1, 6, 11, 12);
		quarter(out, 2, 7, 8, 13);
		quarter(out, 3, 4, 9, 14);
	}
	for (i = 0; i < 16; i++)
		out[i] += begin[i];
}

/* The RFC's 2.3.2 has words 12 and 13 that are not ours; so its first all-zero vector (A.1, 2). */
static inline void check_cipher(void)
{
	const uint32_t key[KEY_WORDS] = { 0 };
	uint32_t out[16];

	chacha20_block(out, key, 0);
	if (out[0] != 0xbee7079f || out[15] != 0x6f4d794b)
		errx(2, "this is not ChaCha20: %08x %08x", out[0], out[15]);
}

/* Most of memory is zeros, pointers, text and code: a key has many different bytes. */
static inline bool may_be_key(const uint8_t *at)
{
	uint64_t seen[4] = { 0 }, word[4];
	int i, n = 0;

	memcpy(word, at, sizeof(word));
	for (i = 0; i < 4; i++)
		if (!(word[i] >> 40) || word[i] >> 48 == 0xffff)
			return false;
	for (i = 0; i < 32; i++)
		seen[at[i] >> 6] |= 1ull << (at[i] & 63);
	for (i = 0; i < 4; i++)
		n += __builtin_popcountll(seen[i]);
	return n >= DIFFERENT;
}

#endif
