/* SPDX-License-Identifier: GPL-2.0 */
/* A suite that needs them brings its own, which can refuse. */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#include <linux/types.h>

#define GFP_KERNEL		1
#define __GFP_RETRY_MAYFAIL	2
#define __GFP_NOWARN		4

void *kvmalloc(size_t bytes, int flags);
void *kvzalloc(size_t bytes, int flags);
void kvfree(const void *memory);

#endif
