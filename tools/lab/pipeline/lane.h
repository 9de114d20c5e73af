/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lane, from straight lines on the road, and a model of what the camera has seen: a cascade
 * of running averages. The first layer follows the frames, each further one follows the layer
 * before it: deeper layers show the scene a longer time ago and smoother. A difference between
 * two layers means motion at that time. Each frame reads and writes all layers.
 *
 * Numbers are fixed-point, so that they are the same on every machine. PURE.
 */
#ifndef PIPELINE_LANE_H
#define PIPELINE_LANE_H

#include "hough.h"
#include "stages.h"

/* Bits of lane.found. */
#define LANE_LEFT	1
#define LANE_RIGHT	2

struct background {
	int16_t *layers;		/* one after the other; brightness times 128 */
	int16_t *frame;			/* the same unit */
	int16_t *moved;			/* the largest difference of each point */
	size_t n;			/* number of layers */
	size_t points;			/* points of a layer */
	int begun;			/* there was a frame */
};

/* The row of the horizon. */
static inline int lane_horizon(int height)
{
	return height * 58 / 100;
}

void lane_find(const struct segment *segments, int n, int width, int height, struct lane *lane);
int background_begin(struct background *background, size_t size, size_t points);
void background_add(struct background *background, const uint8_t *grey);
void background_steady(const struct background *background, uint8_t *grey);
uint32_t background_motion(const struct background *background);
uint32_t background_sum(const struct background *background);

#endif
