/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of a device with a log, beside the contents of its pages. */
#ifndef FUZZ_DEVICE_LOG_H
#define FUZZ_DEVICE_LOG_H

#include "dev.h"
#include "mtdcore.h"

struct mtdc_log *device_log(const struct mtdc_store *store);
void device_log_new(void);
void device_log_attached(const struct mtdc_store *store, const struct chip *chip);
void device_log_detached(const struct mtdc_log_geo *geo, const struct chip *chip);
void device_log_damaged(const struct mtdc_log_geo *geo, const struct chip *chip, u32 at,
			u32 bytes);
void device_log_check(struct mtdc_store *store, const struct chip *chip);
void device_log_check_idle(struct mtdc_store *store);
void device_log_check_empty(struct mtdc_store *store);

#endif /* FUZZ_DEVICE_LOG_H */
