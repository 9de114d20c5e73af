/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_PAGES_H
#define COMMON_PAGES_H

#include "layout.h"
#include "proc.h"

typedef bool (*pages_due_fn)(uint32_t nr, void *arg);
typedef void (*pages_fn)(uint32_t nr, uint32_t in, uint32_t out, void *arg);

int pages_layout(struct proc_id id, struct layout *layout);
int pages_each(struct proc_id id, const struct layout *layout, pages_due_fn due, pages_fn fn,
	       void *arg);

#endif
