/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITREV_H
#define SHIM_LINUX_BITREV_H

#include <linux/types.h>

static inline u32 bitrev32(u32 n)
{
	n = (n & 0x55555555) << 1 | (n >> 1 & 0x55555555);
	n = (n & 0x33333333) << 2 | (n >> 2 & 0x33333333);
	n = (n & 0x0f0f0f0f) << 4 | (n >> 4 & 0x0f0f0f0f);
	return __builtin_bswap32(n);
}

#endif
