// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-steer: the controller. It follows the way (pure pursuit) and keeps the middle of the lane
 * (PID), in whole numbers.
 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "checksum.h"
#include "lane.h"
#include "options.h"
#include "stage.h"
#include "sys.h"

/* How far ahead the point lies that is gone for, in cells. */
static uint64_t ahead = 24;

static const struct option_row rows[] = {
	{ "ahead", OPTION_NUMBER, &ahead, 1, 1000, "cells to the point that is gone for (24)" },
};

static const struct options options = {
	"usage: pipe-steer [OPTION...]\n"
	"The stage of the pipeline that steers; see pipeline(1).\n\n",
	rows, sizeof(rows) / sizeof(rows[0]), NULL,
};

/* The most cells a frame, times 256. */
#define SPEED_MAX (32 * 256)

/* Of the controller, in 1/256. */
#define PROPORTIONAL	180
#define INTEGRAL	4
#define DERIVATIVE	60
#define INTEGRAL_MAX	20000

struct pid {
	int32_t sum;
	int32_t last;
};

static int32_t limit(int64_t value, int32_t max)
{
	return (int32_t)(value < -max ? -max : value > max ? max : value);
}

static int32_t keep_lane(struct pid *pid, int32_t error)
{
	int32_t change = error - pid->last;

	pid->last = error;
	pid->sum = limit((int64_t)pid->sum + error, INTEGRAL_MAX);
	return (PROPORTIONAL * error + INTEGRAL * pid->sum + DERIVATIVE * change) / 256;
}

/* The curve to the point: 2x / (x^2 + y^2), here per mille of one in eight cells. */
static int32_t pursue(const struct plan *plan)
{
	const struct point *point = NULL;
	uint32_t i;

	for (i = 0; i < plan->n && i < PLAN_POINTS; i++) {
		point = &plan->points[i];
		if (point->y >= (int32_t)ahead)
			break;
	}
	if (!point || (!point->x && !point->y))
		return 0;
	return (int32_t)(INT64_C(16000) * point->x /
			 ((int64_t)point->x * point->x + (int64_t)point->y * point->y));
}

/* Slower in curves, when much moves, and if something is near. */
static int32_t choose_speed(const struct plan_message *in, int32_t steer)
{
	int64_t speed = SPEED_MAX - 4 * labs(steer) - 2 * (int64_t)in->lane.motion;
	uint32_t i;

	for (i = 0; i < in->objects.n && i < OBJECTS_MAX; i++)
		if (in->objects.objects[i].distance < 300 &&
		    labs(in->objects.objects[i].side) < 300)
			speed = speed * 7 / 8;
	return speed > 0 && in->plan.n ? (int32_t)speed : 0;
}

static void control(struct pid *pid, const struct plan_message *in, struct command *command)
{
	int32_t error = (in->lane.left + in->lane.right) / 2 - 500;
	const size_t from = offsetof(struct plan_message, lane);

	if (in->lane.found != (LANE_LEFT | LANE_RIGHT))
		error = pid->last / 2;
	command->steer = limit((int64_t)pursue(&in->plan) + keep_lane(pid, error), 1000);
	command->speed = choose_speed(in, command->steer);
	command->sum = checksum_bytes(CHECKSUM_BEGIN, &in->lane, sizeof(*in) - from);
	command->sum = checksum_add(command->sum, (uint32_t)command->steer);
	command->sum = checksum_add(command->sum, (uint32_t)command->speed);
}

static int run(void)
{
	struct command_message out = { .us = { 0 } };
	struct plan_message in;
	struct pid pid = { 0 };
	uint64_t begin_us;
	int got;

	while ((got = message_read(STDIN_FILENO, &in.head, MESSAGE_PLAN, sizeof(in))) > 0) {
		begin_us = sys_now_us();
		control(&pid, &in, &out.command);
		out.us[STAGE_LANE] = in.us[STAGE_LANE];
		out.us[STAGE_DETECT] = in.us[STAGE_DETECT];
		out.us[STAGE_PLAN] = in.us[STAGE_PLAN];
		out.us[STAGE_STEER] = sys_now_us() - begin_us;
		got = stage_send(&out.head, MESSAGE_COMMAND, sizeof(out), in.head.frame);
		if (got <= 0)
			break;
	}
	return got;
}

int main(int argc, char **argv)
{
	int status = options_parse(&options, argc, argv);

	if (status)
		return status;
	stage_begin();
	return stage_end(run());
}
