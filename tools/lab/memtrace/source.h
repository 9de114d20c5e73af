/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A source is a command: what is sampled, and its columns. There is one session in a program, so
 * that a source may keep what it needs from one sample to the next in its own file.
 */
#ifndef MEMTRACE_SOURCE_H
#define MEMTRACE_SOURCE_H

#include <stdbool.h>
#include "options.h"
#include "out.h"
#include "row.h"
#include "target.h"

/* What sample() returns, when the process that is watched has ended. */
#define SOURCE_ENDED 1

/**
 * struct source - a command
 * @name: its name
 * @columns: of its lines
 * @ncolumns: how many
 * @of_process: it watches one process
 * @deltas: its figures are of an interval, so that the first line is at the end of the first one
 * @open: begin; 0 or a negative errno, and then the reason was said; may be NULL
 * @sample: write the lines of a sample; 0, SOURCE_ENDED, or a negative errno with the reason said
 * @close: undo all that open() did; also after an open() that failed; may be NULL
 */
struct source {
	const char *name;
	const struct column *columns;
	size_t ncolumns;
	bool of_process;
	bool deltas;
	int (*open)(const struct options *options);
	int (*sample)(struct out *out, struct target *target);
	void (*close)(void);
};

extern const struct source source_proc;
extern const struct source source_sys;
extern const struct source source_psi;
extern const struct source source_pagetype;
extern const struct source source_cache;
extern const struct source source_bio;

const struct source *source_find(const char *name);

#endif
