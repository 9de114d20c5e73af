/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of the pipeline tell each other. A message has a fixed size of less than
 * PIPE_BUF bytes, so that it is in a pipe as a whole or not at all.
 *
 * The times are in it so that the driver learns of them; no result depends on them.
 */
#ifndef PIPELINE_MESSAGE_H
#define PIPELINE_MESSAGE_H

#include <stdint.h>

enum stage {
	STAGE_LANE,
	STAGE_DETECT,
	STAGE_PLAN,
	STAGE_STEER,
	STAGES,
};

enum message_kind {
	MESSAGE_FRAME = 1,		/* from the driver: the head only */
	MESSAGE_LANE,
	MESSAGE_OBJECTS,
	MESSAGE_PLAN,
	MESSAGE_COMMAND,
};

struct message {
	uint32_t magic;
	uint16_t kind;
	uint16_t size;			/* bytes, with this head */
	uint64_t frame;			/* from 0 */
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

struct lane_message {
	struct message head;
	uint64_t us;
	struct lane lane;
};

#define OBJECTS_MAX 8

/* As seen from the vehicle. */
struct object {
	int32_t side;			/* per mille, -1000 at the left to 1000 */
	int32_t distance;		/* per mille of what can be seen */
	int32_t class;
	int32_t score;
};

struct objects {
	uint32_t n;
	uint32_t zero;
	struct object objects[OBJECTS_MAX];
	uint64_t sum;			/* of all that the network gave */
};

struct objects_message {
	struct message head;
	uint64_t us;
	struct objects objects;
};

#define PLAN_POINTS 32

/* From the vehicle, in cells of the map. */
struct point {
	int32_t x;
	int32_t y;
};

struct plan {
	uint32_t n;			/* of @points; 0: there is no way */
	uint32_t cost;
	uint64_t sum;			/* of the costs of the map */
	uint64_t tiles;			/* of the map */
	struct point points[PLAN_POINTS];
};

struct plan_message {
	struct message head;
	uint64_t us[STAGES];
	struct lane lane;
	struct objects objects;
	struct plan plan;
};

struct command {
	int32_t steer;			/* per mille of the wheels' range, to the left negative */
	int32_t speed;			/* cells a frame, times 256 */
	uint64_t sum;			/* of all that it follows from */
};

struct command_message {
	struct message head;
	uint64_t us[STAGES];
	struct command command;
};

int message_read(int fd, struct message *message, enum message_kind kind, uint16_t size);
int message_write(int fd, struct message *message, enum message_kind kind, uint16_t size,
		  uint64_t frame);

#endif
