/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ALIGN_H
#define SHIM_LINUX_ALIGN_H

#include <linux/math.h>

#define ALIGN(n, to)		(((n) + (to) - 1) & ~((__typeof__(n))(to) - 1))

#endif
