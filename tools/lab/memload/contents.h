/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents of a page: 30 % random bytes, then a constant, and in the last byte a stamp. All bytes
 * follow from the page's number and version, so a check finds bytes of another page or of an
 * older version. PURE.
 */
#ifndef MEMLOAD_CONTENTS_H
#define MEMLOAD_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest page of any machine. */
#define CONTENTS_MOST 65536U

/* A wrong byte. */
struct contents_wrong {
	size_t byte;
	uint8_t want;
	uint8_t got;
};

typedef bool (*contents_check_fn)(const uint8_t *page, size_t bytes, uint64_t nr, uint64_t version,
				  struct contents_wrong *wrong);

void contents_fill(uint8_t *page, size_t bytes, uint64_t nr, uint64_t version);
bool contents_check(const uint8_t *page, size_t bytes, uint64_t nr, uint64_t version,
		    struct contents_wrong *wrong);
bool contents_sample(const uint8_t *page, size_t bytes, uint64_t nr, uint64_t version,
		     struct contents_wrong *wrong);

#endif
