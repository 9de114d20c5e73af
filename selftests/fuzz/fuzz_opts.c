// SPDX-License-Identifier: GPL-2.0
/*
 * The option string. The result must be options within their bounds, or one of two errors with a
 * reason. Printed and parsed again, the options must be the same.
 */
#include "fuzz.h"
#include "opts.h"

#include <linux/errno.h>
#include <uapi/linux/mtdcompr.h>

#define TEXT_MAX	512

static const char name_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

static int parse(struct mtdc_opts *opts, const char *text, size_t bytes)
{
	char *copy = malloc(bytes + 1);
	const char *reason = NULL;
	int err;

	must_be(copy);
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	memset(opts, 0xa5, sizeof(*opts));
	err = mtdc_opts_parse(opts, copy, &reason);
	must_be(!err || err == -EINVAL || err == -ERANGE);
	must_be(!err || (reason && *reason && !strpbrk(reason, "\n%")));
	free(copy);
	return err;
}

/* The string of a field must end with a NUL. */
static void check_text(const char *text, size_t max)
{
	const char *end = memchr(text, '\0', MTDC_OPT_NAME_MAX);

	must_be(end && (size_t)(end - text) <= max);
	for (; *text; text++)
		must_be((u8)*text >= ' ' && *text != 0x7f && *text != ',');
}

static void check_bounds(const struct mtdc_opts *opts)
{
	u32 number;

	must_be(*opts->mtd);
	check_text(opts->mtd, MTDC_OPT_NAME_MAX - 1);
	check_text(opts->comp, MTDC_OPT_NAME_MAX - 1);
	check_text(opts->name, MTDCOMPR_NAME_MAX);
	must_be(strspn(opts->name, name_letters) == strlen(opts->name));
	must_be(!mtdc_opts_is_number(opts->name, &number));
	must_be(opts->ratio <= MTDCOMPR_RATIO_MAX);
	must_be(!opts->size || !opts->ratio);
	must_be(opts->policy < MTDC_ALLOC_POLICIES);
	if (mtdc_opts_is_number(opts->mtd, &number))
		must_be(number <= INT_MAX);
}

/* Print all options; "mtd=" comes first, because the name may begin with "mtd=". */
static size_t print(const struct mtdc_opts *opts, char *text)
{
	size_t n = snprintf(text, TEXT_MAX, "mtd=%s,alloc=%s,cache=%d", opts->mtd,
			    mtdc_opts_policy_name(opts->policy), opts->cache);

	if (*opts->comp)
		n += snprintf(text + n, TEXT_MAX - n, ",comp=%s", opts->comp);
	if (*opts->name)
		n += snprintf(text + n, TEXT_MAX - n, ",name=%s", opts->name);
	if (opts->size)
		n += snprintf(text + n, TEXT_MAX - n, ",size=%llu", opts->size);
	if (opts->ratio)
		n += snprintf(text + n, TEXT_MAX - n, ",ratio=%u", opts->ratio);
	if (opts->level != MTDC_LEVEL_DEFAULT)
		n += snprintf(text + n, TEXT_MAX - n, ",level=%d", opts->level);
	must_be(n < TEXT_MAX);
	return n;
}

static void check_same(const struct mtdc_opts *a, const struct mtdc_opts *b)
{
	must_be(!strcmp(a->mtd, b->mtd) && !strcmp(a->comp, b->comp) &&
		!strcmp(a->name, b->name));
	must_be(a->size == b->size && a->ratio == b->ratio && a->level == b->level);
	must_be(a->policy == b->policy && a->cache == b->cache);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	struct mtdc_opts opts, again;
	char *text = malloc(bytes + 1);
	char printed[TEXT_MAX];
	u32 number = 0;

	must_be(text);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	mtdc_opts_is_number(text, &number);
	must_be(number <= INT_MAX);
	if (!parse(&opts, text, strlen(text))) {
		check_bounds(&opts);
		must_be(!parse(&again, printed, print(&opts, printed)));
		check_same(&opts, &again);
	}
	free(text);
	return 0;
}
