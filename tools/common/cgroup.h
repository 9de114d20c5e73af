/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups of version 2. The name of a group is its path below the mount, as in
 * /proc/PID/cgroup: "/" is the root.
 */
#ifndef COMMON_CGROUP_H
#define COMMON_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include "sys.h"

int cgroup_find(void);
const char *cgroup_mount(void);
int cgroup_file(char *path, const char *group, const char *file);
bool cgroup_has(const char *group, const char *file);
bool cgroup_below(const char *group, const char *above);
int cgroup_move(pid_t pid, const char *group);
int cgroup_move_all(const char *from, const char *to);
int cgroup_each_pid(const char *group, int (*fn)(pid_t pid, void *arg), void *arg);
int cgroup_get(const char *group, const char *file, uint64_t *value);
int cgroup_set(const char *group, const char *file, uint64_t value);
int cgroup_stat(const char *group, const char *key, uint64_t *value);
int cgroup_freeze(const char *group, bool freeze);
int cgroup_frozen(const char *group);
bool cgroup_used_below(const char *parent, const char *controller);
int cgroup_reclaim(const char *group, uint64_t bytes, int swappiness);

#endif
