/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptors that a thread of the library has for itself.
 */
#ifndef MARVIN_FILES_H
#define MARVIN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

bool files_keep(int *fds, size_t n);
int files_of(pid_t thread, int fd, int flags);
void files_say(void (*say)(const char *text), const char *text);

#endif
