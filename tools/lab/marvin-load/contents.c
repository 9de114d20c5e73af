// SPDX-License-Identifier: GPL-2.0
/*
 * Makes and checks contents of objects.
 */
#include <string.h>
#include "contents.h"

/* The first third of each stripe is random; bytes. */
#define STRIPE 96

/* word() - the eight bytes at @at, a multiple of eight */
static uint64_t word(uint64_t number, size_t at)
{
	uint64_t x = (number + 1) * 0x9e3779b97f4a7c15ULL + at * 0xbf58476d1ce4e5b9ULL;

	if (at % STRIPE >= STRIPE / 3)
		return number;
	x ^= x >> 31;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 29;
}

/**
 * contents_fill() - make the contents of a number
 * @data: filled in
 * @bytes: how many
 * @number: number of the contents
 */
void contents_fill(void *data, size_t bytes, uint64_t number)
{
	uint8_t *to = data;
	uint64_t value;
	size_t at;

	for (at = 0; at + 8 <= bytes; at += 8) {
		value = word(number, at);
		memcpy(to + at, &value, 8);
	}
	value = word(number, at);
	memcpy(to + at, &value, bytes - at);
}

/* differs() - the place of the first differing byte; @bytes if none differs */
static size_t differs(const uint8_t *have, uint64_t value, size_t bytes)
{
	uint8_t want[8];
	size_t i = 0;

	memcpy(want, &value, 8);
	while (i < bytes && have[i] == want[i])
		i++;
	return i;
}

/**
 * contents_wrong() - find a byte that differs from contents_fill()
 * @data: the contents
 * @bytes: how many
 * @number: number of the contents
 *
 * Return: the place of the first wrong byte; @bytes if all are right.
 */
size_t contents_wrong(const void *data, size_t bytes, uint64_t number)
{
	const uint8_t *have = data;
	uint64_t value;
	size_t at;

	for (at = 0; at + 8 <= bytes; at += 8) {
		value = word(number, at);
		if (memcmp(have + at, &value, 8))
			return at + differs(have + at, value, 8);
	}
	return at + differs(have + at, word(number, at), bytes - at);
}

/**
 * contents_not_zero() - find a byte that is not zero
 * @data: the bytes
 * @bytes: how many
 *
 * Return: the place of the first byte that is not zero; @bytes if all are zero.
 */
size_t contents_not_zero(const void *data, size_t bytes)
{
	const uint8_t *have = data;
	size_t at = 0;

	if (bytes && !*have && !memcmp(have, have + 1, bytes - 1))
		return bytes;
	while (at < bytes && !have[at])
		at++;
	return at;
}
