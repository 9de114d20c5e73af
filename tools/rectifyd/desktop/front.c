// SPDX-License-Identifier: GPL-2.0
/*
 * Windows on the screen become requests to the daemon. This file asks no display and no daemon, so
 * that all of it can be tested without them.
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
 * front_event() - the screen was looked at
 * @front: the state
 * @name: the app that is in front on it; "": none, or none that can be told of
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
 * An app that the daemon does not know took the place of the one that it knows: that is at the
 * back, then.
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
 * front_answer() - the daemon has answered a request
 * @front: the state; the screen may have changed since
 * @request: of front_next()
 * @answer: to it
 *
 * Nothing is told twice in vain: the next switch is the next try.
 */
void front_answer(struct front *front, const struct front_request *request,
		  enum front_answer answer)
{
	int fg = !strcmp(request->verb, "fg");

	if (fg && answer == FRONT_DONE)
		set_name(front->told, request->name);
	/* A daemon that is not there, or is another one by now, knows of none in front. */
	if (!fg || answer == FRONT_NOBODY)
		set_name(front->told, "");
	if (fg && answer != FRONT_DONE && !strcmp(front->want, request->name))
		set_name(front->refused, request->name);
}

/* is_word() - the daemon takes it, and no command takes it for an option */
static bool is_word(const char *text)
{
	const char *at;

	for (at = text; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	return text[0] && text[0] != '-' && at - text < FRONT_NAME;
}

/*
 * A window may call itself anything. It shall not name a control group that is none of the apps,
 * or a process, which the daemon would push out: only a --map may.
 */
static bool is_harmless(const char *id)
{
	return is_word(id) && id[0] != '.' && !strchr(id, '/') && id[strspn(id, "+0123456789")];
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
 * name_of_id() - the app of a window that tells its id
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
 * name_in_group() - the app whose control group is below the group of the apps
 * @path: the group of a process
 * @group: of the apps, such as /apps
 * @name: what follows: most often the last part of @path
 *
 * Return: is it below, with a name that can be told?
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

/* may_name() - a window says whose it is: it may name processes of the user only */
static bool may_name(pid_t pid)
{
	uid_t uid;

	return pid > 1 && !proc_uid(pid, &uid) && (!getuid() || uid == getuid());
}

/**
 * name_of_pid() - the app of a window that says which process it belongs to
 * @pid: the process
 * @group: of the apps; "": none
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

/**
 * toplevel_app_id() - the compositor has said what a window calls itself
 * @toplevel: the window
 * @text: its app_id
 */
void toplevel_app_id(struct toplevel *toplevel, const char *text)
{
	/* A part of it would be the id of another app. */
	snprintf(toplevel->app_id, TOPLEVEL_ID, "%s", strlen(text) < TOPLEVEL_ID ? text : "");
}

/**
 * toplevel_done() - all of a change has been told
 * @all: the windows
 * @toplevel: one of them
 *
 * A compositor may tell of the window that becomes active before it tells of the one that was, or
 * after; and with several seats several are active.
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
 * @toplevel: the one
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
