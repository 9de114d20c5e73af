// SPDX-License-Identifier: GPL-2.0
/*
 * infer: reads images and runs a network on them, and tells how long each one takes. It stands for
 * a program that finds objects in the pictures of a camera.
 */
#include <err.h>
#include <string.h>
#include "images.h"
#include "net.h"
#include "run.h"
#include "weights.h"

static struct net net;
static struct net_scratch scratch;
static struct weights weights;
static struct image image;

static int load(const struct inferopt *options)
{
	int err = weights_load(options->weights, options->map, options->corrupt, &weights);

	if (err)
		return err;
	err = net_plan(&net, weights.n);
	if (err)
		warnx("%s: no network has that many weights", options->weights);
	return err;
}

static int classify(const char *path, uint64_t *class)
{
	int err = images_read(path, &image);

	if (err)
		return err;
	*class = net_run(&net, weights.numbers, image.bytes, image.size, &scratch);
	return 0;
}

static void corrupt(void)
{
	weights.numbers[weights.n / 2] ^= 4;
}

int main(int argc, char **argv)
{
	static const struct model model = { load, classify, corrupt };
	struct inferopt options;
	int status = inferopt_parse(&options, false, argc, argv);

	if (status)
		return status;
	if (options.make_weights &&
	    weights_make(options.make_weights, options.size, options.seed))
		return STATUS_FAILED;
	if (options.make_images && images_make(options.make_images,
					       options.count ? options.count : 20, options.seed))
		return STATUS_FAILED;
	if (options.make_weights || options.make_images)
		return 0;
	return run_model(&model, &options);
}
