// SPDX-License-Identifier: GPL-2.0
/*
 * Before the system hibernates.
 *
 * This file knows when that is. Which devices would lose what is on them, it does not
 * know: see dev.c.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "dev.h"
#include "pm.h"

/* Everybody still runs. What was begun is undone by the kernel after an error. */
static int pm_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	return notifier_from_errno(mtdc_dev_may_hibernate());
}

static struct notifier_block pm_nb = {
	.notifier_call = pm_notify,
};

/**
 * mtdc_pm_init() - be asked from now on
 *
 * Context: process, may sleep.
 * Return: 0, or an errno.
 */
int mtdc_pm_init(void)
{
	return register_pm_notifier(&pm_nb);
}

/**
 * mtdc_pm_exit() - no more
 *
 * Context: process, may sleep; waits for who is asking.
 */
void mtdc_pm_exit(void)
{
	unregister_pm_notifier(&pm_nb);
}
