/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the driver keeps and writes of each frame.
 */
#ifndef PIPELINE_TALLY_H
#define PIPELINE_TALLY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "crew.h"
#include "message.h"

struct tally {
	FILE *csv;			/* or NULL */
	FILE *sizes;			/* or NULL */
	uint64_t *latencies;		/* microseconds */
	size_t n;
	size_t room;
	uint64_t first_us;		/* when the first frame that counts began */
	uint64_t last_us;		/* when the last one was done */
	uint64_t checksum;		/* of all commands, those of the warm-up, too */
};

int tally_begin(struct tally *tally, const char *csv, const char *sizes);
void tally_command(struct tally *tally, const struct command *command);
int tally_frame(struct tally *tally, const struct command_message *message, uint64_t begin_us,
		uint64_t end_us);
int tally_sizes(struct tally *tally, const struct crew *crew, uint64_t frame);
int tally_end(struct tally *tally, uint64_t commands);

#endif
