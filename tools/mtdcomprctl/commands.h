/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands, by the words of the command line.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

struct command {
	const char *name;
	const char *letters;		/* letters of its options */
	int (*run)(struct options *options);	/* returns the exit status */
	int least;			/* words after the name: at least */
	int most;			/* at most */
};

bool names_device(const char *word);
const struct command *command_by_name(const char *name);

#endif
