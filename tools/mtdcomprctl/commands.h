/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What there is to do, by the words of the command line.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

struct command {
	const char *name;
	const char *letters;		/* of the options that go with it */
	int (*run)(struct options *options);	/* gives the exit status */
	int least;			/* words behind the name */
	int most;
};

bool names_device(const char *word);
const struct command *command_by_name(const char *name);

#endif
