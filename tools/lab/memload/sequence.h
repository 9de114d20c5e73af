/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that look random and are the same in each run, and checksums of results. PURE.
 */
#ifndef MEMLOAD_SEQUENCE_H
#define MEMLOAD_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

/* Version of sequences for random choices; versions of contents are small. */
#define SEQUENCE_CHANCE UINT64_MAX

#define CHECKSUM_BEGIN UINT64_C(0xcbf29ce484222325)

struct sequence {
	uint64_t state;			/* never zero */
};

void sequence_begin(struct sequence *sequence, uint64_t seed, uint64_t nr, uint64_t version);
uint64_t sequence_next(struct sequence *sequence);
uint64_t checksum_add(uint64_t sum, uint32_t number);
uint64_t checksum_bytes(uint64_t sum, const void *bytes, size_t size);

#endif
