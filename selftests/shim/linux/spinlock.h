/* SPDX-License-Identifier: GPL-2.0 */
/*
 * There is one thread. The suite plays the other tasks, in shim_before_lock() and in
 * shim_after_unlock().
 */
#ifndef SHIM_LINUX_SPINLOCK_H
#define SHIM_LINUX_SPINLOCK_H

#include <stdlib.h>
#include <asm/barrier.h>
#include <linux/types.h>

typedef struct {
	bool held;
} spinlock_t;

void shim_before_lock(spinlock_t *lock);
void shim_after_unlock(spinlock_t *lock);

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->held = false;
}

static inline void spin_lock(spinlock_t *lock)
{
	shim_before_lock(lock);
	if (lock->held)
		abort();
	lock->held = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	if (!lock->held)
		abort();
	lock->held = false;
	shim_after_unlock(lock);
}

#define DEFINE_SPINLOCK(name)	spinlock_t name

#endif
