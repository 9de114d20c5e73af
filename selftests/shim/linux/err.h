/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ERR_H
#define SHIM_LINUX_ERR_H

#include <linux/errno.h>
#include <linux/types.h>

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= -4095UL;
}

static inline int PTR_ERR_OR_ZERO(const void *p)
{
	return IS_ERR(p) ? PTR_ERR(p) : 0;
}

#endif
