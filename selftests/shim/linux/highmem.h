/* SPDX-License-Identifier: GPL-2.0 */
/* A page is its memory. */
#ifndef SHIM_LINUX_HIGHMEM_H
#define SHIM_LINUX_HIGHMEM_H

#define kmap_local_page(page)	((void *)(page))
#define kunmap_local(address)	((void)(address))
#define flush_dcache_page(page)	((void)(page))

#endif
