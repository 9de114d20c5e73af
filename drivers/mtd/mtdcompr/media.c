// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of fragments: writing and checking them.
 *
 * This file owns the format in media.h. It must never accept a fragment that differs from the
 * expected one; the driver uses nothing that was read from the media before this check. It does
 * not know the place of a fragment, nor the meaning of its payload. The stores call it, in any
 * context.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>
#ifdef MTDC_CSUM_CRC32
#include <linux/crc32.h>
#else
#include <linux/xxhash.h>
#endif
#include <asm/byteorder.h>

#include "media.h"

/* Odd constants of xxHash's avalanche: neighbouring ids get unrelated seeds. */
#define MIX_PAGE	0x9e3779b1U
#define MIX_GENERATION	0x85ebca77U
#define MIX_LENGTH	0xc2b2ae3dU

static u32 media_seed(const struct mtdc_media_id *id, u32 payload_bytes)
{
	u32 seed = MTDC_MEDIA_MAGIC + MTDC_MEDIA_VERSION;

	seed ^= id->nonce;
	seed += id->page * MIX_PAGE;
	seed ^= seed >> 15;
	seed += (id->generation << 8 | id->nr) * MIX_GENERATION;
	seed ^= seed >> 13;
	return seed + payload_bytes * MIX_LENGTH;
}

/*
 * xxHash needs no tables and no crypto API, unlike crc32c, and is as quick on ARM as on x86. For
 * bursts of errors over 32 bits, all hashes of 32 bits are equally good. On 64-bit machines it
 * is the lower half of xxh64, which takes half the instructions of xxh32: no other machine reads
 * the media. A kernel built without xxHash has CRC-32.
 */
static u32 media_csum(const void *payload, u32 payload_bytes, const struct mtdc_media_id *id)
{
	u32 seed = media_seed(id, payload_bytes);

#ifdef MTDC_CSUM_CRC32
	return crc32_le(seed, payload, payload_bytes);
#else
	return xxhash(payload, payload_bytes, seed);
#endif
}

/**
 * mtdc_media_seal() - write the header of a fragment
 * @fragment: the fragment, with its payload after the space for the header
 * @payload_bytes: length of the payload
 * @id: its identity
 */
void mtdc_media_seal(void *fragment, u32 payload_bytes, const struct mtdc_media_id *id)
{
	struct mtdc_fragment header;

	BUILD_BUG_ON(sizeof(header) != MTDC_FRAGMENT_BYTES);
	header.csum = cpu_to_le32(media_csum(fragment + sizeof(header), payload_bytes, id));
	header.page = cpu_to_le32(id->page);
	memcpy(fragment, &header, sizeof(header));
}

/**
 * mtdc_media_verify() - check a fragment read from the media
 * @fragment: the bytes that were read
 * @payload_bytes: expected length of the payload
 * @id: expected identity
 *
 * Return: 0, or -EBADMSG if it is another fragment, or changed.
 */
int mtdc_media_verify(const void *fragment, u32 payload_bytes, const struct mtdc_media_id *id)
{
	struct mtdc_fragment header;

	memcpy(&header, fragment, sizeof(header));
	if (le32_to_cpu(header.page) != id->page ||
	    le32_to_cpu(header.csum) !=
	    media_csum(fragment + sizeof(header), payload_bytes, id))
		return -EBADMSG;
	return 0;
}
