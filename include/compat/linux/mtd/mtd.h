/* SPDX-License-Identifier: GPL-2.0 */
/* The table of MTDs, and the number of users of an MTD before 6.5. */
#ifndef MTDC_COMPAT_LINUX_MTD_MTD_H
#define MTDC_COMPAT_LINUX_MTD_MTD_H

#include_next <linux/mtd/mtd.h>

/* Exported for drivers/mtd, in its mtdcore.h, which no package of kernel headers contains. */
extern struct mutex mtd_table_mutex;
struct mtd_info *__mtd_next_device(int i);

/*
 * Since 6.5, and in stable releases before, the number of users is a kref. In other kernels it
 * is an int that mtdblock changes without the lock of other users: if an MTD is opened twice at
 * once, an update can be lost. If the int is not 0 when the MTD is unregistered, the MTD stays
 * in the core's table. The caller corrects it: it has counted the users itself, and no user
 * can come or go.
 */
#ifdef COMPAT_MTD_USECOUNT
#define compat_mtd_settle_users(mtd, n)	((mtd)->usecount = (n))
#else
#define compat_mtd_settle_users(mtd, n)	do { } while (0)
#endif

#endif /* MTDC_COMPAT_LINUX_MTD_MTD_H */
