/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_REBOOT_H
#define SHIM_LINUX_REBOOT_H

#include <linux/notifier.h>

#define register_reboot_notifier(nb)	((void)(nb), 0)
#define unregister_reboot_notifier(nb)	((void)(nb))

#endif
