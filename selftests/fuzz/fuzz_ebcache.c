// SPDX-License-Identifier: GPL-2.0
/*
 * The eraseblock cache on flash that fails, compared with the byte array of its suite. The input
 * chooses the kind of flash, the reads and writes, and the failures.
 */
#define SUITE_NOISE

#include "suite.h"
#include "../unit/test_ebcache.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	const struct flash_kind *kind;

	suite_begin(data, bytes);
	/* Skip the last kind: its many blocks only take more time. */
	kind = &kinds[random_below(ARRAY_SIZE(kinds) - 1)];
	random_life(kind, bytes / 6 < 200 ? bytes / 6 : 200);
	suite_end();
	return 0;
}
