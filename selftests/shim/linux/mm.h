/* SPDX-License-Identifier: GPL-2.0 */
/* A suite that needs them brings its own, which can refuse. */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#include <string.h>
#include <linux/types.h>

#define GFP_KERNEL		1
#define __GFP_RETRY_MAYFAIL	2
#define __GFP_NOWARN		4
#define __GFP_ZERO		8
#define GFP_NOIO		16

#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define offset_in_page(n)	((n) & (PAGE_SIZE - 1))

struct page;

extern unsigned char shim_zero_page[PAGE_SIZE];

#define ZERO_PAGE(at)		((struct page *)shim_zero_page)
#define page_address(page)	((void *)(page))

void *kvmalloc(size_t bytes, int flags);
void *kvzalloc(size_t bytes, int flags);
void kvfree(const void *memory);

static inline void kvfree_sensitive(const void *memory, size_t bytes)
{
	if (memory)
		memset((void *)memory, 0, bytes);
	kvfree(memory);
}

#endif
