// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "heap.h"
#include "register.h"

#define heap marvin_heap

/* The directory, as it was called when the heap was opened: getenv() is not for all threads. */
static char dir[PATH_MAX];
static char path[PATH_MAX + 16];
static _Atomic bool there;

/**
 * register_begin() - where the file would be
 *
 * Context: one thread, when the heap is opened.
 */
void register_begin(void)
{
	const char *wanted = getenv("MARVIN_RUN");

	there = false;
	if (!wanted || !wanted[0])
		wanted = REGISTER_DIR;
	if (snprintf(dir, sizeof(dir), "%s", wanted) >= (int)sizeof(dir))
		dir[0] = '\0';
	snprintf(path, sizeof(path), "%s/%d", dir, (int)getpid());
}

static int make(void)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* make_anew() - what is there was left by an earlier process of this id; no link is followed */
static int make_anew(void)
{
	int fd = make();

	if (fd < 0 && errno == EEXIST && !unlink(path))
		fd = make();
	return fd;
}

/* is_removed() - not by this program: by a marvind that was wrong, or with the whole directory */
static bool is_removed(void)
{
	return access(path, F_OK) && errno == ENOENT;
}

/**
 * register_try() - make the file, if it is not there yet
 *
 * There need not be any marvind: then there is no directory, and it may be tried again later, as a
 * marvind may begin after the program, or anew. Failing is no error: the kernel takes what it was
 * given.
 *
 * Context: one thread at a time; no I/O but of /run.
 *
 * Return: is the file there?
 */
bool register_try(void)
{
	char text[16];
	int fd, n;

	if (!dir[0] || heap.forked || heap.store.fd < 0 || (there && !is_removed()))
		return there;
	there = false;
	fd = make_anew();
	if (fd < 0)
		return false;
	/* The mask of the program is not marvind's. */
	n = fchmod(fd, 0644) ? -1 : snprintf(text, sizeof(text), "%d\n", heap.table_fd);
	there = n > 0 && write(fd, text, (size_t)n) == n;
	close(fd);
	if (!there)
		unlink(path);
	return there;
}

/**
 * register_forked() - in the child, which has no table of its own: the file is the parent's
 */
void register_forked(void)
{
	there = false;
	dir[0] = '\0';
}

/**
 * register_end() - before the heap is closed
 */
void register_end(void)
{
	if (there)
		unlink(path);
	there = false;
	dir[0] = '\0';
}
