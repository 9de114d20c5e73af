/* SPDX-License-Identifier: GPL-2.0 */
/* There is one task, which submits no I/O to block devices. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

struct bio_list;

#define PF_KTHREAD	1
#define PF_SUSPEND_TASK	2
#define PF_MEMALLOC	4
#define PF_LOCAL_THROTTLE	8

struct task_struct {
	struct bio_list *bio_list;
	unsigned int flags;
};

extern struct task_struct shim_task;
#define current	(&shim_task)

static inline void current_restore_flags(unsigned long from, unsigned long flags)
{
	current->flags = (unsigned int)((current->flags & ~flags) | (from & flags));
}

static inline void cond_resched(void)
{
}

#endif /* SHIM_LINUX_SCHED_H */
