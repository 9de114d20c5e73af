/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>
#include <linux/mm.h>

static inline void *kzalloc(size_t bytes, int flags)
{
	(void)flags;
	return calloc(1, bytes);
}

static inline void kfree(void *memory)
{
	free(memory);
}

#endif
