/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A convolutional network. As in networks that find objects, layers have ever smaller pictures and
 * ever more channels, and most weights are in the last layers. PURE.
 *
 * It computes with whole numbers, so that results are the same on every machine. Each image uses
 * each weight, and a wrong weight changes the result.
 */
#ifndef MEMLOAD_NET_H
#define MEMLOAD_NET_H

#include <stddef.h>
#include <stdint.h>
#include "sequence.h"

/* Enough for 2 GiB of weights. */
#define NET_LAYERS 4200

/* Limit of the numbers between two layers. */
#define NET_NUMBERS 4096

/* The image is reduced to three channels of this width and height. */
#define NET_CHANNELS 3
#define NET_SIDE 32

struct layer {
	unsigned int in;		/* channels */
	unsigned int out;
	unsigned int kernel;		/* its width and height */
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
