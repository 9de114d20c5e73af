/* SPDX-License-Identifier: GPL-2.0 */
/* Before 5.11, kernel.h has this. */
#ifndef MTDC_COMPAT_LINUX_ALIGN_H
#define MTDC_COMPAT_LINUX_ALIGN_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#include <linux/kernel.h>
#else
#include_next <linux/align.h>
#endif

#endif /* MTDC_COMPAT_LINUX_ALIGN_H */
