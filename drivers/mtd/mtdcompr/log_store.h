/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages on flash that has to be erased: packed into a log.
 */
#ifndef MTDC_LOG_STORE_H
#define MTDC_LOG_STORE_H

#include <linux/types.h>

#include "log.h"

struct mtdc_flash;
struct mtdc_store;
struct mtdc_store_ops;

extern const struct mtdc_store_ops mtdc_log_store_ops;

int mtdc_store_log_geo(const struct mtdc_flash *flash, u32 page_bytes, bool encrypt,
		       struct mtdc_log_geo *geo);
int mtdc_store_log_count(struct mtdc_store *store,
			 const struct mtdc_log_geo *geo, u32 *good);
int mtdc_store_log_scan(struct mtdc_store *store);

#endif /* MTDC_LOG_STORE_H */
