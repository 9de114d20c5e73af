/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_PROC_H
#define COMMON_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include "parse.h"
#include "sys.h"

/* A process. The time tells it from a later one with the same id. */
struct proc_id {
	pid_t pid;
	uint64_t start;			/* clock ticks after boot */
};

ssize_t proc_text(pid_t pid, const char *name, char *text, size_t size);
int proc_read(pid_t pid, struct proc_stat *stat);
bool proc_alive(struct proc_id id);
int proc_open(struct proc_id id);
int proc_signal(struct proc_id id, int sig);
int proc_cgroup(pid_t pid, char *path, size_t size);
int proc_uid(pid_t pid, uid_t *uid);
int proc_users(pid_t pid, uid_t uids[4]);
int proc_oom_score(pid_t pid, uint64_t *score);
int proc_oom_adj(pid_t pid, char *text, size_t size);
uint64_t proc_anonymous(pid_t pid);
int proc_swapped(pid_t pid, uint64_t *bytes);

#endif
