// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding and checking of fragments.
 *
 * This unit knows the format in media.h. It does not know where a fragment
 * is or what its payload means, takes no lock, sleeps, allocates and prints
 * nothing. Nothing read from the media is used before it has passed here.
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
 * xxHash, rather than crc32c, because it needs no tables and no crypto API,
 * and is as quick on ARM as on x86; against burst errors a 32-bit hash is as
 * good as a 32-bit CRC once a burst is longer than 32 bits. Half of xxh64 on
 * 64-bit machines, where it takes half the instructions of xxh32: the media
 * are only ever read by the kernel that wrote them. Kernels that were built
 * without xxHash have CRC-32.
 */
static u32 media_csum(const void *payload, u32 payload_bytes,
		      const struct mtdc_media_id *id)
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
 * @fragment: the fragment; its payload stands behind the header already
 * @payload_bytes: length of the payload
 * @id: what the fragment is
 *
 * Context: any.
 */
void mtdc_media_seal(void *fragment, u32 payload_bytes,
		     const struct mtdc_media_id *id)
{
	struct mtdc_fragment header;

	BUILD_BUG_ON(sizeof(header) != MTDC_FRAGMENT_BYTES);
	header.csum = cpu_to_le32(media_csum(fragment + sizeof(header),
					     payload_bytes, id));
	header.page = cpu_to_le32(id->page);
	memcpy(fragment, &header, sizeof(header));
}

/**
 * mtdc_media_verify() - check a fragment read from the media
 * @fragment: what was read
 * @payload_bytes: length of the payload that should be behind the header
 * @id: what the fragment should be
 *
 * Context: any.
 * Return: 0, or -EBADMSG if it is not that fragment, whole and unchanged.
 */
int mtdc_media_verify(const void *fragment, u32 payload_bytes,
		      const struct mtdc_media_id *id)
{
	struct mtdc_fragment header;

	memcpy(&header, fragment, sizeof(header));
	if (le32_to_cpu(header.page) != id->page)
		return -EBADMSG;
	if (le32_to_cpu(header.csum) !=
	    media_csum(fragment + sizeof(header), payload_bytes, id))
		return -EBADMSG;
	return 0;
}
