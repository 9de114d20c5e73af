/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_EXEC_EVENTS_H
#define COMMON_EXEC_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>

typedef void (*exec_events_fn)(pid_t pid, void *arg);

int exec_events_open(void);
bool exec_events_read(int fd, unsigned int most, exec_events_fn fn, void *arg);

#endif
