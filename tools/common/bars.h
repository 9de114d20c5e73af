/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_BARS_H
#define COMMON_BARS_H

#include <stdbool.h>
#include <sys/types.h>
#include "proc.h"

/* Programs that the table remembers, a guess. A new one replaces the oldest. */
#define BARS 32
/*
 * The daemon leaves all programs of a user alone after so many held ones: each costs the daemon
 * some seconds, and perhaps a child that never ends. Root's programs hang by accident only.
 */
#define BARS_OF_USER 2

struct bars {
	struct proc_id programs[BARS];
	uid_t users[BARS];		/* of the programs */
	unsigned int next;
};

bool bars_has(const struct bars *bars, struct proc_id id, uid_t user);
bool bars_has_user(const struct bars *bars, uid_t user);
void bars_add(struct bars *bars, struct proc_id id, uid_t user);

#endif
