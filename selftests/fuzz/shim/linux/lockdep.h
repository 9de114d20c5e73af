/* SPDX-License-Identifier: GPL-2.0 */
/* A lock that is taken twice, or given back twice, is the end. */
#ifndef SHIM_FUZZ_LOCKDEP_H
#define SHIM_FUZZ_LOCKDEP_H

#include_next <linux/lockdep.h>

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
