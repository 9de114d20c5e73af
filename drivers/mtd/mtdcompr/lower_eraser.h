/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Erases with a time limit.
 */
#ifndef MTDC_LOWER_ERASER_H
#define MTDC_LOWER_ERASER_H

#include <linux/types.h>

struct mtd_info;
struct mtdc_eraser;

struct mtdc_eraser *
mtdc_eraser_create(int (*erase)(struct mtd_info *mtd, u64 offset, u32 bytes));
void mtdc_eraser_destroy(struct mtdc_eraser *eraser);
int mtdc_eraser_erase(struct mtdc_eraser *eraser, struct mtd_info *mtd, u64 offset, u32 bytes);
bool mtdc_eraser_is_at(struct mtdc_eraser *eraser, u64 offset, u32 bytes);

#endif /* MTDC_LOWER_ERASER_H */
