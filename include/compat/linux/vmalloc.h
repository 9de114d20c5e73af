/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Before 5.13, vmalloc_to_page() warns about large pages, which device memory may be mapped by.
 * There is no page then, as for device memory without large pages.
 */
#ifndef MTDC_COMPAT_LINUX_VMALLOC_H
#define MTDC_COMPAT_LINUX_VMALLOC_H

#include <linux/version.h>
#include_next <linux/vmalloc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
#include <linux/mm.h>

#define vmalloc_to_pfn(at)	((void)(at), ~0UL)
#endif

#endif /* MTDC_COMPAT_LINUX_VMALLOC_H */
