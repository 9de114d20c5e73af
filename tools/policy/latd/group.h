/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control groups, from one pass over the processes to the next: those that protected programs are
 * in (kept.h), and those of the others (others.h). Whoever manages groups, such as systemd, has put
 * the programs into theirs, and these are used as they are. Where nobody does, latd makes two
 * groups and puts processes of the root group into them when they begin, so that their memory is
 * charged to them from its first page on: a group's memory is not charged anew when a process
 * moves.
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
bool group_on(void);
void group_begin(void);
bool group_place(enum role role, const struct candidate *process);
bool group_end(void);
bool group_born(enum role role, const struct candidate *process);
void group_remove(void);

#endif
