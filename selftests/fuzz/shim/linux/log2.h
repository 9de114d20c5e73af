/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_LOG2_H
#define SHIM_FUZZ_LOG2_H

#include_next <linux/log2.h>

/* The kernel's is an int. */
#define ilog2(n)	((int)ilog2(n))

#endif
