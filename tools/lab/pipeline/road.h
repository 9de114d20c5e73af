/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A drawn road. PURE.
 */
#ifndef PIPELINE_ROAD_H
#define PIPELINE_ROAD_H

#include <stdint.h>

#define ROAD_WIDTH	320
#define ROAD_HEIGHT	240
#define ROAD_POINTS	((size_t)ROAD_WIDTH * ROAD_HEIGHT)
#define ROAD_BYTES	(3 * ROAD_POINTS)

/* Places of the lines, per mille of the width. */
struct road_lines {
	int left;			/* at the lower edge */
	int right;
	int far;			/* where they meet, at the horizon */
};

void road_lines(uint64_t frame, struct road_lines *lines);
void road_draw(uint64_t frame, uint8_t *points);

#endif
