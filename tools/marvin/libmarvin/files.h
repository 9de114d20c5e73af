/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors that a thread of the library has for itself.
 */
#ifndef MARVIN_FILES_H
#define MARVIN_FILES_H

#include <stddef.h>

void files_keep(int *fds, size_t n);
void files_say(void (*say)(const char *text), const char *text);

#endif
