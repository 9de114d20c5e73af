// SPDX-License-Identifier: GPL-2.0

#include <stdint.h>
#include <stdlib.h>
#include "lane.h"

/* Slopes are of x over y, times this. */
#define SLOPE 1024

/* Lines that lie flatter than this are no lines of a lane: shadows, other vehicles. */
#define SLOPE_MAX (3 * SLOPE)

/* Nor are lines that stand upright. */
#define SLOPE_MIN (SLOPE / 5)

/* Sums over the segments of a line, each one by how high it is. */
struct side {
	int64_t weight;
	int64_t near;			/* x at the lower edge */
	int64_t slope;
};

/* Twice: what is far from the first mean does not count the second time. */
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

/* The line of a segment: -1, 1, or 0. A left line goes to the left as it comes down. */
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
 * @n: how many
 * @width: of the picture
 * @height: of it
 * @lane: the lane; a line that is not found stays as it was
 */
void lane_find(const struct segment *segments, int n, int width, int height, struct lane *lane)
{
	lane->found = 0;
	if (find_side(segments, n, -1, width, height, &lane->left, &lane->left_far))
		lane->found |= LANE_LEFT;
	if (find_side(segments, n, 1, width, height, &lane->right, &lane->right_far))
		lane->found |= LANE_RIGHT;
}
