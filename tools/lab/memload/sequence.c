// SPDX-License-Identifier: GPL-2.0

#include "sequence.h"

/* Each bit of the result depends on each one of the number. */
static uint64_t mix(uint64_t number)
{
	number += UINT64_C(0x9e3779b97f4a7c15);
	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

/**
 * sequence_begin() - begin one of many sequences
 * @sequence: the sequence
 * @seed: of the run
 * @nr: of what it is for
 * @version: of that
 */
void sequence_begin(struct sequence *sequence, uint64_t seed, uint64_t nr, uint64_t version)
{
	sequence->state = mix(mix(mix(seed) ^ nr) ^ version);
	if (!sequence->state)
		sequence->state = 1;
}

/**
 * sequence_next() - the next number, by Marsaglia's xorshift
 * @sequence: the sequence
 *
 * Return: the number, never zero.
 */
uint64_t sequence_next(struct sequence *sequence)
{
	uint64_t state = sequence->state;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	sequence->state = state;
	return state;
}

/**
 * sequence_bytes() - the next bytes, the same on machines of either byte order
 * @sequence: the sequence
 * @buf: where to
 * @size: how many
 */
void sequence_bytes(struct sequence *sequence, void *buf, size_t size)
{
	uint64_t number = 0;
	uint8_t *at = buf;
	size_t i;

	for (i = 0; i < size; i++, number >>= 8) {
		if (i % sizeof(number) == 0)
			number = sequence_next(sequence);
		at[i] = (uint8_t)number;
	}
}
