/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of the load "apps".
 */
#ifndef MEMLOAD_APPOPT_H
#define MEMLOAD_APPOPT_H

#include <stdbool.h>
#include <stdint.h>

#define APPOPT_APPS 32

/* Pages of a run: what is touched at once. Sizes are whole runs. */
#define APPOPT_ANON_RUN	8U
#define APPOPT_FILE_RUN	16U

struct appopt {
	uint64_t apps;
	uint64_t anon;			/* bytes, as all sizes */
	uint64_t grow;
	uint64_t file;
	uint64_t shared;
	uint64_t switches;
	uint64_t warm_up;
	uint64_t think_us;
	uint64_t zipf;			/* hundredths */
	uint64_t seed;
	unsigned int hot;		/* percent */
	unsigned int percent;		/* of random bytes */
	bool prepare;
	bool corrupt;			/* for tests: make an error that must be found */
	bool synthetic;			/* an option was given that no program has */
	const char *programs;		/* a file, or NULL */
	const char *sequence;		/* a file, or NULL */
	const char *dir;		/* a directory; NULL: there are no files */
	const char *group;		/* a directory, or NULL */
	const char *hook;		/* a command, or NULL */
	const char *out;		/* a file, "-", or NULL */
};

int appopt_parse(struct appopt *options, int argc, char **argv);

#endif
