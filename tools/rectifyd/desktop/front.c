// SPDX-License-Identifier: GPL-2.0
/*
 * Turns changes of the front window into requests to the daemon. This file talks to no display and
 * to no daemon, so the tests need neither.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "front.h"
#include "proc.h"

static void set_name(char *where, const char *name)
{
	snprintf(where, FRONT_NAME, "%s", name);
}

/**
 * front_event() - set the app in front on the screen
 * @front: the state
 * @name: the app; "": none, or an app without a name that the daemon takes
 * @now_ms: the time
 */
void front_event(struct front *front, const char *name, uint64_t now_ms)
{
	if (!strcmp(front->want, name))
		return;
	set_name(front->want, name);
	set_name(front->refused, "");
	front->since_ms = now_ms;
}

/**
 * front_next() - the next request to the daemon
 * @front: the state
 * @now_ms: the time
 * @request: filled in, if Return is 0
 *
 * If the daemon does not know the new app in front, the app that it knows goes to the back.
 *
 * Return: 0: @request; -1: nothing, until the next event; else milliseconds to wait.
 */
int front_next(const struct front *front, uint64_t now_ms, struct front_request *request)
{
	uint64_t lasts_ms = now_ms - front->since_ms;

	if (!front->want[0] || !strcmp(front->want, front->refused)) {
		if (!front->told[0])
			return -1;
		if (!front->want[0] && lasts_ms < FRONT_SETTLE_MS)
			return (int)(FRONT_SETTLE_MS - lasts_ms);
		request->verb = "bg";
		set_name(request->name, front->told);
		return 0;
	}
	if (!strcmp(front->want, front->told))
		return -1;
	request->verb = "fg";
	set_name(request->name, front->want);
	return 0;
}

/**
 * front_answer() - note the daemon's answer to a request
 * @front: the state; the screen may have changed since
 * @request: of front_next()
 * @answer: to @request
 *
 * After a failure nothing is sent before the next switch.
 */
void front_answer(struct front *front, const struct front_request *request,
		  enum front_answer answer)
{
	int fg = !strcmp(request->verb, "fg");

	if (fg && answer == FRONT_DONE)
		set_name(front->told, request->name);
	/* A daemon that is gone or was restarted knows no app in front. */
	if (!fg || answer == FRONT_NOBODY)
		set_name(front->told, "");
	if (fg && answer != FRONT_DONE && !strcmp(front->want, request->name))
		set_name(front->refused, request->name);
}

/* is_word() - does the daemon take it as a name, and no command as an option? */
static bool is_word(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	return text[0] && text[0] != '-' && at - text < FRONT_NAME;
}

/*
 * A window may give itself any id. The daemon pushes pages of the app that it is told, so an id
 * must not name other control groups or processes; only a --map may.
 */
static bool is_harmless(const char *id)
{
	return is_word(id) && id[0] != '.' && !strchr(id, '/') && id[strspn(id, "+0123456789")];
}

/**
 * name_add_map() - add a value of --map
 * @maps: the list
 * @text: "ID=NAME"; @maps keeps pointers into it
 *
 * Return: false, if it is wrong or too much; the error was printed.
 */
bool name_add_map(struct name_maps *maps, const char *text)
{
	const char *equals = strchr(text, '=');
	struct name_map *row = &maps->rows[maps->n];

	if (!equals || equals == text || !is_word(equals + 1)) {
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
 * name_of_id() - the app of a window with an id
 * @maps: of the command line; the first that fits counts
 * @id: the window's app_id
 * @name: the app
 *
 * Return: is there a name that the daemon takes?
 */
bool name_of_id(const struct name_maps *maps, const char *id, char name[FRONT_NAME])
{
	const struct name_map *row;

	for (row = maps->rows; row < maps->rows + maps->n; row++) {
		if (strlen(id) == row->from_len && !memcmp(id, row->from, row->from_len)) {
			set_name(name, row->to);
			return true;
		}
	}
	if (!is_harmless(id))
		return false;
	set_name(name, id);
	return true;
}

/**
 * name_in_group() - the app of a process by its control group
 * @path: the group of the process
 * @group: the group of all apps, such as /apps
 * @name: the app: @path without @group
 *
 * Return: is @path below @group, with a name that the daemon takes?
 */
bool name_in_group(const char *path, const char *group, char name[FRONT_NAME])
{
	size_t len = strlen(group);

	while (len && group[len - 1] == '/')
		len--;
	if (strncmp(path, group, len) || path[len] != '/' || !is_word(path + len + 1))
		return false;
	set_name(name, path + len + 1);
	return true;
}

/* may_name() - is it a process of this user? A window may state any process id. */
static bool may_name(pid_t pid)
{
	uid_t uid;

	return pid > 1 && !proc_uid(pid, &uid) && (!getuid() || uid == getuid());
}

/**
 * name_of_pid() - the app of a window with a process id
 * @pid: the process
 * @group: the group of all apps; "": none
 * @name: the app: a control group below @group, else the process id
 *
 * Return: is there such a process, and is it this user's?
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

/**
 * toplevel_app_id() - set the app_id of a window
 * @toplevel: the window
 * @text: its app_id
 */
void toplevel_app_id(struct toplevel *toplevel, const char *text)
{
	/* A cut app_id could be the id of another app. */
	snprintf(toplevel->app_id, TOPLEVEL_ID, "%s", strlen(text) < TOPLEVEL_ID ? text : "");
}

/**
 * toplevel_done() - the compositor has sent all of a change
 * @all: the windows
 * @toplevel: the changed one
 *
 * The compositor may announce the newly active window before or after the old one becomes inactive;
 * with several seats several windows are active.
 */
void toplevel_done(struct toplevels *all, struct toplevel *toplevel)
{
	if (toplevel->active && !toplevel->was_active)
		all->front = toplevel;
	else if (!toplevel->active && all->front == toplevel)
		all->front = NULL;
	toplevel->was_active = toplevel->active;
}

/**
 * toplevel_closed() - a window is gone
 * @all: the windows
 * @toplevel: the closed one
 */
void toplevel_closed(struct toplevels *all, const struct toplevel *toplevel)
{
	if (all->front == toplevel)
		all->front = NULL;
}

/**
 * toplevel_front() - the window in front
 * @all: the windows
 *
 * Return: its app_id; "" without a window or an app_id.
 */
const char *toplevel_front(const struct toplevels *all)
{
	return all->front ? all->front->app_id : "";
}
