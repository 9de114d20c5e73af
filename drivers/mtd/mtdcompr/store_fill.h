/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that are one word over and over.
 */
#ifndef MTDC_STORE_FILL_H
#define MTDC_STORE_FILL_H

#include <linux/types.h>

bool mtdc_fill_detect(const void *page, u32 bytes, u64 *word);
void mtdc_fill_expand(void *page, u32 bytes, u64 word);

#endif /* MTDC_STORE_FILL_H */
