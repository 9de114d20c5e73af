/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The requests of a daemon's control socket, as a table: each has a verb, and may have an argument.
 */
#ifndef COMMON_VERB_H
#define COMMON_VERB_H

#include <sys/types.h>
#include "run.h"
#include "writer.h"

struct control_request {
	const char *verb;
	const char *argument;		/* "" without */
	pid_t pid;			/* the argument of a verb that takes a "PID" */
	const struct daemon_run *run;
};

/* A table of them ends with a name that is NULL. */
struct control_verb {
	const char *name;
	const char *argument;		/* "PID", or another word in capitals; NULL: none */
	/* Writes a status, or with put_error() why it failed. */
	void (*answer)(struct writer *writer, const struct control_request *request);
};

void control_answer(const struct control_verb *verbs, const char *text, char *reply,
		    const struct daemon_run *run);

#endif
