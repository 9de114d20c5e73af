// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parse.h"
#include "source.h"
#include "sys.h"

#define VERSION "1.0"

/* Linux has no process with a larger id. */
#define PID_LIMIT (4U << 20)

#define DAY_US (UINT64_C(86400) * 1000000)

static const char help[] =
"usage: memtrace COMMAND [OPTION...]\n"
"Figures of memory as lines of CSV, ten a second.\n"
"\n"
"  proc       memory of a process, KiB: pss, rss, private, shared, swap\n"
"  sys        memory of the system, KiB and percent\n"
"  psi        pressure stall information: memory, cpu, io\n"
"  pagetype   anonymous and file pages of a process, KiB\n"
"  cache      hits and misses of the page cache\n"
"  bio        I/O of each block device, and by process\n"
"\n"
"  --pid PID, --comm NAME    the process, for proc and pagetype\n"
"  --device NAME             only this device, for bio\n"
"  --source NAME             kprobe or vmstat for cache, trace or diskstats for bio\n"
"  -i SECONDS   between two samples (0.1)    -n COUNT     end after that many samples\n"
"  -t SECONDS   end after that time          -o FILE      write there\n"
"  --json       a JSON object for each line  --root DIR   a tree to read instead of /\n"
"  -h           this                         -V           the version\n";

enum {
	OPTION_PID = 256,
	OPTION_COMM,
	OPTION_DEVICE,
	OPTION_SOURCE,
	OPTION_JSON,
	OPTION_ROOT,
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, OPTION_PID },
	{ "comm", required_argument, NULL, OPTION_COMM },
	{ "device", required_argument, NULL, OPTION_DEVICE },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "seconds", required_argument, NULL, 't' },
	{ "output", required_argument, NULL, 'o' },
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

static bool set_seconds(uint64_t *us, const char *text, const char *what, uint64_t min_us)
{
	if (parse_decimal(text, 6, us) == 0 && *us >= min_us && *us <= 366 * DAY_US)
		return true;
	warnx("%s %s: give seconds, as 0.1 or 60, not less than %g", what, text,
	      (double)min_us / 1e6);
	return false;
}

static bool set_whole(uint64_t *value, const char *text, const char *what, uint64_t max)
{
	if (parse_decimal(text, 0, value) == 0 && *value > 0 && *value <= max)
		return true;
	warnx("%s %s: give a whole number from 1 to %llu", what, text, (unsigned long long)max);
	return false;
}

static bool set_backend(struct options *options, const char *text)
{
	static const char *const names[] = {
		[BACKEND_KPROBE] = "kprobe", [BACKEND_VMSTAT] = "vmstat",
		[BACKEND_TRACE] = "trace", [BACKEND_DISKSTATS] = "diskstats",
	};
	unsigned int i, first = options->source == &source_cache ? BACKEND_KPROBE : BACKEND_TRACE;

	if (options->source != &source_cache && options->source != &source_bio) {
		warnx("--source is for cache and bio only");
		return false;
	}
	for (i = first; i <= first + 1; i++) {
		if (strcmp(text, names[i]) == 0) {
			options->backend = (enum backend)i;
			return true;
		}
	}
	warnx("--source %s: %s has %s and %s", text, options->source->name, names[first],
	      names[first + 1]);
	return false;
}

static bool set_root(const char *text)
{
	if (text[0] == '/' && strlen(text) < SYS_PATH) {
		sys_set_root(strcmp(text, "/") ? text : "");
		return true;
	}
	warnx("--root %s: give a directory whose path begins with a slash, up to %d characters",
	      text, SYS_PATH - 1);
	return false;
}

static bool set_option(struct options *options, int option, const char *text)
{
	uint64_t pid = 0;

	switch (option) {
	case OPTION_PID:
		if (!set_whole(&pid, text, "--pid", PID_LIMIT))
			return false;
		options->pid = (pid_t)pid;
		return true;
	case OPTION_COMM:
		options->comm = text;
		return true;
	case OPTION_DEVICE:
		options->device = text;
		return true;
	case OPTION_SOURCE:
		return set_backend(options, text);
	case OPTION_JSON:
		options->json = true;
		return true;
	case OPTION_ROOT:
		return set_root(text);
	case 'i':
		return set_seconds(&options->interval_us, text, "-i", 1000);
	case 'n':
		return set_whole(&options->count, text, "-n", UINT32_MAX);
	case 't':
		return set_seconds(&options->duration_us, text, "-t", 1000);
	case 'o':
		options->output = text;
		return true;
	case 'h':
		show(help);
	case 'V':
		show("memtrace " VERSION "\n");
	}
	warnx("%s: no such option, or its value is missing: see memtrace -h", text);
	return false;
}

static bool complete(const struct options *options)
{
	if (options->source->of_process) {
		if (options->pid && options->comm) {
			warnx("--pid and --comm both name the process: give one of them");
			return false;
		}
		if (!options->pid && !(options->comm && options->comm[0])) {
			warnx("%s watches a process: give --pid PID or --comm NAME",
			      options->source->name);
			return false;
		}
	} else if (options->pid || options->comm) {
		warnx("%s is of the whole system: leave out --pid and --comm",
		      options->source->name);
		return false;
	}
	if (options->device && options->source != &source_bio) {
		warnx("--device is for bio only");
		return false;
	}
	return true;
}

/**
 * options_parse() - read the command line
 * @options: what it says
 * @argc: as that of main()
 * @argv: as that of main()
 *
 * Ends the program for -h and -V.
 *
 * Return: 0, or STATUS_USAGE, and what is wrong was said.
 */
int options_parse(struct options *options, int argc, char **argv)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->interval_us = 100000;
	if (argc < 2) {
		warnx("no command: give proc, sys, psi, pagetype, cache or bio; see memtrace -h");
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
		show(help);
	if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)
		show("memtrace " VERSION "\n");
	options->source = source_find(argv[1]);
	if (!options->source) {
		warnx("no command \"%s\": give proc, sys, psi, pagetype, cache or bio", argv[1]);
		return STATUS_USAGE;
	}
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "i:n:t:o:hV", long_options, NULL)) != -1)
		if (!set_option(options, option, option == '?' ? argv[optind - 1] : optarg))
			return STATUS_USAGE;
	if (optind < argc) {
		warnx("\"%s\" is no option: see memtrace -h", argv[optind]);
		return STATUS_USAGE;
	}
	return complete(options) ? 0 : STATUS_USAGE;
}
