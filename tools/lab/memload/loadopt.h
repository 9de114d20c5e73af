/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of memload.
 */
#ifndef MEMLOAD_LOADOPT_H
#define MEMLOAD_LOADOPT_H

#include <stdbool.h>
#include <stdint.h>
#include "appopt.h"
#include "option.h"
#include "patopt.h"

/* The program's status beside those of option.h: data were not as they had been written. */
#define STATUS_WRONG	3

enum load {
	LOAD_ANON,
	LOAD_FILE_ONCE,
	LOAD_FILE_LOOP,
	LOAD_PATTERN,
	LOAD_APPS,			/* has a command line of its own */
};

/* How file-loop uses the files; pattern knows the last one of these, too. */
enum touch {
	TOUCH_PRIVATE,			/* written through a private map */
	TOUCH_KEEP,			/* the same, and the map stays for the next time */
	TOUCH_SHARED,			/* written through a shared one */
	TOUCH_READ,
};

struct loadopt {
	enum load load;
	uint64_t chunk;			/* bytes */
	uint64_t size;			/* bytes; 0: until they are refused */
	uint64_t make;			/* bytes of a file that is made; 0: none is */
	uint64_t delay_us;
	uint64_t duration_us;		/* 0: no limit */
	uint64_t rate;			/* bytes a second; 0: no limit */
	uint64_t seed;
	unsigned int percent;
	enum touch touch;
	bool loop;
	bool rewrite;
	bool exit;			/* do not keep the memory */
	bool verify;
	bool corrupt;			/* for tests: make an error that must be found */
	const char *progress;		/* a file, or NULL */
	struct patopt pattern;
	struct appopt apps;
	char **files;
	int nfiles;
};

int loadopt_parse(struct loadopt *options, int argc, char **argv);

#endif
