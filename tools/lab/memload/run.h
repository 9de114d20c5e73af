/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gives images to a network, one after the other or at equal distances in time.
 */
#ifndef MEMLOAD_RUN_H
#define MEMLOAD_RUN_H

#include <stdint.h>
#include "inferopt.h"

/**
 * struct model - a network
 * @load: begin; 0, or a negative errno with the reason said
 * @classify: read an image and run the network on it; 0, or a negative errno with the reason said
 * @corrupt: for tests: make a weight wrong
 */
struct model {
	int (*load)(const struct inferopt *options);
	int (*classify)(const char *path, uint64_t *class);
	void (*corrupt)(void);
};

int run_model(const struct model *model, const struct inferopt *options);

#endif
