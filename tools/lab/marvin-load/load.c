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

#define LOADS "waster, timer, memory, walk, micro or verify"

static const char usage[] =
	"usage: marvin-load waster|timer|walk|micro|verify [OPTION...]\n"
	"       marvin-load memory [OPTION...] PID...\n"
	"  --plain          ordinary memory, without libmarvin\n"
	"  --mapped         waster, walk and micro: a mapped file in the directory --store\n"
	"  --store PATH     of libmarvin: a device, a file, or a directory and /\n"
	"  --road NAME      of libmarvin, how it learns of uses: wp, signal or none\n"
	"  --mib N          memory in all (22)\n"
	"  --rounds N       how many (0: until it is ended)\n"
	"  --interval MS    waster, verify, memory: from round to round (5000)\n"
	"  --background     waster: goes to the background when it has its memory\n"
	"  --ratio N        walk: accesses to hot objects for each other one; micro: steps of\n"
	"                   arithmetic for each access (0)\n"
	"  --tick MS        of libmarvin, in the foreground and in the background\n"
	"  --threads N      verify: that use objects (1; at most 64)\n"
	"  --fork           verify: children look at objects, too\n"
	"  --lossy          verify: the store may fail: lost objects are counted and made anew\n"
	"  --drop KIB       verify: take up to so much back after each round (0)\n"
	"  --seed N         verify: of what is random (1)\n"
	"  --name TEXT      in front of each line of output\n"
	"  -h, --help       this text\n"
	"exit status: 0 right; 1 no memory, no store, or another error; 2 wrong usage;\n"
	"             3 wrong bytes; 4 an object is lost\n";

enum {
	OPT_PLAIN = 256, OPT_STORE, OPT_MIB, OPT_ROUNDS, OPT_INTERVAL, OPT_RATIO, OPT_NAME,
	OPT_TICK, OPT_THREADS, OPT_FORK, OPT_LOSSY, OPT_SEED,
	OPT_ROAD, OPT_DROP, OPT_MAPPED, OPT_BACKGROUND,
};

static const struct option long_options[] = {
	{ "plain", no_argument, NULL, OPT_PLAIN },
	{ "mapped", no_argument, NULL, OPT_MAPPED },
	{ "background", no_argument, NULL, OPT_BACKGROUND },
	{ "store", required_argument, NULL, OPT_STORE },
	{ "mib", required_argument, NULL, OPT_MIB },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "ratio", required_argument, NULL, OPT_RATIO },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "tick", required_argument, NULL, OPT_TICK },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "fork", no_argument, NULL, OPT_FORK },
	{ "lossy", no_argument, NULL, OPT_LOSSY },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "road", required_argument, NULL, OPT_ROAD },
	{ "drop", required_argument, NULL, OPT_DROP },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *name;
	int (*run)(const struct load_options *options);
} loads[] = {
	{ "waster", waster_run },
	{ "timer", timer_run },
	{ "memory", memory_run },
	{ "walk", walk_run },
	{ "micro", micro_run },
	{ "verify", verify_run },
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

/**
 * load_cpu_us() - time that this process had a processor, also in the kernel
 *
 * Return: microseconds.
 */
uint64_t load_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint32_t number(const char *text, const char *what)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value > 1000000)
		errx(LOAD_USAGE, "--%s %s: it takes a number up to 1000000", what, text);
	return (uint32_t)value;
}

/* parse_number() - false: the option is another one */
static bool parse_number(int option, struct load_options *options)
{
	const struct { int option; const char *name; uint32_t *to; } numbers[] = {
		{ OPT_MIB, "mib", &options->mib },
		{ OPT_ROUNDS, "rounds", &options->rounds },
		{ OPT_INTERVAL, "interval", &options->interval_ms },
		{ OPT_RATIO, "ratio", &options->ratio },
		{ OPT_TICK, "tick", &options->tick_ms },
		{ OPT_THREADS, "threads", &options->threads },
		{ OPT_SEED, "seed", &options->seed },
		{ OPT_DROP, "drop", &options->drop_kib },
	};
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].option == option) {
			*numbers[i].to = number(optarg, numbers[i].name);
			return true;
		}
	return false;
}

/* parse_flag() - false: the option is another one */
static bool parse_flag(int option, struct load_options *options)
{
	const struct { int option; bool *to; } flags[] = {
		{ OPT_PLAIN, &options->plain },
		{ OPT_MAPPED, &options->mapped },
		{ OPT_BACKGROUND, &options->background },
		{ OPT_FORK, &options->fork },
		{ OPT_LOSSY, &options->lossy },
	};
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].option == option) {
			*flags[i].to = true;
			return true;
		}
	return false;
}

static void parse(int argc, char **argv, struct load_options *options)
{
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (parse_number(c, options) || parse_flag(c, options))
			continue;
		switch (c) {
		case OPT_STORE:
			options->store = optarg;
			break;
		case OPT_ROAD:
			options->road = optarg;
			break;
		case OPT_NAME:
			options->name = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			exit(LOAD_USAGE);
		}
	}
}

int main(int argc, char **argv)
{
	struct load_options options = { .mib = 22, .interval_ms = 5000, .threads = 1,
					.seed = 1, .name = "load" };
	unsigned int i;

	parse(argc, argv, &options);
	options.pids = optind < argc ? argv + optind + 1 : NULL;
	if (optind == argc || (*options.pids && strcmp(argv[optind], "memory")))
		errx(LOAD_USAGE, "it takes one load: " LOADS "; see marvin-load -h");
	/* Objects of verify belong to several threads, and to children. */
	if (options.mapped && (!options.store || !strcmp(argv[optind], "verify")))
		errx(LOAD_USAGE, "--mapped: with --store, and not of verify");
	if (!options.mib)
		errx(LOAD_USAGE, "--mib 0: at least 1");
	if (!options.threads || options.threads > LOAD_THREADS)
		errx(LOAD_USAGE, "--threads %u: 1 to %d", options.threads, LOAD_THREADS);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (!strcmp(argv[optind], loads[i].name))
			return loads[i].run(&options);
	errx(LOAD_USAGE, "\"%s\": not a load: " LOADS, argv[optind]);
}
