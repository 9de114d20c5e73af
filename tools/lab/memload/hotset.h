/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which parts of a memory are needed again and again. The parts, runs of pages, are in an order by
 * chance, of which the first ones are hot and the others cold. PURE.
 */
#ifndef MEMLOAD_HOTSET_H
#define MEMLOAD_HOTSET_H

#include <stdint.h>
#include "sequence.h"

struct hotset {
	uint32_t *order;		/* numbers of runs */
	uint32_t n;
	uint32_t hot;			/* so many at the beginning are */
	struct sequence sequence;
};

void hotset_begin(struct hotset *set, uint64_t seed, uint64_t nr);
void hotset_exchange(struct hotset *set, unsigned int percent);

#endif
