/* SPDX-License-Identifier: GPL-2.0 */
/* The machine never suspends, so no notifier is called. */
#ifndef SHIM_LINUX_SUSPEND_H
#define SHIM_LINUX_SUSPEND_H

#include <linux/notifier.h>

#define PM_HIBERNATION_PREPARE	1

#define register_pm_notifier(nb)	((void)(nb), 0)
#define unregister_pm_notifier(nb)	((void)(nb))

#endif /* SHIM_LINUX_SUSPEND_H */
