// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <getopt.h>
#include <string.h>
#include "source.h"
#include "sys.h"

#define VERSION "1.0"

/* Linux has no process with a larger id. */
#define PID_LIMIT (4U << 20)

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
"  --source NAME             bpf, kprobe or vmstat for cache; bpf, trace or diskstats for bio\n"
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

static bool set_backend(struct options *options, const char *text)
{
	static const char *const names[][3] = {
		{ "bpf", "kprobe", "vmstat" }, { "bpf", "trace", "diskstats" },
	};
	static const enum backend backends[][3] = {
		{ BACKEND_BPF, BACKEND_KPROBE, BACKEND_VMSTAT },
		{ BACKEND_BPF, BACKEND_TRACE, BACKEND_DISKSTATS },
	};
	unsigned int bio = options->source == &source_bio, choice;

	if (options->source != &source_cache && !bio) {
		warnx("--source is for cache and bio only");
		return false;
	}
	if (!option_choice(&choice, "--source", text, names[bio], 3))
		return false;
	options->backend = backends[bio][choice];
	return true;
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
		if (!option_number(&pid, "--pid", text, 0, 1, PID_LIMIT))
			return false;
		options->pid = (pid_t)pid;
		return true;
	case OPTION_COMM:
		return option_text(&options->comm, text);
	case OPTION_DEVICE:
		return option_text(&options->device, text);
	case OPTION_SOURCE:
		return set_backend(options, text);
	case OPTION_JSON:
		return option_flag(&options->json);
	case OPTION_ROOT:
		return set_root(text);
	case 'i':
		return option_seconds(&options->interval_us, "-i", text, 1000);
	case 'n':
		return option_number(&options->count, "-n", text, 0, 1, UINT32_MAX);
	case 't':
		return option_seconds(&options->duration_us, "-t", text, 1000);
	case 'o':
		return option_text(&options->output, text);
	case 'h':
		option_show(help);
	case 'V':
		option_show("memtrace " VERSION "\n");
	}
	return option_unknown(text);
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
		option_show(help);
	if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)
		option_show("memtrace " VERSION "\n");
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
