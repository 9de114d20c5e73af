/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's xxh32() is this library's: no second copy that might differ. */
#ifndef SHIM_LINUX_XXHASH_H
#define SHIM_LINUX_XXHASH_H

#include <linux/types.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline u32 xxh32(const void *input, size_t length, u32 seed)
{
	return XXH32(input, length, seed);
}

#endif
