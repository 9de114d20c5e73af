// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the lane: a model of the background closes the gaps in lines; OpenCV finds straight lines;
 * the lines with the slope of a lane's lines give the lane.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lane.h"

/* Number of first layers that close gaps in lines. */
#define STEADY 2U

/* A change of brightness that counts as motion. */
#define MOTION (24 * 128)

/**
 * background_begin() - make room for a model
 * @background: the model
 * @size: its size in bytes; it has at least four layers
 * @points: number of points of a frame
 *
 * Return: 0; -ENOMEM.
 */
int background_begin(struct background *background, size_t size, size_t points)
{
	size_t each = points * sizeof(int16_t);
	size_t n = size / each > 6 ? size / each - 2 : 4;

	memset(background, 0, sizeof(*background));
	background->layers = malloc(n * each);
	background->frame = malloc(each);
	background->moved = malloc(each);
	if (!background->layers || !background->frame || !background->moved)
		return -ENOMEM;
	background->n = n;
	background->points = points;
	return 0;
}

static void follow(const int16_t *restrict before, int16_t *restrict layer,
		   int16_t *restrict moved, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int16_t difference = (int16_t)(before[i] - layer[i]);
		int16_t far = (int16_t)(difference < 0 ? -difference : difference);

		layer[i] = (int16_t)(layer[i] + (difference >> 1));
		moved[i] = moved[i] > far ? moved[i] : far;
	}
}

/**
 * background_add() - add a frame
 * @background: the model
 * @grey: brightness of its points
 */
void background_add(struct background *background, const uint8_t *grey)
{
	size_t i, points = background->points;
	const int16_t *before = background->frame;
	int16_t *layer = background->layers;

	for (i = 0; i < points; i++)
		background->frame[i] = (int16_t)(grey[i] * 128);
	memset(background->moved, 0, points * sizeof(*background->moved));
	for (i = 0; i < background->n; i++, layer += points) {
		if (!background->begun)
			memcpy(layer, background->frame, points * sizeof(*layer));
		follow(before, layer, background->moved, points);
		before = layer;
	}
	background->begun = 1;
}

/**
 * background_steady() - make a frame that includes points which were bright shortly before
 * @background: the model
 * @grey: filled in
 */
void background_steady(const struct background *background, uint8_t *grey)
{
	const int16_t *recent = background->layers + (STEADY - 1) * background->points;
	size_t i;

	for (i = 0; i < background->points; i++) {
		int16_t now = background->frame[i];

		grey[i] = (uint8_t)((now > recent[i] ? now : recent[i]) >> 7);
	}
}

/**
 * background_motion() - measure the part of the scene that has moved
 * @background: the model
 *
 * Return: moved points, per mille.
 */
uint32_t background_motion(const struct background *background)
{
	size_t i, n = 0;

	for (i = 0; i < background->points; i++)
		n += background->moved[i] > MOTION;
	return (uint32_t)(n * 1000 / background->points);
}

/**
 * background_sum() - sum up the last layer, which depends on all other layers
 * @background: the model
 *
 * Return: the sum.
 */
uint32_t background_sum(const struct background *background)
{
	const int16_t *last = background->layers + (background->n - 1) * background->points;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < background->points; i++)
		sum = sum * 31 + (uint16_t)last[i];
	return sum;
}

/* Unit of slopes, x over y. */
#define SLOPE 1024

/* Flatter lines are shadows and other vehicles, not the lane. */
#define SLOPE_MAX (3 * SLOPE)

/* Steeper lines are not the lane either. */
#define SLOPE_MIN (SLOPE / 5)

/* Sums over the segments of a line, weighted with their height. */
struct side {
	int64_t weight;
	int64_t near;			/* x at the lower edge */
	int64_t slope;
};

/* Called twice: the second call skips segments far from the first mean. */
static void add(struct side *side, const struct segment *segment, int height, const int64_t *about,
		int width)
{
	int64_t dy = segment->y2 - segment->y1;
	int64_t slope = dy ? (int64_t)(segment->x2 - segment->x1) * SLOPE / dy : 0;
	int64_t near = segment->x1 + slope * (height - 1 - segment->y1) / SLOPE;

	if (about && llabs(near - *about) > width / 12)
		return;
	side->weight += llabs(dy);
	side->near += llabs(dy) * near;
	side->slope += llabs(dy) * slope;
}

/* Which line a segment belongs to: -1 left, 1 right, 0 none. A left line goes left downwards. */
static int side_of(const struct segment *segment, int width)
{
	int64_t dy = segment->y2 - segment->y1, middle = segment->x1 + segment->x2;
	int64_t slope = dy ? (int64_t)(segment->x2 - segment->x1) * SLOPE / dy : 0;

	if (llabs(slope) < SLOPE_MIN || llabs(slope) > SLOPE_MAX)
		return 0;
	if (slope < 0 && middle < width * 11 / 10)
		return -1;
	return slope > 0 && middle > width * 9 / 10 ? 1 : 0;
}

static struct side sum_up(const struct segment *segments, int n, int which, int width, int height,
			  const int64_t *about)
{
	struct side side = { 0 };
	int i;

	for (i = 0; i < n; i++)
		if (side_of(&segments[i], width) == which)
			add(&side, &segments[i], height, about, width);
	return side;
}

static int find_side(const struct segment *segments, int n, int which, int width, int height,
		     int32_t *near, int32_t *far)
{
	struct side side = sum_up(segments, n, which, width, height, NULL);
	int64_t about, rows = height - 1 - lane_horizon(height);

	if (!side.weight)
		return 0;
	about = side.near / side.weight;
	side = sum_up(segments, n, which, width, height, &about);
	if (!side.weight)
		return 0;
	*near = (int32_t)(side.near * 1000 / side.weight / width);
	*far = (int32_t)((side.near - side.slope * rows / SLOPE) * 1000 / side.weight / width);
	return 1;
}

/**
 * lane_find() - find the lane
 * @segments: straight lines on the road
 * @n: their number
 * @width: width of the picture
 * @height: its height
 * @lane: updated; a missing line stays unchanged
 */
void lane_find(const struct segment *segments, int n, int width, int height, struct lane *lane)
{
	lane->found = 0;
	if (find_side(segments, n, -1, width, height, &lane->left, &lane->left_far))
		lane->found |= LANE_LEFT;
	if (find_side(segments, n, 1, width, height, &lane->right, &lane->right_far))
		lane->found |= LANE_RIGHT;
}
