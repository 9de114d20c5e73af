/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_ALIGN_H
#define SHIM_FUZZ_ALIGN_H

#include_next <linux/align.h>

#define PTR_ALIGN(p, to)	((__typeof__(p))ALIGN((unsigned long)(p), (to)))
#define IS_ALIGNED(n, to)	(((n) & ((__typeof__(n))(to) - 1)) == 0)

#endif
