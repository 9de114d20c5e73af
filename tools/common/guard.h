/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guardian: a process that waits for the end of the daemon, whatever ends it, and then undoes
 * what undo.h has written down. A daemon that hangs is as good as ended: the guardian kills it.
 * The daemon watches the guardian in turn.
 */
#ifndef POLICY_GUARD_H
#define POLICY_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

void guard_beat(void);
void guard_release(void);
void guard_also(void (*before)(void), void (*after)(void));
void guard_socket(const char *path);
int guard_start(void);
bool guard_gone(void);
pid_t guard_pid(void);
int guard_protect(void);

#endif
