// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cluster.h"
#include "help.h"
#include "options.h"
#include "sys.h"

#define DELAY_MAX_S 86400
#define COUNT_MAX 1000000
#define SAMPLE_MAX 65536
#define ENDURANCE_MAX 1000000000000000ULL

static const char letters[] = "+a:bd:fhJl:m:nO:o:p:rs:V";
static const struct option longs[] = {
	{ "algorithm", required_argument, NULL, 'a' },
	{ "bytes", no_argument, NULL, 'b' },
	{ "delay", required_argument, NULL, 'd' },
	{ "find", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'J' },
	{ "level", required_argument, NULL, 'l' },
	{ "media", required_argument, NULL, 'm' },
	{ "noheadings", no_argument, NULL, 'n' },
	{ "options", required_argument, NULL, OPTION_MORE },
	{ "output", required_argument, NULL, 'o' },
	{ "priority", required_argument, NULL, 'p' },
	{ "reset", no_argument, NULL, 'r' },
	{ "size", required_argument, NULL, 's' },
	{ "version", no_argument, NULL, 'V' },
	{ "raw", no_argument, NULL, OPTION_RAW },
	{ "ratio", required_argument, NULL, OPTION_RATIO },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "discard", optional_argument, NULL, OPTION_DISCARD },
	{ "page-cluster", required_argument, NULL, OPTION_CLUSTER },
	{ "keep", no_argument, NULL, OPTION_KEEP },
	{ "openmetrics", no_argument, NULL, OPTION_OPENMETRICS },
	{ "count", required_argument, NULL, OPTION_COUNT },
	{ "pages", required_argument, NULL, OPTION_PAGES },
	{ "prefer", required_argument, NULL, OPTION_PREFER },
	{ "endurance", required_argument, NULL, OPTION_ENDURANCE },
	{ "output-all", no_argument, NULL, OPTION_ALL },
	{ "sysroot", required_argument, NULL, OPTION_SYSROOT },
	{ "list-columns", no_argument, NULL, OPTION_COLUMNS },
	{ NULL, 0, NULL, 0 },
};

/**
 * options_try_help() - point to --help after an error in the command line
 */
void options_try_help(void)
{
	fprintf(stderr, "Try '%s --help' for more information.\n", program_invocation_short_name);
}

/* whole_number() - parse a whole number within limits */
static bool whole_number(uint64_t *value, const char *name, const char *text, uint64_t min,
			 uint64_t max)
{
	if (device_number(text, "", value) && *value >= min && *value <= max)
		return true;
	warnx("%s '%s': give a whole number from %llu to %llu", name, text,
	      (unsigned long long)min, (unsigned long long)max);
	return false;
}

static bool set_size(struct options *options, const char *text)
{
	if (parse_size(text, &options->spec.size) == 0 && options->spec.size)
		return true;
	warnx("--size '%s': give bytes, or 100M: K, M or G may follow", text);
	return false;
}

static bool set_ratio(struct options *options, const char *text)
{
	uint64_t value;

	if (!whole_number(&value, "--ratio", text, 1, MTDCOMPR_RATIO_MAX))
		return false;
	options->spec.ratio = (unsigned int)value;
	return true;
}

static bool set_algorithm(struct options *options, const char *text)
{
	options->spec.algorithm = spec_algorithm(text);
	if (!options->spec.algorithm) {
		warnx("--algorithm '%s': give lz4, lzo, zlib, zstd or none", text);
		return false;
	}
	options->asked = text;
	return true;
}

/* warn_other() - warn about a replaced compressor; drop the level if its meaning differs */
static void warn_other(const char *asked, struct spec *spec)
{
	bool leave_out = spec->level && !spec_same_levels(asked);

	if (!strcmp(spec->algorithm, asked))
		return;
	warnx("warning: there is no %s here: %s is used instead%s", asked, spec->algorithm,
	      leave_out ? ", at its own level" : "");
	if (leave_out)
		spec->level = NULL;
}

static bool set_columns(struct options *options, const char *text)
{
	char bad[40];

	if (columns_parse(&options->form.columns, text, bad, sizeof(bad)))
		return true;
	if (*bad || !*text)
		warnx("unknown column: '%s'; --help has all of them", bad);
	else
		warnx("--output: give a list of columns, at most %d; --help has them", COLUMN_MAX);
	return false;
}

static bool set_priority(struct options *options, const char *text)
{
	uint64_t value;

	if (!whole_number(&value, "--priority", text, 0, SWAP_PRIORITY_MAX))
		return false;
	options->swap.priority = (int)value;
	return true;
}

static bool set_cluster(struct options *options, const char *text)
{
	uint64_t value = 0;

	if (!strcmp(text, "keep")) {
		options->swap.cluster = CLUSTER_KEEP;
		return true;
	}
	if (!device_number(text, "", &value) || value > CLUSTER_MAX) {
		warnx("--page-cluster '%s': give a whole number from 0 to %d, or keep", text,
		      CLUSTER_MAX);
		return false;
	}
	options->swap.cluster = (int)value;
	return true;
}

static bool set_discard(struct options *options, const char *text)
{
	if (swap_discard(text, &options->swap.discard))
		return true;
	warnx("--discard '%s': give once, pages, or nothing", text);
	return false;
}

static bool set_delay(struct options *options, const char *text)
{
	uint64_t *us = &options->pace.delay_us;

	if (parse_decimal(text, 6, us) == 0 && *us >= 100000 && *us <= DELAY_MAX_S * 1000000ULL)
		return true;
	warnx("--delay '%s': give seconds from 0.1 to %d", text, DELAY_MAX_S);
	return false;
}

static bool set_count(struct options *options, const char *text)
{
	uint64_t value;

	if (!whole_number(&value, "--count", text, 1, COUNT_MAX))
		return false;
	options->pace.count = (unsigned int)value;
	return true;
}

static bool set_pages(struct options *options, const char *text)
{
	uint64_t value;

	if (!whole_number(&value, "--pages", text, 16, SAMPLE_MAX))
		return false;
	options->pages = (unsigned int)value;
	return true;
}

static bool set_prefer(struct options *options, const char *text)
{
	static const char *const words[] = { "balance", "speed", "space" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(text, words[i])) {
			options->prefer = (enum prefer)i;
			return true;
		}
	}
	warnx("--prefer '%s': give balance, speed or space", text);
	return false;
}

static bool set_sysroot(const char *text)
{
	if (strlen(text) < SYS_PATH / 2) {
		sys_set_root(text);
		return true;
	}
	warnx("--sysroot: the path is too long");
	return false;
}

static bool set_other(struct options *options, int c)
{
	switch (c) {
	case 'f':
		options->find = true;
		return true;
	case 'r':
		options->reset = true;
		return true;
	case 'm':
		options->media = optarg;
		return true;
	case 'd':
		return set_delay(options, optarg);
	case OPTION_COUNT:
		return set_count(options, optarg);
	case OPTION_PAGES:
		return set_pages(options, optarg);
	case OPTION_PREFER:
		return set_prefer(options, optarg);
	case OPTION_ENDURANCE:
		return whole_number(&options->endurance, "--endurance", optarg, 1, ENDURANCE_MAX);
	case OPTION_SYSROOT:
		return set_sysroot(optarg);
	default:
		return false;
	}
}

/* set_attach() - options of attach and swap */
static bool set_attach(struct options *options, int c)
{
	switch (c) {
	case 'a':
		return set_algorithm(options, optarg);
	case 's':
		return set_size(options, optarg);
	case OPTION_RATIO:
		return set_ratio(options, optarg);
	case 'p':
		return set_priority(options, optarg);
	case OPTION_DISCARD:
		return set_discard(options, optarg);
	case OPTION_CLUSTER:
		return set_cluster(options, optarg);
	case 'l':
		options->spec.level = optarg;
		return true;
	case OPTION_NAME:
		options->spec.name = optarg;
		return true;
	case OPTION_MORE:
		options->spec.more = optarg;
		return true;
	case OPTION_KEEP:
		options->keep = true;
		return true;
	default:
		return set_other(options, c);
	}
}

/* set_form() - options of the output's form */
static bool set_form(struct options *options, int c)
{
	struct form *form = &options->form;

	if (c == 'b')
		form->bytes = true;
	else if (c == 'n')
		form->noheadings = true;
	else if (c == OPTION_RAW)
		form->raw = true;
	else if (c == 'J')
		form->json = true;
	else if (c == OPTION_OPENMETRICS)
		form->openmetrics = true;
	else if (c == OPTION_ALL)
		columns_all(&form->columns);
	else if (c == 'o')
		return set_columns(options, optarg);
	else
		return set_attach(options, c);
	return true;
}

/* show() - options that print and exit */
static void show(int c)
{
	if (c == 'h')
		help_print(stdout);
	else if (c == 'V')
		help_version(stdout);
	else if (c == OPTION_COLUMNS)
		columns_names(stdout);
	else
		return;
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}

static bool set(struct options *options, int c)
{
	size_t n = strlen(options->given);

	show(c);
	/* getopt has printed the error. */
	if (c == '?') {
		options_try_help();
		return false;
	}
	if (n + 1 < sizeof(options->given) && !strchr(options->given, c)) {
		options->given[n] = (char)c;
		options->given[n + 1] = '\0';
	}
	return set_form(options, c);
}

/**
 * options_parse() - parse the command line
 * @options: filled in
 * @argc: from main()
 * @argv: from main(); its words are moved to the beginning
 *
 * Options may stand before, between and after the words, as in util-linux.
 *
 * Return: true on success; else an error message was printed.
 */
bool options_parse(struct options *options, int argc, char **argv)
{
	int words = 1, c;

	memset(options, 0, sizeof(*options));
	columns_default(&options->form.columns);
	options->swap.priority = SWAP_PRIORITY;
	options->pace.delay_us = 2000000;
	options->word = argv + 1;
	while (optind < argc) {
		c = getopt_long(argc, argv, letters, longs, NULL);
		if (c != -1) {
			if (!set(options, c))
				return false;
		} else if (optind < argc) {
			/* More options may follow; "--" ends them. */
			if (!strcmp(argv[optind - 1], "--")) {
				while (optind < argc)
					argv[words++] = argv[optind++];
				break;
			}
			argv[words++] = argv[optind++];
		}
	}
	options->words = words - 1;
	if (options->asked)
		warn_other(options->asked, &options->spec);
	return true;
}

static const char *name_of(int c)
{
	const struct option *option;

	for (option = longs; option->name; option++)
		if (option->val == c)
			return option->name;
	return "?";
}

/**
 * options_fit() - does the command take all given options?
 * @options: the command line
 * @allowed: the letters of the command's options
 * @command: its name
 *
 * Return: true if so; else an error message was printed.
 */
bool options_fit(const struct options *options, const char *allowed, const char *command)
{
	const char *at;

	for (at = options->given; *at; at++) {
		if (*at != OPTION_SYSROOT && !strchr(allowed, *at)) {
			warnx("--%s does not go with %s", name_of(*at), command);
			return false;
		}
	}
	return true;
}
