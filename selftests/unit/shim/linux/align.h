/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/math.h>

#define ALIGN(n, to) (((n) + (to) - 1) / (to) * (to))
