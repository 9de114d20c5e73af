// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "spec.h"
#include <linux/mtdcompr.h>

/* Each compressor's replacements, most similar first, and other names. */
static const struct {
	const char *name;
	const char *others[3];
} algorithms[] = {
	{ "lz4", { "lzo", "zstd", "zlib" } },
	{ "lzo", { "lz4", "zstd", "zlib" } },
	{ "zlib", { "zstd", "lz4", "lzo" } },
	{ "zstd", { "zlib", "lz4", "lzo" } },
	{ "none", { NULL } },
}, aliases[] = {
	/* names in zram */
	{ "lzo-rle", { "lzo" } },
	{ "lz4hc", { "lz4" } },
	{ "deflate", { "zlib" } },
	{ "842", { "lz4" } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/**
 * spec_algorithm() - translate a compressor's name to the module's
 * @name: a name in the module or in zram
 *
 * Return: @name itself if the module has it; the module's nearest for a name of zram; or NULL.
 */
const char *spec_algorithm(const char *name)
{
	unsigned int i;

	for (i = 0; i < COUNT(algorithms); i++)
		if (!strcmp(algorithms[i].name, name))
			return algorithms[i].name;
	for (i = 0; i < COUNT(aliases); i++)
		if (!strcmp(aliases[i].name, name))
			return aliases[i].others[0];
	return NULL;
}

/**
 * spec_same_levels() - do the compressor's levels keep their meaning in the module?
 * @name: a name that spec_algorithm() accepts
 *
 * A higher level makes lz4hc denser but lz4 faster; lzo has no levels.
 */
bool spec_same_levels(const char *name)
{
	return !strcmp(spec_algorithm(name), name) || !strcmp(name, "deflate");
}

/**
 * spec_other() - the next compressor to try if the kernel lacks one
 * @algorithm: the compressor
 * @turn: 0 for the most similar, 1 for the next, and so on
 *
 * Return: its name, or NULL after the last.
 */
const char *spec_other(const char *algorithm, unsigned int turn)
{
	unsigned int i;

	for (i = 0; i < COUNT(algorithms) && turn < COUNT(algorithms[0].others); i++)
		if (!strcmp(algorithms[i].name, algorithm))
			return algorithms[i].others[turn];
	return NULL;
}

/**
 * spec_clean() - is a text free of characters that end a request or an option?
 * @text: a name, or options
 * @commas: allow commas
 *
 * Return: are all characters printable (and not commas, unless allowed)?
 */
bool spec_clean(const char *text, bool commas)
{
	for (; *text; text++)
		if (*text == 0x7f || (unsigned char)*text < ' ' || (*text == ',' && !commas))
			return false;
	return true;
}

static bool name_good(const char *name)
{
	size_t len = strlen(name);

	return len && len <= MTDCOMPR_NAME_MAX && strspn(name, "0123456789") < len &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
	       len;
}

/* check() - refuse requests that the module would refuse with a less clear message */
static const char *check(const struct spec *spec)
{
	if (!*spec->media)
		return "the media have no name";
	if (!spec_clean(spec->media, false))
		return "an MTD with a comma in its name is known by its number only";
	if (spec->size && spec->ratio)
		return "--size and --ratio exclude each other";
	if (spec->name && !name_good(spec->name))
		return "--name: 1 to 31 letters, digits, _ and -, not digits alone";
	if (spec->level && (!*spec->level || strlen(spec->level) > 3 ||
			    strspn(spec->level, "0123456789") != strlen(spec->level)))
		return "--level: a number, 1 for example";
	if (spec->more && (!spec_clean(spec->more, true) || strchr(spec->more, ' ')))
		return "--options: no blanks";
	return NULL;
}

/**
 * spec_text() - make the text for the file attach
 * @spec: the request
 * @algorithm: the compressor, replaces the one in @spec; NULL: the module's choice
 * @text: buffer of SPEC_TEXT bytes
 * @why: the reason on failure
 *
 * The level is left out if @algorithm differs from the one in @spec.
 *
 * Return: true on success.
 */
bool spec_text(const struct spec *spec, const char *algorithm, char *text, const char **why)
{
	bool same = algorithm && spec->algorithm && !strcmp(algorithm, spec->algorithm);
	bool level = spec->level && (same || !spec->algorithm);
	char size[40] = "", ratio[24] = "";
	int n;

	*why = check(spec);
	if (*why)
		return false;
	if (spec->size)
		snprintf(size, sizeof(size), ",size=%llu", (unsigned long long)spec->size);
	if (spec->ratio)
		snprintf(ratio, sizeof(ratio), ",ratio=%u", spec->ratio);
	n = snprintf(text, SPEC_TEXT, "mtd=%s%s%s%s%s%s%s%s%s%s%s", spec->media,
		     algorithm ? ",comp=" : "", algorithm ? algorithm : "",
		     level ? ",level=" : "", level ? spec->level : "", size, ratio,
		     spec->name ? ",name=" : "", spec->name ? spec->name : "",
		     spec->more ? "," : "", spec->more ? spec->more : "");
	if (n < SPEC_TEXT)
		return true;
	*why = "too long: 255 bytes are taken";
	return false;
}
