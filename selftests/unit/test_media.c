// SPDX-License-Identifier: GPL-2.0
/* Fragments on the media: any difference from the written bytes is noticed. */
#include <errno.h>

#include "harness.h"
#include "media.h"

static const struct mtdc_media_id some_id = {
	.nonce = 0x6b8b4567, .page = 4711, .generation = 815, .nr = 3,
};

/* Sizes around the 4 to 32 bytes that the checksums take at a time, and realistic ones. */
static const u32 sizes[] = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 120, 800 };

/* A sealed fragment of random payload, in memory of exactly its size. */
static u8 *make_fragment(u32 payload_bytes, const struct mtdc_media_id *id)
{
	u8 *fragment = test_alloc(MTDC_FRAGMENT_BYTES + payload_bytes);
	u32 i;

	for (i = 0; i < payload_bytes; i++)
		fragment[MTDC_FRAGMENT_BYTES + i] = random_u64();
	mtdc_media_seal(fragment, payload_bytes, id);
	return fragment;
}

static void test_good(void)
{
	static const u32 large[] = { 4096, 4104, 65536 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes) + ARRAY_SIZE(large); i++) {
		u32 bytes = i < ARRAY_SIZE(sizes) ? sizes[i] : large[i - ARRAY_SIZE(sizes)];
		u8 *fragment = make_fragment(bytes, &some_id);

		expect_eq(mtdc_media_verify(fragment, bytes, &some_id), 0);
		free(fragment);
	}
}

/*
 * The format: a change of it needs a new MTDC_MEDIA_VERSION, and then new numbers here. The
 * checksum is xxh32 on 32-bit machines, half of xxh64 on others, and CRC-32 if the kernel lacks
 * xxHash; these values come from implementations in another language.
 */
static void test_format(void)
{
	static const u8 payload[] = "In the beginning was the word.";
	static const u8 page[] = { 0x67, 0x12, 0x00, 0x00 };
#ifdef MTDC_CSUM_CRC32
	static const u8 csum[] = { 0xaf, 0xd9, 0x64, 0x9f };
#elif __SIZEOF_LONG__ == 8
	static const u8 csum[] = { 0x79, 0x6d, 0xd4, 0x30 };
#else
	static const u8 csum[] = { 0xb6, 0x4c, 0x0f, 0xae };
#endif
	u8 fragment[MTDC_FRAGMENT_BYTES + sizeof(payload)];
	unsigned int i;

	memcpy(fragment + MTDC_FRAGMENT_BYTES, payload, sizeof(payload));
	mtdc_media_seal(fragment, sizeof(payload), &some_id);
	for (i = 0; i < 4; i++) {
		expect_eq(fragment[i], csum[i]);
		expect_eq(fragment[4 + i], page[i]);
	}
	expect(!memcmp(fragment + MTDC_FRAGMENT_BYTES, payload, sizeof(payload)));
}

static void test_every_flip(void)
{
	unsigned int i;
	u32 bit;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *fragment = make_fragment(sizes[i], &some_id);

		for (bit = 0; bit < 8 * (MTDC_FRAGMENT_BYTES + sizes[i]); bit++) {
			fragment[bit / 8] ^= 1 << bit % 8;
			if (!expect_eq(mtdc_media_verify(fragment, sizes[i], &some_id), -EBADMSG))
				tap_note("  bit %u with %u bytes of payload", bit, sizes[i]);
			fragment[bit / 8] ^= 1 << bit % 8;
		}
		expect_eq(mtdc_media_verify(fragment, sizes[i], &some_id), 0);
		free(fragment);
	}
}

static void expect_bad(const void *fragment, u32 payload_bytes, u32 nonce, u32 page,
		       u32 generation, u32 nr)
{
	struct mtdc_media_id id = { nonce, page, generation, nr };

	if (!expect_eq(mtdc_media_verify(fragment, payload_bytes, &id), -EBADMSG))
		tap_note("  %u bytes, nonce 0x%x page %u generation %u nr %u", payload_bytes,
			 nonce, page, generation, nr);
}

/* The right bytes with the identity of another fragment. */
static void test_wrong_id(void)
{
	const struct mtdc_media_id *id = &some_id;
	unsigned int i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *fragment = make_fragment(sizes[i], id);

		for (k = 0; k < 32; k++) {
			expect_bad(fragment, sizes[i], id->nonce ^ 1U << k, id->page,
				   id->generation, id->nr);
			expect_bad(fragment, sizes[i], id->nonce, id->page ^ 1U << k,
				   id->generation, id->nr);
		}
		for (k = 0; k < 1024; k++)
			if (k != id->generation)
				expect_bad(fragment, sizes[i], id->nonce, id->page, k, id->nr);
		for (k = 0; k < 64; k++)
			if (k != id->nr)
				expect_bad(fragment, sizes[i], id->nonce, id->page,
					   id->generation, k);
		/* Longer sizes would reach past the buffer. */
		for (k = 0; k < sizes[i]; k++)
			expect_bad(fragment, k, id->nonce, id->page, id->generation, id->nr);
		free(fragment);
	}
}

/* Zeros, ones and fragments of another attachment are refused. */
static void test_never_written(void)
{
	struct mtdc_media_id id = some_id;
	u8 fragment[MTDC_FRAGMENT_BYTES + 256];
	u32 bytes;

	for (bytes = 1; bytes <= 256; bytes++) {
		memset(fragment, 0, sizeof(fragment));
		id.page = 0;
		expect_eq(mtdc_media_verify(fragment, bytes, &id), -EBADMSG);
		memset(fragment, 0xff, sizeof(fragment));
		id.page = 0xffffffff;
		expect_eq(mtdc_media_verify(fragment, bytes, &id), -EBADMSG);
	}
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/*
 * Each version of each fragment of a page has its own seed. With a payload this short, a 32-bit
 * checksum is a one-to-one function of the seed. On 64-bit machines the checksum is half of a
 * 64-bit hash, so values may collide: one pair is likely, more than five are not.
 */
static void test_seeds_differ(void)
{
	const u32 n = 1024 * 64;
	u32 *csums = test_alloc(n * sizeof(*csums));
	struct mtdc_media_id id = some_id;
	u8 fragment[MTDC_FRAGMENT_BYTES + 1] = { 0 };
#if __SIZEOF_LONG__ == 8 && !defined(MTDC_CSUM_CRC32)
	const u32 most = 5;
#else
	const u32 most = 0;
#endif
	u32 same = 0, i;

	for (i = 0; i < n; i++) {
		id.generation = i / 64;
		id.nr = i % 64;
		mtdc_media_seal(fragment, 1, &id);
		memcpy(&csums[i], fragment, sizeof(*csums));
	}
	qsort(csums, n, sizeof(*csums), compare_u32);
	for (i = 1; i < n; i++)
		same += csums[i] == csums[i - 1];
	expect(same <= most);
	free(csums);
}

/* A fragment may begin at any byte. */
static void test_alignment(void)
{
	u8 memory[200], *good = make_fragment(101, &some_id);
	unsigned int shift;

	for (shift = 0; shift < 16; shift++) {
		memcpy(memory + shift, good, MTDC_FRAGMENT_BYTES + 101);
		expect_eq(mtdc_media_verify(memory + shift, 101, &some_id), 0);
		mtdc_media_seal(memory + shift, 101, &some_id);
		expect(!memcmp(memory + shift, good, MTDC_FRAGMENT_BYTES + 101));
	}
	free(good);
}

/* Random damage: bits, a burst, a piece of another fragment. */
static void damage(u8 *fragment, u32 bytes)
{
	u32 from = random_below(bytes), len = random_length(bytes - from), i;

	switch (random_below(3)) {
	case 0:
		for (i = random_below(4); i < 4; i++)
			fragment[random_below(bytes)] ^= 1 << random_below(8);
		break;
	case 1:
		for (i = 0; i < len; i++)
			fragment[from + i] ^= random_u64();
		break;
	default:
		memset(fragment + from, random_below(2) ? 0xff : 0, len);
	}
}

/* A 32-bit checksum misses one damage in 2^32; two misses in a soak are not suspicious. */
static void test_random(void)
{
	u64 ops = tap.ops / 4, missed = 0, i;

	for (i = 0; i < ops && !tap.bad; i++) {
		u32 payload_bytes = random_length(300);
		u32 bytes = MTDC_FRAGMENT_BYTES + payload_bytes;
		struct mtdc_media_id id = {
			.nonce = random_u64(), .page = random_u64(),
			.generation = random_below(1024), .nr = random_below(64),
		};
		u8 *fragment = make_fragment(payload_bytes, &id), *copy = test_alloc(bytes);

		memcpy(copy, fragment, bytes);
		expect_eq(mtdc_media_verify(fragment, payload_bytes, &id), 0);
		damage(fragment, bytes);
		/* Random damage may change nothing. */
		if (memcmp(copy, fragment, bytes))
			missed += !mtdc_media_verify(fragment, payload_bytes, &id);
		free(copy);
		free(fragment);
	}
	expect(missed <= ops / 10000000);
}

static const struct tap_case cases[] = {
	{ "fragments of all lengths", test_good },
	{ "the format, byte for byte", test_format },
	{ "every single bit that flips", test_every_flip },
	{ "wrong page, version, place, length or attachment", test_wrong_id },
	{ "media never written", test_never_written },
	{ "all versions and places of a page differ", test_seeds_differ },
	{ "fragments at odd addresses", test_alignment },
	{ "random damage", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("media", cases, ARRAY_SIZE(cases), argc, argv);
}
