/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each program defines the functions: fuzz/kernel.c does the work at once, and keeps delayed work
 * until the target asks for it; unit/test_lower_eraser.c has a thread.
 */
#ifndef SHIM_LINUX_WORKQUEUE_H
#define SHIM_LINUX_WORKQUEUE_H

#include <linux/kernel.h>
#include <linux/list.h>

#define WQ_MEM_RECLAIM		1
#define WQ_UNBOUND		2
#define WQ_FREEZABLE		4

struct workqueue_struct;

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct delayed_work {
	struct work_struct work;
	struct list_head entry;
	bool pending;
};

#define system_freezable_wq	((struct workqueue_struct *)0)

#define INIT_WORK(work, function)	((work)->func = (function))
#define INIT_DELAYED_WORK(dwork, function) do {				\
	(dwork)->work.func = (function);				\
	(dwork)->pending = false;					\
} while (0)

#define delayed_work_pending(w)	((w)->pending)
#define schedule_delayed_work(w, delay)	queue_delayed_work(NULL, w, delay)

static inline struct delayed_work *to_delayed_work(struct work_struct *work)
{
	return container_of(work, struct delayed_work, work);
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active, ...);
void destroy_workqueue(struct workqueue_struct *wq);
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool cancel_delayed_work_sync(struct delayed_work *work);

#endif /* SHIM_LINUX_WORKQUEUE_H */
