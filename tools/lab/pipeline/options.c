// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "parse.h"
#include "version.h"

/* Ends the program, as nothing has been begun yet. */
static void __attribute__((noreturn)) show_help(const struct options *options)
{
	size_t i;

	fputs(options->usage, stdout);
	for (i = 0; i < options->n; i++)
		printf("  --%-16s %s\n", options->rows[i].name, options->rows[i].help);
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}

static void __attribute__((noreturn)) show_version(void)
{
	printf("pipeline " VERSION "\n");
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}

static bool set_number(const struct option_row *row, const char *text)
{
	unsigned int scale = row->kind == OPTION_MS ? 3 : row->kind == OPTION_SECONDS ? 6 : 0;
	uint64_t *value = row->value;
	int err;

	if (row->kind == OPTION_SIZE)
		err = parse_size(text, value);
	else
		err = parse_decimal(text, scale, value);
	if (!err && *value >= row->min && *value <= row->max)
		return true;
	warnx("--%s %s: give a %s that is large enough, and not too large", row->name, text,
	      row->kind == OPTION_SIZE ? "size, as 24M," : scale ? "number" : "whole number");
	return false;
}

static bool set_option(const struct option_row *row, const char *text)
{
	if (row->kind == OPTION_TEXT) {
		*(const char **)row->value = text;
		return true;
	}
	if (row->kind == OPTION_FLAG) {
		*(uint64_t *)row->value = 1;
		return true;
	}
	return set_number(row, text);
}

/* As getopt_long() wants them: the value of a row's option is 256 and its place. */
static void fill_long_options(const struct options *options, struct option *longs)
{
	size_t i;

	for (i = 0; i < options->n; i++) {
		const struct option_row *row = &options->rows[i];

		longs[i].name = row->name;
		longs[i].has_arg = row->kind == OPTION_FLAG ? no_argument : required_argument;
		longs[i].val = 256 + (int)i;
	}
	longs[i].name = "help";
	longs[i++].val = 'h';
	longs[i].name = "version";
	longs[i].val = 'V';
}

/**
 * options_parse() - read a command line
 * @options: the program's options
 * @argc: as that of main()
 * @argv: as that of main(); arguments that are no options begin at optind
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int options_parse(const struct options *options, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX + 3] = { { 0 } };
	int option;

	fill_long_options(options, longs);
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", longs, NULL)) != -1) {
		if (option == 'h')
			show_help(options);
		if (option == 'V')
			show_version();
		if (option == '?') {
			warnx("%s: no such option, or its value is missing: see -h",
			      argv[optind - 1]);
			return STATUS_USAGE;
		}
		if (!set_option(&options->rows[option - 256], optarg))
			return STATUS_USAGE;
	}
	if (optind == argc || options->arguments)
		return 0;
	warnx("\"%s\" is no option: see -h", argv[optind]);
	return STATUS_USAGE;
}
