/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs that begin, as they do, from the kernel's process connector. A process belongs into
 * its control group before it takes memory, as what it has taken is not charged anew.
 */
#ifndef POLICY_BIRTHS_H
#define POLICY_BIRTHS_H

#include <stdbool.h>
#include <sys/types.h>

typedef void (*births_fn)(pid_t pid, void *arg);

int births_open(void);
bool births_read(int fd, unsigned int most, births_fn fn, void *arg);

#endif
