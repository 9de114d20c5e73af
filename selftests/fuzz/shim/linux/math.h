/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FUZZ_MATH_H
#define SHIM_FUZZ_MATH_H

#include_next <linux/math.h>

#define round_up(n, to)	((((n) - 1) | ((__typeof__(n))(to) - 1)) + 1)

#endif
