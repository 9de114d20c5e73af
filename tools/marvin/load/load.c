// SPDX-License-Identifier: GPL-2.0
/*
 * The loads of Marvin's experiments: its command line.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "loads.h"

static const char usage[] =
	"usage: marvin-load waster|timer|walk|micro [OPTION...]\n"
	"  --plain          ordinary memory, without libmarvin\n"
	"  --store PATH     of libmarvin: a device, a file, or a directory and /\n"
	"  --mib N          memory in all (22)\n"
	"  --rounds N       how many (0: until it is ended)\n"
	"  --interval MS    waster: from round to round (5000)\n"
	"  --ratio N        walk: accesses to hot objects for each other one; micro: steps of\n"
	"                   arithmetic for each access (0)\n"
	"  --name TEXT      in front of each line of output\n"
	"  -h, --help       this text\n";

enum { OPT_PLAIN = 256, OPT_STORE, OPT_MIB, OPT_ROUNDS, OPT_INTERVAL, OPT_RATIO, OPT_NAME };

static const struct option long_options[] = {
	{ "plain", no_argument, NULL, OPT_PLAIN },
	{ "store", required_argument, NULL, OPT_STORE },
	{ "mib", required_argument, NULL, OPT_MIB },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "ratio", required_argument, NULL, OPT_RATIO },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *name;
	int (*run)(const struct load_options *options);
} loads[] = {
	{ "waster", waster_run },
	{ "timer", timer_run },
	{ "walk", walk_run },
	{ "micro", micro_run },
};

/**
 * load_now_us() - the time
 *
 * Return: microseconds since the system's start.
 */
uint64_t load_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint32_t number(const char *text, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value > 1000000)
		errx(2, "--%s %s: it takes a number up to 1000000", what, text);
	return (uint32_t)value;
}

static void parse(int argc, char **argv, struct load_options *options)
{
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (c) {
		case OPT_PLAIN:
			options->plain = true;
			break;
		case OPT_STORE:
			options->store = optarg;
			break;
		case OPT_MIB:
			options->mib = number(optarg, "mib");
			break;
		case OPT_ROUNDS:
			options->rounds = number(optarg, "rounds");
			break;
		case OPT_INTERVAL:
			options->interval_ms = number(optarg, "interval");
			break;
		case OPT_RATIO:
			options->ratio = number(optarg, "ratio");
			break;
		case OPT_NAME:
			options->name = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct load_options options = { .mib = 22, .interval_ms = 5000, .name = "load" };
	unsigned int i;

	parse(argc, argv, &options);
	if (optind + 1 != argc)
		errx(2, "it takes one load: waster, timer, walk or micro; see marvin-load -h");
	if (!options.mib)
		errx(2, "--mib 0: at least 1");
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (!strcmp(argv[optind], loads[i].name))
			return loads[i].run(&options);
	errx(2, "\"%s\": not a load: waster, timer, walk or micro", argv[optind]);
}
