/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Media that are read where they lie.
 */
#ifndef MTDC_LOWER_POINT_H
#define MTDC_LOWER_POINT_H

#include <linux/types.h>

struct mtd_info;

const u8 *mtdc_point_begin(struct mtd_info *mtd);
void mtdc_point_end(struct mtd_info *mtd, const u8 *media);

#endif /* MTDC_LOWER_POINT_H */
