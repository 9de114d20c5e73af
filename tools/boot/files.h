/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a configuration with drop-ins; later files override earlier ones.
 */
#ifndef FILES_H
#define FILES_H

#include "sys.h"

/* Main file and drop-ins; further files are skipped with a message. */
#define FILES_MAX 64
#define FILES_BYTES 65536

struct files {
	unsigned int n;
	char of[FILES_MAX][SYS_PATH];
	void (*say)(const char *message);
};

void files_find(struct files *files, const char *name);
const char *files_read(const struct files *files, unsigned int at);

#endif
