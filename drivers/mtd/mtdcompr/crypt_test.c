// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of sealed pages: the kernel's cipher gives, through our own calls, what RFC 8439 and
 * Project Wycheproof say, and anything but the page that was sealed is refused and left as it was.
 *
 * RFC 8439 has two examples of this AEAD. The example of section 2.8.2 does not fit our nonce of
 * 64 bits: the first 32 of its 96 bits are not zero. crypt_vectors.h says which of Wycheproof's
 * cases fit.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "crypt.h"
#include "crypt_vectors.h"

#define NONCE_BYTES	8U
/* Wycheproof's longest text, and its longest associated data. */
#define VECTOR_MAX	513U
/* Guard bytes on both sides, and room to place a fragment at any address between them. */
#define GUARD		32U
#define GUARD_BYTE	0xa5

#define ROOM(bytes)	(MTDC_FRAGMENT_BYTES + (bytes) + MTDC_TAG_BYTES)

/* RFC 8439, appendix A.5. */
static const struct crypt_vector rfc8439_a5 = {
	5, true, 12, 265,
	"1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c00102030405060708f3338886"
	"0000000000004e91496e7465726e65742d4472616674732061726520647261667420646f63756d656e747320"
	"76616c696420666f722061206d6178696d756d206f6620736978206d6f6e74687320616e64206d6179206265"
	"20757064617465642c207265706c616365642c206f72206f62736f6c65746564206279206f7468657220646f"
	"63756d656e747320617420616e792074696d652e20497420697320696e617070726f70726961746520746f20"
	"75736520496e7465726e65742d447261667473206173207265666572656e6365206d6174657269616c206f72"
	"20746f2063697465207468656d206f74686572207468616e206173202fe2809c776f726b20696e2070726f67"
	"726573732e2fe2809d64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc"
	"18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b94"
	"8114ad176e008d33bd60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f615"
	"7b53c867e4b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1"
	"155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2316053fa76991955ebd63159434ecebb4e"
	"466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c"
	"29a6ad5cb4022b02709beead9d67890cbb22392336fea1851f38"
};

/* struct decoded - a vector in bytes; @work is where it is encrypted and decrypted */
struct decoded {
	u8 key[MTDC_KEY_BYTES];
	u64 nonce;
	u8 with[VECTOR_MAX];
	u8 text[VECTOR_MAX];
	u8 sealed[VECTOR_MAX + MTDC_TAG_BYTES];
	u8 room[2 * GUARD + VECTOR_MAX + MTDC_TAG_BYTES];
	u8 *work;
	u32 nr;
	u32 with_bytes;
	u32 text_bytes;
	u32 sealed_bytes;
};

static u8 digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Decodes @bytes at @hex, and returns what is behind them. */
static const char *take(void *to, const char *hex, u32 bytes)
{
	u8 *at = to;

	for (; bytes--; hex += 2)
		*at++ = digit(hex[0]) << 4 | digit(hex[1]);
	return hex;
}

static void decode(struct kunit *test, const struct crypt_vector *v, struct decoded *d)
{
	const char *hex = v->hex;
	__le64 nonce;

	KUNIT_ASSERT_LE(test, v->with_bytes, VECTOR_MAX);
	KUNIT_ASSERT_LE(test, v->text_bytes, VECTOR_MAX);
	d->nr = v->nr;
	d->with_bytes = v->with_bytes;
	d->text_bytes = v->text_bytes;
	d->sealed_bytes = v->text_bytes + MTDC_TAG_BYTES;
	KUNIT_ASSERT_EQ(test, strlen(hex) / 2, (size_t)(MTDC_KEY_BYTES + NONCE_BYTES +
			v->with_bytes + v->text_bytes + d->sealed_bytes));
	hex = take(d->key, hex, MTDC_KEY_BYTES);
	hex = take(&nonce, hex, NONCE_BYTES);
	d->nonce = le64_to_cpu(nonce);
	hex = take(d->with, hex, d->with_bytes);
	hex = take(d->text, hex, d->text_bytes);
	take(d->sealed, hex, d->sealed_bytes);
	memset(d->room, GUARD_BYTE, sizeof(d->room));
	/* Each case at another address. */
	d->work = d->room + GUARD / 2 + v->nr % (GUARD / 2);
}

/* Is @got as wanted, and are the bytes around it as they were? */
static void expect_work(struct kunit *test, const struct decoded *d, const u8 *want, u32 bytes)
{
	const u8 *behind = d->work + d->sealed_bytes;

	KUNIT_EXPECT_EQ_MSG(test, memcmp(d->work, want, bytes), 0, "case %u", d->nr);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(d->room, GUARD_BYTE, d->work - d->room),
			      "case %u", d->nr);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(behind, GUARD_BYTE,
					       d->room + sizeof(d->room) - behind),
			      "case %u", d->nr);
}

static bool decrypt(struct decoded *d)
{
	return mtdc_crypt_decrypt(d->work, d->text_bytes, d->with, d->with_bytes, d->nonce,
				  d->key);
}

/* Something is wrong with @d->sealed: it is refused, and nothing of it is decrypted. */
static void expect_refused(struct kunit *test, struct decoded *d)
{
	memcpy(d->work, d->sealed, d->sealed_bytes);
	KUNIT_EXPECT_FALSE_MSG(test, decrypt(d), "case %u", d->nr);
	expect_work(test, d, d->sealed, d->sealed_bytes);
}

static void valid_vector(struct kunit *test, struct decoded *d)
{
	u32 bit;

	memcpy(d->work, d->text, d->text_bytes);
	mtdc_crypt_encrypt(d->work, d->text_bytes, d->with, d->with_bytes, d->nonce, d->key);
	expect_work(test, d, d->sealed, d->sealed_bytes);
	KUNIT_EXPECT_TRUE_MSG(test, decrypt(d), "case %u", d->nr);
	expect_work(test, d, d->text, d->text_bytes);
	for (bit = 0; bit < 8 * MTDC_TAG_BYTES; bit++) {
		u8 *byte = d->sealed + d->text_bytes + bit / 8;

		*byte ^= 1 << bit % 8;
		expect_refused(test, d);
		*byte ^= 1 << bit % 8;
	}
}

/* Wycheproof changes the tag only. */
static void invalid_vector(struct kunit *test, struct decoded *d)
{
	expect_refused(test, d);
	memcpy(d->work, d->text, d->text_bytes);
	mtdc_crypt_encrypt(d->work, d->text_bytes, d->with, d->with_bytes, d->nonce, d->key);
	expect_work(test, d, d->sealed, d->text_bytes);
	KUNIT_EXPECT_NE_MSG(test, memcmp(d->work, d->sealed, d->sealed_bytes), 0, "case %u", d->nr);
}

static void run_vectors(struct kunit *test, const struct crypt_vector *vectors, u32 n, u32 valid)
{
	struct decoded *d = kunit_kmalloc(test, sizeof(*d), GFP_KERNEL);
	u32 i, seen = 0;

	KUNIT_ASSERT_NOT_NULL(test, d);
	for (i = 0; i < n; i++) {
		decode(test, &vectors[i], d);
		seen += vectors[i].valid;
		if (vectors[i].valid)
			valid_vector(test, d);
		else
			invalid_vector(test, d);
	}
	KUNIT_EXPECT_EQ(test, seen, valid);
}

static void rfc8439_examples(struct kunit *test)
{
	run_vectors(test, &rfc8439_a5, 1, 1);
}

static void wycheproof_chacha20_poly1305(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(wycheproof_chacha), (size_t)10);
	run_vectors(test, wycheproof_chacha, ARRAY_SIZE(wycheproof_chacha), 10);
}

static void wycheproof_xchacha20_poly1305(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(wycheproof_xchacha), (size_t)(246 + 60));
	run_vectors(test, wycheproof_xchacha, ARRAY_SIZE(wycheproof_xchacha), 246);
}

/* Lengths around the words, blocks and tags of 8, 16 and 64 bytes, and realistic ones. */
static const u32 sizes[] = { 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 128, 300 };

static u8 some_key[MTDC_KEY_BYTES];
static const struct mtdc_crypt_id some_id = {
	.key = some_key, .nonce = 0x123456780, .page = 4711, .generation = 815, .kind = 2,
};

/* struct sealed - a fragment; KASAN sees an access beside its room */
struct sealed {
	u8 *fragment;
	u8 *copy;
	u32 bytes;
};

/* A page that is sealed, in memory of exactly its size, and a copy of it. */
static struct sealed make_sealed(struct kunit *test, u32 bytes, const struct mtdc_crypt_id *id)
{
	struct sealed s = {
		.fragment = kunit_kzalloc(test, ROOM(bytes), GFP_KERNEL),
		.copy = kunit_kzalloc(test, ROOM(bytes), GFP_KERNEL),
		.bytes = bytes,
	};
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, s.fragment);
	KUNIT_ASSERT_NOT_NULL(test, s.copy);
	prandom_seed_state(&rnd, bytes + id->nonce);
	prandom_bytes_state(&rnd, s.fragment, ROOM(bytes));
	mtdc_crypt_seal(s.fragment, bytes, id);
	memcpy(s.copy, s.fragment, ROOM(bytes));
	return s;
}

static void drop_sealed(struct kunit *test, const struct sealed *s)
{
	kunit_kfree(test, s->fragment);
	kunit_kfree(test, s->copy);
}

/* The header, the payload and the tag's other half are as they were before. */
static void expect_no_page(struct kunit *test, struct sealed *s, const struct mtdc_crypt_id *id,
			   const char *what, u32 nr)
{
	const u32 used = ROOM(s->bytes) - MTDC_FRAGMENT_BYTES;

	memcpy(s->copy, s->fragment, ROOM(s->bytes));
	KUNIT_EXPECT_EQ_MSG(test, mtdc_crypt_open(s->fragment, s->bytes, id), -EBADMSG,
			    "%u bytes: %s %u", s->bytes, what, nr);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(s->fragment, s->copy, used), 0,
			    "%u bytes: %s %u", s->bytes, what, nr);
}

static void payload_comes_back(struct kunit *test, u8 *fragment, const u8 *plain, u32 bytes)
{
	u8 *payload = fragment + MTDC_FRAGMENT_BYTES;
	u8 *behind = payload + bytes + MTDC_TAG_BYTES;

	memset(fragment, GUARD_BYTE, ROOM(PAGE_SIZE));
	memcpy(payload, plain, bytes);
	mtdc_crypt_seal(fragment, bytes, &some_id);
	/* Of fewer bytes some are the same by chance. */
	if (bytes >= 16)
		KUNIT_EXPECT_NE(test, memcmp(payload, plain, bytes), 0);
	KUNIT_EXPECT_EQ(test, mtdc_crypt_open(fragment, bytes, &some_id), 0);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(payload, plain, bytes), 0, "%u bytes", bytes);
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(behind, GUARD_BYTE,
					       fragment + ROOM(PAGE_SIZE) - behind),
			      "%u bytes", bytes);
}

/* All lengths of a page of 4 KiB, and the longest of this machine. */
static void payloads_come_back(struct kunit *test)
{
	u8 *plain = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	u8 *fragment = kunit_kmalloc(test, ROOM(PAGE_SIZE), GFP_KERNEL);
	struct rnd_state rnd;
	u32 bytes;

	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_ASSERT_NOT_NULL(test, fragment);
	prandom_seed_state(&rnd, 5);
	prandom_bytes_state(&rnd, plain, PAGE_SIZE);
	for (bytes = 1; bytes <= SZ_4K; bytes++)
		payload_comes_back(test, fragment, plain, bytes);
	payload_comes_back(test, fragment, plain, PAGE_SIZE);
}

static void each_flipped_bit_is_refused(struct kunit *test)
{
	u32 i, bit;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct sealed s = make_sealed(test, sizes[i], &some_id);

		for (bit = 0; bit < 8 * (ROOM(s.bytes) - MTDC_FRAGMENT_BYTES); bit++) {
			s.fragment[bit / 8] ^= 1 << bit % 8;
			expect_no_page(test, &s, &some_id, "bit", bit);
			s.fragment[bit / 8] ^= 1 << bit % 8;
		}
		KUNIT_EXPECT_EQ(test, mtdc_crypt_open(s.fragment, s.bytes, &some_id), 0);
		drop_sealed(test, &s);
	}
}

/* Each bit of the number, the version, the kind, the nonce and the key. */
static void other_identity_is_refused(struct kunit *test)
{
	struct mtdc_crypt_id id;
	u8 key[MTDC_KEY_BYTES];
	u32 i, bit;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct sealed s = make_sealed(test, sizes[i], &some_id);

		for (bit = 0; bit < 64; bit++) {
			id = some_id;
			id.nonce ^= 1ULL << bit;
			expect_no_page(test, &s, &id, "nonce, bit", bit);
			id = some_id;
			if (bit < 32)
				id.page ^= 1U << bit;
			else
				id.generation ^= 1U << (bit - 32);
			expect_no_page(test, &s, &id, "page and generation, bit", bit);
			id = some_id;
			id.kind ^= 1U << bit % 8;
			expect_no_page(test, &s, &id, "kind, bit", bit % 8);
		}
		id = some_id;
		id.key = memcpy(key, some_key, sizeof(key));
		for (bit = 0; bit < 8 * MTDC_KEY_BYTES; bit++) {
			key[bit / 8] ^= 1 << bit % 8;
			expect_no_page(test, &s, &id, "key, bit", bit);
			key[bit / 8] ^= 1 << bit % 8;
		}
		KUNIT_EXPECT_EQ(test, mtdc_crypt_open(s.fragment, s.bytes, &id), 0);
		drop_sealed(test, &s);
	}
}

/* No shorter page, and no longer one of the bytes behind it. */
static void other_length_is_refused(struct kunit *test)
{
	const u32 bytes = 200;
	struct sealed s = make_sealed(test, 2 * bytes, &some_id);
	u32 other;

	mtdc_crypt_seal(s.fragment, bytes, &some_id);
	memcpy(s.copy, s.fragment, ROOM(2 * bytes));
	for (other = 1; other <= 2 * bytes; other++) {
		const u32 used = ROOM(other) - MTDC_FRAGMENT_BYTES;

		if (other == bytes)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, mtdc_crypt_open(s.fragment, other, &some_id), -EBADMSG,
				    "%u bytes", other);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(s.fragment, s.copy, used), 0, "%u bytes", other);
		/* mtdc_crypt_open() uses the room behind the payload for the tag. */
		memcpy(s.fragment, s.copy, ROOM(2 * bytes));
	}
	KUNIT_EXPECT_EQ(test, mtdc_crypt_open(s.fragment, bytes, &some_id), 0);
}

/* Two pages with the same key, each in the other's place; as the same page, too. */
static void exchanged_pages_are_refused(struct kunit *test)
{
	struct mtdc_crypt_id place = some_id, page = some_id;
	u32 i;

	place.nonce += 4096;
	page.nonce += 4096;
	page.page++;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct sealed a = make_sealed(test, sizes[i], &some_id);
		struct sealed b = make_sealed(test, sizes[i], &place);
		struct sealed c = make_sealed(test, sizes[i], &page);

		expect_no_page(test, &a, &place, "place of", 2);
		expect_no_page(test, &a, &page, "place of", 3);
		expect_no_page(test, &b, &some_id, "place of", 1);
		expect_no_page(test, &b, &page, "place of", 3);
		expect_no_page(test, &c, &some_id, "place of", 1);
		expect_no_page(test, &c, &place, "place of", 2);
		KUNIT_EXPECT_EQ(test, mtdc_crypt_open(a.fragment, a.bytes, &some_id), 0);
		KUNIT_EXPECT_EQ(test, mtdc_crypt_open(b.fragment, b.bytes, &place), 0);
		KUNIT_EXPECT_EQ(test, mtdc_crypt_open(c.fragment, c.bytes, &page), 0);
		drop_sealed(test, &a);
		drop_sealed(test, &b);
		drop_sealed(test, &c);
	}
}

/* At any address, sealed and opened pages leave the bytes before and behind their room alone. */
static void bytes_beside_a_page_stay(struct kunit *test)
{
	const u32 most = 300, all = 2 * GUARD + ROOM(most);
	u8 *room = kunit_kmalloc(test, all, GFP_KERNEL);
	u32 i, at;

	KUNIT_ASSERT_NOT_NULL(test, room);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (at = GUARD / 2; at < GUARD; at++) {
			u8 *payload = room + at + MTDC_FRAGMENT_BYTES;
			u8 *behind = payload + sizes[i] + MTDC_TAG_BYTES;

			KUNIT_ASSERT_LE(test, sizes[i], most);
			memset(room, GUARD_BYTE, all);
			mtdc_crypt_seal(room + at, sizes[i], &some_id);
			KUNIT_EXPECT_EQ(test, mtdc_crypt_open(room + at, sizes[i], &some_id), 0);
			KUNIT_EXPECT_NULL(test, memchr_inv(room, GUARD_BYTE, at));
			KUNIT_EXPECT_NULL(test, memchr_inv(payload, GUARD_BYTE, sizes[i]));
			KUNIT_EXPECT_NULL(test, memchr_inv(behind, GUARD_BYTE,
							   room + all - behind));
		}
	}
}

static int crypt_suite_init(struct kunit_suite *suite)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	prandom_bytes_state(&rnd, some_key, sizeof(some_key));
	return 0;
}

static struct kunit_case crypt_cases[] = {
	KUNIT_CASE(rfc8439_examples),
	KUNIT_CASE(wycheproof_chacha20_poly1305),
	KUNIT_CASE(wycheproof_xchacha20_poly1305),
	KUNIT_CASE(payloads_come_back),
	KUNIT_CASE(each_flipped_bit_is_refused),
	KUNIT_CASE(other_identity_is_refused),
	KUNIT_CASE(other_length_is_refused),
	KUNIT_CASE(exchanged_pages_are_refused),
	KUNIT_CASE(bytes_beside_a_page_stay),
	{}
};

static struct kunit_suite crypt_suite = {
	.name = "mtdcompr_crypt",
	.suite_init = crypt_suite_init,
	.test_cases = crypt_cases,
};

kunit_test_suite(crypt_suite);
