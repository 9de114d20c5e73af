/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>
#include <linux/types.h>

static inline const void *memchr_inv(const void *memory, int byte, size_t bytes)
{
	const u8 *at = memory;

	for (; bytes; bytes--, at++)
		if (*at != (u8)byte)
			return at;
	return NULL;
}

static inline void *memset64(u64 *to, u64 word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = word;
	return to;
}

#endif
