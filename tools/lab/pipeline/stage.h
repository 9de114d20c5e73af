/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the stages have in common. A stage reads messages from standard input and writes messages to
 * what is its standard output at first, and ends when its pipe is closed.
 */
#ifndef PIPELINE_STAGE_H
#define PIPELINE_STAGE_H

#include <stddef.h>
#include <stdint.h>
#include "images.h"
#include "message.h"
#include "picture.h"

/* Where the planner finds what was detected. */
#define STAGE_OBJECTS_FD 3

/* A stage that looks at the frames. */
struct looker {
	const char *images;		/* a directory */
	uint64_t every;			/* it looks at each such frame */
	enum message_kind kind;		/* of its messages */
	struct message *message;	/* what it sends; the last result stays in it */
	uint16_t size;			/* of @message */
	uint64_t *us;			/* in @message: how long it took */
	int (*look)(const char *path);	/* 0, or a negative errno and the reason was said */
};

void stage_begin(void);
int stage_end(int err);
int stage_send(struct message *message, enum message_kind kind, uint16_t size, uint64_t frame);
int stage_read_picture(const char *path, struct image *file, struct picture *picture);
int stage_look(const struct looker *looker);

#endif
