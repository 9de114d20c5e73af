/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that may wait for another process for ever, made by a child: aside.c has the reasons. */
#ifndef COMMON_ASIDE_H
#define COMMON_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc.h"

/* Bytes of a call's argument at most. The largest one, of pages.c, has 12 KiB. */
#define ASIDE_BYTES (64U << 10)

/* Runs in the child on a copy of the argument; no other change of memory reaches the daemon. */
typedef int64_t (*aside_fn)(void *arg);

int aside_start(void);
int64_t aside(struct proc_id id, aside_fn fn, void *arg, size_t size);
int aside_leave(aside_fn fn, void *arg);
bool aside_left(void);
bool aside_barred(struct proc_id id);
pid_t aside_pid(void);
uint64_t aside_cpu_us(void);
void aside_stop(void);
void aside_end(void);

#endif
