/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choose compressor and ratio from measurements, and tell whether pages get encrypted. PURE.
 */
#ifndef CHOOSE_H
#define CHOOSE_H

#include <stdbool.h>
#include <stdint.h>
#include "options.h"

/* A compressor measured with pages of this machine. */
struct measured {
	const char *algorithm;
	bool done;			/* false: the module lacks it */
	uint64_t pages;			/* stored pages */
	uint64_t page_bytes;
	uint64_t raw;			/* of these: stored uncompressed */
	uint64_t filled;		/* of these: one repeated word */
	uint64_t used;			/* bytes taken on the media */
	uint64_t write_ns;		/* mean per page */
	uint64_t read_ns;
	uint64_t compress;		/* uncompressed bytes per second */
	uint64_t decompress;		/* uncompressed bytes per second */
	bool encrypted;			/* the device did so, by its own choice */
};

const struct measured *choose_best(const struct measured *measured, unsigned int n,
				   enum prefer prefer);
const char *choose_crypt(const struct measured *measured, unsigned int n, bool keeps);
unsigned int choose_ratio(uint64_t stored, uint64_t used);
unsigned int choose_limit(unsigned int ratio, uint64_t media_bytes, uint64_t memory_bytes);

#endif
