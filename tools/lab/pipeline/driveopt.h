/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of pipeline.
 */
#ifndef PIPELINE_DRIVEOPT_H
#define PIPELINE_DRIVEOPT_H

#include <stdint.h>
#include "crew.h"

struct driveopt {
	const char *bin;		/* where the programs of the stages are; NULL: with ours */
	const char *csv;
	const char *sizes;
	uint64_t sizes_every;		/* frames */
	uint64_t frames;		/* that count; 0: no limit */
	uint64_t duration_us;		/* of those; 0: no limit */
	uint64_t warm_up;		/* frames before them */
	uint64_t period_us;		/* 0: a frame as soon as there may be one */
	uint64_t in_flight;
};

#define IN_FLIGHT_MAX 64

int driveopt_parse(struct driveopt *options, struct crew *crew, int argc, char **argv);

#endif
