/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of apps, as the daemon knows them. PURE but for name_of_pid().
 */
#ifndef DESKTOP_NAME_H
#define DESKTOP_NAME_H

#include <stdbool.h>
#include <sys/types.h>
#include "front.h"

#define NAME_MAPS 64

/* What is called "from" on the screen is "to" for the daemon. */
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

#endif
