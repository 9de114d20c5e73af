/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a configuration with drop-ins, in the order in which they count.
 */
#ifndef FILES_H
#define FILES_H

#include "sys.h"

/* With the drop-ins; what is more than that is left out, with a message. */
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
