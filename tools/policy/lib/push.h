/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pushes chunks of a process out, or brings them back: gathered, and advised together.
 */
#ifndef POLICY_PUSH_H
#define POLICY_PUSH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include "layout.h"
#include "proc.h"

#define PUSH_RANGES 32

struct push {
	int pidfd;
	int advice;			/* MADV_PAGEOUT or MADV_WILLNEED */
	size_t n;
	struct iovec ranges[PUSH_RANGES];
};

int push_begin(struct push *push, struct proc_id id, int advice);
int push_add(struct push *push, uint64_t address, uint64_t bytes);
uint32_t push_pages(struct push *push, const struct layout *layout, uint32_t nr, uint32_t bits);
int push_end(struct push *push);

#endif
