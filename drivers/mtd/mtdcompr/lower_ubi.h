/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A UBI volume as an MTD.
 */
#ifndef MTDC_LOWER_UBI_H
#define MTDC_LOWER_UBI_H

#include <linux/errno.h>
#include <linux/kconfig.h>

struct mtd_info;

#if IS_ENABLED(CONFIG_MTD_UBI)
int mtdc_lower_ubi_open(const char *which, struct mtd_info **mtd, const char **reason);
void mtdc_lower_ubi_close(struct mtd_info *mtd);
#else
static inline int mtdc_lower_ubi_open(const char *which, struct mtd_info **mtd, const char **reason)
{
	return -ENODEV;
}

static inline void mtdc_lower_ubi_close(struct mtd_info *mtd)
{
}
#endif

#endif /* MTDC_LOWER_UBI_H */
