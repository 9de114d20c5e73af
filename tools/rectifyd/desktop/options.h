/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of both watchers.
 */
#ifndef DESKTOP_OPTIONS_H
#define DESKTOP_OPTIONS_H

#include <stdbool.h>
#include "name.h"

struct options {
	const char *socket;		/* of the daemon, */
	const char *command;		/* unless this is run, */
	bool print;			/* or lines are printed */
	const char *group;		/* of the apps; "": there is none */
	struct name_maps maps;
};

/* What differs between the two. */
struct program {
	const char *usage;
	bool groups;			/* it has -p */
	bool maps;			/* it has --map */
};

int options_parse(struct options *options, const struct program *program, int argc, char **argv);

#define OPTIONS_USAGE \
	"  -s SOCKET       of rectifyd (/run/rectifyd.sock)\n" \
	"  --command CMD   run CMD fg APP, as CMD = \"sudo rectifyctl\", not asking by the socket\n" \
	"  --print         print fg APP, and tell nobody\n" \
	"  -h, -V          this; the version\n"

#endif
