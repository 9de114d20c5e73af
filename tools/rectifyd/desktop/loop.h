/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for the display, and tells the daemon what there is to tell.
 */
#ifndef DESKTOP_LOOP_H
#define DESKTOP_LOOP_H

#include "front.h"
#include "tell.h"

struct display {
	int fd;				/* readable, when something has come */
	/*
	 * Takes all that has come, and waits for nothing. Returns 0, and the app that is in front
	 * or ""; or STATUS_FAILED, if the display is gone: that was said.
	 */
	int (*take)(void *arg, char name[FRONT_NAME]);
	void *arg;
};

int loop_run(const struct display *display, struct tell *tell);

#endif
