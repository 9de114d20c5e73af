// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of "name=...,type=...,size=...[,key=value]...".
 *
 * This file owns the grammar, the limits, and the combinations of options that are refused. For an
 * error it returns a string, which the caller prints. It does not know memory or other devices.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "config.h"

/* Offsets and sums of two offsets have 32 bits. */
#define SIZE_BYTES_MAX	SZ_1G
/* Each block needs memory for its counters. */
#define BLOCKS_MAX	SZ_1M
/* A byte holds a bit for each programmed sub-page. */
#define SUBPAGES_MAX	8
/* Pages of a block. */
#define PAGES_MAX	1024

static const char * const type_names[SIM_TYPES] = {
	[SIM_RAM] = "ram",
	[SIM_PCM] = "pcm",
	[SIM_NOR] = "nor",
	[SIM_NAND] = "nand",
};

/* State of the parser; @keys: mask of the given options. */
struct given {
	u32 keys;
	struct sim_config *config;
	const char **reason;
};

static int fail(const char **reason, int err, const char *why)
{
	*reason = why;
	return err;
}

static int parse_number(const char *text, u64 max, u64 *number)
{
	char digits[24];
	unsigned int shift = 0;
	size_t len = strlen(text);
	int err;

	if (!len || len >= sizeof(digits) || !isdigit(*text))
		return -EINVAL;
	strscpy(digits, text, sizeof(digits));
	switch (tolower(digits[len - 1])) {
	case 'g':
		shift += 10;
		fallthrough;
	case 'm':
		shift += 10;
		fallthrough;
	case 'k':
		shift += 10;
		digits[len - 1] = '\0';
	}
	err = kstrtou64(digits, 0, number);
	if (err)
		return err;
	if (*number > max >> shift)
		return -ERANGE;
	*number <<= shift;
	return 0;
}

static int parse_u32(struct given *given, const char *text, u32 max, u32 *to,
		     const char *why)
{
	u64 number;
	int err = parse_number(text, max, &number);

	if (err)
		return fail(given->reason, err, why);
	*to = number;
	return 0;
}

static int parse_name(struct given *given, char *text)
{
	const char *c;

	/* The name becomes a directory. */
	for (c = text; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && *c != '_' && *c != '-'))
			return fail(given->reason, -EINVAL,
				    "name= takes letters, digits, _ and -");
	if (strscpy(given->config->name, text, SIM_NAME_MAX) < 0)
		return fail(given->reason, -EINVAL,
			    "name= is longer than 31 bytes");
	return 0;
}

static int parse_type(struct given *given, char *text)
{
	int type = match_string(type_names, SIM_TYPES, text);

	if (type < 0)
		return fail(given->reason, -EINVAL,
			    "type= is ram, pcm, nor or nand");
	given->config->type = type;
	return 0;
}

static int parse_profile(struct given *given, char *text)
{
	given->config->profile = sim_profile_find(text);
	if (!given->config->profile)
		return fail(given->reason, -EINVAL,
			    "profile= is ram, p8p, p30 or mt29f4g");
	return 0;
}

static int parse_delay(struct given *given, char *text)
{
	if (sim_delay_set(&given->config->delay, text))
		return fail(given->reason, -EINVAL,
			    "delay= is none, busy, sleep or batch");
	return 0;
}

static int parse_base(struct given *given, char *text)
{
	given->config->has_base = true;
	if (parse_number(text, PHYS_ADDR_MAX, &given->config->base))
		return fail(given->reason, -EINVAL,
			    "base= takes a physical address");
	return 0;
}

static int parse_seed(struct given *given, char *text)
{
	if (parse_number(text, U64_MAX, &given->config->seed))
		return fail(given->reason, -EINVAL, "seed= takes a number");
	return 0;
}

static int parse_bad(struct given *given, char *text)
{
	struct sim_config *config = given->config;
	char *item;

	while ((item = strsep(&text, "/"))) {
		if (config->nbad == SIM_BAD_MAX)
			return fail(given->reason, -ERANGE,
				    "bad= takes up to 32 blocks");
		if (parse_u32(given, item, U32_MAX, &config->bad[config->nbad],
			      "bad= takes numbers of blocks, with / between"))
			return -EINVAL;
		config->nbad++;
	}
	return 0;
}

static int parse_size(struct given *given, char *text)
{
	return parse_u32(given, text, SIZE_BYTES_MAX, &given->config->size,
			 "size= takes a number of bytes up to 1G; K, M or G may follow");
}

static int parse_erasesize(struct given *given, char *text)
{
	return parse_u32(given, text, SIZE_BYTES_MAX, &given->config->erasesize,
			 "erasesize= takes a number of bytes");
}

static int parse_writesize(struct given *given, char *text)
{
	return parse_u32(given, text, SIZE_BYTES_MAX, &given->config->writesize,
			 "writesize= takes a number of bytes");
}

static int parse_oobsize(struct given *given, char *text)
{
	return parse_u32(given, text, SIM_OOB_MAX, &given->config->oobsize,
			 "oobsize= takes a number of bytes up to 1024");
}

static int parse_subpage(struct given *given, char *text)
{
	return parse_u32(given, text, SIZE_BYTES_MAX, &given->config->subpage,
			 "subpage= takes a number of bytes");
}

static int parse_readsize(struct given *given, char *text)
{
	return parse_u32(given, text, SIZE_BYTES_MAX, &given->config->readsize,
			 "readsize= takes a number of bytes");
}

static int parse_ecc(struct given *given, char *text)
{
	return parse_u32(given, text, 64, &given->config->ecc,
			 "ecc= takes a number of bits up to 64");
}

static int parse_endurance(struct given *given, char *text)
{
	return parse_u32(given, text, U32_MAX, &given->config->endurance,
			 "endurance= takes a number");
}

static int parse_tread(struct given *given, char *text)
{
	return parse_u32(given, text, U32_MAX, &given->config->times.read_ns,
			 "tread= takes a number of nanoseconds");
}

static int parse_tprog(struct given *given, char *text)
{
	return parse_u32(given, text, U32_MAX, &given->config->times.program_ns,
			 "tprog= takes a number of nanoseconds");
}

static int parse_terase(struct given *given, char *text)
{
	return parse_u32(given, text, U32_MAX, &given->config->times.erase_ns,
			 "terase= takes a number of nanoseconds");
}

/* Keys in the order of parsing; the caller may use any order. */
enum key {
	KEY_NAME, KEY_TYPE, KEY_PROFILE, KEY_SIZE, KEY_ERASESIZE,
	KEY_WRITESIZE, KEY_OOBSIZE, KEY_SUBPAGE, KEY_READSIZE, KEY_ECC, KEY_BASE,
	KEY_SEED, KEY_DELAY, KEY_ENDURANCE, KEY_BAD, KEY_TREAD, KEY_TPROG, KEY_TERASE,
	KEYS
};

static const struct {
	const char *name;
	int (*parse)(struct given *given, char *text);
} keys[KEYS] = {
	[KEY_NAME] = { "name", parse_name },
	[KEY_TYPE] = { "type", parse_type },
	[KEY_PROFILE] = { "profile", parse_profile },
	[KEY_SIZE] = { "size", parse_size },
	[KEY_ERASESIZE] = { "erasesize", parse_erasesize },
	[KEY_WRITESIZE] = { "writesize", parse_writesize },
	[KEY_OOBSIZE] = { "oobsize", parse_oobsize },
	[KEY_SUBPAGE] = { "subpage", parse_subpage },
	[KEY_READSIZE] = { "readsize", parse_readsize },
	[KEY_ECC] = { "ecc", parse_ecc },
	[KEY_BASE] = { "base", parse_base },
	[KEY_SEED] = { "seed", parse_seed },
	[KEY_DELAY] = { "delay", parse_delay },
	[KEY_ENDURANCE] = { "endurance", parse_endurance },
	[KEY_BAD] = { "bad", parse_bad },
	[KEY_TREAD] = { "tread", parse_tread },
	[KEY_TPROG] = { "tprog", parse_tprog },
	[KEY_TERASE] = { "terase", parse_terase },
};

static int find_key(const char *name)
{
	int key;

	for (key = 0; key < KEYS; key++)
		if (!strcmp(keys[key].name, name))
			return key;
	return -EINVAL;
}

/* Split the text at commas; the values are parsed later. */
static int split(struct given *given, char *text, char *values[KEYS])
{
	char *item, *name;
	int key;

	while ((item = strsep(&text, ","))) {
		name = strsep(&item, "=");
		if (!item || !*item)
			return fail(given->reason, -EINVAL,
				    "an option has no value");
		key = find_key(name);
		if (key < 0)
			return fail(given->reason, -EINVAL,
				    "unknown option; there are name, type, profile, size, erasesize, writesize, oobsize, subpage, readsize, ecc, base, seed, delay, endurance, bad, tread, tprog and terase");
		if (given->keys & BIT(key))
			return fail(given->reason, -EINVAL,
				    "an option is given twice");
		given->keys |= BIT(key);
		values[key] = item;
	}
	return 0;
}

/* Options that are missing get the values of the profile; the default profile depends on type=. */
static int use_profile(struct given *given)
{
	struct sim_config *config = given->config;
	const struct sim_profile *profile = config->profile;

	if (!profile && !(given->keys & BIT(KEY_TYPE)))
		return fail(given->reason, -EINVAL,
			    "type= or profile= is missing");
	if (!profile)
		profile = sim_profile_default(config->type);
	if (given->keys & BIT(KEY_TYPE) && profile->type != config->type)
		return fail(given->reason, -EINVAL,
			    "type= and profile= contradict each other");
	/* A user who names a chip wants its speed. */
	if (config->profile)
		config->delay.mode = SIM_DELAY_BUSY;
	config->profile = profile;
	config->type = profile->type;
	config->times = profile->times;
	config->erasesize = profile->erasesize;
	config->writesize = profile->writesize;
	config->oobsize = profile->oobsize;
	config->subpage = profile->subpage;
	config->readsize = SIM_ECC_STEP;
	config->ecc = profile->ecc;
	config->seed = 1;
	return 0;
}

static int check_nand(const struct sim_config *config, u32 given,
		      const char **reason)
{
	if (config->type != SIM_NAND) {
		if (given & (BIT(KEY_OOBSIZE) | BIT(KEY_SUBPAGE) |
			     BIT(KEY_READSIZE) | BIT(KEY_ECC) | BIT(KEY_BAD)))
			return fail(reason, -EINVAL,
				    "oobsize=, subpage=, readsize=, ecc= and bad= are for type=nand");
		return 0;
	}
	if (config->writesize < 256 || config->writesize > SZ_16K)
		return fail(reason, -EINVAL,
			    "writesize= of NAND goes from 256 to 16K");
	if (config->erasesize / config->writesize > PAGES_MAX)
		return fail(reason, -EINVAL,
			    "more than 1024 pages in an eraseblock");
	if (!is_power_of_2(config->subpage) ||
	    config->subpage > config->writesize ||
	    config->writesize / config->subpage > SUBPAGES_MAX)
		return fail(reason, -EINVAL,
			    "subpage= is a page or the half, fourth or eighth part of one");
	if (config->readsize != SIM_ECC_STEP &&
	    config->readsize != config->writesize)
		return fail(reason, -EINVAL,
			    "readsize= is 512 or a page");
	if (!config->ecc)
		return fail(reason, -EINVAL, "ecc= is at least 1");
	if (config->oobsize <= sim_config_oob_reserved(config))
		return fail(reason, -EINVAL,
			    "oobsize= has no room for the bad block marker and the ECC bytes");
	/* This limits all memory, data included, to 2 GiB. */
	if (config->oobsize > config->writesize)
		return fail(reason, -EINVAL,
			    "oobsize= is larger than the page");
	return 0;
}

static int check(const struct sim_config *config, u32 given,
		 const char **reason)
{
	unsigned int i;

	if (!(given & BIT(KEY_NAME)))
		return fail(reason, -EINVAL, "name= is missing");
	if (!(given & BIT(KEY_SIZE)))
		return fail(reason, -EINVAL, "size= is missing");
	if (!is_power_of_2(config->writesize) ||
	    !is_power_of_2(config->erasesize))
		return fail(reason, -EINVAL,
			    "writesize= and erasesize= have to be powers of two");
	if (config->erasesize < config->writesize)
		return fail(reason, -EINVAL,
			    "erasesize= is not a multiple of the write unit");
	if (!config->size || config->size & (config->erasesize - 1))
		return fail(reason, -EINVAL,
			    "size= is not a multiple of the eraseblock");
	if (config->size / config->erasesize > BLOCKS_MAX)
		return fail(reason, -ERANGE,
			    "more than 1048576 eraseblocks");
	if (config->base > PHYS_ADDR_MAX - 2 * (u64)config->size)
		return fail(reason, -ERANGE,
			    "base= and size= go beyond the end of the address space");
	for (i = 0; i < config->nbad; i++)
		if (config->bad[i] >= config->size / config->erasesize)
			return fail(reason, -ERANGE,
				    "bad= names a block that there is not");
	return check_nand(config, given, reason);
}

/**
 * sim_config_parse() - parse the text that makes a device
 * @config: the result
 * @text: the text; it is modified
 * @reason: description of an error
 *
 * Context: any.
 * Return: 0; -EINVAL for malformed, unknown or contradictory options, -ERANGE for a number out of
 * range.
 */
int sim_config_parse(struct sim_config *config, char *text,
		     const char **reason)
{
	char *values[KEYS] = { NULL };
	struct given given = { .config = config, .reason = reason };
	int key, err;

	memset(config, 0, sizeof(*config));
	err = split(&given, text, values);
	for (key = 0; !err && key < KEYS; key++) {
		if (values[key])
			err = keys[key].parse(&given, values[key]);
		if (!err && key == KEY_PROFILE)
			err = use_profile(&given);
	}
	return err ?: check(config, given.keys, reason);
}

/**
 * sim_config_type() - name of a kind of medium
 * @type: the kind
 *
 * Context: any.
 * Return: its name, as type= takes it.
 */
const char *sim_config_type(enum sim_type type)
{
	return type_names[type];
}

/**
 * sim_config_oob_reserved() - out-of-band bytes that are not free
 * @config: of a NAND
 *
 * Context: any.
 * Return: bytes of the marker and of the ECC, for a BCH code of 13 bits a corrected bit.
 */
u32 sim_config_oob_reserved(const struct sim_config *config)
{
	u32 steps = DIV_ROUND_UP(config->writesize, SIM_ECC_STEP);

	return SIM_MARKER + steps * DIV_ROUND_UP(config->ecc * 13, 8);
}
