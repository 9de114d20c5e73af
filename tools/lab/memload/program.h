/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An app of the load "apps" that is a program of its own: it reads the line "visit" from its
 * standard input at each switch to it, and answers with one line when its task is done. The line is
 * the same each time.
 */
#ifndef MEMLOAD_PROGRAM_H
#define MEMLOAD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "app.h"
#include "proglist.h"

#define PROGRAM_LINE 256

/* What is known of it, also when it was started anew. */
struct program {
	const struct proglist_entry *entry;
	bool answered;			/* once, at least */
	char first[PROGRAM_LINE];	/* its answer then */
	bool asked;
	size_t length;			/* of what has come of the next line */
	char line[PROGRAM_LINE];
	struct app_answer before;	/* faults */
};

int program_run(const struct proglist_entry *entry, const char *group, int commands, int answers);
void program_begun(struct program *program);
int program_ask(struct program *program, pid_t pid, int commands, int answers);
int program_read(struct program *program, pid_t pid, int answers, struct app_answer *answer);
void program_kill_rest(pid_t pid);

#endif
