/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the daemon is told, from what is in front on the screen. PURE: no display, no clock, no
 * daemon.
 */
#ifndef DESKTOP_FRONT_H
#define DESKTOP_FRONT_H

#include <stdint.h>

/* The daemons' control tools take names of 60 characters. */
#define FRONT_NAME 61
/*
 * A window manager says that nothing is in front between two windows, and while a menu is open.
 * Only what lasts so long is told.
 */
#define FRONT_SETTLE_MS 200

struct front {
	char want[FRONT_NAME];		/* the app in front on the screen; "": none */
	char told[FRONT_NAME];		/* the app in front as the daemon knows it; "": none */
	char refused[FRONT_NAME];	/* was told in vain, and is not told again; "": none */
	uint64_t since_ms;		/* when @want came */
};

struct front_request {
	const char *verb;		/* "fg" or "bg" */
	char name[FRONT_NAME];
};

enum front_answer {
	FRONT_DONE,
	FRONT_REFUSED,			/* the daemon does not know the app */
	FRONT_NOBODY,			/* no daemon is there, or it cannot be asked */
};

void front_event(struct front *front, const char *name, uint64_t now_ms);
int front_next(const struct front *front, uint64_t now_ms, struct front_request *request);
void front_answer(struct front *front, const struct front_request *request,
		  enum front_answer answer);

#endif
