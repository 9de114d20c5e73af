/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that held the helper (aside.h), and users whose programs did so repeatedly: all of these
 * are left alone. PURE.
 */
#ifndef POLICY_BARS_H
#define POLICY_BARS_H

#include <stdbool.h>
#include <sys/types.h>
#include "proc.h"

/* Programs that are remembered at a time; beyond that the oldest is forgotten. */
#define BARS 32
/*
 * A user with so many held programs is left alone as a whole: each of them costs the daemon some
 * seconds, and perhaps a child that never ends. Not root, whose programs hang without ill will.
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
