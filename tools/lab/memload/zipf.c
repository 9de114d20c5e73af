// SPDX-License-Identifier: GPL-2.0

#include "zipf.h"

#define ONE (UINT64_C(1) << 32)		/* of numbers with 32 bits after the point */

/* The logarithm to base two: each squaring of a number gives one more bit of it. */
static uint64_t log_two(unsigned int number)
{
	uint64_t log = 0, square = (uint64_t)number << 31;
	unsigned int bit;

	while (square >= ONE) {
		square >>= 1;
		log++;
	}
	for (bit = 0; bit < 32; bit++) {
		square = square * square >> 31;
		log <<= 1;
		if (square >= ONE) {
			square >>= 1;
			log++;
		}
	}
	return log;
}

static uint64_t square_root(uint64_t number)
{
	uint64_t root = 0, bit;

	for (bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= number)
			root += bit;
	return root;
}

/* Two to the power of minus that: each bit after the point stands for a root of one half. */
static uint64_t power_of_half(uint64_t power)
{
	uint64_t result = ONE, root = ONE / 2, bit;

	for (bit = ONE / 2; bit; bit >>= 1) {
		root = square_root(root << 32);
		if (power & bit)
			result = result * root >> 32;
	}
	return result >> (power >> 32);
}

/**
 * zipf_begin() - calculate the weights
 * @zipf: the law
 * @n: how many there are to choose from, from 1 to ZIPF_MOST
 * @hundredths: the power, in hundredths, at most ZIPF_POWER
 */
void zipf_begin(struct zipf *zipf, unsigned int n, unsigned int hundredths)
{
	unsigned int i;

	zipf->n = n;
	zipf->sum = 0;
	for (i = 0; i < n; i++) {
		zipf->weights[i] = power_of_half(log_two(i + 1) * hundredths / 100);
		zipf->sum += zipf->weights[i];
	}
}

/**
 * zipf_pick() - choose one
 * @zipf: the law
 * @random: any number
 * @except: not this one, unless it is the only one; there need not be such a one
 *
 * Return: the one, from 0.
 */
unsigned int zipf_pick(const struct zipf *zipf, uint64_t random, unsigned int except)
{
	uint64_t sum = zipf->sum;
	unsigned int i;

	if (zipf->n == 1)
		return 0;
	if (except < zipf->n)
		sum -= zipf->weights[except];
	random %= sum;
	for (i = 0; i == except || random >= zipf->weights[i]; i++)
		if (i != except)
			random -= zipf->weights[i];
	return i;
}
