/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "list_columns.h"
#include "spec.h"
#include "swap.h"

/* util-linux uses 1 for both; scripts want to tell a wrong command line from a failure. */
#define STATUS_FAILED 1
#define STATUS_USAGE 2

enum prefer { PREFER_BALANCE, PREFER_SPEED, PREFER_SPACE };

/* How figures are printed. */
struct form {
	bool bytes;
	bool noheadings;
	bool raw;
	bool json;
	bool openmetrics;
	struct columns columns;
};

/* How often to print. */
struct pace {
	uint64_t delay_us;
	unsigned int count;		/* 0: until interrupted */
};

struct options {
	struct form form;
	struct spec spec;		/* its media is the first word of the command */
	const char *asked;		/* the compressor as the user named it */
	struct swap_options swap;
	struct pace pace;
	bool find;
	bool reset;
	bool keep;			/* swap off: stay attached */
	const char *media;		/* suggest only */
	unsigned int pages;		/* suggest only */
	enum prefer prefer;
	uint64_t endurance;		/* wear: rewrites that the data sheet promises */
	char given[64];			/* the letters of all given options */
	int words;			/* number of words in @word */
	char **word;
};

/* Internal letters of options that have only a long form. */
enum {
	OPTION_RATIO = 'A', OPTION_NAME = 'B', OPTION_DISCARD = 'C', OPTION_CLUSTER = 'D',
	OPTION_KEEP = 'E', OPTION_OPENMETRICS = 'F', OPTION_COUNT = 'G', OPTION_PAGES = 'H',
	OPTION_PREFER = 'I', OPTION_ENDURANCE = 'K', OPTION_ALL = 'L', OPTION_COLUMNS = 'M',
	OPTION_MORE = 'O', OPTION_RAW = 'R', OPTION_SYSROOT = 'S',
};

bool options_parse(struct options *options, int argc, char **argv);
bool options_fit(const struct options *options, const char *letters, const char *command);
void options_try_help(void);

#endif
