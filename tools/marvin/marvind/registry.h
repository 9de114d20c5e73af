/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that there are: each has made a file in a directory, see ../lib/register.c.
 * Everybody may make files there, so what they say is looked at.
 */
#ifndef MARVIND_REGISTRY_H
#define MARVIND_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "reclaim.h"
#include "who.h"

#define REGISTRY_MAX 64
/* Of a program's name, as it is shown. */
#define REGISTRY_NAME 16

struct program {
	pid_t pid;			/* 0: nobody */
	int pidfd;
	int fd;				/* number of its table's descriptor, in it */
	uint64_t file[2];		/* which file it is: inode, and time */
	bool seen;			/* at this look */
	bool never;			/* its memory is not touched */
	bool wrong;			/* its table is: the same */
	bool pending;			/* all of it is to be taken back now */
	bool failed;			/* it was said that it could not be */
	char name[REGISTRY_NAME];
	struct reclaim reclaim;
	uint64_t uses;			/* of what was given to the kernel; of the last look */
	uint32_t used_ms;		/* when there were more */
};

int registry_open(const char *dir, bool look_only);
void registry_close(void);
void registry_look(const struct who *never, uint32_t now_ms);
void registry_never(const struct who *never);
void registry_drop(struct program *program);
struct program *registry_find(pid_t pid);
struct program *registry_next(struct program *after);
unsigned int registry_place(const struct program *program);
void registry_set_background(struct program *program, bool background);
bool registry_background(const struct program *program);

bool registry_parse(const char *text, int *fd);

#endif
