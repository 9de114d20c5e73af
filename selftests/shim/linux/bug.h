/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

#include <stdlib.h>
#include <linux/types.h>

#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)

/* A warning is the end. */
#define WARN_ON(cond) \
	({ bool _warn = (cond); if (_warn) abort(); _warn; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define BUG_ON(cond)		((void)WARN_ON(cond))

#endif
