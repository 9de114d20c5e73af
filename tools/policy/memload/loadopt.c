// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loadopt.h"
#include "parse.h"
#include "sys.h"

#define VERSION "1.0"

#define YEAR_US (UINT64_C(366) * 86400 * 1000000)

static const char help[] =
"usage: memload anon [OPTION...]\n"
"       memload {file-once|file-loop} [OPTION...] FILE...\n"
"A load on memory, with contents that it can verify.\n"
"\n"
"  anon          takes anonymous memory chunk by chunk, writes it and keeps it\n"
"  --chunk SIZE  of a chunk (100M)           --size SIZE   in all; else until it is refused\n"
"  --delay S     wait before                 --loop        then touch all again and again\n"
"  --rewrite     writing all of each page, not a byte only\n"
"  --exit        end when all is done\n"
"\n"
"  file-once     maps the files and reads each byte once\n"
"  file-loop     writes the files through a private map, again and again\n"
"  --shared      through a shared map        --read        only reads them\n"
"  --keep        through the same map each time\n"
"  --make SIZE   makes files that are not there\n"
"\n"
"  --rate MIB    in a second, at most        --seconds S   end after that time\n"
"  --seed N      of the contents (1)         --random P    percent of random bytes (30)\n"
"  --verify      check the contents          --progress FILE   a line each half second\n"
"  -h            this                        -V            the version\n";

enum {
	OPTION_CHUNK = 256,
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
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Ends the program, as nothing has been begun yet. */
static void __attribute__((noreturn)) show(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? STATUS_FAILED : 0);
}

/* A size is a whole number of pages, and one that a pointer can reach. */
static bool set_size(uint64_t *bytes, const char *text, const char *what)
{
	uint64_t page = sys_page_size();

	if (parse_size(text, bytes) == 0 && *bytes >= page && *bytes <= PTRDIFF_MAX - page) {
		*bytes = (*bytes + page - 1) / page * page;
		return true;
	}
	warnx("%s %s: give a size, as 100M: digits and perhaps K, M or G, a page or more", what,
	      text);
	return false;
}

static bool set_seconds(uint64_t *us, const char *text, const char *what)
{
	if (parse_decimal(text, 6, us) == 0 && *us <= YEAR_US)
		return true;
	warnx("%s %s: give seconds, as 20 or 0.5", what, text);
	return false;
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

static bool set_percent(unsigned int *percent, const char *text)
{
	uint64_t value;

	if (parse_decimal(text, 0, &value) == 0 && value <= 100) {
		*percent = (unsigned int)value;
		return true;
	}
	warnx("--random %s: give a percentage from 0 to 100", text);
	return false;
}

static bool set_seed(uint64_t *seed, const char *text)
{
	if (parse_decimal(text, 0, seed) == 0)
		return true;
	warnx("--seed %s: give a whole number", text);
	return false;
}

static bool set_flag(bool *flag)
{
	*flag = true;
	return true;
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
		return set_size(&options->chunk, text, "--chunk");
	case OPTION_SIZE:
		return set_size(&options->size, text, "--size");
	case OPTION_MAKE:
		return set_size(&options->make, text, "--make");
	case OPTION_DELAY:
		return set_seconds(&options->delay_us, text, "--delay");
	case OPTION_SECONDS:
		return set_seconds(&options->duration_us, text, "--seconds");
	case OPTION_RATE:
		return set_rate(&options->rate, text);
	case OPTION_SEED:
		return set_seed(&options->seed, text);
	case OPTION_RANDOM:
		return set_percent(&options->percent, text);
	case OPTION_SHARED:
		return set_touch(options, TOUCH_SHARED);
	case OPTION_READ:
		return set_touch(options, TOUCH_READ);
	case OPTION_KEEP:
		return set_touch(options, TOUCH_KEEP);
	case OPTION_LOOP:
		return set_flag(&options->loop);
	case OPTION_REWRITE:
		return set_flag(&options->rewrite);
	case OPTION_EXIT:
		return set_flag(&options->exit);
	case OPTION_VERIFY:
		return set_flag(&options->verify);
	case OPTION_CORRUPT:
		return set_flag(&options->corrupt);
	case OPTION_PROGRESS:
		options->progress = text;
		return true;
	case 'h':
		show(help);
	case 'V':
		show("memload " VERSION "\n");
	}
	warnx("%s: no such option, or its value is missing: see memload -h", text);
	return false;
}

static bool set_load(struct loadopt *options, const char *name)
{
	static const char *const names[] = {
		[LOAD_ANON] = "anon", [LOAD_FILE_ONCE] = "file-once",
		[LOAD_FILE_LOOP] = "file-loop",
	};
	unsigned int i;

	if (!name) {
		warnx("no load: give anon, file-once or file-loop; see memload -h");
		return false;
	}
	if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
		show(help);
	if (strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0)
		show("memload " VERSION "\n");
	for (i = 0; i <= LOAD_FILE_LOOP; i++) {
		if (strcmp(name, names[i]) == 0) {
			options->load = (enum load)i;
			return true;
		}
	}
	warnx("no load \"%s\": give anon, file-once or file-loop", name);
	return false;
}

static bool complete(const struct loadopt *options)
{
	bool anon = options->load == LOAD_ANON;

	if (anon && options->nfiles) {
		warnx("\"%s\": anon uses no file", options->files[0]);
		return false;
	}
	if (!anon && !options->nfiles) {
		warnx("no file: name one or more, and --make SIZE, if they are to be made");
		return false;
	}
	if (anon && (options->make || options->touch != TOUCH_PRIVATE)) {
		warnx("--make, --shared and --read are not for anon, which uses no file");
		return false;
	}
	if (!anon && (options->size || options->loop || options->rewrite || options->exit)) {
		warnx("--size, --loop, --rewrite and --exit are for anon only");
		return false;
	}
	if (options->load == LOAD_FILE_ONCE && options->touch != TOUCH_PRIVATE) {
		warnx("--shared and --read are for file-loop only: file-once only reads");
		return false;
	}
	if (options->loop && options->exit) {
		warnx("--loop goes on for ever: leave out --exit, or give --seconds instead");
		return false;
	}
	return true;
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
	int option;

	memset(options, 0, sizeof(*options));
	options->chunk = UINT64_C(100) << 20;
	options->percent = 30;
	options->seed = 1;
	if (!set_load(options, argc > 1 ? argv[1] : NULL))
		return STATUS_USAGE;
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1)
		if (!set_option(options, option, option == '?' ? argv[optind - 1] : optarg))
			return STATUS_USAGE;
	options->files = argv + optind;
	options->nfiles = argc - optind;
	return complete(options) ? 0 : STATUS_USAGE;
}
