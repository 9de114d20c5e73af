// SPDX-License-Identifier: GPL-2.0
/*
 * The command lines of the loads: getopt_long() with a table, whose rows also check the values
 * and make the text of -h.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"

/* Limit of rows, larger than any table. */
#define ROWS 32

static const struct {
	uint64_t unit;
	const char *give;
} kinds[] = {
	[OPTION_NUMBER] = { 1, "a whole number" }, [OPTION_SIZE] = { 1, "a size, as 24M," },
	[OPTION_MS] = { 1000, "milliseconds" }, [OPTION_SECONDS] = { 1000000, "seconds" },
};

static bool set_number(const struct option_row *row, const char *text)
{
	static const char units[] = "KMG";
	uint64_t unit = kinds[row->kind].unit, value;
	const char *suffix;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	suffix = *end ? strchr(units, *end) : NULL;
	if (row->kind == OPTION_SIZE && suffix) {
		unit = UINT64_C(1024) << 10 * (suffix - units);
		end++;
	}
	if (errno || value > UINT64_MAX / unit - 1)
		return false;
	value *= unit;
	if (kinds[row->kind].unit > 1 && *end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++) {
			unit /= 10;
			value += unit * (uint64_t)(*end - '0');
		}
	*(uint64_t *)row->value = value;
	return !*end && value >= row->min && value <= row->max;
}

static void set_option(const struct option_row *row, const char *text)
{
	if (row->kind == OPTION_TEXT)
		*(const char **)row->value = text;
	else if (row->kind == OPTION_FLAG)
		*(bool *)row->value = true;
	else if (!set_number(row, text))
		errx(STATUS_USAGE, "--%s %s: give %s that is neither too small nor too large",
		     row->name, text, kinds[row->kind].give);
}

static void __attribute__((noreturn)) show_help(const char *usage, const struct option_row *rows)
{
	fputs(usage, stdout);
	for (; rows->name; rows++)
		printf("  --%-14s %s\n", rows->name, rows->help);
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}

/**
 * options_parse() - read a command line
 * @usage: first lines of the help
 * @rows: options, at most 30
 * @argc: number of arguments; the first one is a name
 * @argv: arguments
 *
 * Ends the program for -h, and with STATUS_USAGE and a message for a wrong option.
 *
 * Return: index of the first non-option argument.
 */
int options_parse(const char *usage, const struct option_row *rows, int argc, char **argv)
{
	struct option longs[ROWS] = { { 0 } };
	int i, option;

	for (i = 0; rows[i].name; i++)
		longs[i] = (struct option){ rows[i].name, rows[i].kind == OPTION_FLAG ?
					    no_argument : required_argument, NULL, 256 + i };
	longs[i] = (struct option){ "help", no_argument, NULL, 'h' };
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 'h')
			show_help(usage, rows);
		if (option == '?')
			errx(STATUS_USAGE, "%s: no such option, or its value is missing: see -h",
			     argv[optind - 1]);
		set_option(&rows[option - 256], optarg);
	}
	return optind;
}
