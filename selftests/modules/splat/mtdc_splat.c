// SPDX-License-Identifier: GPL-2.0
/*
 * Causes each kind of bug that the debug kernels must find, to test that they find it: `insmod
 * mtdc_splat.ko kind=leak`. The module stays loaded, and does no harm because the guest ends soon.
 */
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

static char *kind = "none";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "none, leak, freed, beyond, order, sleep, shift, race, warning or still");

/* Accessed by READ_ONCE() and WRITE_ONCE(), so that the compiler removes nothing. */
static int *lost;
static int amount = 40;

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(held);
static int shared;

static int do_none(void)
{
	return 0;
}

/* kmemleak: overwrite the only pointer. */
static int do_leak(void)
{
	WRITE_ONCE(lost, kmalloc(1024, GFP_KERNEL));
	WRITE_ONCE(lost, NULL);
	return 0;
}

/* KASAN: read after kfree(). */
static int do_freed(void)
{
	int *freed = kmalloc(64, GFP_KERNEL);

	if (!freed)
		return -ENOMEM;
	kfree(freed);
	OPTIMIZER_HIDE_VAR(freed);
	shared = READ_ONCE(*freed);
	return 0;
}

/* KASAN with vmalloc: access the byte behind the end. */
static int do_beyond(void)
{
	char *area = vmalloc(1000);

	if (!area)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(area);
	WRITE_ONCE(area[1000], 1);
	vfree(area);
	return 0;
}

/* Lockdep: take two locks in both orders; no task ever waits for them. */
static int do_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

/* DEBUG_ATOMIC_SLEEP. */
static int do_sleep(void)
{
	spin_lock(&held);
	might_sleep();
	spin_unlock(&held);
	return 0;
}

/* UBSAN: shift by more than the width of int. */
static int do_shift(void)
{
	shared = 1 << READ_ONCE(amount);
	return 0;
}

static int count_up(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

/* KCSAN: two threads add to one variable, without a lock. */
static int do_race(void)
{
	struct task_struct *other = kthread_run(count_up, NULL, "mtdc_splat");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end)) {
		shared++;
		cond_resched();
	}
	return kthread_stop(other);
}

static int do_warning(void)
{
	WARN_ON(READ_ONCE(amount));
	return 0;
}

static unsigned long busy_until;

/* Each work queues itself again while the other one waits, so one is always pending. */
static void keep_busy(struct work_struct *work)
{
	mdelay(10);
	cond_resched();
	if (time_before(jiffies, busy_until))
		schedule_work_on(0, work);
}

static DECLARE_WORK(one, keep_busy);
static DECLARE_WORK(other, keep_busy);

/* No bug: work is pending all the time, as it is while the host does not run the guest. */
static int do_still(void)
{
	busy_until = jiffies + 50 * HZ;
	schedule_work_on(0, &one);
	schedule_work_on(0, &other);
	return 0;
}

static const struct {
	const char *kind;
	int (*run)(void);
} kinds[] = {
	{ "none", do_none },
	{ "leak", do_leak },
	{ "freed", do_freed },
	{ "beyond", do_beyond },
	{ "order", do_order },
	{ "sleep", do_sleep },
	{ "shift", do_shift },
	{ "race", do_race },
	{ "warning", do_warning },
	{ "still", do_still },
};

static int __init splat_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i].kind))
			return kinds[i].run();
	return -EINVAL;
}

static void __exit splat_exit(void)
{
}

module_init(splat_init);
module_exit(splat_exit);

MODULE_DESCRIPTION("What a debug kernel has to find");
MODULE_LICENSE("GPL");
