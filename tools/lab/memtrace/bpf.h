/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs in the kernel that count and tell, by libbpf. They go when this program ends, however
 * it ends. Functions return 0 or a negative errno, and say the reason.
 */
#ifndef MEMTRACE_BPF_H
#define MEMTRACE_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include "cachestat.h"
#include "flights.h"

/* Calls that are counted: the names that a function has and had, the best one first. */
enum { CALL_ACCESSED, CALL_ADDED, CALL_DIRTIED, CALL_BUFFERS, CALLS };
#define CALL_NAMES 3

extern const char *const call_names[CALLS][CALL_NAMES];

bool bpf_there(void);

int callsbpf_open(void);
int callsbpf_read(struct cache_calls *calls);
void callsbpf_close(void);

int blkbpf_open(void);
int blkbpf_read(struct flights *flights, uint64_t *lost);
void blkbpf_close(void);

#endif
