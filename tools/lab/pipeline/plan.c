// SPDX-License-Identifier: GPL-2.0
/*
 * The stage that plans: it finds a way across a map that grows as the vehicle moves.
 */
#include <err.h>
#include <stdlib.h>
#include "map.h"
#include "options.h"
#include "search.h"
#include "stages.h"

/* Cells of an object to each side of its middle. */
#define OBJECT_RADIUS 6

/* Steps of the way between two points of the plan. */
#define POINT_STEPS 6

/*
 * Size of the planned part of the map in cells, each direction; frames between two sweeps of the
 * whole map.
 */
#define WINDOW 160
#define SWEEP_EVERY 4

static struct map map;
static struct search search;
static uint16_t *costs;
static unsigned int speed;		/* of the vehicle, cells per frame */

/* Place of the vehicle, cells. */
static uint64_t at_x = MAP_WIDTH / 2, at_y;

/**
 * plan_begin() - make the first half of the map; only the planned window lies ahead
 * @size: size of the whole map in bytes
 * @cells: speed of the vehicle, cells per frame
 */
void plan_begin(size_t size, unsigned int cells)
{
	uint64_t first;

	speed = cells;
	costs = malloc(WINDOW * WINDOW * sizeof(*costs));
	if (!costs || search_begin(&search, WINDOW * WINDOW) || map_begin(&map, size, 1))
		err(STATUS_FAILED, "map");
	first = map.room / 2;
	map_grow(&map, first);
	/* Only the planned window lies ahead. */
	if (first * MAP_SIDE > WINDOW)
		at_y = first * MAP_SIDE - WINDOW;
}

/* Relative to the middle of the lane; a farther object can be farther to the side. */
static void add_objects(const struct objects *objects)
{
	uint32_t i;

	for (i = 0; i < objects->n; i++) {
		const struct object *object = &objects->objects[i];
		int64_t ahead = WINDOW * object->distance / 1000;
		int64_t side = ahead * object->side / 1000;

		if (ahead > 2 * OBJECT_RADIUS)
			map_obstruct(&map, (uint64_t)((int64_t)at_x + side),
				     at_y + (uint64_t)ahead, OBJECT_RADIUS);
	}
}

static uint64_t limit(int64_t value, int64_t min, int64_t max)
{
	return (uint64_t)(value < min ? min : value > max ? max : value);
}

/* The free column next to where the lane leads. */
static uint32_t goal_column(uint32_t wanted, const uint16_t *row)
{
	uint32_t far;

	for (far = 0; far < WINDOW; far++) {
		if (wanted + far < WINDOW && row[wanted + far] != SEARCH_BLOCKED)
			return wanted + far;
		if (far <= wanted && row[wanted - far] != SEARCH_BLOCKED)
			return wanted - far;
	}
	return wanted;
}

static void tell_path(struct plan *plan, uint64_t left)
{
	uint32_t step;

	plan->n = 0;
	plan->cost = search.cost;
	for (step = POINT_STEPS; step < search.length && plan->n < PLAN_POINTS;
	     step += POINT_STEPS) {
		struct point *point = &plan->points[plan->n++];

		point->x = (int32_t)(search.path[step] % WINDOW + left) - (int32_t)at_x;
		point->y = (int32_t)(search.path[step] / WINDOW);
	}
}

/* Moves the vehicle along the way, as far as its speed; straight on without a way. */
static void go_on(uint64_t left)
{
	uint32_t i, y = 0;

	for (i = 0; i < search.length && y < speed; i++) {
		y = search.path[i] / WINDOW;
		at_x = search.path[i] % WINDOW + left;
	}
	at_y += speed;
}

static void find_way(struct scene *scene)
{
	const struct grid grid = { WINDOW, WINDOW, MAP_CHEAPEST, costs };
	uint64_t left = limit((int64_t)at_x - WINDOW / 2, 0, MAP_WIDTH - WINDOW);
	int64_t far = (scene->lane.left_far + scene->lane.right_far) / 2 - 500;
	int64_t wanted = (int64_t)(at_x - left) + WINDOW * far / 1000;
	uint32_t start = (uint32_t)(at_x - left), last = WINDOW * (WINDOW - 1), goal;

	map_costs(&map, left, at_y, grid.width, grid.height, costs);
	goal = last + goal_column((uint32_t)limit(wanted, 0, WINDOW - 1), costs + last);
	scene->plan.n = 0;
	scene->plan.cost = 0;
	if (search_run(&search, &grid, start, goal) == 0) {
		if (search_check(&search, &grid, start, goal))
			errx(STATUS_WRONG, "wrong result: the way that was found is none");
		tell_path(&scene->plan, left);
	}
	go_on(left);
}

/**
 * plan_way() - plan for a frame
 * @frame: its number
 * @scene: its lane and objects; the plan of the frame before, replaced by the new one
 */
void plan_way(uint64_t frame, struct scene *scene)
{
	uint64_t end = (at_y + WINDOW) / MAP_SIDE + 1;

	map_grow(&map, end);
	map_see(&map, at_y, WINDOW);
	add_objects(&scene->objects);
	if (frame % SWEEP_EVERY == 0)
		scene->plan.sum = map_sweep(&map);
	map_refresh(&map, at_y / MAP_SIDE, end);
	scene->plan.tiles = (map.end - map.first) * MAP_COLUMNS;
	find_way(scene);
}
