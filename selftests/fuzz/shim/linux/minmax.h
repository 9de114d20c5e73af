/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_MINMAX_H
#define SHIM_FUZZ_MINMAX_H

#include_next <linux/minmax.h>

#define min3(a, b, c)		min((__typeof__(a))min(a, b), c)

#endif
