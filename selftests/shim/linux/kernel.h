/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
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
#include <linux/types.h>

#define SYSTEM_RUNNING		1
#define system_state		SYSTEM_RUNNING

#define SZ_4K			0x1000
#define ENOTSUPP		524

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))

/* The kernel's scnprintf() returns the bytes written; the suites' buffers are large enough. */
#define scnprintf		snprintf

#endif
