/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A picture: PPM, three bytes for each point. picture_parse(), picture_grey() and picture_window()
 * are PURE.
 */
#ifndef PIPELINE_PICTURE_H
#define PIPELINE_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_SIDE_MAX 8192U

struct picture {
	unsigned int width;
	unsigned int height;
	const uint8_t *points;
};

/* A part of a picture, in 1/256 of a point. */
struct window {
	uint64_t x;
	uint64_t y;
	uint64_t width;
	uint64_t height;
};

int picture_parse(const uint8_t *bytes, size_t size, struct picture *picture);
void picture_grey(const struct picture *picture, uint8_t *grey);
void picture_window(const struct picture *from, const struct window *window, unsigned int width,
		    unsigned int height, uint8_t *points);
int picture_write(const char *path, const struct picture *picture);

#endif
