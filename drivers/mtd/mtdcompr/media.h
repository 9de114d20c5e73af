/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is written to the media.
 *
 * The media hold fragments and nothing else. A page is stored as a chain of
 * one or more fragments, each a header and then a part of the page's payload.
 * Where the fragments of a page are is known in memory only: the contents of
 * a swap device mean nothing after the kernel that wrote them is gone.
 *
 * A fragment costs 8 bytes. Everything else that would tell a right fragment
 * from a wrong one (magic, format version, which attachment wrote it, which
 * version of the page it is, its place in the chain, its length) goes into
 * the seed of the checksum, where it costs no space: a fragment left over
 * from an earlier attachment or an earlier version of the same page, or one
 * that was never written at all, fails the checksum as a flipped bit does.
 */
#ifndef MTDC_MEDIA_H
#define MTDC_MEDIA_H

#include <linux/types.h>

/* "mtdC" and the version of the format below. */
#define MTDC_MEDIA_MAGIC	0x4374646dU
#define MTDC_MEDIA_VERSION	1U

/**
 * struct mtdc_fragment - header of a fragment
 * @csum: checksum of the payload after the header, seeded with
 *	mtdc_media_seed()
 * @page: logical page that the payload belongs to
 */
struct mtdc_fragment {
	__le32 csum;
	__le32 page;
};

#define MTDC_FRAGMENT_BYTES	8U

/**
 * struct mtdc_media_id - what tells a fragment from every other one
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

void mtdc_media_seal(void *fragment, u32 payload_bytes,
		     const struct mtdc_media_id *id);
int mtdc_media_verify(const void *fragment, u32 payload_bytes,
		      const struct mtdc_media_id *id);

#endif /* MTDC_MEDIA_H */
