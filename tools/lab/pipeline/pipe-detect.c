// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-detect and pipe-detect-yolo: find objects in the frames of a camera.
 */
#include <err.h>
#include "network.h"
#include "options.h"
#include "stage.h"

static const char *directory;
static uint64_t every = 2;
static struct networkopt network = { .size = UINT64_C(80) << 20, .seed = 1 };

static const struct option_row rows[] = {
	{ "images", OPTION_TEXT, &directory, 0, 0, "a directory of frames (PPM)" },
	{ "every", OPTION_NUMBER, &every, 1, 1000000, "look at each such frame (2)" },
	{ "weights", OPTION_TEXT, &network.weights, 0, 0, "of the network; see infer(1)" },
	{ "size", OPTION_SIZE, &network.size, 1200 << 10, UINT64_C(1) << 31,
	  "without --weights: so many are made (80M)" },
	{ "seed", OPTION_NUMBER, &network.seed, 0, UINT64_MAX, "of those that are made (1)" },
	{ "cfg", OPTION_TEXT, &network.cfg, 0, 0, "pipe-detect-yolo: the network" },
	{ "side", OPTION_NUMBER, &network.side, 32, 4096,
	  "pipe-detect-yolo: of the network's input" },
};

static struct image file;
static struct objects_message message;

static int look(const char *path)
{
	struct picture picture;
	int err = stage_read_picture(path, &file, &picture);

	return err ? err : network_find(&picture, &message.objects);
}

int main(int argc, char **argv)
{
	const struct options options = {
		network_usage, rows, sizeof(rows) / sizeof(rows[0]), NULL,
	};
	struct looker looker = {
		.kind = MESSAGE_OBJECTS, .message = &message.head, .size = sizeof(message),
		.us = &message.us, .look = look,
	};
	int err, status = options_parse(&options, argc, argv);

	if (status)
		return status;
	if (!directory) {
		warnx("no frames: give a directory with --images");
		return STATUS_USAGE;
	}
	looker.images = directory;
	looker.every = every;
	stage_begin();
	err = network_begin(&network);
	return stage_end(err ? err : stage_look(&looker));
}
