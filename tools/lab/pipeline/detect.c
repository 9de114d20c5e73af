// SPDX-License-Identifier: GPL-2.0
/*
 * The stage that finds objects, by infer's network. Its weights are random, so the objects are
 * not real ones, but they depend on the whole image and on all weights.
 */
#include <err.h>
#include <stdlib.h>
#include "net.h"
#include "options.h"
#include "road.h"
#include "stages.h"

static struct net net;
static struct net_scratch scratch;
static int16_t *weights;

/**
 * detect_begin() - make the weights
 * @size: their size in bytes
 */
void detect_begin(size_t size)
{
	struct sequence sequence;

	if (net_plan(&net, size / sizeof(*weights)))
		errx(STATUS_FAILED, "no network of %zu bytes", size);
	weights = malloc(net.nweights * sizeof(*weights));
	if (!weights)
		err(STATUS_FAILED, "weights");
	sequence_begin(&sequence, 1, 0, 0);
	net_make_weights(&sequence, weights, net.nweights);
}

/* Places the object by the neighbours of a strong number. */
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
 * detect_look() - find objects
 * @points: points of a frame
 * @objects: from the largest numbers of the last layer, down to half of the largest
 */
void detect_look(const uint8_t *points, struct objects *objects)
{
	unsigned int i, best, n = net.layers[net.nlayers - 1].out;
	int32_t first = 0, number;

	objects->sum = net_run(&net, weights, points, ROAD_BYTES, &scratch);
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
}
