/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Zipf's law: the one at place R is chosen as often as 1 / R to the power of S. PURE.
 *
 * All is whole numbers, so that a choice is the same on every machine.
 */
#ifndef MEMLOAD_ZIPF_H
#define MEMLOAD_ZIPF_H

#include <stdint.h>

#define ZIPF_MOST	32

/* The greatest S, in hundredths; the last weight is then 4096, as the first one is 2^32. */
#define ZIPF_POWER	400

struct zipf {
	unsigned int n;
	uint64_t sum;			/* of the weights */
	uint64_t weights[ZIPF_MOST];
};

void zipf_begin(struct zipf *zipf, unsigned int n, unsigned int hundredths);
unsigned int zipf_pick(const struct zipf *zipf, uint64_t random, unsigned int except);

#endif
