// SPDX-License-Identifier: GPL-2.0
/*
 * The option string "<mtd>[,option=value]...".
 *
 * This file owns the grammar, the limits of the numbers and the names of the choices. It is pure:
 * it must not allocate, print or look whether an MTD or a compressor of a name exists. If the text
 * is wrong it returns a sentence that says why, and dev.c prints that.
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

static const char * const crypt_names[] = {
	[MTDC_CRYPT_AUTO] = "auto",
	[MTDC_CRYPT_ON] = "on",
	[MTDC_CRYPT_OFF] = "off",
};

/* A part of the option string. */
struct span {
	const char *at;
	size_t len;
};

static bool span_is(const struct span *span, const char *word)
{
	return strlen(word) == span->len && !memcmp(span->at, word, span->len);
}

static int fail(const char **reason, int err, const char *why)
{
	*reason = why;
	return err;
}

/* Move the part of @text before the first @c, or all of it, to @head. Was there a @c? */
static bool cut(struct span *text, char c, struct span *head)
{
	const char *end = memchr(text->at, c, text->len);

	*head = *text;
	if (!end)
		return false;
	head->len = end - text->at;
	text->at = end + 1;
	text->len -= head->len + 1;
	return true;
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
		/* Divide constants only: 32-bit machines have no u64 division. */
		if (value > U64_MAX / 10 || value * 10 > U64_MAX - digit)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (value > U64_MAX >> shift)
		return -ERANGE;
	*number = value << shift;
	return 0;
}

static int parse_u32(const struct span *value, u32 min, u32 max, u32 *number, const char **reason,
		     const char *no_number, const char *out_of_range)
{
	u64 n;
	int err = parse_u64(*value, false, &n);

	if (err == -EINVAL)
		return fail(reason, err, no_number);
	if (err || n < min || n > max)
		return fail(reason, -ERANGE, out_of_range);
	*number = n;
	return 0;
}

/* The place of @value in @words, or -EINVAL. */
static int find_word(const struct span *value, const char * const *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (span_is(value, words[i]))
			return i;
	return -EINVAL;
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
			return fail(reason, -EINVAL, "a name has a control character");
	memcpy(to, from->at, from->len);
	to[from->len] = '\0';
	return 0;
}

static int parse_name(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	u64 number;
	size_t i;

	/* The name becomes a file in procfs. */
	for (i = 0; i < value->len; i++) {
		char c = value->at[i];

		if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
		    (c < '0' || c > '9') && c != '_' && c != '-')
			return fail(reason, -EINVAL, "name= takes letters, digits, _ and -");
	}
	if (value->len > MTDCOMPR_NAME_MAX)
		return fail(reason, -EINVAL, "name= is longer than 31 bytes");
	if (!parse_u64(*value, false, &number))
		return fail(reason, -EINVAL, "name= can't be a number");
	return copy_name(opts->name, value, reason);
}

static int parse_size(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	int err = parse_u64(*value, true, &opts->size);

	if (err == -EINVAL)
		return fail(reason, err, "size= takes a number of bytes, K, M or G may follow");
	if (err || !opts->size)
		return fail(reason, -ERANGE, "size= is out of range");
	return 0;
}

static int parse_ratio(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	return parse_u32(value, 1, MTDCOMPR_RATIO_MAX, &opts->ratio, reason,
			 "ratio= takes a number of percent", "ratio= goes from 1 to 1000");
}

static int parse_level(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	struct span digits = *value;
	bool minus = digits.len && *digits.at == '-';
	u32 level;
	int err;

	if (minus) {
		digits.at++;
		digits.len--;
	}
	err = parse_u32(&digits, 0, INT_MAX, &level, reason,
			"level= takes a number", "level= is out of range");
	if (!err)
		opts->level = minus ? -(int)level : (int)level;
	return err;
}

static int parse_policy(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	int i = find_word(value, policy_names, ARRAY_SIZE(policy_names));

	if (i < 0)
		return fail(reason, i, "alloc= is rotate, best or largest");
	opts->policy = i;
	return 0;
}

static int parse_store(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	int i = find_word(value, store_names, ARRAY_SIZE(store_names));

	if (i < 0)
		return fail(reason, i, "store= is auto, inplace or log");
	opts->store = i;
	return 0;
}

static int parse_spread(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	return parse_u32(value, 2, MTDCOMPR_SPREAD_MAX, &opts->spread, reason,
			 "spread= takes a number of erases", "spread= goes from 2 to 1000000");
}

static int parse_wearlevel(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	return parse_u32(value, 0, MTDCOMPR_WEARLEVEL_MAX, &opts->wearlevel, reason,
			 "wearlevel= takes a number of page writes",
			 "wearlevel= goes from 0 to 1000000");
}

static int parse_cache(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	opts->cache = span_is(value, "1");
	if (!opts->cache && !span_is(value, "0"))
		return fail(reason, -EINVAL, "cache= is 0 or 1");
	return 0;
}

static int parse_crypt(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	int i = find_word(value, crypt_names, ARRAY_SIZE(crypt_names));

	if (i < 0)
		return fail(reason, i, "crypt= is auto, on or off");
	opts->crypt = i;
	return 0;
}

static int parse_wipe(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	opts->wipe = span_is(value, "1");
	if (!opts->wipe && !span_is(value, "0"))
		return fail(reason, -EINVAL, "wipe= is 0 or 1");
	return 0;
}

static int parse_sync(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	opts->sync = span_is(value, "1") ? MTDC_SYNC_YES : MTDC_SYNC_NO;
	if (opts->sync == MTDC_SYNC_NO && !span_is(value, "0"))
		return fail(reason, -EINVAL, "sync= is 0 or 1");
	return 0;
}

static int parse_comp(struct mtdc_opts *opts, const struct span *value, const char **reason)
{
	return copy_name(opts->comp, value, reason);
}

static const struct {
	const char *key;
	int (*parse)(struct mtdc_opts *opts, const struct span *value, const char **reason);
} options[] = {
	{ "comp", parse_comp },
	{ "level", parse_level },
	{ "size", parse_size },
	{ "ratio", parse_ratio },
	{ "alloc", parse_policy },
	{ "name", parse_name },
	{ "cache", parse_cache },
	{ "store", parse_store },
	{ "spread", parse_spread },
	{ "wearlevel", parse_wearlevel },
	{ "crypt", parse_crypt },
	{ "wipe", parse_wipe },
	{ "sync", parse_sync },
};

/* @seen: a bit for each option that was given before */
static int parse_option(struct mtdc_opts *opts, struct span text, u32 *seen, const char **reason)
{
	struct span key;
	unsigned int i;

	if (!cut(&text, '=', &key))
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
		    "unknown option; there are comp, level, size, ratio, alloc, name, cache, store, spread, wearlevel, crypt, wipe and sync");
}

/* Check options that exclude each other. */
static int check_all(const struct mtdc_opts *opts, const char **reason)
{
	bool log = opts->store == MTDC_STORE_LOG;

	if (opts->size && opts->ratio)
		return fail(reason, -EINVAL, "size= and ratio= exclude each other");
	if (opts->cache && log)
		return fail(reason, -EINVAL, "cache=1 and store=log exclude each other");
	if (opts->spread && (opts->cache || opts->store == MTDC_STORE_INPLACE))
		return fail(reason, -EINVAL, "spread= is for store=log");
	if (opts->wearlevel != MTDC_WEARLEVEL_DEFAULT && log)
		return fail(reason, -EINVAL,
			    "wearlevel= is for media that are rewritten in place, a log has spread=");
	if (opts->wipe && (log || opts->cache))
		return fail(reason, -EINVAL, "wipe=1 is for media that are rewritten in place");
	return 0;
}

/**
 * mtdc_opts_parse() - parse an option string
 * @opts: the result
 * @text: "<mtd>[,option=value]..."; a leading "mtd=" and a trailing newline are accepted
 * @reason: after an error, the sentence for the user
 *
 * Return: 0; -EINVAL for a malformed or unknown option, -ERANGE for a number out of range.
 */
int mtdc_opts_parse(struct mtdc_opts *opts, const char *text, const char **reason)
{
	struct span rest = { text, strlen(text) };
	struct span mtd, option;
	u32 seen = 0;
	bool more;
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
	more = cut(&rest, ',', &mtd);
	if (!mtd.len)
		return fail(reason, -EINVAL, "no MTD is given");
	err = copy_name(opts->mtd, &mtd, reason);
	/* An option must follow a comma, even the last one. */
	while (!err && more) {
		more = cut(&rest, ',', &option);
		err = parse_option(opts, option, &seen, reason);
	}
	return err ? err : check_all(opts, reason);
}

/**
 * mtdc_opts_is_number() - is this the number of an MTD, or its name?
 * @text: number or name
 * @number: the number
 *
 * Return: true if @text is a number.
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
 * mtdc_opts_policy_name() - the name of an allocation policy
 * @policy: the policy
 *
 * Return: the name, as in alloc=.
 */
const char *mtdc_opts_policy_name(enum mtdc_alloc_policy policy)
{
	return policy_names[policy];
}
