/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network of convolutions, of our own: as in networks that find objects, the pictures become
 * smaller and the channels more from layer to layer, and most weights are in the last ones. PURE.
 *
 * All is whole numbers, so that a result is the same on every machine. Each weight is used for each
 * image, and any one that is wrong changes the result.
 */
#ifndef MEMLOAD_NET_H
#define MEMLOAD_NET_H

#include <stddef.h>
#include <stdint.h>
#include "sequence.h"

/* Enough for 2 GiB of weights. */
#define NET_LAYERS 4200

/* The most numbers between two layers. */
#define NET_NUMBERS 4096

/* An image becomes three channels of that width and height. */
#define NET_CHANNELS 3
#define NET_SIDE 32

struct layer {
	unsigned int in;		/* channels */
	unsigned int out;
	unsigned int kernel;		/* width and height of it */
	unsigned int stride;
	unsigned int pad;
	unsigned int side_in;		/* width and height of the pictures */
	unsigned int side_out;
};

struct net {
	struct layer layers[NET_LAYERS];
	unsigned int nlayers;
	size_t nweights;
};

/* Memory that a run needs besides the weights. */
struct net_scratch {
	int16_t numbers[2][NET_NUMBERS];
	int32_t sums[NET_NUMBERS];
};

void net_make_weights(struct sequence *sequence, int16_t *weights, size_t n);
int net_plan(struct net *net, size_t nweights);
uint64_t net_run(const struct net *net, const int16_t *weights, const uint8_t *image, size_t size,
		 struct net_scratch *scratch);

#endif
