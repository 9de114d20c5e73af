/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups: that of the protected programs, and that of the others. Where nobody manages
 * groups, latd makes two and puts processes into them when they begin, so that their memory is
 * charged to them from its first page on: a group's memory is not charged anew when a process
 * moves. Where systemd or another manager has put a program into a group, that group is used as
 * it is: the one of the first protected program, and the one that others.touch_cgroup names.
 */
#ifndef LATD_GROUP_H
#define LATD_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"
#include "role.h"

#define GROUP_APP "/latd.protected"
#define GROUP_OTHERS "/latd.others"

int group_setup(const struct config *config, uint64_t total_bytes);
const char *group_app(void);
const char *group_others(void);
void group_arrange(enum role role, const struct candidate *process, void *arg);
int group_freeze(bool freeze);
void group_remove(void);

#endif
