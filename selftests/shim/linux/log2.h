/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/types.h>

static inline int ilog2(u32 n)
{
	return 31 - __builtin_clz(n);
}

static inline u32 roundup_pow_of_two(u32 n)
{
	return n <= 1 ? 1 : 1U << (ilog2(n - 1) + 1);
}

#endif
