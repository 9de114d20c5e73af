/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the records of the log are.
 */
#ifndef MTDC_LOG_PAGES_H
#define MTDC_LOG_PAGES_H

#include <linux/align.h>
#include <linux/types.h>

#include "crypt.h"
#include "map.h"
#include "media.h"

/* A record begins at a multiple of this: the granule of the map. */
#define MTDC_LOG_ALIGN		4U

struct mtdc_log;

/* Length of a record, with header and padding. */
static inline u32 mtdc_log_record_bytes(u32 payload_bytes)
{
	return ALIGN(payload_bytes + MTDC_FRAGMENT_BYTES, MTDC_LOG_ALIGN);
}

/* Length of the record of a page, 0 if it has none. */
static inline u32 mtdc_log_stored_bytes(const struct mtdc_place *place)
{
	return mtdc_is_stored(place->kind) ? mtdc_log_record_bytes(place->bytes) : 0;
}

u32 mtdc_log_block_of(const struct mtdc_log *log, const struct mtdc_place *place, u32 *offset);
void mtdc_log_leave(struct mtdc_log *log, u32 page, const struct mtdc_place *place);
void mtdc_log_settle_in(struct mtdc_log *log, u32 page, struct mtdc_place *place, u32 block,
			u32 offset);
struct mtdc_crypt_id mtdc_log_crypt_id(const struct mtdc_log *log, u32 page,
				       const struct mtdc_place *place);
void mtdc_log_seal(const struct mtdc_log *log, u32 page, const struct mtdc_place *place,
		   u8 *record);
void mtdc_log_rehouse(struct mtdc_log *log, u32 from, u32 cut, u32 to, u32 base,
		      u8 *records);

#endif /* MTDC_LOG_PAGES_H */
