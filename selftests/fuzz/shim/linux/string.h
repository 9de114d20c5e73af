/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_STRING_H
#define SHIM_FUZZ_STRING_H

#include_next <linux/string.h>
#include <linux/errno.h>

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
