// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <string.h>
#include "loadopt.h"
#include "parse.h"
#include "sys.h"
#include "usage.h"

enum {
	OPTION_CHUNK = 1,
	OPTION_SIZE,
	OPTION_MAKE,
	OPTION_DELAY,
	OPTION_SECONDS,
	OPTION_RATE,
	OPTION_SEED,
	OPTION_RANDOM,
	OPTION_SHARED,
	OPTION_READ,
	OPTION_KEEP,
	OPTION_LOOP,
	OPTION_REWRITE,
	OPTION_EXIT,
	OPTION_VERIFY,
	OPTION_CORRUPT,
	OPTION_PROGRESS,
	OPTION_END = '?',		/* getopt's own begin here */
};

static const struct option long_options[] = {
	{ "chunk", required_argument, NULL, OPTION_CHUNK },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "make", required_argument, NULL, OPTION_MAKE },
	{ "delay", required_argument, NULL, OPTION_DELAY },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "rate", required_argument, NULL, OPTION_RATE },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "random", required_argument, NULL, OPTION_RANDOM },
	{ "shared", no_argument, NULL, OPTION_SHARED },
	{ "read", no_argument, NULL, OPTION_READ },
	{ "keep", no_argument, NULL, OPTION_KEEP },
	{ "loop", no_argument, NULL, OPTION_LOOP },
	{ "rewrite", no_argument, NULL, OPTION_REWRITE },
	{ "exit", no_argument, NULL, OPTION_EXIT },
	{ "verify", no_argument, NULL, OPTION_VERIFY },
	{ "corrupt-test", no_argument, NULL, OPTION_CORRUPT },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "size-percent", required_argument, NULL, PATOPT_SIZE_PERCENT },
	{ "time-percent", required_argument, NULL, PATOPT_TIME_PERCENT },
	{ "passes", required_argument, NULL, PATOPT_PASSES },
	{ "work", required_argument, NULL, PATOPT_WORK },
	{ "repeat", required_argument, NULL, PATOPT_REPEAT },
	{ "skip", required_argument, NULL, PATOPT_SKIP },
	{ "out", required_argument, NULL, PATOPT_OUT },
	{ "marks", required_argument, NULL, PATOPT_MARKS },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

#define ONLY(load) (1U << (load))

/* The loads that an option is for. One that is not here is for all. */
static const unsigned int loads_of[OPTION_END] = {
	[OPTION_CHUNK] = ONLY(LOAD_ANON),
	[OPTION_SIZE] = ONLY(LOAD_ANON),
	[OPTION_MAKE] = ONLY(LOAD_FILE_ONCE) | ONLY(LOAD_FILE_LOOP),
	[OPTION_SHARED] = ONLY(LOAD_FILE_LOOP),
	[OPTION_READ] = ONLY(LOAD_FILE_LOOP) | ONLY(LOAD_PATTERN),
	[OPTION_KEEP] = ONLY(LOAD_FILE_LOOP),
	[OPTION_LOOP] = ONLY(LOAD_ANON),
	[OPTION_REWRITE] = ONLY(LOAD_ANON),
	[OPTION_EXIT] = ONLY(LOAD_ANON),
	[PATOPT_SIZE_PERCENT] = ONLY(LOAD_PATTERN),
	[PATOPT_TIME_PERCENT] = ONLY(LOAD_PATTERN),
	[PATOPT_PASSES] = ONLY(LOAD_PATTERN),
	[PATOPT_WORK] = ONLY(LOAD_PATTERN),
	[PATOPT_REPEAT] = ONLY(LOAD_PATTERN),
	[PATOPT_SKIP] = ONLY(LOAD_PATTERN),
	[PATOPT_OUT] = ONLY(LOAD_PATTERN),
	[PATOPT_MARKS] = ONLY(LOAD_PATTERN),
};

#define LOADS "anon, file-once, file-loop, pattern or apps"

static const char *const load_names[] = {
	[LOAD_ANON] = "anon", [LOAD_FILE_ONCE] = "file-once", [LOAD_FILE_LOOP] = "file-loop",
	[LOAD_PATTERN] = "pattern", [LOAD_APPS] = "apps",
};

static bool is_for(int option, const char *name, enum load load)
{
	unsigned int i, loads;

	if (option >= OPTION_END || !loads_of[option] || loads_of[option] & ONLY(load))
		return true;
	loads = loads_of[option];
	for (i = 0; !(loads & ONLY(i)); i++)
		;
	loads &= ~ONLY(i);
	if (loads)
		warnx("--%s is for %s and %s only", name, load_names[i],
		      load_names[loads & ONLY(LOAD_PATTERN) ? LOAD_PATTERN : LOAD_FILE_LOOP]);
	else
		warnx("--%s is for %s only", name, load_names[i]);
	return false;
}

/* A size is a whole number of pages, and one that a pointer can reach. */
static bool set_size(uint64_t *bytes, const char *name, const char *text)
{
	uint64_t page = sys_page_size();

	if (!option_size(bytes, name, text, page, PTRDIFF_MAX - page))
		return false;
	*bytes = (*bytes + page - 1) / page * page;
	return true;
}

static bool set_rate(uint64_t *bytes, const char *text)
{
	uint64_t thousandths;

	if (parse_decimal(text, 3, &thousandths) == 0 && thousandths &&
	    thousandths <= UINT64_C(1000000000)) {
		*bytes = (thousandths << 20) / 1000;
		return true;
	}
	warnx("--rate %s: give MiB a second, as 50 or 0.5", text);
	return false;
}

static bool set_touch(struct loadopt *options, enum touch touch)
{
	if (options->touch != TOUCH_PRIVATE && options->touch != touch) {
		warnx("--shared, --read and --keep are different uses: give one of them");
		return false;
	}
	options->touch = touch;
	return true;
}

static bool set_option(struct loadopt *options, int option, const char *text)
{
	switch (option) {
	case OPTION_CHUNK:
		return set_size(&options->chunk, "--chunk", text);
	case OPTION_SIZE:
		return set_size(&options->size, "--size", text);
	case OPTION_MAKE:
		return set_size(&options->make, "--make", text);
	case OPTION_DELAY:
		return option_seconds(&options->delay_us, "--delay", text, 0);
	case OPTION_SECONDS:
		return option_seconds(&options->duration_us, "--seconds", text, 0);
	case OPTION_RATE:
		return set_rate(&options->rate, text);
	case OPTION_SEED:
		return option_number(&options->seed, "--seed", text, 0, 0, UINT64_MAX);
	case OPTION_RANDOM:
		return option_percent(&options->percent, "--random", text);
	case OPTION_SHARED:
		return set_touch(options, TOUCH_SHARED);
	case OPTION_READ:
		return set_touch(options, TOUCH_READ);
	case OPTION_KEEP:
		return set_touch(options, TOUCH_KEEP);
	case OPTION_LOOP:
		return option_flag(&options->loop);
	case OPTION_REWRITE:
		return option_flag(&options->rewrite);
	case OPTION_EXIT:
		return option_flag(&options->exit);
	case OPTION_VERIFY:
		return option_flag(&options->verify);
	case OPTION_CORRUPT:
		return option_flag(&options->corrupt);
	case OPTION_PROGRESS:
		return option_text(&options->progress, text);
	case '?':
		return option_unknown(text);
	case 'h':
		usage_help();
	case 'V':
		usage_version();
	}
	return patopt_set(&options->pattern, option, text);
}

static bool set_load(struct loadopt *options, const char *name)
{
	unsigned int i;

	if (!name) {
		warnx("no load: give " LOADS "; see memload -h");
		return false;
	}
	if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
		usage_help();
	if (strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0)
		usage_version();
	for (i = 0; i <= LOAD_APPS; i++) {
		if (strcmp(name, load_names[i]) == 0) {
			options->load = (enum load)i;
			return true;
		}
	}
	warnx("no load \"%s\": give " LOADS, name);
	return false;
}

static bool has_files(const struct loadopt *options)
{
	if (options->load == LOAD_ANON) {
		if (options->nfiles)
			warnx("\"%s\": anon uses no file", options->files[0]);
		return !options->nfiles;
	}
	if (options->load == LOAD_PATTERN) {
		if (options->nfiles != 1)
			warnx("pattern has one file, a configuration of masim: name %s",
			      options->nfiles ? "no more" : "it");
		return options->nfiles == 1;
	}
	if (!options->nfiles)
		warnx("no file: name one or more, and --make SIZE, if they are to be made");
	return options->nfiles;
}

static bool complete(const struct loadopt *options)
{
	if (!has_files(options))
		return false;
	if (options->loop && options->exit) {
		warnx("--loop goes on for ever: leave out --exit, or give --seconds instead");
		return false;
	}
	return patopt_complete(&options->pattern);
}

/**
 * loadopt_parse() - read the command line
 * @options: what it says
 * @argc: as that of main()
 * @argv: as that of main()
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int loadopt_parse(struct loadopt *options, int argc, char **argv)
{
	int option, index = 0;

	memset(options, 0, sizeof(*options));
	options->chunk = UINT64_C(100) << 20;
	options->percent = 30;
	options->seed = 1;
	patopt_begin(&options->pattern);
	if (!set_load(options, argc > 1 ? argv[1] : NULL))
		return STATUS_USAGE;
	if (options->load == LOAD_APPS)
		return appopt_parse(&options->apps, argc, argv);
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", long_options, &index)) != -1)
		if (!is_for(option, long_options[index].name, options->load) ||
		    !set_option(options, option, option == '?' ? argv[optind - 1] : optarg))
			return STATUS_USAGE;
	options->files = argv + optind;
	options->nfiles = argc - optind;
	return complete(options) ? 0 : STATUS_USAGE;
}
