/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of infer and infer-yolo.
 */
#ifndef MEMLOAD_INFEROPT_H
#define MEMLOAD_INFEROPT_H

#include <stdbool.h>
#include <stdint.h>
#include "option.h"

/* The programs' status beside those of option.h: an image gave another result than before. */
#define STATUS_WRONG	3

/* How the weights are in memory. */
enum weights_map {
	WEIGHTS_PRIVATE,		/* a private map of their file */
	WEIGHTS_SHARED,			/* a shared one */
	WEIGHTS_ANON,			/* anonymous memory, which they are read into */
};

struct inferopt {
	const char *weights;
	const char *images;
	const char *cfg;		/* of darknet */
	const char *make_weights;	/* a file, or NULL */
	const char *make_images;	/* a directory, or NULL */
	const char *out;		/* a file, "-", or NULL */
	uint64_t count;			/* images; 0: each one once, or up to the duration */
	uint64_t period_us;		/* 0: one after the other */
	uint64_t duration_us;		/* 0: no limit */
	uint64_t size;			/* of weights that are made, bytes */
	uint64_t seed;
	unsigned int side;		/* of the network's input; 0: as in the cfg */
	enum weights_map map;
	bool corrupt;			/* for tests: make an error that must be found */
};

int inferopt_parse(struct inferopt *options, bool darknet, int argc, char **argv);

#endif
