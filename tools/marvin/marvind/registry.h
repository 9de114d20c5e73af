/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registered programs. Each has connected to the socket (door.h) and sent the number of its
 * table's descriptor. Every user may connect, so the registry checks each word of a program. A
 * program stays until its connection or its process ends, its process executes another program, or
 * its users change.
 */
#ifndef MARVIND_REGISTRY_H
#define MARVIND_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "door.h"
#include "proc.h"
#include "reclaim.h"
#include "who.h"

#define REGISTRY_MAX 64
/* Of a program's name, as it is shown. */
#define REGISTRY_NAME 16

struct program {
	struct caller caller;
	struct proc_id id;		/* pid 0: the place is free */
	uint64_t stack;			/* where its stack begins: another one after each exec() */
	bool never;			/* its memory is not touched */
	bool wrong;			/* its table is: the same */
	bool pending;			/* all of it is to be taken back now */
	bool failed;			/* it was said that it could not be */
	char name[REGISTRY_NAME];
	struct reclaim reclaim;
	uint64_t uses;			/* of what was given to the kernel; of the last look */
	uint32_t used_ms;		/* when there were more */
};

int registry_open(const char *path);
void registry_close(const char *path);
int registry_fd(void);
void registry_serve(const struct who *never, uint32_t now_ms);
void registry_look(uint32_t now_ms);
void registry_never(const struct who *never);
bool registry_check(struct program *program);
struct program *registry_find(pid_t pid);
struct program *registry_next(struct program *after);
unsigned int registry_place(const struct program *program);
void registry_set_background(struct program *program, bool background);
bool registry_background(const struct program *program);

bool registry_parse(const char *text, int *fd);

#endif
