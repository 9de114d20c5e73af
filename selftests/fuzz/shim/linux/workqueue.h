/* SPDX-License-Identifier: GPL-2.0 */
/* Work that is asked for is never done: no time passes. */
#ifndef SHIM_LINUX_WORKQUEUE_H
#define SHIM_LINUX_WORKQUEUE_H

#include <stdbool.h>

#include <linux/kernel.h>

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct delayed_work {
	struct work_struct work;
};

struct workqueue_struct;

#define system_freezable_wq	((struct workqueue_struct *)0)

#define INIT_DELAYED_WORK(dwork, function)	((dwork)->work.func = (function))

static inline struct delayed_work *to_delayed_work(struct work_struct *work)
{
	return container_of(work, struct delayed_work, work);
}

static inline bool queue_delayed_work(struct workqueue_struct *wq,
				      struct delayed_work *work,
				      unsigned long delay)
{
	return true;
}

static inline bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return false;
}

#endif /* SHIM_LINUX_WORKQUEUE_H */
