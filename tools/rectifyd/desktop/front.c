// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "front.h"

static void set(char *where, const char *name)
{
	snprintf(where, FRONT_NAME, "%s", name);
}

/**
 * front_event() - the screen was looked at
 * @front: what is known
 * @name: the app that is in front on it; "": none, or none that can be told of
 * @now_ms: the time
 */
void front_event(struct front *front, const char *name, uint64_t now_ms)
{
	if (!strcmp(front->want, name))
		return;
	set(front->want, name);
	set(front->refused, "");
	front->since_ms = now_ms;
}

/**
 * front_next() - what is to be told
 * @front: what is known
 * @now_ms: the time
 * @request: filled in, if it is to be told now
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
		set(request->name, front->told);
		return 0;
	}
	if (!strcmp(front->want, front->told))
		return -1;
	request->verb = "fg";
	set(request->name, front->want);
	return 0;
}

/**
 * front_answer() - what has become of a request
 * @front: what is known; the screen may have changed since
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
		set(front->told, request->name);
	/* A daemon that is not there, or is another one by now, knows of none in front. */
	if (!fg || answer == FRONT_NOBODY)
		set(front->told, "");
	if (fg && answer != FRONT_DONE && !strcmp(front->want, request->name))
		set(front->refused, request->name);
}
