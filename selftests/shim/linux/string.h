/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>
#include <linux/errno.h>
#include <linux/types.h>

static inline const void *memchr_inv(const void *memory, int byte, size_t bytes)
{
	const u8 *at = memory;

	for (; bytes; bytes--, at++)
		if (*at != (u8)byte)
			return at;
	return NULL;
}

/* With a barrier, as the kernel's: the compiler must not drop it before a free(). */
static inline void memzero_explicit(void *memory, size_t bytes)
{
	memset(memory, 0, bytes);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

static inline void *memset64(u64 *to, u64 word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = word;
	return to;
}

static inline ssize_t strscpy(char *to, const char *from, size_t room)
{
	size_t len = strlen(from);

	if (!room)
		return -E2BIG;
	memcpy(to, from, len < room ? len : room - 1);
	to[len < room ? len : room - 1] = '\0';
	return len < room ? (ssize_t)len : -E2BIG;
}

#endif
