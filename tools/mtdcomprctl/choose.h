/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which compressor, and what ratio, by what was measured. PURE.
 */
#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>
#include <stdint.h>
#include "options.h"

/* A compressor, measured with pages of this machine. */
struct measured {
	const char *algorithm;
	bool done;			/* else the module lacks it */
	uint64_t pages;			/* that were stored */
	uint64_t page_bytes;
	uint64_t raw;			/* of them: did not compress */
	uint64_t filled;		/* of them: of one word */
	uint64_t used;			/* bytes of the media that they took */
	uint64_t write_ns;		/* mean of a page */
	uint64_t read_ns;
	uint64_t compress;		/* bytes a second, by what goes in */
	uint64_t decompress;		/* bytes a second, by what comes out */
};

const struct measured *choose_best(const struct measured *measured, unsigned int n,
				   enum prefer prefer);
unsigned int choose_ratio(uint64_t stored, uint64_t used);
unsigned int choose_limit(unsigned int ratio, uint64_t media_bytes, uint64_t memory_bytes);

#endif
