/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The synthetic app of the load "apps": at each visit it needs its hot anonymous memory, its file
 * and half of the file that all apps share.
 */
#ifndef MEMLOAD_APP_H
#define MEMLOAD_APP_H

#include <stdbool.h>
#include <stdint.h>

#define APPS_MOST 32U

/* Commands for an app: six bytes each. */
#define APP_VISIT "visit\n"
#define APP_LEAVE "leave\n"

struct app_options {
	uint64_t apps;
	uint64_t anon;			/* bytes, like all sizes */
	uint64_t file;
	uint64_t shared;
	uint64_t hot;			/* percent of anon */
	const char *dir;		/* directory of the files; NULL: no files */
	bool corrupt;			/* for tests: make an error that must be found */
};

void app_round(struct app_options *options);
int app_prepare(const struct app_options *options);
int app_run(const struct app_options *options, unsigned int nr);

#endif
