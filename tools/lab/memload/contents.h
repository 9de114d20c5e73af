/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in a page: random bytes at its beginning, then a constant, and in the last byte a stamp.
 * All of it follows from the seed, the page's number, its version and the stamp, so that a page
 * with the contents of another one, or older ones, is found out. PURE.
 */
#ifndef MEMLOAD_CONTENTS_H
#define MEMLOAD_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

/* What a page has after its random bytes, as in the thesis' program. */
#define CONTENTS_CONSTANT 1

struct contents {
	uint64_t seed;
	unsigned int percent;		/* of the bytes that are random */
	size_t page;			/* bytes, a multiple of 8 */
};

/* What a byte should be, and is. */
struct contents_wrong {
	size_t byte;
	uint8_t want;
	uint8_t got;
};

size_t contents_random(const struct contents *contents);
void contents_fill(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		   uint8_t *page);
int contents_check(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		   const uint8_t *page, struct contents_wrong *wrong);

#endif
