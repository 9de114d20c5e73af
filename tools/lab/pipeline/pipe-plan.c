// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-plan: finds a way across a map that grows as the vehicle goes on.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "map.h"
#include "options.h"
#include "search.h"
#include "stage.h"
#include "sys.h"

/* Cells that an object is wide to each side. */
#define OBJECT_RADIUS 6

/* Steps of the way between two points that are sent. */
#define POINT_STEPS 6

static uint64_t size = UINT64_C(94) << 20, begin_percent = 50, every = 1, sweep_every = 4;
static uint64_t window = 160, speed = 32, seed = 1;

static const struct option_row rows[] = {
	{ "size", OPTION_SIZE, &size, 4 << 20, UINT64_C(1) << 33, "of the full map (94M)" },
	{ "begin", OPTION_NUMBER, &begin_percent, 1, 100, "per cent of it at first (50)" },
	{ "every", OPTION_NUMBER, &every, 1, 1000000, "plan at each such frame (1)" },
	{ "sweep-every", OPTION_NUMBER, &sweep_every, 1, 1000000,
	  "refresh the whole map at each such frame (4)" },
	{ "window", OPTION_NUMBER, &window, 64, MAP_WIDTH, "cells that are planned for (160)" },
	{ "speed", OPTION_NUMBER, &speed, 1, 64, "cells that the vehicle goes in a frame (32)" },
	{ "seed", OPTION_NUMBER, &seed, 0, UINT64_MAX, "of the landscape (1)" },
};

static const struct options options = {
	"usage: pipe-plan [OPTION...]\n"
	"The stage of the pipeline that plans the way; see pipeline(1).\n\n",
	rows, sizeof(rows) / sizeof(rows[0]), NULL,
};

static struct map map;
static struct search search;
static uint16_t *costs;
static struct plan_message message;

/* Where the vehicle is, in cells. */
static uint64_t at_x = MAP_WIDTH / 2, at_y;

static int begin(void)
{
	uint32_t cells = (uint32_t)(window * window);
	uint64_t first;

	costs = malloc(cells * sizeof(*costs));
	if (!costs || search_begin(&search, cells) || map_begin(&map, (size_t)size, seed)) {
		warnx("no memory for the map");
		return -ENOMEM;
	}
	first = map.room * begin_percent / 100;
	map_grow(&map, first);
	/* All of it but what is planned for lies behind. */
	if (first * MAP_SIDE > window)
		at_y = first * MAP_SIDE - window;
	return 0;
}

/* The lane's middle is the middle of the way; farther objects can be farther to the side. */
static void add_objects(void)
{
	const struct objects *objects = &message.objects;
	uint32_t i;

	for (i = 0; i < objects->n && i < OBJECTS_MAX; i++) {
		const struct object *object = &objects->objects[i];
		int64_t ahead = (int64_t)window * object->distance / 1000;
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

/* The column of the goal: where the lane leads, if it is free there, else the nearest one. */
static uint32_t goal_column(uint32_t wanted, const uint16_t *row)
{
	uint32_t far;

	for (far = 0; far < window; far++) {
		if (wanted + far < window && row[wanted + far] != SEARCH_BLOCKED)
			return wanted + far;
		if (far <= wanted && row[wanted - far] != SEARCH_BLOCKED)
			return wanted - far;
	}
	return wanted;
}

static void tell_path(uint64_t left)
{
	struct plan *plan = &message.plan;
	uint32_t step;

	plan->n = 0;
	plan->cost = search.cost;
	for (step = POINT_STEPS; step < search.length && plan->n < PLAN_POINTS;
	     step += POINT_STEPS) {
		struct point *point = &plan->points[plan->n++];

		point->x = (int32_t)(search.path[step] % window + left) - (int32_t)at_x;
		point->y = (int32_t)(search.path[step] / window);
	}
}

/* Along the way, until it has come as far as its speed; straight on, if there is none. */
static void go_on(uint64_t left)
{
	uint32_t i, y = 0;

	for (i = 0; i < search.length && y < speed; i++) {
		y = search.path[i] / (uint32_t)window;
		at_x = search.path[i] % window + left;
	}
	at_y += speed;
}

static int plan_way(void)
{
	const unsigned int side = (unsigned int)window;
	const struct grid grid = { side, side, MAP_CHEAPEST, costs };
	uint64_t left = limit((int64_t)at_x - (int64_t)window / 2, 0,
			      (int64_t)(MAP_WIDTH - window));
	int64_t far = (message.lane.left_far + message.lane.right_far) / 2 - 500;
	int64_t wanted = (int64_t)(at_x - left) + (int64_t)window * far / 1000;
	uint32_t start = (uint32_t)(at_x - left), last = (uint32_t)(window * (window - 1)), goal;

	map_costs(&map, left, at_y, grid.width, grid.height, costs);
	goal = last + goal_column((uint32_t)limit(wanted, 0, (int64_t)window - 1), costs + last);
	message.plan.n = 0;
	message.plan.cost = 0;
	if (search_run(&search, &grid, start, goal) == 0) {
		if (search_check(&search, &grid, start, goal)) {
			warnx("wrong result: the way that was found is none");
			return -EBADMSG;
		}
		tell_path(left);
	}
	go_on(left);
	return 0;
}

static int plan(uint64_t frame)
{
	uint64_t end = (at_y + window) / MAP_SIDE + 1;

	if (frame % every)
		return 0;
	map_grow(&map, end);
	map_see(&map, at_y, (unsigned int)window);
	add_objects();
	if (frame % sweep_every == 0)
		message.plan.sum = map_sweep(&map);
	map_refresh(&map, at_y / MAP_SIDE, end);
	message.plan.tiles = (map.end - map.first) * MAP_COLUMNS;
	return plan_way();
}

/* Both stages before this one tell of the same frame. */
static int read_both(struct lane_message *lane, struct objects_message *objects)
{
	int got = message_read(STDIN_FILENO, &lane->head, MESSAGE_LANE, sizeof(*lane));

	if (got > 0)
		got = message_read(STAGE_OBJECTS_FD, &objects->head, MESSAGE_OBJECTS,
				   sizeof(*objects));
	if (got <= 0)
		return got;
	if (lane->head.frame != objects->head.frame) {
		warnx("lane and objects of different frames");
		return -EPROTO;
	}
	message.lane = lane->lane;
	message.objects = objects->objects;
	message.us[STAGE_LANE] = lane->us;
	message.us[STAGE_DETECT] = objects->us;
	return 1;
}

static int run(void)
{
	struct objects_message objects;
	struct lane_message lane;
	uint64_t begin_us;
	int err, got;

	while ((got = read_both(&lane, &objects)) > 0) {
		begin_us = sys_now_us();
		err = plan(lane.head.frame);
		if (err)
			return err;
		message.us[STAGE_PLAN] = sys_now_us() - begin_us;
		got = stage_send(&message.head, MESSAGE_PLAN, sizeof(message), lane.head.frame);
		if (got <= 0)
			break;
	}
	return got;
}

int main(int argc, char **argv)
{
	int err, status = options_parse(&options, argc, argv);

	if (status)
		return status;
	stage_begin();
	err = begin();
	return stage_end(err ? err : run());
}
