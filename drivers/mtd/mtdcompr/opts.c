// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of "<mtd>[,option=value]...".
 *
 * This unit knows the grammar and the limits of the options. It does not know
 * whether an MTD or a compressor of that name exists. It allocates and prints
 * nothing; what is wrong it says by a string, for the caller to print.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "opts.h"

#include <uapi/linux/mtdcompr.h>

static const char * const policy_names[MTDC_ALLOC_POLICIES] = {
	[MTDC_ALLOC_ROTATE] = "rotate",
	[MTDC_ALLOC_BEST] = "best",
	[MTDC_ALLOC_LARGEST] = "largest",
};

static const char * const store_names[] = {
	[MTDC_STORE_AUTO] = "auto",
	[MTDC_STORE_INPLACE] = "inplace",
	[MTDC_STORE_LOG] = "log",
};

/* A piece of the option string. */
struct span {
	const char *at;
	size_t len;
};

static bool span_is(const struct span *span, const char *word)
{
	return strlen(word) == span->len &&
		!memcmp(span->at, word, span->len);
}

static int fail(const char **reason, int err, const char *why)
{
	*reason = why;
	return err;
}

/* Cut @text at the first @c; what is behind it stays in @text. */
static struct span cut(struct span *text, char c)
{
	const char *end = memchr(text->at, c, text->len);
	struct span head = *text;

	if (end) {
		head.len = end - text->at;
		text->at = end + 1;
		text->len -= head.len + 1;
	} else {
		text->at += text->len;
		text->len = 0;
	}
	return head;
}

static int parse_u64(struct span text, bool suffix, u64 *number)
{
	unsigned int shift = 0;
	u64 value = 0;
	size_t i;

	if (suffix && text.len) {
		switch (text.at[text.len - 1]) {
		case 'G': case 'g':
			shift += 10;
			fallthrough;
		case 'M': case 'm':
			shift += 10;
			fallthrough;
		case 'K': case 'k':
			shift += 10;
			text.len--;
		}
	}
	if (!text.len)
		return -EINVAL;
	for (i = 0; i < text.len; i++) {
		u32 digit = (u32)text.at[i] - '0';

		if (digit > 9)
			return -EINVAL;
		/* Only constants: 32-bit machines have no u64 division. */
		if (value > U64_MAX / 10 || value * 10 > U64_MAX - digit)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (value > U64_MAX >> shift)
		return -ERANGE;
	*number = value << shift;
	return 0;
}

static int copy_name(char *to, const struct span *from, const char **reason)
{
	size_t i;

	if (!from->len)
		return fail(reason, -EINVAL, "a name is empty");
	if (from->len >= MTDC_OPT_NAME_MAX)
		return fail(reason, -EINVAL, "a name is longer than 63 bytes");
	for (i = 0; i < from->len; i++)
		if ((u8)from->at[i] < ' ' || from->at[i] == 0x7f)
			return fail(reason, -EINVAL,
				    "a name has a control character");
	memcpy(to, from->at, from->len);
	to[from->len] = '\0';
	return 0;
}

static int parse_device_name(struct mtdc_opts *opts, const struct span *value,
			     const char **reason)
{
	u64 number;
	size_t i;

	/* It becomes a file in procfs. */
	for (i = 0; i < value->len; i++) {
		char c = value->at[i];

		if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
		    (c < '0' || c > '9') && c != '_' && c != '-')
			return fail(reason, -EINVAL,
				    "name= takes letters, digits, _ and -");
	}
	if (value->len > MTDCOMPR_NAME_MAX)
		return fail(reason, -EINVAL, "name= is longer than 31 bytes");
	if (!parse_u64(*value, false, &number))
		return fail(reason, -EINVAL, "name= can't be a number");
	return copy_name(opts->name, value, reason);
}

static int parse_size(struct mtdc_opts *opts, const struct span *value,
		      const char **reason)
{
	int err = parse_u64(*value, true, &opts->size);

	if (err == -EINVAL)
		return fail(reason, err,
			    "size= takes a number of bytes, K, M or G may follow");
	if (err || !opts->size)
		return fail(reason, -ERANGE, "size= is out of range");
	return 0;
}

static int parse_ratio(struct mtdc_opts *opts, const struct span *value,
		       const char **reason)
{
	u64 ratio;
	int err = parse_u64(*value, false, &ratio);

	if (err == -EINVAL)
		return fail(reason, err, "ratio= takes a number of percent");
	if (err || !ratio || ratio > MTDCOMPR_RATIO_MAX)
		return fail(reason, -ERANGE, "ratio= goes from 1 to 1000");
	opts->ratio = ratio;
	return 0;
}

static int parse_level(struct mtdc_opts *opts, const struct span *value,
		       const char **reason)
{
	struct span digits = *value;
	bool minus = digits.len && *digits.at == '-';
	u64 level;
	int err;

	if (minus) {
		digits.at++;
		digits.len--;
	}
	err = parse_u64(digits, false, &level);
	if (err == -EINVAL)
		return fail(reason, err, "level= takes a number");
	if (err || level > INT_MAX)
		return fail(reason, -ERANGE, "level= is out of range");
	opts->level = minus ? -(int)level : (int)level;
	return 0;
}

static int parse_policy(struct mtdc_opts *opts, const struct span *value,
			const char **reason)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policy_names); i++) {
		if (span_is(value, policy_names[i])) {
			opts->policy = i;
			return 0;
		}
	}
	return fail(reason, -EINVAL, "alloc= is rotate, best or largest");
}

static int parse_store(struct mtdc_opts *opts, const struct span *value,
		       const char **reason)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(store_names); i++) {
		if (span_is(value, store_names[i])) {
			opts->store = i;
			return 0;
		}
	}
	return fail(reason, -EINVAL, "store= is auto, inplace or log");
}

static int parse_spread(struct mtdc_opts *opts, const struct span *value,
			const char **reason)
{
	u64 spread;
	int err = parse_u64(*value, false, &spread);

	if (err == -EINVAL)
		return fail(reason, err, "spread= takes a number of erases");
	if (err || spread < 2 || spread > MTDCOMPR_SPREAD_MAX)
		return fail(reason, -ERANGE, "spread= goes from 2 to 1000000");
	opts->spread = spread;
	return 0;
}

static int parse_wearlevel(struct mtdc_opts *opts, const struct span *value,
			   const char **reason)
{
	u64 writes;
	int err = parse_u64(*value, false, &writes);

	if (err == -EINVAL)
		return fail(reason, err,
			    "wearlevel= takes a number of page writes");
	if (err || writes > MTDCOMPR_WEARLEVEL_MAX)
		return fail(reason, -ERANGE, "wearlevel= goes from 0 to 1000000");
	opts->wearlevel = writes;
	return 0;
}

static int parse_cache(struct mtdc_opts *opts, const struct span *value,
		       const char **reason)
{
	opts->cache = span_is(value, "1");
	if (!opts->cache && !span_is(value, "0"))
		return fail(reason, -EINVAL, "cache= is 0 or 1");
	return 0;
}

static int parse_sync(struct mtdc_opts *opts, const struct span *value,
		      const char **reason)
{
	if (!span_is(value, "0") && !span_is(value, "1"))
		return fail(reason, -EINVAL, "sync= is 0 or 1");
	opts->sync = span_is(value, "1") ? MTDC_SYNC_YES : MTDC_SYNC_NO;
	return 0;
}

static int parse_comp(struct mtdc_opts *opts, const struct span *value,
		      const char **reason)
{
	return copy_name(opts->comp, value, reason);
}

static const struct {
	const char *key;
	int (*parse)(struct mtdc_opts *opts, const struct span *value,
		     const char **reason);
} options[] = {
	{ "comp", parse_comp },
	{ "level", parse_level },
	{ "size", parse_size },
	{ "ratio", parse_ratio },
	{ "alloc", parse_policy },
	{ "name", parse_device_name },
	{ "cache", parse_cache },
	{ "store", parse_store },
	{ "spread", parse_spread },
	{ "wearlevel", parse_wearlevel },
	{ "sync", parse_sync },
};

static int parse_option(struct mtdc_opts *opts, struct span text, u32 *seen,
			const char **reason)
{
	struct span key = cut(&text, '=');
	unsigned int i;

	if (key.at + key.len == text.at)
		return fail(reason, -EINVAL, "an option has no value");
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!span_is(&key, options[i].key))
			continue;
		if (*seen & 1U << i)
			return fail(reason, -EINVAL, "an option is given twice");
		*seen |= 1U << i;
		return options[i].parse(opts, &text, reason);
	}
	return fail(reason, -EINVAL,
		    "unknown option; there are comp, level, size, ratio, alloc, name, cache, store, spread, wearlevel and sync");
}

/* Options that exclude each other. */
static int check_all(const struct mtdc_opts *opts, const char **reason)
{
	if (opts->size && opts->ratio)
		return fail(reason, -EINVAL,
			    "size= and ratio= exclude each other");
	if (opts->cache && opts->store == MTDC_STORE_LOG)
		return fail(reason, -EINVAL,
			    "cache=1 and store=log exclude each other");
	if (opts->spread && (opts->cache || opts->store == MTDC_STORE_INPLACE))
		return fail(reason, -EINVAL, "spread= is for store=log");
	if (opts->wearlevel != MTDC_WEARLEVEL_DEFAULT &&
	    opts->store == MTDC_STORE_LOG)
		return fail(reason, -EINVAL,
			    "wearlevel= is for media that are rewritten in place, a log has spread=");
	return 0;
}

/**
 * mtdc_opts_parse() - parse an option string
 * @opts: where to
 * @text: "<mtd>[,option=value]..."; a leading "mtd=" and a trailing newline
 *	are accepted
 * @reason: says what is wrong where the result is not 0
 *
 * Context: any.
 * Return: 0; -EINVAL for what is malformed or unknown, -ERANGE for a number
 * out of range.
 */
int mtdc_opts_parse(struct mtdc_opts *opts, const char *text,
		    const char **reason)
{
	struct span rest = { text, strlen(text) };
	struct span mtd;
	u32 seen = 0;
	int err;

	memset(opts, 0, sizeof(*opts));
	opts->level = MTDC_LEVEL_DEFAULT;
	opts->wearlevel = MTDC_WEARLEVEL_DEFAULT;
	if (rest.len && rest.at[rest.len - 1] == '\n')
		rest.len--;
	if (rest.len >= 4 && !memcmp(rest.at, "mtd=", 4)) {
		rest.at += 4;
		rest.len -= 4;
	}
	mtd = cut(&rest, ',');
	if (!mtd.len)
		return fail(reason, -EINVAL, "no MTD is given");
	err = copy_name(opts->mtd, &mtd, reason);
	/* A comma promises an option, even at the very end. */
	while (!err && rest.at != mtd.at + mtd.len) {
		struct span option = cut(&rest, ',');

		err = parse_option(opts, option, &seen, reason);
		if (rest.at == option.at + option.len)
			break;
	}
	return err ? err : check_all(opts, reason);
}

/**
 * mtdc_opts_is_number() - is this a device's number rather than its name?
 * @text: the text
 * @number: the number, if it is one
 *
 * Context: any.
 * Return: true if it is.
 */
bool mtdc_opts_is_number(const char *text, u32 *number)
{
	struct span span = { text, strlen(text) };
	u64 value;

	if (parse_u64(span, false, &value) || value > INT_MAX)
		return false;
	*number = value;
	return true;
}

/**
 * mtdc_opts_policy_name() - name of an allocation policy
 * @policy: the policy
 *
 * Context: any.
 * Return: its name, as alloc= takes it.
 */
const char *mtdc_opts_policy_name(enum mtdc_alloc_policy policy)
{
	return policy_names[policy];
}
