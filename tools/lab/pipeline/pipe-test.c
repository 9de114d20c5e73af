// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-test: tests of the pipeline's units without processes, as TAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lane.h"
#include "map.h"
#include "road.h"
#include "search.h"
#include "sequence.h"

#define SIDE 40U
#define GRIDS 300

static int number, failures;

static void result(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
	failures += !good;
}

static void look_around(const struct grid *grid, uint32_t from, uint32_t *costs)
{
	int x = (int)(from % grid->width), y = (int)(from / grid->width), dx, dy;

	for (dy = y ? -1 : 0; dy <= 1 && y + dy < (int)grid->height; dy++) {
		for (dx = x ? -1 : 0; dx <= 1 && x + dx < (int)grid->width; dx++) {
			uint32_t to = (uint32_t)((y + dy) * (int)grid->width + x + dx);
			uint32_t cost = costs[from] + grid->costs[to] * (dx && dy ? 14 : 10);

			if (grid->costs[to] != SEARCH_BLOCKED && cost < costs[to])
				costs[to] = cost;
		}
	}
}

/*
 * The cost of the cheapest way by a simple Dijkstra without a heap, which shares no code with
 * the search under test.
 */
static uint32_t dijkstra(const struct grid *grid, uint32_t start, uint32_t goal)
{
	static uint32_t costs[SIDE * SIDE];
	static bool done[SIDE * SIDE];
	uint32_t cells = grid->width * grid->height, i, best;

	memset(costs, 0xff, sizeof(costs));
	memset(done, 0, sizeof(done));
	costs[start] = 0;
	for (;;) {
		for (best = cells, i = 0; i < cells; i++)
			if (!done[i] && costs[i] != UINT32_MAX &&
			    (best == cells || costs[i] < costs[best]))
				best = i;
		if (best == cells || best == goal)
			return costs[goal];
		done[best] = true;
		look_around(grid, best, costs);
	}
}

/* Makes a random grid with up to half of it blocked; width and height differ. */
static void make_grid(struct grid *grid, uint16_t *costs, struct sequence *sequence)
{
	unsigned int i, blocked = (unsigned int)(sequence_next(sequence) >> 32) % 50;

	grid->width = 2 + (unsigned int)(sequence_next(sequence) >> 32) % (SIDE - 1);
	grid->height = 2 + (unsigned int)(sequence_next(sequence) >> 32) % (SIDE - 1);
	grid->cheapest = 16;
	grid->costs = costs;
	for (i = 0; i < grid->width * grid->height; i++) {
		uint64_t chance = sequence_next(sequence) >> 32;

		costs[i] = chance % 100 < blocked ? SEARCH_BLOCKED :
			   (uint16_t)(16 + (chance >> 8) % 200);
	}
}

static void test_search(uint64_t seed)
{
	static uint16_t costs[SIDE * SIDE];
	unsigned int i, ways = 0, wrong = 0, same = 0;
	struct sequence sequence;
	struct search search;
	struct grid grid;

	if (search_begin(&search, SIDE * SIDE))
		exit(1);
	sequence_begin(&sequence, seed, 0, 0);
	for (i = 0; i < GRIDS; i++) {
		uint32_t start, goal, want;

		make_grid(&grid, costs, &sequence);
		start = (uint32_t)(sequence_next(&sequence) >> 32) % (grid.width * grid.height);
		goal = (uint32_t)(sequence_next(&sequence) >> 32) % (grid.width * grid.height);
		want = dijkstra(&grid, start, goal);
		if (search_run(&search, &grid, start, goal)) {
			wrong += want != UINT32_MAX;
			continue;
		}
		ways++;
		wrong += search_check(&search, &grid, start, goal) != 0;
		same += search.cost == want;
	}
	result(!wrong && ways > GRIDS / 2, "A*: each way is one, and is found where there is one");
	result(same == ways, "A*: costs what Dijkstra's method gives");
	search_free(&search);
}

static void test_check(void)
{
	static const uint16_t costs[6] = { 16, 16, 16, 16, SEARCH_BLOCKED, 16 };
	const struct grid grid = { 3, 2, 16, costs };
	struct search search;
	bool found;

	if (search_begin(&search, 6))
		exit(1);
	found = search_run(&search, &grid, 3, 5) == 0 && search.length == 3 &&
		search_check(&search, &grid, 3, 5) == 0;
	search.path[1] = 4;
	result(found && search_check(&search, &grid, 3, 5),
	       "A*: a way through an obstacle is found out");
	search.path[1] = 1;
	search.cost++;
	result(search_check(&search, &grid, 3, 5), "A*: a wrong cost is found out");
	search_free(&search);
}

static void test_map(void)
{
	static uint16_t before[128 * 128], after[128 * 128];
	struct map map, other;
	bool grown;

	if (map_begin(&map, 0, 7) || map_begin(&other, 0, 8))
		exit(1);
	map_grow(&map, 3);
	map_grow(&other, 3);
	map_costs(&map, 100, 10, 128, 128, before);
	map_costs(&other, 100, 10, 128, 128, after);
	result(memcmp(before, after, sizeof(before)), "map: another seed, another landscape");
	map_grow(&map, 10);
	map_costs(&map, 100, 10, 128, 128, after);
	result(!memcmp(before, after, sizeof(before)), "map: what was there stays as it grows");
	map_grow(&map, MAP_ROWS_MIN + 2);
	grown = map.first == 2 && map.end - map.first == map.room;
	result(grown, "map: the oldest rows go once it is full");
	map_obstruct(&map, 0, 3 * MAP_SIDE + 64, 2);
	map_refresh(&map, map.first, map.end);
	map_costs(&map, 0, 3 * MAP_SIDE, 128, 128, after);
	result(after[64 * 128] == UINT16_MAX && after[66 * 128 + 2] == UINT16_MAX,
	       "map: an obstacle blocks, at the edge of the map, too");
	free(map.tiles);
	free(other.tiles);
}

static void test_background(void)
{
	static uint8_t grey[64], steady[64];
	struct background background;
	unsigned int i;

	if (background_begin(&background, 10 * sizeof(grey) * sizeof(int16_t), sizeof(grey)))
		exit(1);
	memset(grey, 100, sizeof(grey));
	background_add(&background, grey);
	result(background.n == 8 && background_motion(&background) == 0,
	       "background: of its size; nothing moves at first");
	grey[5] = 200;
	background_add(&background, grey);
	grey[5] = 100;
	background_add(&background, grey);
	background_steady(&background, steady);
	result(background_motion(&background) == 1000 / 64 && steady[5] > 120 && steady[6] == 100,
	       "background: what was bright is seen for a while, and moves");
	for (i = 0; i < 100; i++)
		background_add(&background, grey);
	result(background_motion(&background) == 0 &&
	       abs(background.layers[7 * 64 + 5] - 12800) < 16,
	       "background: it comes to rest");
	free(background.layers);
	free(background.frame);
	free(background.moved);
}

static void test_lane(void)
{
	static const struct segment segments[] = {
		{ 100, 200, 130, 160 }, { 70, 239, 90, 213 }, { 220, 200, 200, 170 },
		{ 0, 200, 300, 201 }, { 160, 150, 160, 230 },
	};
	struct lane lane = { .left = 1 };

	lane_find(segments, 5, 320, 240, &lane);
	result(lane.found == (LANE_LEFT | LANE_RIGHT) && abs(lane.left - 220) < 12 &&
	       abs(lane.right - 769) < 12 && lane.left_far > lane.left, "lane: of a few lines");
	lane_find(segments + 3, 2, 320, 240, &lane);
	result(lane.found == 0 && abs(lane.left - 220) < 12,
	       "lane: flat and upright lines are none; the last ones stay");
}

/* Finds the drawn lines. Units are per mille of the width: 25 are 8 points. */
static void test_camera(void)
{
#ifdef HAVE_OPENCV
	static uint8_t points[ROAD_BYTES], grey[ROAD_POINTS];
	static struct segment segments[256];
	struct background background;
	struct road_lines lines;
	struct lane lane = { 0 };
	unsigned int frame, i, right = 0;
	int n;

	if (background_begin(&background, 2 << 20, ROAD_POINTS))
		exit(1);
	for (frame = 0; frame < 30; frame++) {
		road_draw(frame, points);
		road_lines(frame, &lines);
		for (i = 0; i < ROAD_POINTS; i++)
			grey[i] = points[3 * i];
		background_add(&background, grey);
		background_steady(&background, grey);
		n = hough_segments(grey, ROAD_WIDTH, ROAD_HEIGHT, lane_horizon(ROAD_HEIGHT),
				   segments, 256);
		lane_find(segments, n, ROAD_WIDTH, ROAD_HEIGHT, &lane);
		right += lane.found == (LANE_LEFT | LANE_RIGHT) &&
			 abs(lane.left - lines.left) <= 25 && abs(lane.right - lines.right) <= 25;
	}
	result(right == 30, "lane: found in all frames, within 8 points");
	free(background.layers);
	free(background.frame);
	free(background.moved);
#endif
}

int main(int argc, char **argv)
{
	test_search(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
	test_check();
	test_map();
	test_background();
	test_lane();
	test_camera();
	printf("1..%d\n", number);
	return failures ? 1 : 0;
}
