/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process of the load "apps": a program of its own, or a synthetic app. It reads the line
 * "visit" from its standard input at each switch to it, and answers with one line when its task
 * is done. The line is the same each time.
 */
#ifndef MEMLOAD_PROGRAM_H
#define MEMLOAD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "app.h"

#define PROGRAM_NAME	16U
#define PROGRAM_COMMAND	512U
#define PROGRAM_LINE	256U

struct faults {
	uint64_t major;
	uint64_t minor;
};

struct program {
	char name[PROGRAM_NAME];
	char command[PROGRAM_COMMAND];	/* empty: a synthetic app */
	pid_t pid;			/* 0: no process */
	int commands;			/* pipes, if there is a process */
	int answers;
	bool asked;
	char first[PROGRAM_LINE];	/* its first answer; empty: none yet */
	char line[PROGRAM_LINE];	/* the part of an answer read so far */
	size_t length;
	struct faults faults;		/* during the last visit */
};

unsigned int programs_read(struct program *programs, const char *name);
int program_enter_group(const char *dir, const char *name);
int program_exec(const struct program *program);
int program_ask(struct program *program);
void program_leave(struct program *program);
int program_read(struct program *program);
void program_hang_up(struct program *program);
void program_kill_group(const struct program *program);

#endif
