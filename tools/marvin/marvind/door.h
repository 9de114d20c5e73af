/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket at which programs make themselves known. Everybody may connect; the kernel says who it
 * is. A program sends the number of a descriptor, never the descriptor.
 *
 * A user can queue a descriptor at the other end all the same, for instance of a file whose last
 * close waits for a FUSE server that never answers. So nothing is received that a descriptor comes
 * with, and a connection in whose queue there is one is never closed: it is kept until the daemon
 * ends, and then left to a process that may wait. The kernel limits how many descriptors a user may
 * have on the way (RLIMIT_NOFILE), and so how many connections are kept.
 */
#ifndef MARVIND_DOOR_H
#define MARVIND_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
	int fd;
	pid_t pid;
	uid_t user;
};

int door_open(const char *path);
int door_fd(void);
int door_accept(struct caller *caller);
ssize_t door_read(const struct caller *caller, char *text, size_t size);
void door_shut(const struct caller *caller);
void door_close(const char *path);

#endif
