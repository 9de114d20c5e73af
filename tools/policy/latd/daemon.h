/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: sets up what the mode needs, looks ten times a second, acts, and undoes all at
 * its end.
 */
#ifndef LATD_DAEMON_H
#define LATD_DAEMON_H

#include <stdbool.h>
#include "config.h"

#define DAEMON_STATE "/run/latd.state"
#define DAEMON_SOCKET "/run/latd.sock"
#define DAEMON_CONFIG "/etc/latd.conf"

/* From the command line; the configuration is read anew by SIGHUP. */
struct daemon_options {
	const char *config_path;	/* NULL: DAEMON_CONFIG, if it is there */
	const char *socket_path;
	const char *state_path;
	const char *const *settings;	/* of -o, in their order, over what the file says */
	unsigned int n_settings;
	bool foreground;
	bool dry_run;
	bool once;
};

int daemon_configure(const struct daemon_options *options, struct config *config,
		     char *message);
int daemon_run(const struct daemon_options *options, struct config *config);

#endif
