/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: sets up what the mode needs, looks ten times a second, acts, and undoes all at
 * its end.
 */
#ifndef LATD_DAEMON_H
#define LATD_DAEMON_H

#include "config.h"
#include "frame.h"

#define DAEMON_STATE "/run/latd.state"
#define DAEMON_SOCKET "/run/latd.sock"
#define DAEMON_REPORT "/run/latd.latency"
#define DAEMON_CONFIG "/etc/latd.conf"

extern const struct frame_names daemon_names;

int daemon_configure(const struct frame_options *options, struct config *config,
		     char *message);
int daemon_run(const struct frame_options *options, struct config *config);

#endif
