/* SPDX-License-Identifier: GPL-2.0 */
/* The C library reaches its own through this very name. */
#ifndef SHIM_LINUX_STDDEF_H
#define SHIM_LINUX_STDDEF_H

#include <stddef.h>

#endif
