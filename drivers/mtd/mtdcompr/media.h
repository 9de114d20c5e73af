/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format on the media.
 *
 * The media hold fragments and nothing else. A page is stored as a chain of one or more
 * fragments; each is a header and a part of the page's payload. The map from pages to
 * fragments is in memory only, because the contents of a swap device mean nothing to another
 * kernel than the one that wrote them.
 *
 * A header has 8 bytes. The seed of its checksum covers the rest of the identity, which takes
 * no space: magic, format version, nonce of the attachment, version of the page, place in the
 * chain, length. So a fragment of an earlier attachment or version, or space that was never
 * written, fails the checksum, as a flipped bit does.
 */
#ifndef MTDC_MEDIA_H
#define MTDC_MEDIA_H

#include <linux/types.h>

/* "mtdC" and the version of the format below. */
#define MTDC_MEDIA_MAGIC	0x4374646dU
#define MTDC_MEDIA_VERSION	1U

/**
 * struct mtdc_fragment - header of a fragment
 * @csum: checksum of the payload; its seed is made of struct mtdc_media_id and the length
 * @page: logical page of the payload
 */
struct mtdc_fragment {
	__le32 csum;
	__le32 page;
};

#define MTDC_FRAGMENT_BYTES	8U

/**
 * struct mtdc_media_id - identity of a fragment
 * @nonce: random number of this attachment
 * @page: logical page
 * @generation: version of the page's contents
 * @nr: place in the chain, from 0
 */
struct mtdc_media_id {
	u32 nonce;
	u32 page;
	u32 generation;
	u32 nr;
};

void mtdc_media_seal(void *fragment, u32 payload_bytes, const struct mtdc_media_id *id);
int mtdc_media_verify(const void *fragment, u32 payload_bytes, const struct mtdc_media_id *id);

#endif /* MTDC_MEDIA_H */
