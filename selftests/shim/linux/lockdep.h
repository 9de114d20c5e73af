/* SPDX-License-Identifier: GPL-2.0 */
/* A lock is only whether it is held: there is one thread. */
#ifndef SHIM_LINUX_LOCKDEP_H
#define SHIM_LINUX_LOCKDEP_H

#include <stdlib.h>
#include <linux/types.h>

struct mutex {
	bool held;
};

#define lockdep_assert_held(lock) do { if (!(lock)->held) abort(); } while (0)

#endif
