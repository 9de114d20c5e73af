/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the kernel's files line by line, below the prefix of sys.h.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>

#define LINES_MOUNTS "/proc/self/mountinfo"

/* The major number of mtdblock's disks, and of file systems on an MTD. */
#define LINES_MTDBLOCK "31:"

/* Longer than any line we need; longer lines are truncated. */
#define LINES_MAX 1024

int lines_each(const char *path, bool (*fn)(char *line, void *arg), void *arg);
char *lines_word(char **rest);
const char *lines_mount(char *line, const char **where);

#endif
