/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Straight lines in a picture, by OpenCV.
 */
#ifndef PIPELINE_HOUGH_H
#define PIPELINE_HOUGH_H

#include <stdint.h>

struct segment {
	int x1;
	int y1;
	int x2;
	int y2;
};

#ifdef __cplusplus
extern "C"
#endif
int hough_segments(uint8_t *grey, int width, int height, int horizon, struct segment *segments,
		   int max);

#endif
