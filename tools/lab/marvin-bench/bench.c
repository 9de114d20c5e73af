// SPDX-License-Identifier: GPL-2.0
/*
 * marvin-bench: its command line.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "bench.h"
#include "rounds.h"

static const char usage[] =
	"usage: marvin-bench [OPTION...] [PART...]\n"
	"  hot        objects in use: a heap of libmarvin beside malloc()\n"
	"  takeback   memory is taken, and read again: beside a mapped file, and the swap\n"
	"  onepage    a page comes back: beside a read of the same store\n"
	"  wait       how long an object in use is waited for while others are loaded\n"
	"  --store DIR   where the stores are made (/var/tmp)\n"
	"  --road NAME   wp or signal (the one that libmarvin chooses)\n"
	"  --rounds N    how many (each part's own number)\n"
	"  --tick MS     hot: from tick to tick (1000, five times as often as by default)\n"
	"exit status: 0 right; 1 wrong bytes, no memory or no store; 2 wrong usage\n";

static const struct {
	const char *name;
	bool (*run)(const struct bench_options *options);
} parts[] = {
	{ "hot", hot_run },
	{ "takeback", takeback_run },
	{ "onepage", onepage_run },
	{ "wait", wait_run },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static uint32_t number(const char *text, unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || !value || value > most)
		errx(2, "%s: it takes a number from 1 to %lu", text, most);
	return (uint32_t)value;
}

static enum marvin_road road(const char *name)
{
	enum marvin_road one;

	for (one = MARVIN_ROAD_AUTO; one < MARVIN_ROAD_NONE; one++)
		if (!strcmp(name, marvin_road_name(one)))
			return one;
	errx(2, "--road %s: unknown", name);
}

static void parse(int argc, char **argv, struct bench_options *options)
{
	static const struct option longs[] = {
		{ "store", required_argument, NULL, 's' },
		{ "road", required_argument, NULL, 'w' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "tick", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == 's')
			options->store = optarg;
		else if (c == 'w')
			options->road = road(optarg);
		else if (c == 'r')
			options->rounds = number(optarg, ROUNDS_MOST);
		else if (c == 't')
			options->tick_ms = number(optarg, 1000000);
		else if (c == 'h')
			exit(fputs(usage, stdout) < 0);
		else
			exit(2);
	}
}

/* is_wanted() - is the part named, or none at all? */
static bool is_wanted(const char *part, char *const *names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted = wanted || !strcmp(part, *names);
	return wanted;
}

int main(int argc, char **argv)
{
	struct bench_options options = { .store = "/var/tmp", .tick_ms = 1000 };
	struct utsname system;
	bool right = true;
	unsigned int i;
	int k;

	parse(argc, argv, &options);
	for (k = optind; k < argc; k++) {
		for (i = 0; i < PARTS && strcmp(parts[i].name, argv[k]); i++)
			;
		if (i == PARTS)
			errx(2, "%s: not a part; see marvin-bench -h", argv[k]);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!uname(&system))
		printf("# Linux %s, %s, %ld processors\n", system.release, system.machine,
		       sysconf(_SC_NPROCESSORS_ONLN));
	for (i = 0; i < PARTS; i++)
		if (is_wanted(parts[i].name, argv + optind))
			right = parts[i].run(&options) && right;
	return !right;
}
