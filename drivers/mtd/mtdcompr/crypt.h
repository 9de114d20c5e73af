/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sealed pages: encrypted, and with a tag that says whether they are right.
 */
#ifndef MTDC_CRYPT_H
#define MTDC_CRYPT_H

#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include "media.h"

#define MTDC_KEY_BYTES		32U
#define MTDC_TAG_BYTES		16U

/* Half of the tag, which stands behind the payload. */
#define MTDC_CRYPT_BYTES	(MTDC_TAG_BYTES - MTDC_FRAGMENT_BYTES)

/**
 * struct mtdc_crypt_id - the identity of a sealed page
 * @key: MTDC_KEY_BYTES
 * @nonce: never used with this key for other contents
 * @page: logical page
 * @generation: version of the page's contents
 * @kind: how the page is kept, an enum mtdc_kind
 */
struct mtdc_crypt_id {
	const u8 *key;
	u64 nonce;
	u32 page;
	u32 generation;
	u8 kind;
};

/**
 * mtdc_crypt_is_built() - can this module encrypt?
 *
 * Return: false if the kernel lacks the library.
 */
static inline bool mtdc_crypt_is_built(void)
{
	return IS_ENABLED(CONFIG_MTDCOMPR_CRYPT);
}

#if IS_ENABLED(CONFIG_MTDCOMPR_CRYPT)
void mtdc_crypt_seal(void *fragment, u32 payload_bytes, const struct mtdc_crypt_id *id);
int mtdc_crypt_open(void *fragment, u32 payload_bytes, const struct mtdc_crypt_id *id);
void mtdc_crypt_encrypt(u8 *text, u32 bytes, const void *with, u32 with_bytes, u64 nonce,
			const u8 *key);
bool mtdc_crypt_decrypt(u8 *text, u32 bytes, const void *with, u32 with_bytes, u64 nonce,
			const u8 *key);
#else
static inline void mtdc_crypt_seal(void *fragment, u32 payload_bytes,
				   const struct mtdc_crypt_id *id)
{
}

static inline int mtdc_crypt_open(void *fragment, u32 payload_bytes,
				  const struct mtdc_crypt_id *id)
{
	return -EBADMSG;
}
#endif

#endif /* MTDC_CRYPT_H */
