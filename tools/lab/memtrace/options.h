/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef MEMTRACE_OPTIONS_H
#define MEMTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "option.h"

struct source;

/* Where figures are taken from, where there is a choice. */
enum backend {
	BACKEND_ANY,			/* the best that this kernel has */
	BACKEND_BPF,
	BACKEND_KPROBE,
	BACKEND_VMSTAT,
	BACKEND_TRACE,
	BACKEND_DISKSTATS,
};

struct options {
	const struct source *source;
	pid_t pid;			/* 0: by name */
	const char *comm;
	const char *device;		/* NULL: all that have something to tell */
	enum backend backend;
	uint64_t interval_us;
	uint64_t count;			/* samples; 0: no limit */
	uint64_t duration_us;		/* 0: no limit */
	bool json;
	const char *output;		/* NULL: standard output */
};

int options_parse(struct options *options, int argc, char **argv);

#endif
