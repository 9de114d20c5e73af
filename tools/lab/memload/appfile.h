/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of the load "apps": one for each app, and one for all.
 */
#ifndef MEMLOAD_APPFILE_H
#define MEMLOAD_APPFILE_H

#include <stddef.h>
#include <stdint.h>
#include "appopt.h"
#include "contents.h"

/* The file of all, where a number of an app is asked for. */
#define APPFILE_SHARED APPOPT_APPS

/* Numbers of first pages, so that no two pages of a run have the same contents. */
#define APPFILE_NUMBER(app)	((uint64_t)(app) << 32)
#define APPFILE_ANON(app)	(((uint64_t)(app) + APPOPT_APPS + 1) << 32)

void appfile_contents(struct contents *contents, const struct appopt *options);
int appfile_path(const struct appopt *options, unsigned int nr, char *path, size_t size);
int appfile_prepare(const struct appopt *options);

#endif
