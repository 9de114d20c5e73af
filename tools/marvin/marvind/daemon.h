/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon: step after step, and requests.
 */
#ifndef MARVIND_DAEMON_H
#define MARVIND_DAEMON_H

#include "config.h"
#include "frame.h"

#define DAEMON_STATE "/run/marvind.state"
#define DAEMON_SOCKET "/run/marvind.sock"
#define DAEMON_CONFIG "/etc/marvind.conf"

extern const struct frame_names daemon_names;

int daemon_configure(const struct frame_options *options, struct config *config,
		     char *message);
int daemon_run(const struct frame_options *options, struct config *config);

#endif
