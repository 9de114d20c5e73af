// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the option strings, as sysfs and the module's parameter hand
 * them over. The grammar has more tests in user space.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "opts.h"

struct opts_param {
	const char *text;
	int err;
	struct mtdc_opts opts;
};

#define OPTS(...)	{ .level = MTDC_LEVEL_DEFAULT, \
			  .wearlevel = MTDC_WEARLEVEL_DEFAULT, __VA_ARGS__ }

static const struct opts_param opts_params[] = {
	{ "ext", 0, OPTS(.mtd = "ext") },
	{ "ext\n", 0, OPTS(.mtd = "ext") },
	{ "mtd=3", 0, OPTS(.mtd = "3") },
	{ "3,comp=zlib,level=-5,ratio=250,alloc=largest,name=a-b_C,cache=1\n",
	  0, { .mtd = "3", .comp = "zlib", .name = "a-b_C", .ratio = 250,
	       .level = -5, .wearlevel = MTDC_WEARLEVEL_DEFAULT,
	       .policy = MTDC_ALLOC_LARGEST, .cache = true } },
	{ "3,size=18014398509481983K", 0,
	  OPTS(.mtd = "3", .size = 18014398509481983ULL << 10) },
	{ "nand,store=log,spread=1000000", 0,
	  OPTS(.mtd = "nand", .store = MTDC_STORE_LOG, .spread = 1000000) },
	{ "nand,store=auto,spread=2", 0, OPTS(.mtd = "nand", .spread = 2) },
	{ "ram,store=inplace", 0,
	  OPTS(.mtd = "ram", .store = MTDC_STORE_INPLACE) },
	{ "pcm,wearlevel=0", 0, { .mtd = "pcm", .level = MTDC_LEVEL_DEFAULT } },
	{ "", -EINVAL },
	{ "\n", -EINVAL },
	{ ",comp=lz4", -EINVAL },
	{ "ext,", -EINVAL },
	{ "ext,comp", -EINVAL },
	{ "ext,comp=lz4,comp=lz4", -EINVAL },
	{ "ext,what=1", -EINVAL },
	{ "ext,name=7", -EINVAL },
	{ "ext,name=a/b", -EINVAL },
	{ "ext,size=1M,ratio=100", -EINVAL },
	{ "ext,size=18014398509481984K", -ERANGE },
	{ "ext,ratio=1001", -ERANGE },
	{ "ext,spread=1", -ERANGE },
	{ "ext,store=", -EINVAL },
	{ "ext,store=log,cache=1", -EINVAL },
	{ "ext,sync=2", -EINVAL },
	{ "ext,store=inplace,spread=8", -EINVAL },
	{ "ext,store=log,wearlevel=8", -EINVAL },
	{ "ext,wearlevel=1000001", -ERANGE },
	{ "ext,level=2147483648", -ERANGE },
};

static void opts_name(const struct opts_param *param, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "\"%*pE\"",
		 (int)strlen(param->text), param->text);
}

KUNIT_ARRAY_PARAM(opts, opts_params, opts_name);

static void opts_are_parsed(struct kunit *test)
{
	const struct opts_param *param = test->param_value;
	const char *reason = NULL;
	struct mtdc_opts opts;

	KUNIT_ASSERT_EQ(test, mtdc_opts_parse(&opts, param->text, &reason),
			param->err);
	if (param->err) {
		KUNIT_EXPECT_NOT_NULL(test, reason);
		return;
	}
	KUNIT_EXPECT_STREQ(test, (const char *)opts.mtd, param->opts.mtd);
	KUNIT_EXPECT_STREQ(test, (const char *)opts.comp, param->opts.comp);
	KUNIT_EXPECT_STREQ(test, (const char *)opts.name, param->opts.name);
	KUNIT_EXPECT_EQ(test, opts.size, param->opts.size);
	KUNIT_EXPECT_EQ(test, opts.ratio, param->opts.ratio);
	KUNIT_EXPECT_EQ(test, opts.level, param->opts.level);
	KUNIT_EXPECT_EQ(test, opts.policy, param->opts.policy);
	KUNIT_EXPECT_EQ(test, opts.cache, param->opts.cache);
	KUNIT_EXPECT_EQ(test, opts.sync, param->opts.sync);
	KUNIT_EXPECT_EQ(test, opts.store, param->opts.store);
	KUNIT_EXPECT_EQ(test, opts.spread, param->opts.spread);
	KUNIT_EXPECT_EQ(test, opts.wearlevel, param->opts.wearlevel);
}

static struct kunit_case opts_cases[] = {
	KUNIT_CASE_PARAM(opts_are_parsed, opts_gen_params),
	{}
};

static struct kunit_suite opts_suite = {
	.name = "mtdcompr_opts",
	.test_cases = opts_cases,
};

kunit_test_suite(opts_suite);
