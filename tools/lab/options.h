/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command lines of the loads. Each has a table of its options.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses of the loads. */
#define STATUS_FAILED	1
#define STATUS_USAGE	2
#define STATUS_WRONG	3	/* bytes or results were wrong */

/* Limit for all numbers: more than an experiment can wait for. */
#define OPTION_MANY	UINT64_C(1000000000000)

enum option_kind {
	OPTION_TEXT,		/* const char * */
	OPTION_FLAG,		/* bool */
	OPTION_NUMBER,		/* uint64_t, like the following kinds */
	OPTION_SIZE,		/* bytes; K, M or G may follow */
	OPTION_MS,		/* milliseconds; stored in microseconds */
	OPTION_SECONDS,		/* stored in microseconds */
};

struct option_row {
	const char *name;	/* without the dashes; NULL ends the table */
	enum option_kind kind;
	void *value;
	uint64_t min;		/* limits of the stored value */
	uint64_t max;
	const char *help;
};

int options_parse(const char *usage, const struct option_row *rows, int argc, char **argv);

#endif
