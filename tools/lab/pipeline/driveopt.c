// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <stdio.h>
#include <string.h>
#include "driveopt.h"
#include "options.h"

/* The ratios of table II of the paper, MB. */
static const unsigned int ratios[STAGES] = { 286, 801, 949, 1 };
#define RATIOS 2037

/* What is passed on to the stages, which know what is right. */
static struct {
	const char *images;
	const char *seed;
	const char *lane_size, *lane_every;
	const char *detect_size, *detect_every, *weights, *cfg, *side;
	const char *plan_size, *plan_every, *plan_begin, *plan_window, *plan_speed, *sweep_every;
} pass;

static uint64_t size = UINT64_C(200) << 20;
static struct driveopt drive = { .sizes_every = 10, .in_flight = 1 };

#define YEAR_US (UINT64_C(366) * 86400 * 1000000)
#define MANY 100000000

static const struct option_row rows[] = {
	{ "images", OPTION_TEXT, &pass.images, 0, 0, "a directory of frames (PPM)" },
	{ "frames", OPTION_NUMBER, &drive.frames, 1, MANY, "end after so many" },
	{ "seconds", OPTION_SECONDS, &drive.duration_us, 1, YEAR_US, "end after that time" },
	{ "warm-up", OPTION_NUMBER, &drive.warm_up, 0, MANY,
	  "frames before that do not count (0)" },
	{ "period", OPTION_MS, &drive.period_us, 1, YEAR_US,
	  "a frame every so many ms; else one after the other" },
	{ "in-flight", OPTION_NUMBER, &drive.in_flight, 1, IN_FLIGHT_MAX,
	  "frames that are worked on at a time (1)" },
	{ "out", OPTION_TEXT, &drive.csv, 0, 0, "CSV: a line for each frame" },
	{ "sizes", OPTION_TEXT, &drive.sizes, 0, 0, "CSV: memory of the stages" },
	{ "sizes-every", OPTION_NUMBER, &drive.sizes_every, 1, MANY, "such frames (10)" },
	{ "seed", OPTION_TEXT, &pass.seed, 0, 0, "of the weights and the landscape (1)" },
	{ "size", OPTION_SIZE, &size, 16 << 20, UINT64_C(1) << 33,
	  "of all stages, shared out as in the paper (200M)" },
	{ "lane-size", OPTION_TEXT, &pass.lane_size, 0, 0, "of one stage" },
	{ "detect-size", OPTION_TEXT, &pass.detect_size, 0, 0, "of one stage" },
	{ "plan-size", OPTION_TEXT, &pass.plan_size, 0, 0, "of one stage" },
	{ "lane-every", OPTION_TEXT, &pass.lane_every, 0, 0, "frames: its period (1)" },
	{ "detect-every", OPTION_TEXT, &pass.detect_every, 0, 0, "frames: its period (2)" },
	{ "plan-every", OPTION_TEXT, &pass.plan_every, 0, 0, "frames: its period (1)" },
	{ "sweep-every", OPTION_TEXT, &pass.sweep_every, 0, 0,
	  "frames: the period of the whole map (4)" },
	{ "plan-begin", OPTION_TEXT, &pass.plan_begin, 0, 0,
	  "per cent of the map at the beginning (50)" },
	{ "plan-window", OPTION_TEXT, &pass.plan_window, 0, 0, "cells that are planned for (160)" },
	{ "plan-speed", OPTION_TEXT, &pass.plan_speed, 0, 0,
	  "cells that the vehicle goes in a frame (32)" },
	{ "weights", OPTION_TEXT, &pass.weights, 0, 0, "of the network; else they are made" },
	{ "cfg", OPTION_TEXT, &pass.cfg, 0, 0, "a network of darknet: pipe-detect-yolo" },
	{ "side", OPTION_TEXT, &pass.side, 0, 0, "of its input" },
	{ "bin", OPTION_TEXT, &drive.bin, 0, 0, "where the programs of the stages are" },
};

static const struct options options = {
	"usage: pipeline --images DIR (--frames N | --seconds S) [OPTION...]\n"
	"Runs four programs that work on the frames of a camera, and tells how long it takes.\n\n",
	rows, sizeof(rows) / sizeof(rows[0]), NULL,
};

/* One more argument, with its value, if there is one. */
static void pass_on(struct crew_member *member, const char *name, const char *value)
{
	int n = 0;

	if (!value)
		return;
	while (member->arguments[n])
		n++;
	member->arguments[n] = name;
	member->arguments[n + 1] = value;
}

/* The size of a stage: its own option, or its share. */
static void pass_size(struct crew_member *member, enum stage stage, const char *own)
{
	static char shares[STAGES][32];

	snprintf(shares[stage], sizeof(shares[stage]), "%lluK",
		 (unsigned long long)(size * ratios[stage] / RATIOS >> 10));
	pass_on(member, "--size", own ? own : shares[stage]);
}

static void pass_all(struct crew *crew)
{
	struct crew_member *lane = &crew->members[STAGE_LANE];
	struct crew_member *detect = &crew->members[STAGE_DETECT];
	struct crew_member *plan = &crew->members[STAGE_PLAN];
	int i;

	lane->program = "pipe-lane";
	detect->program = pass.cfg ? "pipe-detect-yolo" : "pipe-detect";
	plan->program = "pipe-plan";
	crew->members[STAGE_STEER].program = "pipe-steer";
	for (i = 0; i < STAGES; i++)
		crew->members[i].arguments[0] = crew->members[i].program;
	pass_on(lane, "--images", pass.images);
	pass_size(lane, STAGE_LANE, pass.lane_size);
	pass_on(lane, "--every", pass.lane_every);
	pass_on(detect, "--images", pass.images);
	pass_size(detect, STAGE_DETECT, pass.detect_size);
	pass_on(detect, "--every", pass.detect_every);
	pass_on(detect, "--weights", pass.weights);
	pass_on(detect, "--cfg", pass.cfg);
	pass_on(detect, "--side", pass.side);
	pass_on(detect, "--seed", pass.seed);
	pass_size(plan, STAGE_PLAN, pass.plan_size);
	pass_on(plan, "--every", pass.plan_every);
	pass_on(plan, "--sweep-every", pass.sweep_every);
	pass_on(plan, "--begin", pass.plan_begin);
	pass_on(plan, "--window", pass.plan_window);
	pass_on(plan, "--speed", pass.plan_speed);
	pass_on(plan, "--seed", pass.seed);
}

/**
 * driveopt_parse() - read the command line
 * @result: what it says for the driver
 * @crew: and for the stages
 * @argc: as that of main()
 * @argv: as that of main()
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int driveopt_parse(struct driveopt *result, struct crew *crew, int argc, char **argv)
{
	int status = options_parse(&options, argc, argv);

	if (status)
		return status;
	if (!pass.images) {
		warnx("no frames: give a directory with --images");
		return STATUS_USAGE;
	}
	if (!drive.frames && !drive.duration_us) {
		warnx("no end: give --frames or --seconds");
		return STATUS_USAGE;
	}
	memset(crew, 0, sizeof(*crew));
	pass_all(crew);
	*result = drive;
	return 0;
}
