/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_GUARD_H
#define COMMON_GUARD_H

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
