/* SPDX-License-Identifier: GPL-2.0 */
/* Pairs are counted: mtdcore.c wants calls to come from within. */
#ifndef SHIM_LINUX_SCHED_MM_H
#define SHIM_LINUX_SCHED_MM_H

#include <linux/types.h>

extern unsigned int shim_noreclaim, shim_noio;

static inline unsigned int memalloc_noreclaim_save(void)
{
	return shim_noreclaim++;
}

static inline void memalloc_noreclaim_restore(unsigned int was)
{
	shim_noreclaim = was;
}

static inline unsigned int memalloc_noio_save(void)
{
	return shim_noio++;
}

static inline void memalloc_noio_restore(unsigned int was)
{
	shim_noio = was;
}

#endif
