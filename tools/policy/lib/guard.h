/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guardian: a process that does nothing but wait for the end of the daemon, whatever ends
 * it, and then undoes what undo.h has written down. The daemon watches it in turn.
 */
#ifndef POLICY_GUARD_H
#define POLICY_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

void guard_also(void (*clean)(void));
int guard_start(void);
bool guard_gone(void);
pid_t guard_pid(void);
int guard_protect(void);

#endif
