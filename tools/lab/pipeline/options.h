/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command lines of the programs of the pipeline: each one has a table of its options.
 */
#ifndef PIPELINE_OPTIONS_H
#define PIPELINE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Statuses of the programs. */
#define STATUS_FAILED	1
#define STATUS_USAGE	2
#define STATUS_WRONG	3	/* a result was found to be wrong */

#define OPTIONS_MAX 40

enum option_kind {
	OPTION_TEXT,
	OPTION_NUMBER,
	OPTION_SIZE,			/* bytes */
	OPTION_MS,			/* milliseconds; kept in microseconds */
	OPTION_SECONDS,			/* the same */
	OPTION_FLAG,
};

struct option_row {
	const char *name;		/* without the dashes */
	enum option_kind kind;
	void *value;			/* const char * of a text, else uint64_t */
	uint64_t min;
	uint64_t max;
	const char *help;
};

struct options {
	const char *usage;		/* the first lines of the help */
	const struct option_row *rows;
	size_t n;			/* at most OPTIONS_MAX */
	const char *arguments;		/* what may follow the options; NULL: nothing */
};

int options_parse(const struct options *options, int argc, char **argv);

#endif
