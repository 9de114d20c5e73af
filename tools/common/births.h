/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_BIRTHS_H
#define COMMON_BIRTHS_H

#include <stdbool.h>
#include <sys/types.h>

typedef void (*births_fn)(pid_t pid, void *arg);

int births_open(void);
bool births_read(int fd, unsigned int most, births_fn fn, void *arg);

#endif
