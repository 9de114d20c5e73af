// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <string.h>
#include "appopt.h"
#include "option.h"
#include "sys.h"
#include "usage.h"
#include "zipf.h"

/* More than anybody waits for. */
#define COUNT 1000000

#define HOUR_US UINT64_C(3600000000)

/* Of a size: numbers of pages have 32 bits, and a pointer reaches it. */
#define MOST (UINT64_C(1) << (sizeof(void *) > 4 ? 40 : 30))

#define NOT_GIVEN UINT64_MAX

enum {
	/* Of synthetic apps only. */
	OPTION_APPS = 1,
	OPTION_ANON,
	OPTION_HOT,
	OPTION_GROW,
	OPTION_FILE,
	OPTION_SHARED,
	OPTION_DIR,
	OPTION_PREPARE,
	OPTION_RANDOM,
	OPTION_CORRUPT,
	/* Of all. */
	OPTION_PROGRAMS,
	OPTION_SWITCHES,
	OPTION_WARM_UP,
	OPTION_THINK,
	OPTION_ZIPF,
	OPTION_SEQUENCE,
	OPTION_GROUP,
	OPTION_HOOK,
	OPTION_SEED,
	OPTION_VERIFY,
	OPTION_OUT,
};

static const struct option long_options[] = {
	{ "apps", required_argument, NULL, OPTION_APPS },
	{ "anon", required_argument, NULL, OPTION_ANON },
	{ "hot", required_argument, NULL, OPTION_HOT },
	{ "grow", required_argument, NULL, OPTION_GROW },
	{ "file", required_argument, NULL, OPTION_FILE },
	{ "shared", required_argument, NULL, OPTION_SHARED },
	{ "programs", required_argument, NULL, OPTION_PROGRAMS },
	{ "switches", required_argument, NULL, OPTION_SWITCHES },
	{ "warm-up", required_argument, NULL, OPTION_WARM_UP },
	{ "think", required_argument, NULL, OPTION_THINK },
	{ "zipf", required_argument, NULL, OPTION_ZIPF },
	{ "sequence", required_argument, NULL, OPTION_SEQUENCE },
	{ "dir", required_argument, NULL, OPTION_DIR },
	{ "prepare", no_argument, NULL, OPTION_PREPARE },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "hook", required_argument, NULL, OPTION_HOOK },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "random", required_argument, NULL, OPTION_RANDOM },
	{ "verify", no_argument, NULL, OPTION_VERIFY },
	{ "corrupt-test", no_argument, NULL, OPTION_CORRUPT },
	{ "out", required_argument, NULL, OPTION_OUT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* A size, in whole runs of that many pages. */
static bool set_size(uint64_t *bytes, const char *name, const char *text, uint64_t min,
		     uint64_t pages)
{
	uint64_t run = pages * sys_page_size();

	if (!option_size(bytes, name, text, min, MOST))
		return false;
	*bytes = (*bytes + run - 1) / run * run;
	return true;
}

static bool set_amount(struct appopt *options, int option, const char *text)
{
	switch (option) {
	case OPTION_ANON:
		return set_size(&options->anon, "--anon", text, sys_page_size(), APPOPT_ANON_RUN);
	case OPTION_HOT:
		return option_percent(&options->hot, "--hot", text);
	case OPTION_GROW:
		return set_size(&options->grow, "--grow", text, 0, 1);
	case OPTION_FILE:
		return set_size(&options->file, "--file", text, 0, APPOPT_FILE_RUN);
	case OPTION_SHARED:
		return set_size(&options->shared, "--shared", text, 0, APPOPT_FILE_RUN);
	case OPTION_RANDOM:
		return option_percent(&options->percent, "--random", text);
	}
	return option_unknown(text);
}

static bool set_number(struct appopt *options, int option, const char *text)
{
	switch (option) {
	case OPTION_APPS:
		return option_number(&options->apps, "--apps", text, 0, 1, APPOPT_APPS);
	case OPTION_SWITCHES:
		return option_number(&options->switches, "--switches", text, 0, 1, COUNT);
	case OPTION_WARM_UP:
		return option_number(&options->warm_up, "--warm-up", text, 0, 0, COUNT);
	case OPTION_THINK:
		return option_number(&options->think_us, "--think", text, 3, 0, HOUR_US);
	case OPTION_ZIPF:
		return option_number(&options->zipf, "--zipf", text, 2, 0, ZIPF_POWER);
	case OPTION_SEED:
		return option_number(&options->seed, "--seed", text, 0, 0, UINT64_MAX);
	}
	return set_amount(options, option, text);
}

static bool set_option(struct appopt *options, int option, const char *text)
{
	if (option <= OPTION_CORRUPT)
		options->synthetic = true;
	switch (option) {
	case OPTION_PROGRAMS:
		return option_text(&options->programs, text);
	case OPTION_SEQUENCE:
		return option_text(&options->sequence, text);
	case OPTION_DIR:
		return option_text(&options->dir, text);
	case OPTION_PREPARE:
		return option_flag(&options->prepare);
	case OPTION_GROUP:
		return option_text(&options->group, text);
	case OPTION_HOOK:
		return option_text(&options->hook, text);
	case OPTION_VERIFY:
		return true;
	case OPTION_CORRUPT:
		return option_flag(&options->corrupt);
	case OPTION_OUT:
		return option_text(&options->out, text);
	case 'h':
		usage_help();
	case 'V':
		usage_version();
	}
	return set_number(options, option, text);
}

/* Cold memory is what is left of whole runs. */
static uint64_t cold_of(const struct appopt *options)
{
	uint64_t run = APPOPT_ANON_RUN * sys_page_size(), runs = options->anon / run;

	return (runs - (runs * options->hot + 99) / 100) * run;
}

static bool fit_grow(struct appopt *options)
{
	uint64_t cold = cold_of(options);

	if (options->grow == NOT_GIVEN)
		options->grow = cold < UINT64_C(1) << 20 ? cold : UINT64_C(1) << 20;
	if (options->grow <= cold)
		return true;
	warnx("--grow: only %llu KiB of --anon are cold, by --hot: give no more",
	      (unsigned long long)cold >> 10);
	return false;
}

static bool fit_files(const struct appopt *options)
{
	bool files = options->file || options->shared;

	if (files && !options->dir)
		warnx("no directory for the files: give --dir DIR, or --file 0 --shared 0");
	else if (!files && options->prepare)
		warnx("--prepare: there are no files: give --file SIZE or --shared SIZE");
	else
		return true;
	return false;
}

static bool complete(struct appopt *options, const char *extra)
{
	if (extra) {
		warnx("\"%s\": apps has options only", extra);
		return false;
	}
	if (options->sequence && options->zipf != NOT_GIVEN) {
		warnx("--sequence says which app comes next: leave out --zipf");
		return false;
	}
	if (options->zipf == NOT_GIVEN)
		options->zipf = 100;
	if (!options->programs)
		return fit_grow(options) && fit_files(options);
	if (!options->synthetic)
		return true;
	warnx("--programs: the apps are programs: leave out what is about synthetic apps");
	return false;
}

static void begin(struct appopt *options)
{
	memset(options, 0, sizeof(*options));
	options->apps = 6;
	options->anon = UINT64_C(20) << 20;
	options->hot = 25;
	options->grow = NOT_GIVEN;
	options->file = UINT64_C(10) << 20;
	options->shared = UINT64_C(8) << 20;
	options->switches = 60;
	options->think_us = 500000;
	options->zipf = NOT_GIVEN;
	options->seed = 1;
	options->percent = 30;
}

/**
 * appopt_parse() - read the command line after the load's name
 * @options: what it says
 * @argc: as that of main()
 * @argv: as that of main()
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int appopt_parse(struct appopt *options, int argc, char **argv)
{
	int option;

	begin(options);
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1)
		if (!set_option(options, option, option == '?' ? argv[optind - 1] : optarg))
			return STATUS_USAGE;
	return complete(options, argv[optind]) ? 0 : STATUS_USAGE;
}
