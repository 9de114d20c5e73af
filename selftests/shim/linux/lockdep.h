/* SPDX-License-Identifier: GPL-2.0 */
/*
 * There is one thread, so a lock only knows whether it is held. The program aborts if a lock is
 * taken twice or released twice.
 */
#ifndef SHIM_LINUX_LOCKDEP_H
#define SHIM_LINUX_LOCKDEP_H

#include <stdlib.h>
#include <linux/types.h>

struct mutex {
	bool held;
};

#define lockdep_assert_held(lock) do { if (!(lock)->held) abort(); } while (0)

#define DEFINE_MUTEX(name)	struct mutex name

static inline void mutex_init(struct mutex *lock)
{
	lock->held = false;
}

static inline void mutex_lock(struct mutex *lock)
{
	if (lock->held)
		abort();
	lock->held = true;
}

static inline bool mutex_trylock(struct mutex *lock)
{
	if (lock->held)
		return false;
	lock->held = true;
	return true;
}

static inline void mutex_unlock(struct mutex *lock)
{
	lockdep_assert_held(lock);
	lock->held = false;
}

static inline void mutex_destroy(struct mutex *lock)
{
	if (lock->held)
		abort();
}

#endif
