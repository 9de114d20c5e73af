// SPDX-License-Identifier: GPL-2.0
/*
 * The loads of Marvin's experiments: their command line.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "loads.h"
#include "options.h"

#define MANY 1000000

static struct load_options options = {
	.mib = 22, .interval_ms = 5000, .threads = 1, .seed = 1, .name = "load",
};

static const char usage[] =
	"usage: marvin-load waster|timer|walk|micro|verify [OPTION...]\n"
	"       marvin-load memory [OPTION...] PID...\n"
	"exit status: 0 right; 1 no memory, no store, or another error; 2 wrong usage;\n"
	"             3 wrong bytes; 4 an object is lost\n\n";

static const struct option_row rows[] = {
	{ "plain", OPTION_FLAG, &options.plain, 0, 0, "ordinary memory, without libmarvin" },
	{ "mapped", OPTION_FLAG, &options.mapped, 0, 0,
	  "waster, walk and micro: a mapped file in the directory --store" },
	{ "store", OPTION_TEXT, &options.store, 0, 0,
	  "of libmarvin: a device, a file, or a directory and /" },
	{ "road", OPTION_TEXT, &options.road, 0, 0,
	  "of libmarvin, how it learns of uses: wp, signal or none" },
	{ "mib", OPTION_NUMBER, &options.mib, 1, MANY, "memory in all (22)" },
	{ "rounds", OPTION_NUMBER, &options.rounds, 0, MANY, "how many (0: until it is ended)" },
	{ "interval", OPTION_NUMBER, &options.interval_ms, 0, MANY,
	  "waster, verify, memory: ms from round to round (5000)" },
	{ "background", OPTION_FLAG, &options.background, 0, 0,
	  "waster: goes to the background when it has its memory" },
	{ "ratio", OPTION_NUMBER, &options.ratio, 0, MANY,
	  "walk: accesses to hot objects for each other one; micro: steps for each access (0)" },
	{ "tick", OPTION_NUMBER, &options.tick_ms, 0, MANY,
	  "of libmarvin, in the foreground and in the background: ms" },
	{ "threads", OPTION_NUMBER, &options.threads, 1, LOAD_THREADS,
	  "verify: that use objects (1)" },
	{ "fork", OPTION_FLAG, &options.fork, 0, 0, "verify: children look at objects, too" },
	{ "lossy", OPTION_FLAG, &options.lossy, 0, 0,
	  "verify: the store may fail: lost objects are counted and made anew" },
	{ "drop", OPTION_NUMBER, &options.drop_kib, 0, MANY,
	  "verify: KiB to take back at most after each round (0)" },
	{ "seed", OPTION_NUMBER, &options.seed, 0, MANY, "verify: of what is random (1)" },
	{ "name", OPTION_TEXT, &options.name, 0, 0, "in front of each line of output" },
	{ 0 },
};

static const struct {
	const char *name;
	int (*run)(const struct load_options *options);
} loads[] = {
	{ "waster", waster_run }, { "timer", timer_run }, { "memory", memory_run },
	{ "walk", walk_run }, { "micro", micro_run }, { "verify", verify_run },
};

static uint64_t clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/**
 * load_now_us() - the time
 *
 * Return: microseconds since the system's start.
 */
uint64_t load_now_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

/**
 * load_cpu_us() - time that this process had a processor, also in the kernel
 *
 * Return: microseconds.
 */
uint64_t load_cpu_us(void)
{
	return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

int main(int argc, char **argv)
{
	int at = options_parse(usage, rows, argc, argv);
	unsigned int i;

	if (at == argc || (at + 1 < argc && strcmp(argv[at], "memory")))
		errx(STATUS_USAGE, "it takes one load; see marvin-load -h");
	options.pids = argv + at + 1;
	/* verify shares objects between threads and with children. */
	if (options.mapped && (!options.store || !strcmp(argv[at], "verify")))
		errx(STATUS_USAGE, "--mapped: with --store, and not of verify");
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (!strcmp(argv[at], loads[i].name))
			return loads[i].run(&options);
	errx(STATUS_USAGE, "\"%s\": not a load; see marvin-load -h", argv[at]);
}
