/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that take locks of another process: process_madvise(), reads of maps, smaps and pagemap,
 * the close of a descriptor that another program made. A program can hold its
 * mmap_lock for ever, for instance by a page of a FUSE file that no server delivers. The caller of
 * such a call then waits for ever, often in a way that not even SIGKILL ends.
 *
 * So a child process makes these calls, one at a time. If the child stands still for some seconds
 * the daemon kills and forgets it, and leaves the program alone from then on. The child has no
 * descriptor of the daemon: neither the guardian's lifeline nor the lock on the list of changes
 * (undo.h) waits for its end.
 */
#ifndef POLICY_ASIDE_H
#define POLICY_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc.h"

/* Bytes of a call's argument at most. */
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

#endif
