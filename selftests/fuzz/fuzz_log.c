// SPDX-License-Identifier: GPL-2.0
/*
 * The log on flash that fails, compared with the model of its suite. The input chooses the kind of
 * flash, the requests and the failures.
 */
#define SUITE_NOISE

#include "suite.h"
#include "../unit/test_log.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	const struct log_kind *kind;
	bool full;

	suite_begin(data, bytes);
	/* Skip the kind with many blocks, which only takes more time. */
	kind = &kinds[random_below(3)];
	full = random_below(4);
	random_life(kind, bytes / 6 < 400 ? bytes / 6 : 400, full);
	suite_end();
	return 0;
}
