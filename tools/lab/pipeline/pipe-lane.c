// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-lane: finds the lane in the frames of a camera.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "background.h"
#include "lane.h"
#include "options.h"
#include "stage.h"

#define SEGMENTS_MAX 256

static const char *directory;
static uint64_t size = UINT64_C(28) << 20, every = 1, print;

static const struct option_row rows[] = {
	{ "images", OPTION_TEXT, &directory, 0, 0, "a directory of frames (PPM), all of one size" },
	{ "size", OPTION_SIZE, &size, 1 << 16, UINT64_C(1) << 31,
	  "of the background's model (28M)" },
	{ "every", OPTION_NUMBER, &every, 1, 1000000, "look at each such frame (1)" },
	{ "print", OPTION_FLAG, &print, 0, 0, "no pipes: print the lanes of all frames once" },
};

static const struct options options = {
	"usage: pipe-lane --images DIR [OPTION...]\n"
	"The stage of the pipeline that finds the lane; see pipeline(1).\n\n",
	rows, sizeof(rows) / sizeof(rows[0]), NULL,
};

static struct image file;
static struct background background;
static struct picture first;		/* its points are gone; only for its size */
static uint8_t *grey;
static struct lane_message message = {
	.lane = { .left = 200, .right = 800, .left_far = 450, .right_far = 550 },
};

static int begin(const struct picture *picture)
{
	size_t points = (size_t)picture->width * picture->height;

	first = *picture;
	grey = malloc(points);
	if (grey && background_begin(&background, (size_t)size, points) == 0)
		return 0;
	warnx("no memory for the model of the background");
	return -ENOMEM;
}

static int look(const char *path)
{
	static struct segment segments[SEGMENTS_MAX];
	struct picture picture;
	int n, err = stage_read_picture(path, &file, &picture);

	if (!err && !first.width)
		err = begin(&picture);
	if (!err && (picture.width != first.width || picture.height != first.height)) {
		warnx("%s: of another size than the first frame", path);
		err = -EINVAL;
	}
	if (err)
		return err;
	picture_grey(&picture, grey);
	background_add(&background, grey);
	background_steady(&background, grey);
	n = hough_segments(grey, (int)picture.width, (int)picture.height,
			   lane_horizon((int)picture.height), segments, SEGMENTS_MAX);
	if (n < 0) {
		warnx("%s: OpenCV cannot find lines in it", path);
		return n;
	}
	lane_find(segments, n, (int)picture.width, (int)picture.height, &message.lane);
	message.lane.motion = background_motion(&background);
	message.lane.sum = background_sum(&background);
	return 0;
}

static int print_all(void)
{
	struct images images;
	char path[4096];
	size_t i;
	int err = images_list(&images, directory);

	for (i = 0; i < images.n && !err; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, images.names[i]);
		err = look(path);
		if (!err)
			printf("%s %d %d %d %d %d %u\n", images.names[i], message.lane.found,
			       message.lane.left, message.lane.right, message.lane.left_far,
			       message.lane.right_far, message.lane.motion);
	}
	images_free(&images);
	return err;
}

int main(int argc, char **argv)
{
	struct looker looker = {
		.kind = MESSAGE_LANE, .message = &message.head, .size = sizeof(message),
		.us = &message.us, .look = look,
	};
	int status = options_parse(&options, argc, argv);

	if (status)
		return status;
	if (!directory) {
		warnx("no frames: give a directory with --images");
		return STATUS_USAGE;
	}
	looker.images = directory;
	looker.every = every;
	if (print)
		return stage_end(print_all());
	stage_begin();
	return stage_end(stage_look(&looker));
}
