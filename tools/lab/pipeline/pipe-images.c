// SPDX-License-Identifier: GPL-2.0
/*
 * pipe-images: makes the frames of a camera: from photographs (PPM), of which it shows parts as if
 * one drove ahead, or else of a drawn road.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "images.h"
#include "options.h"
#include "picture.h"
#include "road.h"

/* The window gets that much narrower from the first to the last frame of a photograph, per cent. */
#define ZOOM 30

static const char *directory;
static uint64_t count = 60, width = 320, height = 240, seed = 1;

static const struct option_row rows[] = {
	{ "out", OPTION_TEXT, &directory, 0, 0, "the directory of the frames" },
	{ "count", OPTION_NUMBER, &count, 1, 1000000, "frames in all (60)" },
	{ "width", OPTION_NUMBER, &width, 64, PICTURE_SIDE_MAX, "of them (320)" },
	{ "height", OPTION_NUMBER, &height, 64, PICTURE_SIDE_MAX, "of them (240)" },
	{ "seed", OPTION_NUMBER, &seed, 0, UINT64_MAX, "of a road that is drawn (1)" },
};

static const struct options options = {
	"usage: pipe-images --out DIR [OPTION...] [PHOTO...]\n"
	"Makes frames for pipeline: of photographs (PPM, P6), or else draws a road.\n"
	"For a road, each line tells where its lines are: frame, left, right, per mille.\n\n",
	rows, sizeof(rows) / sizeof(rows[0]), "PHOTO...",
};

static uint8_t *points;

static int write_frame(uint64_t frame)
{
	const struct picture picture = { (unsigned int)width, (unsigned int)height, points };
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%06" PRIu64 ".ppm", directory, frame);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		warnx("the path of a frame is too long");
		return -ENAMETOOLONG;
	}
	return picture_write(path, &picture);
}

static int draw_roads(void)
{
	const struct road road = { seed, (unsigned int)width, (unsigned int)height };
	struct road_lines lines;
	uint64_t frame;
	int err = 0;

	for (frame = 0; frame < count && !err; frame++) {
		road_lines(&road, frame, &lines);
		printf("%06" PRIu64 ".ppm %d %d\n", frame, lines.left, lines.right);
		road_draw(&road, frame, points);
		err = write_frame(frame);
	}
	return err;
}

/* A window of the frames' shape, in the middle, that becomes smaller. */
static void make_window(const struct picture *photo, uint64_t step, uint64_t steps,
			struct window *window)
{
	uint64_t full_width = (uint64_t)photo->width << 8;
	uint64_t full_height = (uint64_t)photo->height << 8;
	uint64_t left = 100 * steps - ZOOM * step;

	window->width = full_width;
	window->height = full_width * height / width;
	if (window->height > full_height) {
		window->height = full_height;
		window->width = full_height * width / height;
	}
	window->width = window->width * left / (100 * steps);
	window->height = window->height * left / (100 * steps);
	window->x = (full_width - window->width) / 2;
	window->y = (full_height - window->height) / 2;
}

/* Each photograph has as many frames as the others, one more or less. */
static int show_photo(const char *path, uint64_t first, uint64_t end)
{
	struct image file = { 0 };
	struct window window;
	struct picture photo;
	uint64_t frame;
	int err = images_read(path, &file);

	if (!err && picture_parse(file.bytes, file.size, &photo)) {
		warnx("%s: not a PPM (P6) with a byte for each colour", path);
		err = -EINVAL;
	}
	for (frame = first; frame < end && !err; frame++) {
		make_window(&photo, frame - first, end - first, &window);
		picture_window(&photo, &window, (unsigned int)width, (unsigned int)height, points);
		err = write_frame(frame);
	}
	free(file.bytes);
	return err;
}

static int show_photos(char **paths, uint64_t n)
{
	uint64_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = show_photo(paths[i], count * i / n, count * (i + 1) / n);
	return err;
}

int main(int argc, char **argv)
{
	int err, status = options_parse(&options, argc, argv);

	if (status)
		return status;
	if (!directory) {
		warnx("no directory: give one with --out");
		return STATUS_USAGE;
	}
	points = malloc(3 * (size_t)width * (size_t)height);
	if (!points || (mkdir(directory, 0755) && errno != EEXIST)) {
		warn("cannot make %s", directory);
		return STATUS_FAILED;
	}
	err = optind < argc ? show_photos(argv + optind, (uint64_t)(argc - optind)) : draw_roads();
	free(points);
	return err || fflush(stdout) ? STATUS_FAILED : 0;
}
