/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of keys and values in a packed buffer, found by a hash of the key: open addressing, one
 * step at a time. Pair i has the cells 2i and 2i + 1. PURE.
 *
 * A pair that is removed leaves a dead key, so no other pair moves: a loop through all pairs may
 * remove them. Dead keys go when a new key finds no place.
 */
#ifndef HASHED_H
#define HASHED_H

#include "packed.h"

#define HASHED_NONE SIZE_MAX

struct hashed {
	struct packed packed;		/* twice as many cells as pairs, which are a power of two */
	size_t count;			/* of pairs that are there */
	size_t dead;
	uint64_t seed;			/* random, so that chosen keys do not all collide */
};

size_t hashed_find(const struct hashed *hashed, const void *buffer,
		   const struct packed_value *key);
bool hashed_is_crowded(const struct hashed *hashed);
size_t hashed_wanted(const struct hashed *hashed);
size_t hashed_add(struct hashed *hashed, void *buffer, const struct packed_value *key);
void hashed_remove(struct hashed *hashed, void *buffer, size_t pair);
size_t hashed_next(const struct hashed *hashed, const void *buffer, size_t pair);
void hashed_move(const struct hashed *from, const void *buffer, struct hashed *to, void *to_buffer);
void hashed_copy(const struct hashed *from, const void *buffer, struct hashed *to, void *to_buffer);

#endif
