/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SIZES_H
#define SHIM_LINUX_SIZES_H

#include <linux/kernel.h>

#define SZ_64K	0x00010000

#endif /* SHIM_LINUX_SIZES_H */
