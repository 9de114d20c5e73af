/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MTD_MTD_H
#define SHIM_LINUX_MTD_MTD_H

#include <linux/errno.h>
#include <linux/types.h>

struct mtd_info {
	int index;
};

static inline bool mtd_is_eccerr(int err)
{
	return err == -EBADMSG;
}

#endif
