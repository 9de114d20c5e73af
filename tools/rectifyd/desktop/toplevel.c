// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "toplevel.h"

/**
 * toplevel_app_id() - the compositor has said what a window calls itself
 * @toplevel: the window
 * @text: its app_id
 */
void toplevel_app_id(struct toplevel *toplevel, const char *text)
{
	/* What is cut would be another one's. */
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
 * toplevel_front() - what is in front
 * @all: the windows
 *
 * Return: its app_id; "", if there is none, or it has none.
 */
const char *toplevel_front(const struct toplevels *all)
{
	return all->front ? all->front->app_id : "";
}
