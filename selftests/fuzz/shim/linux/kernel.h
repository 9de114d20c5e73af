/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_KERNEL_H
#define SHIM_FUZZ_KERNEL_H

#include_next <linux/kernel.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include <asm/byteorder.h>
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#define SZ_4K		0x1000
#define ENOTSUPP	524

#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))

#endif
