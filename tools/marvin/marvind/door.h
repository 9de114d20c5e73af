/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket at which programs register. Every user may connect; the kernel tells the process and
 * the user.
 *
 * A hostile program can send a descriptor, for instance of a file whose last close waits for a FUSE
 * server that never answers. So the daemon does not receive a packet that comes with a descriptor,
 * and does not close a connection that has a descriptor in its queue. The daemon keeps the
 * connection until it ends, and then leaves it to a child process that may wait. The kernel limits
 * how many descriptors of a user are in queues (RLIMIT_NOFILE), and so how many connections are
 * kept.
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
