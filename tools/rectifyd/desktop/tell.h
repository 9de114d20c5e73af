/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common part of both programs: the command line, the loop that waits for the display, and the
 * requests to the daemon.
 */
#ifndef DESKTOP_TELL_H
#define DESKTOP_TELL_H

#include "front.h"

/* Exit statuses. */
#define STATUS_FAILED 1
#define STATUS_USAGE 2

struct options {
	const char *socket;		/* of the daemon */
	const char *command;		/* run this instead of using the socket; NULL: do not */
	bool print;			/* only print lines */
	const char *group;		/* control group of all apps; "": none */
	struct name_maps maps;
};

/* A display, and its options of the command line. */
struct watcher {
	const char *usage;
	bool groups;			/* it has the option -p */
	bool maps;			/* it has the option --map */
	/* Returns a descriptor that is readable when events have come; or -1, error printed. */
	int (*connect)(const struct options *options);
	/*
	 * Handles the events that have come, without waiting; @name: the app in front, or "".
	 * False: the display is gone, error printed.
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
