/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MATH64_H
#define SHIM_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#ifdef __SIZEOF_INT128__
static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor)
{
	return (unsigned __int128)a * mul / divisor;
}
#endif

#endif
