/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Names and limits of MTDCOMPR that user space may rely on.
 */
#ifndef _UAPI_LINUX_MTDCOMPR_H
#define _UAPI_LINUX_MTDCOMPR_H

/* Version of the statistics in /proc/mtdcompr; keys are only ever appended. */
#define MTDCOMPR_STATS_VERSION	1

/* Where things are. */
#define MTDCOMPR_PROC_DIR	"mtdcompr"	/* below /proc */
#define MTDCOMPR_SYSFS_DEVICE	"mtdcompr"	/* below /sys/devices */

/* Devices at a time. */
#define MTDCOMPR_DEVICES_MAX	32

/* Bytes of a device's name, without a NUL. */
#define MTDCOMPR_NAME_MAX	31

/* Exported size, in percent of the media. */
#define MTDCOMPR_RATIO_DEFAULT	300
#define MTDCOMPR_RATIO_MAX	1000

/* How uneven the erase counts of flash may be. */
#define MTDCOMPR_SPREAD_MAX	1000000

/* Page writes for each page that is moved for even wear. */
#define MTDCOMPR_WEARLEVEL_MAX	1000000

#endif /* _UAPI_LINUX_MTDCOMPR_H */
