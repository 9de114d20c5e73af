/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_MM_H
#define SHIM_FUZZ_MM_H

#include_next <linux/mm.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define offset_in_page(n)	((n) & (PAGE_SIZE - 1))
#define __GFP_ZERO		8
#define GFP_NOIO		16

struct page;

extern unsigned char shim_zero_page[PAGE_SIZE];

#define ZERO_PAGE(at)		((struct page *)shim_zero_page)
#define page_address(page)	((void *)(page))

#endif
