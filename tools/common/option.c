// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "option.h"
#include "parse.h"

static double scaled(uint64_t value, unsigned int scale)
{
	double number = (double)value;

	while (scale--)
		number /= 10;
	return number;
}

/* decimal() - nothing else stands behind it, as parse_decimal() allows in a file of the kernel */
static bool decimal(const char *text, unsigned int scale, uint64_t *value)
{
	return !text[strspn(text, "0123456789.")] && !parse_decimal(text, scale, value);
}

/**
 * option_number() - a number
 * @value: the number times ten to the power of @scale
 * @name: of the option
 * @text: its value
 * @scale: decimal places that it may have
 * @min: the least @value
 * @max: the greatest
 *
 * Return: is it one?
 */
bool option_number(uint64_t *value, const char *name, const char *text, unsigned int scale,
		   uint64_t min, uint64_t max)
{
	if (decimal(text, scale, value) && *value >= min && *value <= max)
		return true;
	if (scale)
		warnx("%s %s: give a number from %g to %g", name, text, scaled(min, scale),
		      scaled(max, scale));
	else
		warnx("%s %s: give a whole number from %llu to %llu", name, text,
		      (unsigned long long)min, (unsigned long long)max);
	return false;
}

/**
 * option_seconds() - a time
 * @us: the time in microseconds
 * @name: of the option
 * @text: its value, in seconds
 * @min_us: the least time
 *
 * Return: is it one?
 */
bool option_seconds(uint64_t *us, const char *name, const char *text, uint64_t min_us)
{
	if (decimal(text, 6, us) && *us >= min_us && *us <= OPTION_YEAR_US)
		return true;
	if (min_us)
		warnx("%s %s: give seconds, as 20 or 0.5, not less than %g", name, text,
		      scaled(min_us, 6));
	else
		warnx("%s %s: give seconds, as 20 or 0.5", name, text);
	return false;
}

/**
 * option_percent() - a part of something
 * @percent: the percentage
 * @name: of the option
 * @text: its value
 *
 * Return: is it one?
 */
bool option_percent(unsigned int *percent, const char *name, const char *text)
{
	uint64_t value;

	if (decimal(text, 0, &value) && value <= 100) {
		*percent = (unsigned int)value;
		return true;
	}
	warnx("%s %s: give a percentage from 0 to 100", name, text);
	return false;
}

/* bytes_text() - a limit, as one would write it */
static const char *bytes_text(uint64_t bytes, char *buf, size_t size)
{
	static const char units[] = "KMG";
	unsigned int unit;

	for (unit = 0; bytes && bytes % 1024 == 0 && units[unit]; unit++)
		bytes /= 1024;
	snprintf(buf, size, "%llu%.*s", (unsigned long long)bytes, unit ? 1 : 0,
		 unit ? &units[unit - 1] : "");
	return buf;
}

/**
 * option_size() - a number of bytes
 * @bytes: the number
 * @name: of the option
 * @text: its value
 * @min: the least size
 * @max: the greatest
 *
 * Return: is it one?
 */
bool option_size(uint64_t *bytes, const char *name, const char *text, uint64_t min, uint64_t max)
{
	char least[32], most[32];

	if (parse_size(text, bytes) == 0 && *bytes >= min && *bytes <= max)
		return true;
	warnx("%s %s: give a size, as 100M: digits and perhaps K, M or G, from %s to %s", name,
	      text, bytes_text(min, least, sizeof(least)), bytes_text(max, most, sizeof(most)));
	return false;
}

/* list() - "a, b or c", as far as there is room */
static const char *list(const char *const *names, unsigned int n, char *buf, size_t size)
{
	unsigned int i;
	size_t at = 0;

	buf[0] = '\0';
	for (i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       i == 0 ? "" : i == n - 1 ? " or " : ", ", names[i]);
	return buf;
}

/**
 * option_choice() - one of some words
 * @choice: which one
 * @name: of the option
 * @text: its value
 * @names: the words
 * @n: how many
 *
 * Return: is it one of them?
 */
bool option_choice(unsigned int *choice, const char *name, const char *text,
		   const char *const *names, unsigned int n)
{
	char words[128];
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (strcmp(text, names[i]) == 0) {
			*choice = i;
			return true;
		}
	}
	warnx("%s %s: give %s", name, text, list(names, n, words, sizeof(words)));
	return false;
}

/**
 * option_text() - a name, or any other text
 * @where: where it is to be
 * @text: the value
 *
 * Return: true.
 */
bool option_text(const char **where, const char *text)
{
	*where = text;
	return true;
}

/**
 * option_flag() - an option without a value
 * @flag: it is given
 *
 * Return: true.
 */
bool option_flag(bool *flag)
{
	*flag = true;
	return true;
}

/**
 * option_unknown() - an option that getopt does not know
 * @text: the option
 *
 * Return: false.
 */
bool option_unknown(const char *text)
{
	warnx("%s: no such option, or its value is missing: see %s -h", text,
	      program_invocation_short_name);
	return false;
}

/**
 * option_show() - show a text and end the program, as nothing has been begun yet
 * @text: the help, or the version
 */
void option_show(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}
