// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the request to the module, the choice of compressor and ratio, and the swap header.
 */
#include <errno.h>
#include "tree.h"
#include "choose.h"
#include "top_columns.h"
#include "signature.h"
#include "spec.h"

static void test_spec(void)
{
	struct spec spec = { .media = "ext" };
	char text[SPEC_TEXT];
	const char *why;

	expect(spec_text(&spec, NULL, text, &why));
	expect_text(text, "mtd=ext");
	spec.algorithm = "zlib";
	spec.level = "9";
	spec.ratio = 400;
	spec.name = "swap0";
	spec.more = "store=log,spread=64";
	expect(spec_text(&spec, "zlib", text, &why));
	expect_text(text, "mtd=ext,comp=zlib,level=9,ratio=400,name=swap0,store=log,spread=64");
	/* Another compressor has other levels. */
	expect(spec_text(&spec, "zstd", text, &why));
	expect_text(text, "mtd=ext,comp=zstd,ratio=400,name=swap0,store=log,spread=64");
	spec = (struct spec) { .media = "ubi0:swap", .level = "2", .size = 16 << 20 };
	expect(spec_text(&spec, NULL, text, &why));
	expect_text(text, "mtd=ubi0:swap,level=2,size=16777216");
}

static void test_spec_bad(void)
{
	static char large[300];
	const struct spec bad[] = {
		{ .media = "" }, { .media = "a,b" }, { .media = "a\nb" },
		{ .media = "a", .size = 1, .ratio = 1 },
		{ .media = "a", .name = "" }, { .media = "a", .name = "5" }, { .media = "a", .name = "a b" },
		{ .media = "a", .name = "a,comp=none" },
		{ .media = "a", .name = "x123456789012345678901234567890x" },
		{ .media = "a", .level = "" }, { .media = "a", .level = "-1" }, { .media = "a", .level = "1,x" },
		{ .media = "a", .level = "1234" },
		{ .media = "a", .more = "a b" }, { .media = "a", .more = "a\nb" },
		{ .media = large },
	};
	char text[SPEC_TEXT];
	const char *why;
	unsigned int i;

	memset(large, 'x', sizeof(large) - 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		why = NULL;
		if (spec_text(&bad[i], NULL, text, &why) || !why) {
			tap.bad++;
			tap_note("case %u is taken", i);
		}
	}
}

static void test_algorithms(void)
{
	static const char *const all[] = { "lz4", "lzo", "zlib", "zstd" };
	unsigned int i, turn;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		expect_text(spec_algorithm(all[i]), all[i]);
		for (turn = 0; turn < 3; turn++) {
			expect(!!spec_other(all[i], turn));
			expect(strcmp(spec_other(all[i], turn), all[i]) != 0);
		}
		expect(!spec_other(all[i], 3));
	}
	expect_text(spec_other("zstd", 0), "zlib");
	expect_text(spec_algorithm("lzo-rle"), "lzo");
	expect_text(spec_algorithm("deflate"), "zlib");
	expect_text(spec_algorithm("none"), "none");
	expect(spec_same_levels("zstd") && spec_same_levels("lz4") && spec_same_levels("deflate"));
	expect(!spec_same_levels("lz4hc") && !spec_same_levels("lzo-rle") && !spec_same_levels("842"));
	expect(!spec_other("none", 0));
	expect(!spec_algorithm("gzip"));
	expect(!spec_algorithm(""));
}

static const struct measured measured[] = {
	{ "lz4", true, 1000, 4096, 0, 0, 1600000, 9000, 5000, 0, 0, false },
	{ "lzo", true, 1000, 4096, 0, 0, 1500000, 10000, 6000, 0, 0, false },
	{ "zlib", true, 1000, 4096, 0, 0, 1000000, 90000, 20000, 0, 0, false },
	{ "zstd", true, 1000, 4096, 0, 0, 1100000, 25000, 10000, 0, 0, false },
};

static void test_best(void)
{
	struct measured some[4];

	expect_text(choose_best(measured, 4, PREFER_SPEED)->algorithm, "lz4");
	expect_text(choose_best(measured, 4, PREFER_SPACE)->algorithm, "zlib");
	/* Take a third more for 2.5 times the time, but not 1.6 times for 8 times the time. */
	expect_text(choose_best(measured, 4, PREFER_BALANCE)->algorithm, "zstd");
	expect_text(choose_best(measured, 3, PREFER_BALANCE)->algorithm, "lz4");
	memcpy(some, measured, sizeof(some));
	some[0].done = false;
	expect_text(choose_best(some, 4, PREFER_SPEED)->algorithm, "lzo");
	some[3].pages = 0;
	expect_text(choose_best(some, 4, PREFER_BALANCE)->algorithm, "lzo");
	memset(some, 0, sizeof(some));
	expect(!choose_best(some, 4, PREFER_BALANCE));
}

static void test_ratio(void)
{
	expect_eq(choose_ratio(1000 * 4096, 1600000), 230);
	expect_eq(choose_ratio(1000 * 4096, 0), MTDCOMPR_RATIO_MAX);
	expect_eq(choose_ratio(1000 * 4096, 1), MTDCOMPR_RATIO_MAX);
	expect_eq(choose_ratio(0, 1), 1);
	/* Incompressible pages grow by their headers. */
	expect_eq(choose_ratio(1000 * 4096, 1000 * 4104), 89);
	expect_eq(choose_limit(300, 64 << 20, 512 << 20), 300);
	expect_eq(choose_limit(300, 1ULL << 30, 64 << 20), 25);
	expect_eq(choose_limit(300, 1ULL << 50, 64 << 20), 1);
	expect_eq(choose_limit(300, 1 << 20, 0), 300);
}

/* Never promise encryption that no device has shown. */
static void test_crypt(void)
{
	struct measured measured[2] = { { .done = false }, { .done = true, .encrypted = true } };
	static const char perhaps[] =
		"Pages on these media are encrypted unless the module lacks the cipher.";
	static const char plain[] =
		"Pages on these media are not encrypted: the module lacks the cipher.";

	expect(!choose_crypt(NULL, 2, false));
	expect(!strcmp(choose_crypt(NULL, 2, true), perhaps));
	expect(!strcmp(choose_crypt(measured, 1, true), perhaps));
	expect(!strcmp(choose_crypt(measured, 2, true), "Pages on these media are encrypted."));
	expect(!strcmp(choose_crypt(measured, 2, false), "Pages on these media are encrypted."));
	measured[1].encrypted = false;
	expect(!strcmp(choose_crypt(measured, 2, true), plain));
	expect(!choose_crypt(measured, 2, false));
}

static void test_signature(void)
{
	static unsigned char page[16384];
	u32 version, last;

	memset(page, 0xff, sizeof(page));
	expect_eq(signature_make(page, 4096, 16 << 20), 0);
	memcpy(&version, page + 1024, 4);
	memcpy(&last, page + 1028, 4);
	expect_eq(version, 1);
	expect_eq(last, 4095);
	expect(!memcmp(page + 4086, "SWAPSPACE2", 10));
	expect_eq(page[4096], 0xff);
	expect_eq(signature_make(page, 16384, 16 << 20), 0);
	memcpy(&last, page + 1028, 4);
	expect_eq(last, 1023);
	expect(!memcmp(page + 16374, "SWAPSPACE2", 10));
	expect_eq(signature_make(page, 4096, 9 * 4096 + 4095), -EINVAL);
	expect_eq(signature_make(page, 4096, 10 * 4096), 0);
	expect_eq(signature_make(page, 4096, 1ULL << 50), 0);
	memcpy(&last, page + 1028, 4);
	expect_eq(last, 0xfffffffe);
}

static void test_rate(void)
{
	uint64_t rate = 0;

	expect(rate_of("page_writes: 10\n", "page_writes: 30\n", "page_writes", 2000000, &rate));
	expect_eq(rate, 10);
	expect(!rate_of(NULL, "page_writes: 30\n", "page_writes", 2000000, &rate));
	/* Counters that shrink: another device of the same name. */
	expect(!rate_of("page_writes: 31\n", "page_writes: 30\n", "page_writes", 2000000, &rate));
	expect(!rate_of("page_writes: 10\n", "page_reads: 30\n", "page_writes", 2000000, &rate));
	expect(!rate_of("page_writes: 10\n", "page_writes: 30\n", "page_writes", 0, &rate));
	expect(rate_of("x: 0\n", "x: 18446744073709551615\n", "x", 1, &rate));
	expect(rate == U64_MAX);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "the text for an attach", test_spec },
		{ "what is not sent to the module", test_spec_bad },
		{ "compressors, and what to take instead", test_algorithms },
		{ "the compressor that is suggested", test_best },
		{ "the ratio", test_ratio },
		{ "what is said about encryption", test_crypt },
		{ "the swap header", test_signature },
		{ "rates", test_rate },
	};

	return tap_main("choice", cases, ARRAY_SIZE(cases), argc, argv);
}
