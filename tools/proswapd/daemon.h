/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: looks for programs, lets the mode look at them, and undoes all at its end.
 */
#ifndef PROSWAPD_DAEMON_H
#define PROSWAPD_DAEMON_H

#include "config.h"
#include "frame.h"

#define DAEMON_STATE "/run/proswapd.state"
#define DAEMON_SOCKET "/run/proswapd.sock"
#define DAEMON_CONFIG "/etc/proswapd.conf"

extern const struct frame_names daemon_names;

int daemon_configure(const struct frame_options *options, struct config *config,
		     char *message);
int daemon_run(const struct frame_options *options, struct config *config);

#endif
