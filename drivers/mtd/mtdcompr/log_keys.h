/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A key for each eraseblock of the log.
 */
#ifndef MTDC_LOG_KEYS_H
#define MTDC_LOG_KEYS_H

#include <linux/types.h>

#include "crypt.h"

/**
 * struct mtdc_log_keys - the keys of a log
 * @at: the key of each block; NULL if records are not encrypted
 *
 * A block has a key while it has live records.
 */
struct mtdc_log_keys {
	u8 (*at)[MTDC_KEY_BYTES];
};

size_t mtdc_log_keys_memory(u32 blocks);
void mtdc_log_keys_make(struct mtdc_log_keys *keys, u32 block);
void mtdc_log_keys_wipe(struct mtdc_log_keys *keys, u32 block);
void mtdc_log_keys_replace(struct mtdc_log_keys *keys, u32 blocks);

#endif /* MTDC_LOG_KEYS_H */
