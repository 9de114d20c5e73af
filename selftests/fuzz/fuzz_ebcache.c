// SPDX-License-Identifier: GPL-2.0
/*
 * The eraseblock cache on flash that fails, against the array of bytes of its
 * suite: the input is the kind of flash, what is read and written, and what fails.
 */
#define SUITE_NOISE

#include "suite.h"
#include "../unit/test_ebcache.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	const struct flash_kind *kind;

	suite_begin(data, bytes);
	/* Not the last one: many blocks only take more time. */
	kind = &kinds[random_below(ARRAY_SIZE(kinds) - 1)];
	random_life(kind, bytes / 6 < 200 ? bytes / 6 : 200);
	suite_end();
	return 0;
}
