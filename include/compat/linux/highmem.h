/* SPDX-License-Identifier: GPL-2.0 */
/* Before 5.11, only kmap() let its caller sleep. */
#ifndef MTDC_COMPAT_LINUX_HIGHMEM_H
#define MTDC_COMPAT_LINUX_HIGHMEM_H

#include_next <linux/highmem.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define kmap_local_page(page)	kmap(page)
#define kunmap_local(address)	kunmap(kmap_to_page(address))
#endif

#endif /* MTDC_COMPAT_LINUX_HIGHMEM_H */
