/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The users of an MTD, counted right: before 6.5, and in older kernels until a stable
 * release brought the kref, the count is an int. mtdblock changes it without the lock
 * that others hold, so that an update may be lost when an MTD is opened twice at once.
 * An MTD with a count that is not 0 stays in the core's table when it is unregistered.
 */
#ifndef MTDC_COMPAT_LINUX_MTD_MTD_H
#define MTDC_COMPAT_LINUX_MTD_MTD_H

#include_next <linux/mtd/mtd.h>

/* For whoever has counted himself, and has made sure that no users come or go. */
#ifdef COMPAT_MTD_USECOUNT
#define compat_mtd_settle_users(mtd, n)	((mtd)->usecount = (n))
#else
#define compat_mtd_settle_users(mtd, n)	do { } while (0)
#endif

#endif /* MTDC_COMPAT_LINUX_MTD_MTD_H */
