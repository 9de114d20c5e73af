// SPDX-License-Identifier: GPL-2.0

#include "hotset.h"

static void swap(struct hotset *set, uint32_t one, uint32_t other)
{
	uint32_t run = set->order[one];

	set->order[one] = set->order[other];
	set->order[other] = run;
}

/* A place by chance, from @first on. */
static uint32_t place(struct hotset *set, uint32_t first, uint32_t end)
{
	return first + (uint32_t)(sequence_next(&set->sequence) % (end - first));
}

/**
 * hotset_begin() - choose what is hot at first
 * @set: the set, with all but its sequence; what is in the order is not used
 * @seed: of the run
 * @nr: of the set
 */
void hotset_begin(struct hotset *set, uint64_t seed, uint64_t nr)
{
	uint32_t i;

	/* Sequences of contents have other versions. */
	sequence_begin(&set->sequence, seed, nr, UINT64_MAX);
	for (i = 0; i < set->n; i++)
		set->order[i] = i;
	for (i = 0; i < set->n; i++)
		swap(set, i, place(set, i, set->n));
}

/**
 * hotset_exchange() - some hot runs become cold, and as many cold ones hot
 * @set: the set
 * @percent: of the hot ones; at least one is exchanged, if there is a cold one
 */
void hotset_exchange(struct hotset *set, unsigned int percent)
{
	uint32_t cold = set->n - set->hot, i;
	uint32_t n = (uint32_t)(((uint64_t)set->hot * percent + 99) / 100);

	/* Places that were chosen go to the beginning, so that none is chosen twice. */
	for (i = 0; i < n && i < cold; i++) {
		swap(set, i, place(set, i, set->hot));
		swap(set, set->hot + i, place(set, set->hot + i, set->n));
		swap(set, i, set->hot + i);
	}
}
