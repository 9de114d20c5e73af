// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences (Marsaglia's xorshift) and checksums of whole numbers, for loads whose results
 * must be the same on each machine.
 */
#include <string.h>
#include "sequence.h"

/* Each bit of the result depends on each bit of the number. */
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
 * @seed: seed of the run
 * @nr: number of the page, image or other object of the sequence
 * @version: version of the object
 */
void sequence_begin(struct sequence *sequence, uint64_t seed, uint64_t nr, uint64_t version)
{
	sequence->state = mix(mix(mix(seed) ^ nr) ^ version);
	if (!sequence->state)
		sequence->state = 1;
}

/**
 * sequence_next() - the next number
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
 * checksum_add() - add a number to a checksum
 * @sum: checksum of the numbers before; CHECKSUM_BEGIN for the first
 * @number: the number
 *
 * Each step can be undone, so two lists that differ in one number have different checksums.
 *
 * Return: the new checksum.
 */
uint64_t checksum_add(uint64_t sum, uint32_t number)
{
	sum = (sum ^ number) * UINT64_C(0x9fb21c651e98df25);
	return sum ^ sum >> 28;
}

/**
 * checksum_bytes() - add bytes to a checksum
 * @sum: checksum of the numbers before
 * @bytes: the bytes
 * @size: their number; up to three bytes at the end are ignored
 *
 * Return: the new checksum.
 */
uint64_t checksum_bytes(uint64_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint32_t number;

	for (; size >= sizeof(number); size -= sizeof(number), at += sizeof(number)) {
		memcpy(&number, at, sizeof(number));
		sum = checksum_add(sum, number);
	}
	return sum;
}
