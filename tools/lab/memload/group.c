// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "group.h"

static int fail(const char *name, const char *what, const char *path)
{
	int error = errno ? errno : EIO;

	warn("%s: cannot %s %s", name, what, path);
	return -error;
}

/**
 * group_enter() - this process enters a group, which is made if it is not there
 * @dir: the group that it is in, as a directory; NULL: nothing is done
 * @name: of the app and its group
 *
 * To be called before memory is taken: what is taken stays with the group that it was taken in.
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int group_enter(const char *dir, const char *name)
{
	char path[4096];
	int n, fd;

	if (!dir)
		return 0;
	n = snprintf(path, sizeof(path), "%s/%s/cgroup.procs", dir, name);
	errno = ENAMETOOLONG;
	if (n < 0 || (size_t)n >= sizeof(path))
		return fail(name, "enter", dir);
	*strrchr(path, '/') = '\0';
	if (mkdir(path, 0755) && errno != EEXIST)
		return fail(name, "make the group", path);
	path[strlen(path)] = '/';
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* 0 is who writes it. */
	if (fd < 0 || write(fd, "0", 1) != 1)
		return fail(name, "enter the group by", path);
	close(fd);
	return 0;
}
