/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lane, from straight lines on the road. PURE.
 */
#ifndef PIPELINE_LANE_H
#define PIPELINE_LANE_H

#include "hough.h"
#include "message.h"

/* Bits of lane.found. */
#define LANE_LEFT	1
#define LANE_RIGHT	2

/* The row of the horizon. */
static inline int lane_horizon(int height)
{
	return height * 58 / 100;
}

void lane_find(const struct segment *segments, int n, int width, int height, struct lane *lane);

#endif
