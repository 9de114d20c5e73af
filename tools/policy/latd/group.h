/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two control groups of latd: the protected programs are in one, the others in the other
 * one. They are made at the start, so that the memory of what begins later is charged to them
 * from its first page on; a group's memory is not charged anew when a process moves.
 *
 * Only processes that nobody has put into a group are moved. Where systemd or another manager
 * has groups, these are left as they are.
 */
#ifndef LATD_GROUP_H
#define LATD_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"
#include "who.h"

#define GROUP_APP "/latd.protected"
#define GROUP_OTHERS "/latd.others"

int group_setup(const struct config *config, uint64_t total_bytes);
bool group_used(void);
void group_arrange(enum role role, const struct candidate *process, void *arg);
int group_freeze(bool freeze);
void group_remove(void);

#endif
