/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that look random and are the same in each run. PURE.
 */
#ifndef MEMLOAD_SEQUENCE_H
#define MEMLOAD_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

struct sequence {
	uint64_t state;			/* never zero */
};

void sequence_begin(struct sequence *sequence, uint64_t seed, uint64_t nr, uint64_t version);
uint64_t sequence_next(struct sequence *sequence);
void sequence_bytes(struct sequence *sequence, void *buf, size_t size);

#endif
