/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stand-in for the AEAD, not a cipher: it hides nothing from anybody. It keeps what the suites
 * look at: each bit of the key, the nonce, the associated data, the text and the tag counts, a tag
 * is written behind the text, a wrong one leaves the text as it was, and text may be changed in
 * place. KUnit and the guests have the real one.
 */
#ifndef SHIM_CRYPTO_CHACHA20POLY1305_H
#define SHIM_CRYPTO_CHACHA20POLY1305_H

#include <string.h>

#include <linux/types.h>

enum {
	CHACHA20POLY1305_KEY_SIZE = 32,
	CHACHA20POLY1305_AUTHTAG_SIZE = 16,
};

/*
 * Set by a suite: gets each text when it is encrypted (@sealed has @bytes, without the tag), to see
 * that no nonce comes twice with one key.
 */
__attribute__((weak)) void (*shim_crypt_sealed)(const u8 *key, u64 nonce, const u8 *sealed,
						size_t bytes);

/* splitmix64's last steps: another value for each @n, and each bit changes half of the result. */
static inline u64 shim_crypt_stir(u64 n)
{
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ULL;
	n = (n ^ n >> 27) * 0x94d049bb133111ebULL;
	return n ^ n >> 31;
}

/* Each step is a bijection of @sum for given bytes, and of the bytes for a given @sum. */
static inline u64 shim_crypt_sum(u64 sum, const u8 *data, size_t bytes)
{
	u64 word;
	size_t n;

	sum = shim_crypt_stir(sum + bytes);
	for (; bytes; data += n, bytes -= n) {
		n = bytes < sizeof(word) ? bytes : sizeof(word);
		word = 0;
		memcpy(&word, data, n);
		sum = shim_crypt_stir((sum ^ word) + 0x9e3779b97f4a7c15ULL);
	}
	return sum;
}

static inline void shim_crypt_text(u8 *dst, const u8 *src, size_t bytes, u64 nonce, const u8 *key)
{
	u64 stream = shim_crypt_sum(nonce, key, CHACHA20POLY1305_KEY_SIZE), word;
	size_t i, n;

	for (; bytes; dst += n, src += n, bytes -= n) {
		n = bytes < sizeof(word) ? bytes : sizeof(word);
		stream += 0x9e3779b97f4a7c15ULL;
		word = shim_crypt_stir(stream);
		for (i = 0; i < n; i++)
			dst[i] = src[i] ^ word >> 8 * i;
	}
}

static inline void shim_crypt_tag(u8 *tag, const u8 *sealed, size_t bytes, const u8 *ad,
				  size_t ad_bytes, u64 nonce, const u8 *key)
{
	u64 half[2] = { ~nonce, nonce };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		half[i] = shim_crypt_sum(half[i], key, CHACHA20POLY1305_KEY_SIZE);
		half[i] = shim_crypt_sum(half[i], ad, ad_bytes);
		half[i] = shim_crypt_sum(half[i], sealed, bytes);
	}
	memcpy(tag, half, CHACHA20POLY1305_AUTHTAG_SIZE);
}

static inline void chacha20poly1305_encrypt(u8 *dst, const u8 *src, const size_t src_len,
					    const u8 *ad, const size_t ad_len, const u64 nonce,
					    const u8 *key)
{
	shim_crypt_text(dst, src, src_len, nonce, key);
	shim_crypt_tag(dst + src_len, dst, src_len, ad, ad_len, nonce, key);
	if (shim_crypt_sealed)
		shim_crypt_sealed(key, nonce, dst, src_len);
}

static inline bool __must_check
chacha20poly1305_decrypt(u8 *dst, const u8 *src, const size_t src_len, const u8 *ad,
			 const size_t ad_len, const u64 nonce, const u8 *key)
{
	u8 tag[CHACHA20POLY1305_AUTHTAG_SIZE];
	size_t bytes = src_len - sizeof(tag);

	if (src_len < sizeof(tag))
		return false;
	shim_crypt_tag(tag, src, bytes, ad, ad_len, nonce, key);
	if (memcmp(tag, src + bytes, sizeof(tag)))
		return false;
	shim_crypt_text(dst, src, bytes, nonce, key);
	return true;
}

#endif
