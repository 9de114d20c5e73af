/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups, from one pass over the processes to the next: those that protected programs are
 * in (kept.h), and the others' (others.h). Where a manager such as systemd has put programs into
 * groups, latd uses these groups. latd also makes two groups and moves processes of the root group
 * into them when they begin, because the kernel does not charge a process's memory anew when the
 * process moves later.
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
void group_begin(void);
bool group_place(enum role role, const struct candidate *process);
bool group_end(void);
bool group_born(enum role role, const struct candidate *process);
void group_remove(void);

#endif
