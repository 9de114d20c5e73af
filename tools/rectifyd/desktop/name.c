// SPDX-License-Identifier: GPL-2.0

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "name.h"
#include "proc.h"

/* fits() - a word that the daemon takes, and that no command takes for an option */
static bool fits(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	return text[0] && text[0] != '-' && at - text < FRONT_NAME;
}

/*
 * A window calls itself what it likes. It shall not name a control group that is none of the apps,
 * or a process, which the daemon would push out: only a --map may.
 */
static bool is_harmless(const char *id)
{
	return fits(id) && id[0] != '.' && !strchr(id, '/') && id[strspn(id, "+0123456789")];
}

/**
 * name_add_map() - a value of --map
 * @maps: where to
 * @text: "ID=NAME"; it has to stay
 *
 * Return: is it one? If not, it was said.
 */
bool name_add_map(struct name_maps *maps, const char *text)
{
	const char *equals = strchr(text, '=');
	struct name_map *row = &maps->rows[maps->n];

	if (!equals || equals == text || !fits(equals + 1)) {
		warnx("--map %s: give APP_ID=NAME, with a name of at most %d characters", text,
		      FRONT_NAME - 1);
		return false;
	}
	if (maps->n == NAME_MAPS) {
		warnx("--map %s: there are %d already", text, NAME_MAPS);
		return false;
	}
	row->from = text;
	row->from_len = (size_t)(equals - text);
	row->to = equals + 1;
	maps->n++;
	return true;
}

/**
 * name_of_id() - the app of a window that says what it is
 * @maps: of the command line; the first that fits
 * @id: what the window says
 * @name: the app
 *
 * Return: is there a name that can be told?
 */
bool name_of_id(const struct name_maps *maps, const char *id, char name[FRONT_NAME])
{
	const struct name_map *row;

	for (row = maps->rows; row < maps->rows + maps->n; row++) {
		if (strlen(id) == row->from_len && !memcmp(id, row->from, row->from_len)) {
			snprintf(name, FRONT_NAME, "%s", row->to);
			return true;
		}
	}
	if (!is_harmless(id))
		return false;
	snprintf(name, FRONT_NAME, "%s", id);
	return true;
}

/**
 * name_in_group() - the app whose control group is below that of the apps
 * @path: the group of a process
 * @group: that of the apps, as /apps
 * @name: what follows: most often the last part of @path
 *
 * Return: is it below, with a name that can be told?
 */
bool name_in_group(const char *path, const char *group, char name[FRONT_NAME])
{
	size_t len = strlen(group);

	while (len && group[len - 1] == '/')
		len--;
	if (strncmp(path, group, len) || path[len] != '/' || !fits(path + len + 1))
		return false;
	snprintf(name, FRONT_NAME, "%s", path + len + 1);
	return true;
}

/* may_name() - a window says whose it is: it may name processes of the user only */
static bool may_name(pid_t pid)
{
	uid_t uid;

	return pid > 1 && !proc_uid(pid, &uid) && (!getuid() || uid == getuid());
}

/**
 * name_of_pid() - the app of a window that says which process it belongs to
 * @pid: the process
 * @group: of the apps; "": there is none
 * @name: the app: a control group below @group, else the process
 *
 * Return: is there such a process, and is it the user's?
 */
bool name_of_pid(pid_t pid, const char *group, char name[FRONT_NAME])
{
	char path[SYS_PATH];

	if (!may_name(pid))
		return false;
	if (group[0] && !proc_cgroup(pid, path, sizeof(path)) && name_in_group(path, group, name))
		return true;
	snprintf(name, FRONT_NAME, "%d", pid);
	return true;
}
