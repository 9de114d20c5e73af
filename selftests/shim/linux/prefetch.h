/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_PREFETCH_H
#define SHIM_LINUX_PREFETCH_H

static inline void prefetch(const void *at)
{
	__builtin_prefetch(at);
}

#endif
