// SPDX-License-Identifier: GPL-2.0
/* Pages that repeat one word: found, distinguished from all others, and restored. */
#include "harness.h"
#include "store_fill.h"

static const u64 words[] = {
	0, 1, ~0ULL, 1ULL << 63, ~0ULL >> 1, 0xdeadbeefdeadbeefULL, 0x0123456789abcdefULL,
	0xffffffff00000000ULL, 0x00000000ffffffffULL,
};

static const u32 sizes[] = { 8, 16, 24, 512, 4096, 65536 };

static void test_words(void)
{
	unsigned int i, k;
	u32 at;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *page = test_alloc(sizes[i]);

		for (k = 0; k < ARRAY_SIZE(words); k++) {
			u64 word = words[k] + 1;

			memset(page, 0x5a, sizes[i]);
			mtdc_fill_expand(page, sizes[i], words[k]);
			for (at = 0; at < sizes[i]; at += sizeof(word))
				expect(!memcmp(page + at, &words[k], sizeof(word)));
			expect(mtdc_fill_detect(page, sizes[i], &word));
			expect_eq(word, words[k]);
		}
		free(page);
	}
}

/* A word that differs in one bit, at each position and in each bit. */
static void test_one_bit(void)
{
	const u32 bytes = 4096;
	u8 *page = test_alloc(bytes);
	u64 word;
	u32 bit;

	mtdc_fill_expand(page, bytes, 0x0123456789abcdefULL);
	for (bit = 0; bit < 8 * bytes; bit++) {
		page[bit / 8] ^= 1 << bit % 8;
		expect(!mtdc_fill_detect(page, bytes, &word));
		page[bit / 8] ^= 1 << bit % 8;
	}
	expect(mtdc_fill_detect(page, bytes, &word));
	free(page);
}

/* Almost a page of one word, but with another period. */
static void test_periods(void)
{
	static const struct {
		const char *why;
		u32 period;
		bool filled;
	} table[] = {
		{ "a byte", 1, true },
		{ "a 16-bit word", 2, true },
		{ "a 32-bit word", 4, true },
		{ "a 64-bit word", 8, true },
		{ "three bytes", 3, false },
		{ "two 64-bit words, the first is like the last but one", 16, false },
		{ "the first word is like the last", 4088, false },
	};
	const u32 bytes = 4096;
	u8 *page = test_alloc(bytes);
	unsigned int i;
	u64 word;
	u32 at;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		for (at = 0; at < bytes; at++)
			page[at] = at % table[i].period * 37 + at % table[i].period / 256;
		if (!expect_eq(mtdc_fill_detect(page, bytes, &word), table[i].filled))
			tap_note("period of %s", table[i].why);
	}
	free(page);
}

static bool horrible_detect(const u8 *page, u32 bytes)
{
	u32 at;

	for (at = 8; at < bytes; at++)
		if (page[at] != page[at - 8])
			return false;
	return true;
}

static void test_random(void)
{
	u64 ops = tap.ops / 4, i;

	for (i = 0; i < ops && !tap.bad; i++) {
		u32 bytes = 8 * (1 + random_below(20)), at;
		u8 *page = test_alloc(bytes);
		u64 word = random_below(2) ? random_below(3) : random_u64();

		mtdc_fill_expand(page, bytes, word);
		for (at = random_below(3); at; at--)
			page[random_below(bytes)] = random_below(3);
		expect_eq(mtdc_fill_detect(page, bytes, &word), horrible_detect(page, bytes));
		if (horrible_detect(page, bytes))
			expect(!memcmp(page, &word, sizeof(word)));
		free(page);
	}
}

static const struct tap_case cases[] = {
	{ "words and sizes there and back", test_words },
	{ "one bit that differs, anywhere", test_one_bit },
	{ "periods other than a word", test_periods },
	{ "random pages against the model", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("fill", cases, ARRAY_SIZE(cases), argc, argv);
}
