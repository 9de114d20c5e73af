/* SPDX-License-Identifier: GPL-2.0 */
/* There is one task, which submits no I/O to block devices. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#include <stddef.h>

struct bio_list;

struct task_struct {
	struct bio_list *bio_list;
};

static struct task_struct the_task;
#define current	(&the_task)

#endif
