// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "cgroup.h"
#include "paths.h"

/**
 * paths_clear() - an empty set
 * @paths: the set
 */
void paths_clear(struct paths *paths)
{
	paths->used = 0;
	paths->crowded = false;
}

/**
 * paths_add() - add a group
 * @paths: the set
 * @path: the group; nothing happens, if it is in the set
 */
void paths_add(struct paths *paths, const char *path)
{
	size_t at, len = strlen(path) + 1;

	for (at = 0; at < paths->used; at += strlen(paths->text + at) + 1)
		if (!strcmp(paths->text + at, path))
			return;
	if (len > sizeof(paths->text) - paths->used) {
		paths->crowded = true;
		return;
	}
	memcpy(paths->text + paths->used, path, len);
	paths->used += len;
}

/**
 * paths_below() - is a group of the set the given one, or somewhere below it?
 * @paths: the set
 * @group: the group
 *
 * Return: true also where that is not known.
 */
bool paths_below(const struct paths *paths, const char *group)
{
	size_t at;

	for (at = 0; at < paths->used; at += strlen(paths->text + at) + 1)
		if (cgroup_below(paths->text + at, group))
			return true;
	return paths->crowded;
}

/**
 * paths_same() - are they the same groups, in the same order?
 * @one: a set
 * @other: another one
 */
bool paths_same(const struct paths *one, const struct paths *other)
{
	return one->used == other->used && one->crowded == other->crowded &&
	       !memcmp(one->text, other->text, one->used);
}

/**
 * paths_top() - the topmost group above a process that has no group of the set in it
 * @paths: the set
 * @path: the group of the process
 * @top: filled in: @path, or a group above it
 *
 * Return: false without such a group: the process is in the root group or in a group of the set, or
 * its path is too long.
 */
bool paths_top(const struct paths *paths, const char *path, char top[PATHS_LONGEST])
{
	const char *end = path;

	while (*end == '/' && end[1]) {
		end += 1 + strcspn(end + 1, "/");
		if ((size_t)(end - path) >= PATHS_LONGEST)
			return false;
		memcpy(top, path, (size_t)(end - path));
		top[end - path] = '\0';
		if (!paths_below(paths, top))
			return true;
	}
	return false;
}
