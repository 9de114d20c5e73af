/* SPDX-License-Identifier: GPL-2.0 */
/* The C library reaches its error numbers through this very name. */
#include_next <linux/errno.h>
