/* SPDX-License-Identifier: GPL-2.0 */
/* A warning is the end. */
#ifndef SHIM_FUZZ_BUG_H
#define SHIM_FUZZ_BUG_H

#include_next <linux/bug.h>
#include <stdlib.h>

#define WARN_ON(cond) \
	({ bool _warn = (cond); if (_warn) abort(); _warn; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define BUG_ON(cond)		((void)WARN_ON(cond))

#endif
