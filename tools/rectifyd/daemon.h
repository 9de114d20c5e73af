/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: is told of switches, and lets the engine act.
 */
#ifndef RECTIFYD_DAEMON_H
#define RECTIFYD_DAEMON_H

#include "config.h"
#include "frame.h"

#define DAEMON_STATE "/run/rectifyd.state"
#define DAEMON_SOCKET "/run/rectifyd.sock"
#define DAEMON_CONFIG "/etc/rectifyd.conf"

extern const struct frame_names daemon_names;

int daemon_configure(const struct frame_options *options, struct config *config,
		     char *message);
int daemon_run(const struct frame_options *options, struct config *config);

#endif
