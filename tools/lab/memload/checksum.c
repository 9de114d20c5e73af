// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "checksum.h"

/**
 * checksum_add() - add a number
 * @sum: of those before; CHECKSUM_BEGIN, if it is the first
 * @number: the number
 *
 * Two sums that differ by one number differ: each step can be undone.
 *
 * Return: the sum.
 */
uint64_t checksum_add(uint64_t sum, uint32_t number)
{
	sum = (sum ^ number) * UINT64_C(0x9fb21c651e98df25);
	return sum ^ sum >> 28;
}

/**
 * checksum_bytes() - add bytes
 * @sum: of those before
 * @bytes: the bytes; up to three at the end are left out
 * @size: how many
 *
 * Return: the sum.
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
