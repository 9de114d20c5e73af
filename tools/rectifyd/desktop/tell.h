/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that both programs have in common: the command line, the loop that waits for the display, and
 * how the daemon is told.
 */
#ifndef DESKTOP_TELL_H
#define DESKTOP_TELL_H

#include "front.h"

struct options {
	const char *socket;		/* of the daemon, */
	const char *command;		/* unless this is run, */
	bool print;			/* or lines are printed */
	const char *group;		/* of the apps; "": none */
	struct name_maps maps;
};

/* A display, and what differs in the command line. */
struct watcher {
	const char *usage;
	bool groups;			/* it has -p */
	bool maps;			/* it has --map */
	/* A descriptor that is readable when something has come; or -1: the error was said. */
	int (*connect)(const struct options *options);
	/*
	 * Takes all that has come, and waits for nothing: the app in front, or "". False, if the
	 * display is gone: that was said.
	 */
	bool (*take)(char name[FRONT_NAME]);
	void (*disconnect)(void);
};

#define TELL_USAGE \
	"  -s SOCKET       of rectifyd (/run/rectifyd.sock)\n" \
	"  --command CMD   run CMD fg APP, as CMD = \"sudo rectifyctl\", not asking by the socket\n" \
	"  --print         print fg APP, and tell nobody\n" \
	"  -h, -V          this; the version\n"

int tell_main(const struct watcher *watcher, int argc, char **argv);

#endif
