/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network of pipe-detect, which is memload's, or that of pipe-detect-yolo, which is darknet's.
 */
#ifndef PIPELINE_NETWORK_H
#define PIPELINE_NETWORK_H

#include <stdint.h>
#include "message.h"
#include "picture.h"

struct networkopt {
	const char *weights;		/* a file; NULL: weights are made */
	const char *cfg;		/* of darknet */
	uint64_t size;			/* of weights that are made, bytes */
	uint64_t side;			/* of the network's input; 0: as in the cfg */
	uint64_t seed;
};

extern const char network_usage[];

int network_begin(const struct networkopt *options);
int network_find(const struct picture *picture, struct objects *objects);

#endif
