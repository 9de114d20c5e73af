// SPDX-License-Identifier: GPL-2.0
/*
 * The network of darknet, as YOLOv3. The library ends the program itself, with a message, if it
 * cannot read something.
 */
#include <darknet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cfg.h"
#include "checksum.h"
#include "network.h"
#include "sys.h"

#define CFG_SIZE 65536

const char network_usage[] =
"usage: pipe-detect-yolo --images DIR --cfg CFG --weights FILE [OPTION...]\n"
"The stage of the pipeline that finds objects, with YOLO; see pipeline(1).\n\n";

static network *net;

/* A file of the network with another input, for the time that the library reads it. */
static int make_cfg(const char *path, unsigned int side, char *copy)
{
	static char text[CFG_SIZE], changed[CFG_SIZE];
	ssize_t size = sys_read(path, text, sizeof(text));
	size_t len;
	int fd;

	if (size < 0 || size == sizeof(text) - 1 ||
	    cfg_set_side(text, side, changed, sizeof(changed))) {
		warnx("%s: not the file of a network", path);
		return -EINVAL;
	}
	fd = mkstemp(copy);
	if (fd < 0) {
		warn("cannot make %s", copy);
		return -EIO;
	}
	len = strlen(changed);
	if (write(fd, changed, len) == (ssize_t)len)
		return close(fd);
	warn("cannot write %s", copy);
	close(fd);
	unlink(copy);
	return -EIO;
}

/**
 * network_begin() - load the network and its weights, into memory that is not a map of the file
 * @options: which ones
 *
 * The library takes names that it does not change as if it would.
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int network_begin(const struct networkopt *options)
{
	char copy[] = "/tmp/pipe-detect.XXXXXX";
	int err;

	if (!options->cfg || !options->weights || access(options->cfg, R_OK) ||
	    access(options->weights, R_OK) || options->side % 32) {
		warnx("give --cfg and --weights that can be read; --side is a multiple of 32");
		return -EINVAL;
	}
	if (!options->side) {
		net = load_network((char *)options->cfg, (char *)options->weights, 0);
	} else {
		err = make_cfg(options->cfg, (unsigned int)options->side, copy);
		if (err)
			return err;
		net = load_network(copy, (char *)options->weights, 0);
		unlink(copy);
	}
	set_batch_network(net, 1);
	return 0;
}

/* As the library wants it: one colour after the other. */
static image to_image(const struct picture *picture)
{
	size_t i, n = (size_t)picture->width * picture->height;
	image made = make_image((int)picture->width, (int)picture->height, 3);

	for (i = 0; i < 3 * n; i++)
		made.data[i % 3 * n + i / 3] = (float)picture->points[i] / 255;
	return made;
}

static int32_t per_mille(float number, float min, float max)
{
	if (!(number > min))
		return (int32_t)(min * 1000);
	return (int32_t)((number < max ? number : max) * 1000);
}

static void add_object(struct objects *objects, const detection *found)
{
	struct object *object = &objects->objects[objects->n++];
	const box *where = &found->bbox;
	int i;

	object->side = per_mille(2 * where->x - 1, -1, 1);
	/* What stands lower in the picture is nearer. */
	object->distance = per_mille(1 - where->y - where->h / 2, 0.1f, 1);
	object->score = per_mille(found->objectness, 0, 1);
	for (i = 1, object->class = 0; i < found->classes; i++)
		if (found->prob[i] > found->prob[object->class])
			object->class = i;
}

/* The best ones; of equal ones the first. */
static void choose(detection *found, int n, struct objects *objects)
{
	int i, best;

	for (objects->n = 0; objects->n < OBJECTS_MAX;) {
		for (best = -1, i = 0; i < n; i++)
			if (found[i].objectness > 0.5f &&
			    (best < 0 || found[i].objectness > found[best].objectness))
				best = i;
		if (best < 0)
			break;
		add_object(objects, &found[best]);
		found[best].objectness = 0;
	}
}

/**
 * network_find() - find objects
 * @picture: in it
 * @objects: the objects
 *
 * Return: 0.
 */
int network_find(const struct picture *picture, struct objects *objects)
{
	image whole = to_image(picture), input = letterbox_image(whole, net->w, net->h);
	uint64_t sum = CHECKSUM_BEGIN;
	detection *found;
	int i, n = 0;

	network_predict(net, input.data);
	for (i = 0; i < net->n; i++)
		if (i == net->n - 1 || net->layers[i].type == YOLO)
			sum = checksum_bytes(sum, net->layers[i].output,
					     (size_t)net->layers[i].outputs * sizeof(float));
	objects->sum = sum;
	found = get_network_boxes(net, net->w, net->h, 0.5f, 0, NULL, 1, &n);
	choose(found, n, objects);
	free_detections(found, n);
	free_image(whole);
	free_image(input);
	return 0;
}
