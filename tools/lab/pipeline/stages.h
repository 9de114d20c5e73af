/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The four stages, and the messages between them. A message is smaller than PIPE_BUF, so a pipe
 * has all of it or nothing. Its times are for the driver; no result depends on them.
 *
 * A stage is a process. Errors end it with a message.
 */
#ifndef PIPELINE_STAGES_H
#define PIPELINE_STAGES_H

#include <stddef.h>
#include <stdint.h>

enum stage {
	STAGE_LANE,
	STAGE_DETECT,
	STAGE_PLAN,
	STAGE_STEER,
	STAGES,
};

/* Lines of the lane, as per mille of the image's width from its left. */
struct lane {
	int32_t found;			/* bit 0: the left line, bit 1: the right one */
	int32_t left;			/* at the lower edge */
	int32_t right;
	int32_t left_far;		/* at the horizon */
	int32_t right_far;
	uint32_t motion;		/* per mille of the image that has changed */
	uint32_t sum;			/* of the model of the background */
	uint32_t zero;
};

#define OBJECTS_MAX 8

/* Seen from the vehicle. */
struct object {
	int32_t side;			/* per mille, -1000 at the left to 1000 */
	int32_t distance;		/* per mille of the visible range */
	int32_t class;
	int32_t score;
};

struct objects {
	uint32_t n;
	uint32_t zero;
	struct object objects[OBJECTS_MAX];
	uint64_t sum;			/* checksum of the network's output */
};

#define PLAN_POINTS 32

/* From the vehicle, in cells of the map. */
struct point {
	int32_t x;
	int32_t y;
};

struct plan {
	uint32_t n;			/* number of @points; 0: no way found */
	uint32_t cost;
	uint64_t sum;			/* sum of the map's costs */
	uint64_t tiles;			/* tiles of the map */
	struct point points[PLAN_POINTS];
};

struct command {
	int32_t steer;			/* per mille of the wheels' range, left is negative */
	int32_t speed;			/* cells per frame, times 256 */
	uint64_t sum;			/* checksum of all inputs */
};

/* The results of a frame. */
struct scene {
	struct lane lane;
	struct objects objects;
	struct plan plan;
};

struct message {
	uint64_t frame;			/* from 0 */
	uint64_t us[STAGES];		/* time of each stage */
	struct scene scene;
	struct command command;
};

void detect_begin(size_t size);
void detect_look(const uint8_t *points, struct objects *objects);
void plan_begin(size_t size, unsigned int speed);
void plan_way(uint64_t frame, struct scene *scene);
void steer(const struct scene *scene, struct command *command);

#endif
