// SPDX-License-Identifier: GPL-2.0
/*
 * The table of good eraseblocks, compared with the model of its suite. The input says which blocks
 * are bad, and which ones fail.
 */
#include "suite.h"
#include "../unit/test_ebcache_blocks.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	suite_begin(data, bytes);
	random_life();
	suite_end();
	return 0;
}
