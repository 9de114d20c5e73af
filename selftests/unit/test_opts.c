// SPDX-License-Identifier: GPL-2.0
/*
 * The option string: accepted options and their values, refused ones and their errno, and random
 * garbage, which must do no harm.
 */
#include <errno.h>
#include <limits.h>

#include "harness.h"
#include "opts.h"

#include <uapi/linux/mtdcompr.h>

#define NAME63	"123456789012345678901234567890123456789012345678901234567890123"
#define NAME31	"1234567890123456789012345678901"

/* Parse a string in memory of exactly its size. */
static int parse(const char *text, struct mtdc_opts *opts, const char **reason)
{
	char *copy = test_alloc(strlen(text) + 1);
	int err;

	strcpy(copy, text);
	*reason = NULL;
	memset(opts, 0xa5, sizeof(*opts));
	err = mtdc_opts_parse(opts, copy, reason);
	free(copy);
	if (err && !expect(*reason && **reason))
		tap_note("  no reason for \"%s\"", text);
	return err;
}

#define DEFAULTS	.level = MTDC_LEVEL_DEFAULT, .wearlevel = MTDC_WEARLEVEL_DEFAULT

static const struct {
	const char *text;
	struct mtdc_opts want;
} good[] = {
	{ "0", { .mtd = "0", DEFAULTS } },
	{ "mtd=0", { .mtd = "0", DEFAULTS } },
	{ "0\n", { .mtd = "0", DEFAULTS } },
	{ "mtd=0\n", { .mtd = "0", DEFAULTS } },
	{ "Physically mapped RAM",
	  { .mtd = "Physically mapped RAM", DEFAULTS } },
	{ "a=b", { .mtd = "a=b", DEFAULTS } },
	{ "mtd=mtd=0", { .mtd = "mtd=0", DEFAULTS } },
	{ "mtd", { .mtd = "mtd", DEFAULTS } },
	{ "gr\303\266\303\237er",
	  { .mtd = "gr\303\266\303\237er", DEFAULTS } },
	{ NAME63, { .mtd = NAME63, DEFAULTS } },
	{ "0,comp=lz4", { .mtd = "0", .comp = "lz4", DEFAULTS } },
	{ "0,comp=no-such-thing",
	  { .mtd = "0", .comp = "no-such-thing", DEFAULTS } },
	{ "0,level=0", { .mtd = "0", .level = 0, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,level=-0", { .mtd = "0", .level = 0, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,level=22", { .mtd = "0", .level = 22, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,level=-7", { .mtd = "0", .level = -7, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,level=2147483647",
	  { .mtd = "0", .level = INT_MAX, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,level=-2147483647",
	  { .mtd = "0", .level = -INT_MAX, .wearlevel = MTDC_WEARLEVEL_DEFAULT } },
	{ "0,size=1", { .mtd = "0", .size = 1, DEFAULTS } },
	{ "0,size=4096", { .mtd = "0", .size = 4096, DEFAULTS } },
	{ "0,size=64k", { .mtd = "0", .size = 65536, DEFAULTS } },
	{ "0,size=64K", { .mtd = "0", .size = 65536, DEFAULTS } },
	{ "0,size=3M", { .mtd = "0", .size = 3 << 20, DEFAULTS } },
	{ "0,size=3m", { .mtd = "0", .size = 3 << 20, DEFAULTS } },
	{ "0,size=5G", { .mtd = "0", .size = 5ULL << 30, DEFAULTS } },
	{ "0,size=5g", { .mtd = "0", .size = 5ULL << 30, DEFAULTS } },
	{ "0,size=007", { .mtd = "0", .size = 7, DEFAULTS } },
	{ "0,size=18446744073709551615",
	  { .mtd = "0", .size = ~0ULL, DEFAULTS } },
	{ "0,size=17179869183G",
	  { .mtd = "0", .size = 17179869183ULL << 30, DEFAULTS } },
	{ "0,ratio=1", { .mtd = "0", .ratio = 1, DEFAULTS } },
	{ "0,ratio=1000", { .mtd = "0", .ratio = 1000, DEFAULTS } },
	{ "0,alloc=rotate",
	  { .mtd = "0", .policy = MTDC_ALLOC_ROTATE, DEFAULTS } },
	{ "0,alloc=best",
	  { .mtd = "0", .policy = MTDC_ALLOC_BEST, DEFAULTS } },
	{ "0,alloc=largest",
	  { .mtd = "0", .policy = MTDC_ALLOC_LARGEST, DEFAULTS } },
	{ "0,name=swap_0-A", { .mtd = "0", .name = "swap_0-A", DEFAULTS } },
	{ "0,name=0x", { .mtd = "0", .name = "0x", DEFAULTS } },
	{ "0,name=" NAME31, { .mtd = "0", .name = NAME31, DEFAULTS } },
	{ "0,cache=1", { .mtd = "0", .cache = true, DEFAULTS } },
	{ "0,cache=0", { .mtd = "0", DEFAULTS } },
	{ "0,sync=0", { .mtd = "0", .sync = MTDC_SYNC_NO, DEFAULTS } },
	{ "0,sync=1", { .mtd = "0", .sync = MTDC_SYNC_YES, DEFAULTS } },
	{ "0,store=auto", { .mtd = "0", DEFAULTS } },
	{ "0,store=inplace,cache=1",
	  { .mtd = "0", .store = MTDC_STORE_INPLACE, .cache = true,
	    DEFAULTS } },
	{ "0,spread=2,store=log",
	  { .mtd = "0", .store = MTDC_STORE_LOG, .spread = 2, DEFAULTS } },
	{ "0,wearlevel=0", { .mtd = "0", .level = MTDC_LEVEL_DEFAULT } },
	{ "0,cache=1,wearlevel=1", { .mtd = "0", .cache = true, .level = MTDC_LEVEL_DEFAULT,
				     .wearlevel = 1 } },
	{ "0,wearlevel=1000000,store=inplace",
	  { .mtd = "0", .store = MTDC_STORE_INPLACE, .level = MTDC_LEVEL_DEFAULT,
	    .wearlevel = 1000000 } },
	{ "0,spread=1000000", { .mtd = "0", .spread = 1000000, DEFAULTS } },
	{ "mtd=nand,cache=1,comp=lz4\n",
	  { .mtd = "nand", .comp = "lz4", .cache = true, DEFAULTS } },
	{ "mtd=ram,name=z,alloc=largest,ratio=250,level=-3,comp=zstd\n",
	  { .mtd = "ram", .comp = "zstd", .name = "z", .ratio = 250, .level = -3,
	    .wearlevel = MTDC_WEARLEVEL_DEFAULT, .policy = MTDC_ALLOC_LARGEST } },
};

static const struct {
	const char *text;
	int err;
} bad[] = {
	{ "", -EINVAL },
	{ "\n", -EINVAL },
	{ "mtd=", -EINVAL },
	{ "mtd=\n", -EINVAL },
	{ ",", -EINVAL },
	{ ",comp=lz4", -EINVAL },
	{ "mtd=,comp=lz4", -EINVAL },
	{ "0\n\n", -EINVAL },
	{ "0\n,comp=lz4", -EINVAL },
	{ "a\tb", -EINVAL },
	{ "a\177b", -EINVAL },
	{ NAME63 "4", -EINVAL },
	{ "0,", -EINVAL },
	{ "0,\n", -EINVAL },
	{ "0,,comp=lz4", -EINVAL },
	{ "0,comp=lz4,", -EINVAL },
	{ "0,comp", -EINVAL },
	{ "0,comp=", -EINVAL },
	{ "0,comp=lz4\n\n", -EINVAL },
	{ "0,comp=" NAME63 "4", -EINVAL },
	{ "0,=lz4", -EINVAL },
	{ "0,=", -EINVAL },
	{ "0,Comp=lz4", -EINVAL },
	{ "0, comp=lz4", -EINVAL },
	{ "0,compr=lz4", -EINVAL },
	{ "0,com=lz4", -EINVAL },
	{ "0,mtd=1", -EINVAL },
	{ "0,comp=lz4,comp=lz4", -EINVAL },
	{ "0,size=1M,size=1M", -EINVAL },
	{ "0,size=1M,ratio=300", -EINVAL },
	{ "0,ratio=300,size=1M", -EINVAL },
	{ "0,level=", -EINVAL },
	{ "0,level=-", -EINVAL },
	{ "0,level=--1", -EINVAL },
	{ "0,level=+1", -EINVAL },
	{ "0,level=one", -EINVAL },
	{ "0,level=1 ", -EINVAL },
	{ "0,level=1k", -EINVAL },
	{ "0,level=2147483648", -ERANGE },
	{ "0,level=-2147483648", -ERANGE },
	{ "0,level=99999999999999999999", -ERANGE },
	{ "0,size=", -EINVAL },
	{ "0,size=K", -EINVAL },
	{ "0,size=-1", -EINVAL },
	{ "0,size=0x1000", -EINVAL },
	{ "0,size=1.5M", -EINVAL },
	{ "0,size=1KB", -EINVAL },
	{ "0,size=1MM", -EINVAL },
	{ "0,size=1T", -EINVAL },
	{ "0,size= 1M", -EINVAL },
	{ "0,size=0", -ERANGE },
	{ "0,size=0G", -ERANGE },
	{ "0,size=18446744073709551616", -ERANGE },
	{ "0,size=17179869184G", -ERANGE },
	{ "0,size=18446744073709551615K", -ERANGE },
	{ "0,ratio=", -EINVAL },
	{ "0,ratio=0", -ERANGE },
	{ "0,ratio=1001", -ERANGE },
	{ "0,ratio=4294967297", -ERANGE },
	{ "0,ratio=-5", -EINVAL },
	{ "0,ratio=300%", -EINVAL },
	{ "0,ratio=1k", -EINVAL },
	{ "0,alloc=", -EINVAL },
	{ "0,alloc=worst", -EINVAL },
	{ "0,alloc=Best", -EINVAL },
	{ "0,alloc=bes", -EINVAL },
	{ "0,alloc=bestest", -EINVAL },
	{ "0,cache", -EINVAL },
	{ "0,sync=", -EINVAL },
	{ "0,sync=2", -EINVAL },
	{ "0,sync=yes", -EINVAL },
	{ "0,sync=1,sync=1", -EINVAL },
	{ "0,cache=", -EINVAL },
	{ "0,cache=2", -EINVAL },
	{ "0,cache=-1", -EINVAL },
	{ "0,cache=01", -EINVAL },
	{ "0,cache=1 ", -EINVAL },
	{ "0,cache=11", -EINVAL },
	{ "0,cache=y", -EINVAL },
	{ "0,cache=on", -EINVAL },
	{ "0,cache=true", -EINVAL },
	{ "0,cache=1,cache=1", -EINVAL },
	{ "0,cache=0,cache=1", -EINVAL },
	{ "0,caches=1", -EINVAL },
	{ "0,store", -EINVAL },
	{ "0,store=", -EINVAL },
	{ "0,store=2", -EINVAL },
	{ "0,store=logs", -EINVAL },
	{ "0,store=Log", -EINVAL },
	{ "0,store=log,store=log", -EINVAL },
	{ "0,store=log,cache=1", -EINVAL },
	{ "0,cache=1,store=log", -EINVAL },
	{ "0,spread=", -EINVAL },
	{ "0,spread=-2", -EINVAL },
	{ "0,spread=2K", -EINVAL },
	{ "0,spread=0", -ERANGE },
	{ "0,spread=1", -ERANGE },
	{ "0,spread=1000001", -ERANGE },
	{ "0,spread=4294967298", -ERANGE },
	{ "0,spread=8,cache=1", -EINVAL },
	{ "0,spread=8,store=inplace", -EINVAL },
	{ "0,wearlevel=", -EINVAL },
	{ "0,wearlevel=-1", -EINVAL },
	{ "0,wearlevel=1K", -EINVAL },
	{ "0,wearlevel=1000001", -ERANGE },
	{ "0,wearlevel=4294967295", -ERANGE },
	{ "0,wearlevel=4294967296", -ERANGE },
	{ "0,wearlevel=1,wearlevel=1", -EINVAL },
	{ "0,wearlevel=0,store=log", -EINVAL },
	{ "0,store=log,wearlevel=16", -EINVAL },
	{ "0,Cache=1", -EINVAL },
	{ "0,name=", -EINVAL },
	{ "0,name=a/b", -EINVAL },
	{ "0,name=..", -EINVAL },
	{ "0,name=a b", -EINVAL },
	{ "0,name=a=b", -EINVAL },
	{ "0,name=\303\266", -EINVAL },
	/* A detach takes a name or a number. */
	{ "0,name=0", -EINVAL },
	{ "0,name=12", -EINVAL },
	{ "0,name=007", -EINVAL },
	{ "0,name=" NAME31 "2", -EINVAL },
	{ "0,name=" NAME63 NAME63, -EINVAL },
};

static bool expect_opts(const struct mtdc_opts *got, const struct mtdc_opts *want,
			const char *text)
{
	if (expect(!strcmp(got->mtd, want->mtd)) && expect(!strcmp(got->comp, want->comp)) &&
	    expect(!strcmp(got->name, want->name)) && expect(got->size == want->size) &&
	    expect_eq(got->ratio, want->ratio) && expect_eq(got->level, want->level) &&
	    expect_eq(got->policy, want->policy) && expect_eq(got->cache, want->cache) &&
	    expect_eq(got->store, want->store) && expect_eq(got->spread, want->spread) &&
	    expect_eq(got->wearlevel, want->wearlevel) && expect_eq(got->sync, want->sync))
		return true;
	tap_note("  with \"%s\"", text);
	return false;
}

static void test_good(void)
{
	struct mtdc_opts opts;
	const char *reason;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (expect_eq(parse(good[i].text, &opts, &reason), 0))
			expect_opts(&opts, &good[i].want, good[i].text);
		else
			tap_note("  with \"%s\": %s", good[i].text, reason);
	}
}

static void test_bad(void)
{
	struct mtdc_opts opts;
	const char *reason;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect_eq(parse(bad[i].text, &opts, &reason), bad[i].err))
			tap_note("  with \"%s\"", bad[i].text);
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		bool number;
		u32 value;
	} table[] = {
		{ "0", true, 0 }, { "7", true, 7 }, { "007", true, 7 },
		{ "2147483647", true, INT_MAX }, { "2147483648", false, 0 },
		{ "4294967296", false, 0 }, { "18446744073709551616", false, 0 },
		{ "", false, 0 }, { "-1", false, 0 }, { "+1", false, 0 }, { "1 ", false, 0 },
		{ " 1", false, 0 }, { "1k", false, 0 }, { "0x1", false, 0 }, { "mtd0", false, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		u32 value = 0;

		if (!expect_eq(mtdc_opts_is_number(table[i].text, &value), table[i].number) ||
		    !expect_eq(value, table[i].value))
			tap_note("  with \"%s\"", table[i].text);
	}
}

static void test_policy_names(void)
{
	unsigned int i;

	for (i = 0; i < MTDC_ALLOC_POLICIES; i++) {
		struct mtdc_opts opts;
		const char *reason;
		char text[64];

		snprintf(text, sizeof(text), "0,alloc=%s", mtdc_opts_policy_name(i));
		expect_eq(parse(text, &opts, &reason), 0);
		expect_eq(opts.policy, i);
	}
}

static bool is_ended(const char *name)
{
	return memchr(name, '\0', MTDC_OPT_NAME_MAX);
}

/* Parsing may fail, but must do no harm. */
static bool expect_harmless(const char *text)
{
	struct mtdc_opts opts;
	const char *reason;
	int err = parse(text, &opts, &reason);

	if (err)
		return expect(err == -EINVAL || err == -ERANGE);
	return expect(is_ended(opts.mtd)) && expect(*opts.mtd) && expect(is_ended(opts.comp)) &&
		expect(is_ended(opts.name)) &&
		expect(strlen(opts.name) <= MTDCOMPR_NAME_MAX) &&
		expect(opts.ratio <= MTDCOMPR_RATIO_MAX) && expect(!opts.size || !opts.ratio) &&
		expect(opts.policy < MTDC_ALLOC_POLICIES) &&
		expect(opts.store <= MTDC_STORE_LOG) && expect(opts.sync <= MTDC_SYNC_YES) &&
		expect(opts.spread <= MTDCOMPR_SPREAD_MAX) &&
		expect(opts.wearlevel <= MTDCOMPR_WEARLEVEL_MAX ||
		       opts.wearlevel == MTDC_WEARLEVEL_DEFAULT) &&
		expect(!opts.cache || opts.store != MTDC_STORE_LOG);
}

/* Random pieces of the grammar get further than random bytes. */
static void random_garbage(char *text, u32 size)
{
	static const char * const pieces[] = {
		",", "=", "mtd=", "comp=", "level=", "size=", "ratio=", "alloc=", "name=", "\n",
		"cache=", "store=", "log", "spread=", "wearlevel=", "sync=",
		"0", "9", "-", "K", "G", "lz4", "best", "18446744073709551615", NAME31, NAME63,
		" ", "\xff",
	};
	u32 left = random_length(size - 1);

	*text = '\0';
	while (left) {
		const char *piece = pieces[random_below(ARRAY_SIZE(pieces))];
		char byte[2] = { random_u64() };

		if (!random_below(4))
			piece = byte;
		if (strlen(piece) >= left)
			break;
		left -= strlen(piece) + 1;
		strcat(text, piece);
	}
}

static void test_garbage(void)
{
	char text[300];
	u64 ops = tap.ops, i;

	for (i = 0; i < ops && !tap.bad; i++) {
		random_garbage(text, sizeof(text));
		if (!expect_harmless(text))
			tap_note("  with \"%s\", operation %llu", text, i);
	}
}

static void random_name(char *name, u32 most)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	u32 len = random_length(most), i;

	for (i = 0; i < len; i++)
		name[i] = letters[random_below(sizeof(letters) - 1)];
	name[len] = '\0';
}

/* Append one option, by its number, to the string and to the expected result. */
static void random_option(char *text, struct mtdc_opts *want, unsigned int which)
{
	u32 shift = random_below(4);

	text += strlen(text);
	switch (which) {
	case 0:
		random_name(want->comp, MTDC_OPT_NAME_MAX - 1);
		sprintf(text, ",comp=%s", want->comp);
		break;
	case 1:
		want->level = (int)random_u64() >> random_below(31);
		if (want->level == INT_MIN)
			want->level = 0;
		sprintf(text, ",level=%d", want->level);
		break;
	case 2:
		want->size = random_length(0xffffffff);
		sprintf(text, ",size=%llu%.1s", want->size, "KMG" + shift);
		want->size <<= shift < 3 ? 10 * (shift + 1) : 0;
		break;
	case 3:
		want->ratio = random_length(MTDCOMPR_RATIO_MAX);
		sprintf(text, ",ratio=%u", want->ratio);
		break;
	case 4:
		want->policy = random_below(MTDC_ALLOC_POLICIES);
		sprintf(text, ",alloc=%s", mtdc_opts_policy_name(want->policy));
		break;
	case 5:
		want->cache = random_below(2);
		sprintf(text, ",cache=%d", want->cache);
		break;
	case 6:
		want->store = random_below(2);
		sprintf(text, ",store=%s", want->store ? "inplace" : "auto");
		break;
	default:
		/* The name must not be a number. */
		random_name(want->name + 1, MTDCOMPR_NAME_MAX - 1);
		*want->name = 'n';
		sprintf(text, ",name=%s", want->name);
	}
}

static void random_good(char *text, struct mtdc_opts *want)
{
	unsigned int seen = 0, n = random_below(9);

	memset(want, 0, sizeof(*want));
	want->level = MTDC_LEVEL_DEFAULT;
	want->wearlevel = MTDC_WEARLEVEL_DEFAULT;
	random_name(want->mtd, MTDC_OPT_NAME_MAX - 1);
	sprintf(text, "%s%s", random_below(2) ? "mtd=" : "", want->mtd);
	while (n--) {
		unsigned int which = random_below(8);

		/* size= and ratio= exclude each other. */
		if (seen & 1U << which || (which == 2 && want->ratio) ||
		    (which == 3 && want->size))
			continue;
		seen |= 1U << which;
		random_option(text, want, which);
	}
	if (random_below(2))
		strcat(text, "\n");
}

/* Valid strings have the expected result; with one byte changed they do no harm. */
static void test_random_good(void)
{
	struct mtdc_opts opts, want;
	u64 ops = tap.ops / 4, i;
	const char *reason;
	char text[400];

	for (i = 0; i < ops && !tap.bad; i++) {
		random_good(text, &want);
		if (!expect_eq(parse(text, &opts, &reason), 0)) {
			tap_note("  with \"%s\": %s", text, reason);
			return;
		}
		if (!expect_opts(&opts, &want, text))
			return;
		text[random_below(strlen(text))] = random_u64();
		expect_harmless(text);
	}
}

static const struct tap_case cases[] = {
	{ "good strings and what they mean", test_good },
	{ "bad strings and their errno", test_bad },
	{ "numbers and names of MTDs", test_numbers },
	{ "names of policies", test_policy_names },
	{ "random garbage", test_garbage },
	{ "random good strings, whole and damaged", test_random_good },
};

int main(int argc, char **argv)
{
	return tap_main("opts", cases, ARRAY_SIZE(cases), argc, argv);
}
