/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that is watched.
 */
#ifndef MEMTRACE_TARGET_H
#define MEMTRACE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
	pid_t pid;
	uint64_t start;			/* so that a later process of the same id is none of ours */
	char name[64];			/* as of the last look */
};

int target_find(struct target *target, pid_t pid, const char *comm);
bool target_alive(struct target *target);
int target_path(const struct target *target, const char *file, char *path, size_t size);

#endif
