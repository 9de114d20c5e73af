/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the page table of a process: what is in memory and what is in the swap.
 */
#ifndef POLICY_PAGES_H
#define POLICY_PAGES_H

#include "layout.h"

typedef bool (*pages_due_fn)(uint32_t nr, void *arg);
typedef void (*pages_fn)(uint32_t nr, uint32_t in, uint32_t out, void *arg);

int pages_layout(int pid, struct layout *layout);
int pages_open(int pid);
int pages_each(int fd, const struct layout *layout, pages_due_fn due, pages_fn fn, void *arg);

#endif
