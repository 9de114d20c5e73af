/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LIMITS_H
#define SHIM_LINUX_LIMITS_H

/* The C library reaches its own limits through this very name. */
#include_next <linux/limits.h>
#include <limits.h>

#endif
