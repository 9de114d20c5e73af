// SPDX-License-Identifier: GPL-2.0
/*
 * The stage that steers. It follows the way (pure pursuit) and keeps the middle of the lane
 * (PID), in whole numbers.
 */
#include <stdlib.h>
#include "lane.h"
#include "sequence.h"
#include "stages.h"

/* Distance of the point to steer for, cells. */
#define AHEAD 24

/* Cells per frame, times 256. */
#define SPEED_MAX (32 * 256)

/* Gains of the controller, in 1/256. */
#define PROPORTIONAL	180
#define INTEGRAL	4
#define DERIVATIVE	60
#define INTEGRAL_MAX	20000

static struct {
	int32_t sum;
	int32_t last;
} pid;

static int32_t limit(int64_t value, int32_t max)
{
	return (int32_t)(value < -max ? -max : value > max ? max : value);
}

static int32_t keep_lane(int32_t error)
{
	int32_t change = error - pid.last;

	pid.last = error;
	pid.sum = limit((int64_t)pid.sum + error, INTEGRAL_MAX);
	return (PROPORTIONAL * error + INTEGRAL * pid.sum + DERIVATIVE * change) / 256;
}

/* Curvature to the point, 2x / (x^2 + y^2), in per mille of 1/8 per cell. */
static int32_t pursue(const struct plan *plan)
{
	const struct point *point = NULL;
	uint32_t i;

	for (i = 0; i < plan->n; i++) {
		point = &plan->points[i];
		if (point->y >= AHEAD)
			break;
	}
	if (!point || (!point->x && !point->y))
		return 0;
	return (int32_t)(INT64_C(16000) * point->x /
			 ((int64_t)point->x * point->x + (int64_t)point->y * point->y));
}

/* Slower in curves, if much moves, and if an object is near. */
static int32_t choose_speed(const struct scene *scene, int32_t angle)
{
	int64_t speed = SPEED_MAX - 4 * labs(angle) - 2 * (int64_t)scene->lane.motion;
	uint32_t i;

	for (i = 0; i < scene->objects.n; i++)
		if (scene->objects.objects[i].distance < 300 &&
		    labs(scene->objects.objects[i].side) < 300)
			speed = speed * 7 / 8;
	return speed > 0 && scene->plan.n ? (int32_t)speed : 0;
}

/**
 * steer() - give the command of a frame
 * @scene: the results of the other stages
 * @command: the command
 */
void steer(const struct scene *scene, struct command *command)
{
	int32_t error = (scene->lane.left + scene->lane.right) / 2 - 500;

	if (scene->lane.found != (LANE_LEFT | LANE_RIGHT))
		error = pid.last / 2;
	command->steer = limit((int64_t)pursue(&scene->plan) + keep_lane(error), 1000);
	command->speed = choose_speed(scene, command->steer);
	command->sum = checksum_bytes(CHECKSUM_BEGIN, scene, sizeof(*scene));
	command->sum = checksum_add(command->sum, (uint32_t)command->steer);
	command->sum = checksum_add(command->sum, (uint32_t)command->speed);
}
