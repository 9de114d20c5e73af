/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Seals: what tells the present version of a page from everything else on the media.
 */
#ifndef MTDC_STORE_SEALS_H
#define MTDC_STORE_SEALS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "crypt.h"
#include "map.h"
#include "media.h"

/**
 * enum mtdc_seal - how pages are sealed
 * @MTDC_SEAL_PLAIN: a checksum for each fragment; nothing is encrypted
 * @MTDC_SEAL_COUNTED: encrypted with the key of the attachment; a counter is the nonce
 * @MTDC_SEAL_BLOCKS: encrypted with the key of the eraseblock, by the log
 */
enum mtdc_seal {
	MTDC_SEAL_PLAIN,
	MTDC_SEAL_COUNTED,
	MTDC_SEAL_BLOCKS
};

/**
 * struct mtdc_seals - the seals of one store
 * @seal: (I) how pages are sealed
 * @nonce: (I) tells the plain fragments of this attachment from earlier ones
 * @key: (I) for MTDC_SEAL_COUNTED, until it is wiped or replaced
 * @count: counts the versions of all pages
 *
 * I: constant.
 */
struct mtdc_seals {
	enum mtdc_seal seal;
	u32 nonce;
	u8 key[MTDC_KEY_BYTES];
	atomic64_t count;
};

void mtdc_seals_init(struct mtdc_seals *seals, enum mtdc_seal seal);
void mtdc_seals_wipe(struct mtdc_seals *seals);
void mtdc_seals_replace(struct mtdc_seals *seals);
u32 mtdc_seals_tail(enum mtdc_seal seal);
u32 mtdc_seals_generation(struct mtdc_seals *seals);
struct mtdc_media_id mtdc_seals_id(const struct mtdc_seals *seals, u32 page, u32 generation,
				   unsigned int nr);
int mtdc_seals_close(struct mtdc_seals *seals, void *fragment, u32 page, struct mtdc_place *place);
int mtdc_seals_open(const struct mtdc_seals *seals, void *fragment, u32 page,
		    const struct mtdc_place *place);

/**
 * mtdc_seals_encrypt() - are pages encrypted?
 * @seals: the seals
 *
 * Return: true if they are.
 */
static inline bool mtdc_seals_encrypt(const struct mtdc_seals *seals)
{
	return seals->seal != MTDC_SEAL_PLAIN;
}

#endif /* MTDC_STORE_SEALS_H */
