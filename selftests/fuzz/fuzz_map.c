// SPDX-License-Identifier: GPL-2.0
/*
 * The map, compared with the model of its suite. The input chooses the number of pages and links,
 * and the operations.
 */
#include "suite.h"
#include "../unit/test_map.c"

int fuzz_one(const u8 *data, size_t bytes)
{
	u32 pages, links;
	struct mtdc_place *places;
	struct rig rig;

	suite_begin(data, bytes);
	pages = 1 + random_below(16);
	links = random_below(200);
	places = test_alloc(pages * sizeof(*places));
	rig_init(&rig, pages, links);
	while (suite_input.left && random_step(&rig, places, true))
		;
	rig_exit(&rig);
	free(places);
	suite_end();
	return 0;
}
