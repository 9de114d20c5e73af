// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed pages: ChaCha20-Poly1305 (RFC 8439) of the kernel's library.
 *
 * This unit owns the format of a sealed page. A page is compressed first, then sealed: its payload
 * is encrypted, and a tag of 16 bytes covers the payload and the page's identity. The tag's second
 * half stands before the payload, where a plain fragment has its checksum and page number, and
 * the first half behind it. So both have the same layout, and a sealed page takes 8 bytes more.
 *
 * The unit must never give out a payload whose tag is wrong. It owns no key and chooses no nonce:
 * the stores do. It takes no lock, sleeps, allocates and prints nothing.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include <crypto/chacha20poly1305.h>

#include "crypt.h"

/* The associated data: the tag covers them, too. */
struct bound {
	__le32 magic;
	__le32 page;
	__le32 generation;
	__le32 payload_bytes;
	u8 kind;
	u8 zero[3];
};

static struct bound bound_of(const struct mtdc_crypt_id *id, u32 payload_bytes)
{
	return (struct bound) {
		.magic = cpu_to_le32(MTDC_MEDIA_MAGIC + MTDC_MEDIA_VERSION),
		.page = cpu_to_le32(id->page),
		.generation = cpu_to_le32(id->generation),
		.payload_bytes = cpu_to_le32(payload_bytes),
		.kind = id->kind,
	};
}

/**
 * mtdc_crypt_encrypt() - encrypt in place
 * @text: the bytes, with room for a tag of MTDC_TAG_BYTES behind them
 * @bytes: their number
 * @with: associated data
 * @with_bytes: their length
 * @nonce: never used before with this key
 * @key: MTDC_KEY_BYTES
 */
void mtdc_crypt_encrypt(u8 *text, u32 bytes, const void *with, u32 with_bytes, u64 nonce,
			const u8 *key)
{
	chacha20poly1305_encrypt(text, text, bytes, with, with_bytes, nonce, key);
}

/**
 * mtdc_crypt_decrypt() - check and decrypt in place
 * @text: the encrypted bytes, and the tag behind them
 * @bytes: their number, without the tag
 * @with: associated data
 * @with_bytes: their length
 * @nonce: as for mtdc_crypt_encrypt()
 * @key: the same
 *
 * Return: false if the tag is wrong; nothing is decrypted then.
 */
bool mtdc_crypt_decrypt(u8 *text, u32 bytes, const void *with, u32 with_bytes, u64 nonce,
			const u8 *key)
{
	return chacha20poly1305_decrypt(text, text, bytes + MTDC_TAG_BYTES, with, with_bytes,
					nonce, key);
}

/**
 * mtdc_crypt_seal() - encrypt a payload, and write the tag
 * @fragment: room for a header, the payload, and room for MTDC_CRYPT_BYTES. The 8 bytes behind
 *	these are needed for a moment, and are then as they were
 * @payload_bytes: length of the payload
 * @id: the page's identity
 */
void mtdc_crypt_seal(void *fragment, u32 payload_bytes, const struct mtdc_crypt_id *id)
{
	struct bound bound = bound_of(id, payload_bytes);
	u8 *payload = fragment + MTDC_FRAGMENT_BYTES;
	u8 *behind = payload + payload_bytes + MTDC_CRYPT_BYTES, before[MTDC_FRAGMENT_BYTES];

	BUILD_BUG_ON(CHACHA20POLY1305_KEY_SIZE != MTDC_KEY_BYTES);
	BUILD_BUG_ON(CHACHA20POLY1305_AUTHTAG_SIZE != MTDC_TAG_BYTES);
	memcpy(before, behind, sizeof(before));
	mtdc_crypt_encrypt(payload, payload_bytes, &bound, sizeof(bound), id->nonce, id->key);
	memcpy(fragment, behind, MTDC_FRAGMENT_BYTES);
	memcpy(behind, before, sizeof(before));
}

/**
 * mtdc_crypt_open() - check a sealed payload, and decrypt it
 * @fragment: as for mtdc_crypt_seal()
 * @payload_bytes: expected length of the payload
 * @id: the identity that the page should have
 *
 * Return: 0, or -EBADMSG if it is another one, or changed: then the payload is as it was.
 */
int mtdc_crypt_open(void *fragment, u32 payload_bytes, const struct mtdc_crypt_id *id)
{
	struct bound bound = bound_of(id, payload_bytes);
	u8 *payload = fragment + MTDC_FRAGMENT_BYTES;
	u8 *behind = payload + payload_bytes + MTDC_CRYPT_BYTES, before[MTDC_FRAGMENT_BYTES];
	bool right;

	memcpy(before, behind, sizeof(before));
	memcpy(behind, fragment, MTDC_FRAGMENT_BYTES);
	right = mtdc_crypt_decrypt(payload, payload_bytes, &bound, sizeof(bound), id->nonce,
				   id->key);
	memcpy(behind, before, sizeof(before));
	return right ? 0 : -EBADMSG;
}
