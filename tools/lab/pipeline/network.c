// SPDX-License-Identifier: GPL-2.0
/*
 * The network of whole numbers that infer has. Its weights are as good as random, so that what it
 * finds is nothing that a man sees; but it follows from all of the image and all weights.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include "net.h"
#include "network.h"
#include "sequence.h"
#include "weights.h"

const char network_usage[] =
"usage: pipe-detect --images DIR [OPTION...]\n"
"The stage of the pipeline that finds objects; see pipeline(1).\n\n";

static struct net net;
static struct net_scratch scratch;
static struct weights weights;

/* As those of "infer --make-weights", but no file is needed. */
static int make(const struct networkopt *options)
{
	struct sequence sequence;
	size_t i;

	if (net_plan(&net, (size_t)options->size / sizeof(int16_t)))
		return -EINVAL;
	weights.n = net.nweights;
	weights.numbers = malloc(weights.n * sizeof(int16_t));
	if (!weights.numbers)
		return -ENOMEM;
	sequence_begin(&sequence, options->seed, 0, 0);
	for (i = 0; i < weights.n; i++)
		weights.numbers[i] = (int16_t)((int)(sequence_next(&sequence) >> 32 &
						     (2 * NET_WEIGHT + 1)) - NET_WEIGHT);
	return 0;
}

/**
 * network_begin() - load the weights
 * @options: which ones
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int network_begin(const struct networkopt *options)
{
	int err;

	if (options->cfg || options->side) {
		warnx("--cfg and --side: use pipe-detect-yolo, made where darknet is");
		return -EINVAL;
	}
	if (options->weights) {
		err = weights_load(options->weights, WEIGHTS_ANON, false, &weights);
		if (err)
			return err;
		err = net_plan(&net, weights.n);
	} else {
		err = make(options);
	}
	if (err)
		warnx("no network of these weights");
	return err;
}

/* Where, from how strong the neighbours of the strongest numbers are. */
static void add_object(struct objects *objects, unsigned int place, unsigned int n)
{
	struct object *object = &objects->objects[objects->n++];
	uint32_t next = (uint32_t)scratch.sums[(place + 1) % n];

	object->side = (int32_t)(place * 2000 / n) - 1000;
	object->distance = (int32_t)(100 + (next >> 8) % 900);
	object->class = (int32_t)(place % 80);
	object->score = scratch.sums[place] >> 8;
}

/**
 * network_find() - find objects
 * @picture: in it
 * @objects: the objects: the largest numbers of the last layer, if at least half of the largest one
 *
 * Return: 0.
 */
int network_find(const struct picture *picture, struct objects *objects)
{
	unsigned int i, best, n = net.layers[net.nlayers - 1].out;
	size_t size = (size_t)3 * picture->width * picture->height;
	int32_t first = 0, number;

	objects->sum = net_run(&net, weights.numbers, picture->points, size, &scratch);
	for (objects->n = 0; objects->n < OBJECTS_MAX;) {
		for (best = 0, i = 1; i < n; i++)
			if (scratch.sums[i] > scratch.sums[best])
				best = i;
		number = scratch.sums[best];
		first = objects->n ? first : number;
		if (number <= first / 2)
			break;
		add_object(objects, best, n);
		scratch.sums[best] = INT32_MIN;
	}
	return 0;
}
