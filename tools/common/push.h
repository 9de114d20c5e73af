/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_PUSH_H
#define COMMON_PUSH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include "layout.h"
#include "proc.h"

/* Ranges of a call at most, a guess; the kernel takes up to 1024. */
#define PUSH_RANGES 128

struct push {
	struct proc_id id;
	int advice;			/* MADV_PAGEOUT or MADV_WILLNEED */
	uint64_t done;			/* bytes of addresses that were advised */
	size_t n;
	struct iovec ranges[PUSH_RANGES];
};

void push_begin(struct push *push, struct proc_id id, int advice);
int push_add(struct push *push, uint64_t address, uint64_t bytes);
uint32_t push_pages(struct push *push, const struct layout *layout, uint32_t nr, uint32_t bits);
int push_end(struct push *push);
int64_t push_process(struct proc_id id, uint64_t limit, uint64_t *from);
int64_t push_fetch(struct proc_id id, uint64_t limit);

#endif
