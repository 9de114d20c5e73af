/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A drawn road, for where there are no photographs: two lines, the left one with gaps, on a road
 * that is rough, with noise over all. PURE.
 */
#ifndef PIPELINE_ROAD_H
#define PIPELINE_ROAD_H

#include <stdint.h>

struct road {
	uint64_t seed;
	unsigned int width;
	unsigned int height;
};

/* Where the lines are, as per mille of the width. */
struct road_lines {
	int left;			/* at the lower edge */
	int right;
	int far;			/* where they meet, at the horizon */
};

void road_lines(const struct road *road, uint64_t frame, struct road_lines *lines);
void road_draw(const struct road *road, uint64_t frame, uint8_t *points);

#endif
