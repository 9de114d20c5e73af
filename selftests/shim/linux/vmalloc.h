/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_VMALLOC_H
#define SHIM_LINUX_VMALLOC_H

#include <linux/mm.h>

#define vmalloc(bytes)		kvmalloc(bytes, GFP_KERNEL)
#define vzalloc(bytes)		kvzalloc(bytes, GFP_KERNEL)
#define vfree			kvfree

static inline void *__vmalloc(size_t bytes, int flags)
{
	return flags & __GFP_ZERO ? kvzalloc(bytes, flags) : kvmalloc(bytes, flags);
}

#endif
