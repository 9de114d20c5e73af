/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MTD of a device.
 */
#ifndef MTDC_FRONT_MTD_H
#define MTDC_FRONT_MTD_H

#include <linux/types.h>

struct mtd_info;
struct mtdc_dev;

int mtdc_mtd_register(struct mtdc_dev *dev);
void mtdc_mtd_unregister(struct mtdc_dev *dev);
bool mtdc_mtd_is_ours(struct mtd_info *mtd);

#endif /* MTDC_FRONT_MTD_H */
