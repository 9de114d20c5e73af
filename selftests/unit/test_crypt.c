// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed pages, with a stand-in for the cipher: anything but the page that was sealed is refused
 * and left as it was, and no byte outside of the fragment changes. KUnit does the same with the
 * cipher (crypt_test.c).
 */
#include <errno.h>

#include "harness.h"
#include "crypt.h"

#include <crypto/chacha20poly1305.h>

#define PAGE_BYTES	4096U
#define SEALED_BYTES(n)	(MTDC_FRAGMENT_BYTES + (n) + MTDC_CRYPT_BYTES)
#define ROOM(n)		(MTDC_FRAGMENT_BYTES + (n) + MTDC_TAG_BYTES)

static u8 some_key[MTDC_KEY_BYTES];
static const struct mtdc_crypt_id some_id = {
	.key = some_key, .nonce = 0x123456780, .page = 4711, .generation = 815, .kind = 2,
};

/* Sizes around the words, blocks and tags of 8, 16 and 64 bytes, and realistic ones. */
static const u32 sizes[] = { 1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 120, 255 };

static void make_payload(u8 *fragment, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		fragment[MTDC_FRAGMENT_BYTES + i] = random_u64() >> 40;
}

/* In memory of exactly its size, with a new key. */
static u8 *make_sealed(u32 bytes, const struct mtdc_crypt_id *id)
{
	u8 *fragment = test_alloc(ROOM(bytes));

	get_random_bytes(some_key, sizeof(some_key));
	make_payload(fragment, bytes);
	mtdc_crypt_seal(fragment, bytes, id);
	return fragment;
}

static void expect_refused(u8 *fragment, u32 bytes, const struct mtdc_crypt_id *id,
			   const char *what)
{
	u8 *copy = test_alloc(SEALED_BYTES(bytes));

	memcpy(copy, fragment, SEALED_BYTES(bytes));
	if (!expect_eq(mtdc_crypt_open(fragment, bytes, id), -EBADMSG) ||
	    !expect(!memcmp(fragment, copy, SEALED_BYTES(bytes))))
		tap_note("  another %s, %u bytes", what, bytes);
	free(copy);
}

/* All lengths; the payload comes back, and the media see none of it. */
static void test_lengths(void)
{
	u8 *plain = test_alloc(ROOM(PAGE_BYTES));
	u32 bytes;

	for (bytes = 1; bytes <= PAGE_BYTES; bytes++) {
		u8 *fragment = test_alloc(ROOM(bytes));

		make_payload(plain, bytes);
		memcpy(fragment, plain, MTDC_FRAGMENT_BYTES + bytes);
		mtdc_crypt_seal(fragment, bytes, &some_id);
		if (bytes >= 8)
			expect(memcmp(fragment + MTDC_FRAGMENT_BYTES, plain + MTDC_FRAGMENT_BYTES,
				      bytes));
		expect_eq(mtdc_crypt_open(fragment, bytes, &some_id), 0);
		expect(!memcmp(fragment + MTDC_FRAGMENT_BYTES, plain + MTDC_FRAGMENT_BYTES,
			       bytes));
		free(fragment);
	}
	free(plain);
}

static void test_every_flip(void)
{
	unsigned int i;
	u32 bit;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *fragment = make_sealed(sizes[i], &some_id);

		for (bit = 0; bit < 8 * SEALED_BYTES(sizes[i]); bit++) {
			fragment[bit / 8] ^= 1 << bit % 8;
			expect_refused(fragment, sizes[i], &some_id, "bit");
			fragment[bit / 8] ^= 1 << bit % 8;
		}
		expect_eq(mtdc_crypt_open(fragment, sizes[i], &some_id), 0);
		free(fragment);
	}
}

/* Each bit of what a page is bound to. */
static void test_wrong_id(void)
{
	u8 key[MTDC_KEY_BYTES], *fragment;
	struct mtdc_crypt_id id;
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fragment = make_sealed(sizes[i], &some_id);
		for (bit = 0; bit < 64; bit++) {
			id = some_id;
			id.nonce ^= 1ULL << bit;
			expect_refused(fragment, sizes[i], &id, "nonce");
			id = some_id;
			if (bit < 32)
				id.page ^= 1U << bit;
			else
				id.generation ^= 1U << (bit - 32);
			expect_refused(fragment, sizes[i], &id, "page or generation");
			id = some_id;
			id.kind ^= 1U << bit % 8;
			expect_refused(fragment, sizes[i], &id, "kind");
		}
		id.kind = some_id.kind;
		id.key = memcpy(key, some_key, sizeof(key));
		for (bit = 0; bit < 8 * MTDC_KEY_BYTES; bit++) {
			key[bit / 8] ^= 1 << bit % 8;
			expect_refused(fragment, sizes[i], &id, "key");
			key[bit / 8] ^= 1 << bit % 8;
		}
		expect_eq(mtdc_crypt_open(fragment, sizes[i], &id), 0);
		free(fragment);
	}
}

/* A page is not a shorter one, nor a longer one of the bytes behind it. */
static void test_wrong_length(void)
{
	const u32 bytes = 300, room = ROOM(2 * bytes);
	u8 *fragment = test_alloc(room), *copy = test_alloc(room);
	u32 other;

	make_payload(fragment, 2 * bytes);
	mtdc_crypt_seal(fragment, bytes, &some_id);
	memcpy(copy, fragment, room);
	for (other = 1; other <= 2 * bytes; other++) {
		if (other == bytes)
			continue;
		expect_eq(mtdc_crypt_open(fragment, other, &some_id), -EBADMSG);
		expect(!memcmp(fragment, copy, SEALED_BYTES(other)));
		/* What is behind a sealed fragment is free for use. */
		memcpy(fragment, copy, room);
	}
	expect_eq(mtdc_crypt_open(fragment, bytes, &some_id), 0);
	free(copy);
	free(fragment);
}

/* Two sealed pages, each read in the place of the other. */
static void test_exchanged(void)
{
	struct mtdc_crypt_id other = some_id;
	u8 *a, *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		a = make_sealed(sizes[i], &some_id);
		b = test_alloc(ROOM(sizes[i]));
		other.nonce = some_id.nonce + ROOM(sizes[i]);
		make_payload(b, sizes[i]);
		mtdc_crypt_seal(b, sizes[i], &other);
		expect_refused(a, sizes[i], &other, "place");
		expect_refused(b, sizes[i], &some_id, "place");
		expect_eq(mtdc_crypt_open(a, sizes[i], &some_id), 0);
		expect_eq(mtdc_crypt_open(b, sizes[i], &other), 0);
		free(b);
		free(a);
	}
}

/* Zeros, ones and noise are no pages. */
static void test_never_written(void)
{
	u8 fragment[ROOM(256)];
	u32 bytes;

	for (bytes = 1; bytes <= 256; bytes++) {
		memset(fragment, 0, sizeof(fragment));
		expect_refused(fragment, bytes, &some_id, "contents");
		memset(fragment, 0xff, sizeof(fragment));
		expect_refused(fragment, bytes, &some_id, "contents");
		make_payload(fragment, bytes);
		expect_refused(fragment, bytes, &some_id, "contents");
	}
}

/* At each address; guard bytes before the fragment and behind its tag stay. */
static void test_guards(void)
{
	u8 room[32 + ROOM(300) + 32];
	unsigned int i, at, k;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (at = 16; at < 32; at++) {
			memset(room, 0xa5, sizeof(room));
			mtdc_crypt_seal(room + at, sizes[i], &some_id);
			expect_eq(mtdc_crypt_open(room + at, sizes[i], &some_id), 0);
			for (k = 0; k < sizeof(room); k++)
				if (k < at || k >= at + ROOM(sizes[i]) ||
				    (k >= at + MTDC_FRAGMENT_BYTES &&
				     k < at + MTDC_FRAGMENT_BYTES + sizes[i]))
					expect_eq(room[k], 0xa5);
		}
	}
}

static unsigned int sealed_calls;

static void note_sealed(const u8 *key, u64 nonce, const u8 *sealed, size_t bytes)
{
	(void)sealed;
	expect(key == some_key && nonce == some_id.nonce && bytes == sizes[sealed_calls]);
	sealed_calls++;
}

/* The hook by which other suites see that no nonce comes twice. */
static void test_hook(void)
{
	unsigned int i;

	sealed_calls = 0;
	shim_crypt_sealed = note_sealed;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *fragment = make_sealed(sizes[i], &some_id);

		expect_eq(mtdc_crypt_open(fragment, sizes[i], &some_id), 0);
		free(fragment);
	}
	shim_crypt_sealed = NULL;
	expect_eq(sealed_calls, ARRAY_SIZE(sizes));
}

static const struct tap_case cases[] = {
	{ "payloads of all lengths", test_lengths },
	{ "every single bit that flips", test_every_flip },
	{ "wrong page, version, kind, nonce or key", test_wrong_id },
	{ "wrong length", test_wrong_length },
	{ "pages that are exchanged", test_exchanged },
	{ "media never written", test_never_written },
	{ "any address, and no byte beside the fragment", test_guards },
	{ "the hook of the stand-in", test_hook },
};

int main(int argc, char **argv)
{
	return tap_main("crypt", cases, ARRAY_SIZE(cases), argc, argv);
}
