/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Features of the kernel, for --check: a table of questions, each with the use of the feature, and
 * the effect of its absence.
 */
#ifndef COMMON_PROBE_H
#define COMMON_PROBE_H

#include <stdbool.h>

#define PROBE_TEXT 160

struct probe {
	const char *name;		/* NULL: @there prints lines of its own */
	/* @text is PROBE_TEXT bytes; a text in it replaces @yes. */
	bool (*there)(const void *config, char *text);
	const char *yes;
	const char *no;			/* NULL: print no line */
	bool needed;			/* without it the daemon does not work */
};

bool probe_lines(const struct probe *probes, const void *config);

bool probe_process_madvise(const void *config, char *text);
bool probe_cgroup(const void *config, char *text);
bool probe_pressure(const void *config, char *text);
bool probe_pagemap(const void *config, char *text);
bool probe_swap(const void *config, char *text);
bool probe_swap_read(const void *config, char *text);
bool probe_file_read(const void *config, char *text);
bool probe_sockets(const void *config, char *text);
bool probe_root(const void *config, char *text);

#endif
