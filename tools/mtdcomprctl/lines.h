/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of the kernel line by line, below the prefix of sys.h.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>

/* More than a line of those that are read; what is longer comes in parts. */
#define LINES_MAX 1024

int lines_each(const char *path, bool (*fn)(char *line, void *arg), void *arg);
char *lines_word(char **rest);

#endif
