/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SPINLOCK_H
#define SHIM_LINUX_SPINLOCK_H

#include <linux/lockdep.h>

typedef struct mutex spinlock_t;
#define spin_lock_init	mutex_init
#define spin_lock	mutex_lock
#define spin_unlock	mutex_unlock

#endif
