/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ALIGN_H
#define SHIM_LINUX_ALIGN_H

#include <linux/math.h>

#define ALIGN(n, to)		(((n) + (to) - 1) & ~((__typeof__(n))(to) - 1))
#define PTR_ALIGN(p, to)	((__typeof__(p))ALIGN((unsigned long)(p), (to)))
#define IS_ALIGNED(n, to)	(((n) & ((__typeof__(n))(to) - 1)) == 0)

#endif
