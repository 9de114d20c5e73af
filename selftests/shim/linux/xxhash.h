/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's xxhash() is this library's: no second copy that might differ. */
#ifndef SHIM_LINUX_XXHASH_H
#define SHIM_LINUX_XXHASH_H

#include <linux/types.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline unsigned long xxhash(const void *input, size_t length, u64 seed)
{
	return sizeof(long) == 8 ? XXH64(input, length, seed) :
				   XXH32(input, length, seed);
}

#endif
