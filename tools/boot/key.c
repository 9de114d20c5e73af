// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of a section. A wrong value gives the default and a reason.
 */
#include <stdio.h>
#include <string.h>
#include "expr.h"
#include "key.h"
#include "parse.h"
#include "spec.h"

static const char *set_media(struct config_device *device, const char *value)
{
	/* A wrong value also drops the media of an earlier line. */
	device->media[0] = '\0';
	if (strlen(value) >= sizeof(device->media))
		return "an MTD's name of at most 63 bytes";
	if (!spec_clean(value, false))
		return "an MTD with such a name is known by its number only";
	strcpy(device->media, value);
	return NULL;
}

static const char *set_size(struct config_device *device, const char *value)
{
	const char *why = NULL;
	double mib;

	device->sized = false;
	if (!*value || expr_eval(value, device->ram, &mib, &why))
		return why;
	if (mib > CONFIG_MIB_MAX)
		return "more MiB than can be counted in bytes; the module chooses";
	device->sized = true;
	device->mib = mib;
	return NULL;
}

/* whole() - parse a whole number from @min to @max */
static bool whole(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	return strspn(text, "0123456789") == strlen(text) && !parse_decimal(text, 0, number) &&
	       *number >= min && *number <= max;
}

/* level_of() - parse N of "(level=N)"; "" for an empty text; false for any other text */
static bool level_of(const char *text, char *level)
{
	uint64_t number;
	int n = 0;

	level[0] = '\0';
	text += strspn(text, " ");
	return !*text || (sscanf(text, "(level=%3[0-9])%n", level, &n) == 1 && n && !text[n] &&
			  whole(level, 1, 64, &number));
}

/* set_algorithm() - parse a name, perhaps with "(level=N)" */
static const char *set_algorithm(struct config_device *device, const char *value)
{
	size_t len = strcspn(value, " (");
	char name[CONFIG_WORD], level[sizeof(device->level)];

	device->algorithm[0] = '\0';
	device->level[0] = '\0';
	if (!*value)
		return NULL;
	if (len >= sizeof(name) || !level_of(value + len, level))
		return "not a compressor such as zstd or zstd(level=3); the module chooses";
	snprintf(name, sizeof(name), "%.*s", (int)len, value);
	if (!spec_algorithm(name))
		return "there are lz4, lzo, zlib, zstd and none; the module chooses";
	strcpy(device->level, level);
	strcpy(device->algorithm, name);
	return NULL;
}

static const char *set_priority(struct config_device *device, const char *value)
{
	uint64_t number = CONFIG_PRIORITY;

	if (*value && !whole(value, 0, CONFIG_PRIORITY_MAX, &number))
		return "not a number from 0 to 32767";
	device->priority = (unsigned int)number;
	return NULL;
}

static const char *set_limit(struct config_device *device, const char *value)
{
	uint64_t number = CONFIG_NO_LIMIT;

	if (*value && strcmp(value, "none") && !whole(value, 0, 1ULL << 40, &number))
		return "not a number of MiB, or none";
	device->limit = number;
	return NULL;
}

/* has_name() - has "NAME=VALUE" one of the names? */
static bool has_name(const char *option, const char *const *names)
{
	size_t len = strcspn(option, "=");

	for (; *names; names++)
		if (strlen(*names) == len && !memcmp(*names, option, len))
			return option[len] == '=' && option[len + 1];
	return false;
}

/* set_option() - set an option of swapon or of the module */
static bool set_option(struct config_device *device, const char *option)
{
	static const char *const modules[] = {
		"ratio", "alloc", "store", "spread", "wearlevel", "cache", "sync", "crypt", "wipe",
		NULL,
	};
	size_t have = strlen(device->more);

	if (!strcmp(option, "defaults") || !strcmp(option, "nofail"))
		return true;
	if (!strcmp(option, "discard"))
		device->discard = DISCARD_BOTH;
	else if (!strcmp(option, "discard=once"))
		device->discard = DISCARD_ONCE;
	else if (!strcmp(option, "discard=pages"))
		device->discard = DISCARD_PAGES;
	else if (!strncmp(option, "pri=", 4))
		return option[4] && !set_priority(device, option + 4);
	else if (has_name(option, modules) && have + strlen(option) + 2 <= CONFIG_MORE)
		snprintf(device->more + have, CONFIG_MORE - have, "%s%s", have ? "," : "",
			 option);
	else
		return false;
	return true;
}

static const char *set_options(struct config_device *device, const char *value)
{
	struct config_device old = *device;
	char word[CONFIG_WORD];
	size_t len;

	device->more[0] = '\0';
	device->discard = DISCARD_NONE;
	for (; *value; value += len + (value[len] == ',')) {
		len = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, value);
		if (len < sizeof(word) && spec_clean(word, false) && !strchr(word, ' ') &&
		    set_option(device, word))
			continue;
		*device = old;
		return "not options of mtdcompr-generator(8) with commas and without blanks";
	}
	return NULL;
}

static const struct key {
	const char *name;
	const char *(*set)(struct config_device *device, const char *value);
} keys[] = {
	{ "media", set_media },
	{ "size", set_size },
	{ "compression-algorithm", set_algorithm },
	{ "swap-priority", set_priority },
	{ "options", set_options },
	{ "host-memory-limit", set_limit },
};

/**
 * key_may_be_options() - is a key "options", or no key at all, as "otpions" and "crypt"?
 * @key: its name
 */
bool key_may_be_options(const char *key)
{
	unsigned int i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].name, key))
			return keys[i].set == set_options;
	return true;
}

/**
 * key_set() - set the value of a key
 * @device: the section's device
 * @key: its name
 * @value: its value; "": the default
 * @why: set if the value is refused; the key then has its default, while options= stays unchanged
 */
void key_set(struct config_device *device, const char *key, const char *value, const char **why)
{
	unsigned int i;

	*why = NULL;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, key))
			continue;
		*why = keys[i].set(device, value);
		if (keys[i].set == set_media)
			device->doubtful = !!*why;
		return;
	}
	*why = "no such key; mtdcompr-generator(8) has them";
	device->doubtful = true;
}
