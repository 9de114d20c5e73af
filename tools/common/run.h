/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of each function of a daemon (daemon.h).
 */
#ifndef COMMON_RUN_H
#define COMMON_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct daemon_run {
	void *config;			/* struct config of the daemon */
	void *state;			/* as in struct daemon */
	uint32_t now_ms;		/* since the start; never 0, which means never */
	bool dry_run;			/* change nothing */
};

#endif
