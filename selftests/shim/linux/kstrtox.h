/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KSTRTOX_H
#define SHIM_LINUX_KSTRTOX_H

#include <ctype.h>
#include <linux/errno.h>
#include <stdlib.h>
#include <linux/types.h>

/* Unlike the C library, the kernel refuses blanks, and accepts no sign except one plus. */
static inline int kstrtou32(const char *text, unsigned int base, u32 *number)
{
	unsigned long long all;
	char *end;

	text += *text == '+';
	if (!isalnum((unsigned char)*text))
		return -EINVAL;
	all = strtoull(text, &end, (int)base);
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	if (all > U32_MAX)
		return -ERANGE;
	*number = (u32)all;
	return 0;
}

#endif
