/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of control groups that have to be left alone, and with it which other groups can be dealt
 * with as a whole. PURE.
 */
#ifndef LATD_PATHS_H
#define LATD_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* A longer path is not dealt with as a group. systemd's and container engines' have some 200. */
#define PATHS_LONGEST 256
/* Of protected programs and those that are never touched: a few dozen groups. */
#define PATHS_BYTES (16U << 10)

struct paths {
	size_t used;
	bool crowded;			/* no room for all: no group is known */
	char text[PATHS_BYTES];		/* one after the other, each with its zero byte */
};

void paths_clear(struct paths *paths);
void paths_add(struct paths *paths, const char *path);
bool paths_below(const struct paths *paths, const char *group);
bool paths_same(const struct paths *one, const struct paths *other);
bool paths_top(const struct paths *paths, const char *path, char top[PATHS_LONGEST]);

#endif
