/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From windows to requests: when to tell the daemon, the name of an app as the daemon knows it, and
 * the windows of a Wayland compositor. PURE, with the exception of name_of_pid().
 */
#ifndef DESKTOP_FRONT_H
#define DESKTOP_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The daemons' control tools take names of 60 characters. */
#define FRONT_NAME 61
/*
 * Between two windows and while a menu is open, window managers report that no window is in front.
 * The daemon is told only if that lasts so long: a guess.
 */
#define FRONT_SETTLE_MS 200

struct front {
	char want[FRONT_NAME];		/* the app in front on the screen; "": none */
	char told[FRONT_NAME];		/* the app in front as the daemon knows it; "": none */
	char refused[FRONT_NAME];	/* refused, so it is not told again yet; "": none */
	uint64_t since_ms;		/* when @want came */
};

struct front_request {
	const char *verb;		/* "fg" or "bg" */
	char name[FRONT_NAME];
};

enum front_answer {
	FRONT_DONE,
	FRONT_REFUSED,			/* the daemon does not know the app */
	FRONT_NOBODY,			/* no daemon answers */
};

void front_event(struct front *front, const char *name, uint64_t now_ms);
int front_next(const struct front *front, uint64_t now_ms, struct front_request *request);
void front_answer(struct front *front, const struct front_request *request,
		  enum front_answer answer);

/* Of --map, at most. */
#define NAME_MAPS 64

/* The app called "from" on the screen is "to" for the daemon. */
struct name_map {
	const char *from;
	size_t from_len;
	const char *to;
};

struct name_maps {
	struct name_map rows[NAME_MAPS];
	unsigned int n;
};

bool name_add_map(struct name_maps *maps, const char *text);
bool name_of_id(const struct name_maps *maps, const char *id, char name[FRONT_NAME]);
bool name_in_group(const char *path, const char *group, char name[FRONT_NAME]);
bool name_of_pid(pid_t pid, const char *group, char name[FRONT_NAME]);

#define TOPLEVEL_ID 256

/* A window of a Wayland compositor, which sends its state in several events. */
struct toplevel {
	char app_id[TOPLEVEL_ID];	/* "": not sent, or too long */
	bool active;			/* state at the next event "done", */
	bool was_active;		/* and at the last one */
};

struct toplevels {
	const struct toplevel *front;	/* the last one that became active; NULL: none */
};

void toplevel_app_id(struct toplevel *toplevel, const char *text);
void toplevel_done(struct toplevels *all, struct toplevel *toplevel);
void toplevel_closed(struct toplevels *all, const struct toplevel *toplevel);
const char *toplevel_front(const struct toplevels *all);

#endif
