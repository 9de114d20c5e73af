// SPDX-License-Identifier: GPL-2.0
/*
 * The free list, compared with the model of its suite. The input chooses the geometry, the policy,
 * and the order of allocations and frees.
 */
#include "suite.h"
#include "../unit/test_inplace_freelist.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	const struct geometry *geo;
	enum mtdc_alloc_policy policy;

	suite_begin(data, bytes);
	/* The last geometry is a real device's, whose model is slow. */
	geo = &geometries[random_below(ARRAY_SIZE(geometries) - 1)];
	policy = random_below(MTDC_ALLOC_POLICIES);
	/* An operation takes at least three bytes. */
	random_operations(geo, policy, bytes / 3);
	suite_end();
	return 0;
}
