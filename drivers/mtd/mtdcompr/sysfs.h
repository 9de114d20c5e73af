/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach and detach at run time.
 */
#ifndef MTDC_SYSFS_H
#define MTDC_SYSFS_H

int mtdc_sysfs_init(void);
void mtdc_sysfs_exit(void);

#endif /* MTDC_SYSFS_H */
