// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the frames of a camera: a road with two lines, the left one with gaps. The road is rough
 * and the picture noisy.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "lane.h"
#include "road.h"
#include "sequence.h"

/* Frames from one turn of the wheel to the next. */
#define SWAY 24U

/* Length of a dash and its gap; the vehicle goes one in a frame. */
#define DASH 5U

/* A random number between -@most and @most. */
static int chance(uint64_t nr, int most)
{
	struct sequence sequence;

	sequence_begin(&sequence, 1, nr, 3);
	return (int)(sequence_next(&sequence) >> 32) % (most + 1);
}

/**
 * road_lines() - compute the lines of a frame
 * @frame: the frame
 * @lines: filled in
 */
void road_lines(uint64_t frame, struct road_lines *lines)
{
	uint64_t turn = frame / SWAY;
	int at = (int)(frame % SWAY);
	int shift = (chance(turn, 60) * (int)(SWAY - (unsigned int)at) +
		     chance(turn + 1, 60) * at) / (int)SWAY;

	lines->left = 180 + shift;
	lines->right = 820 + shift;
	lines->far = 500 + shift / 3;
}

/* A row of the road: places and width of its lines. */
struct row {
	int left;
	int right;
	int line;
	bool dash;
	bool sky;
	int bright;
};

static struct row make_row(uint64_t frame, int y)
{
	int horizon = lane_horizon(ROAD_HEIGHT), width = ROAD_WIDTH;
	int rows = ROAD_HEIGHT - 1 - horizon, near = y - horizon;
	struct row row = { .sky = near <= 0, .bright = 170 - (near < 0 ? near / 2 : 0) };
	struct road_lines lines;

	if (row.sky)
		return row;
	road_lines(frame, &lines);
	row.left = (lines.far + (lines.left - lines.far) * near / rows) * width / 1000;
	row.right = (lines.far + (lines.right - lines.far) * near / rows) * width / 1000;
	row.line = 1 + width * near / rows / 64;
	row.dash = (frame * 3 + (uint64_t)(40 * rows / (near + rows / 8))) / DASH / 4 % 2;
	row.bright = 84 + near * 16 / rows;
	return row;
}

static int brightness(const struct row *row, int x)
{
	if (row->sky)
		return row->bright;
	if (abs(x - row->right) <= row->line / 2 ||
	    (row->dash && abs(x - row->left) <= row->line / 2))
		return 225;
	/* Beyond the shoulder there is grass. */
	if (x < row->left - 6 * row->line || x > row->right + 3 * row->line)
		return row->bright - 24;
	return row->bright;
}

static uint8_t clamp(int value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/**
 * road_draw() - draw a frame
 * @frame: the frame
 * @points: three bytes each
 */
void road_draw(uint64_t frame, uint8_t *points)
{
	struct sequence noise;
	unsigned int x, y;

	sequence_begin(&noise, 1, frame, 4);
	for (y = 0; y < ROAD_HEIGHT; y++) {
		struct row row = make_row(frame, (int)y);

		for (x = 0; x < ROAD_WIDTH; x++) {
			uint64_t bits = sequence_next(&noise) >> 16;
			int grey = brightness(&row, (int)x) + (int)(bits & 15) - 8;

			*points++ = clamp(grey + (int)(bits >> 4 & 3));
			*points++ = clamp(grey + (int)(bits >> 6 & 3) + (row.sky ? 4 : 2));
			*points++ = clamp(grey + (int)(bits >> 8 & 3) + (row.sky ? 30 : -4));
		}
	}
}
