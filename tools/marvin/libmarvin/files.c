// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "files.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* ThreadSanitizer takes a number in one thread's files for the same file in all threads. */
extern void __tsan_init(void) __attribute__((weak, visibility("default")));

/* This thread has files of its own. */
static _Thread_local bool own;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* close_between() - and nothing where the kernel cannot: before Linux 5.9 */
static void close_between(unsigned int from, unsigned int to)
{
	if (from <= to)
		syscall(SYS_close_range, from, to, 0);
}

/* fill_stdio() - what a thread opens must not become standard error, which messages go to */
static void fill_stdio(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* copy_stderr() - from the program's files, which the first thread has */
static void copy_stderr(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), fd;

	if (pidfd < 0)
		return;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, STDERR_FILENO, 0);
	close(pidfd);
	if (fd < 0)
		return;
	dup3(fd, STDERR_FILENO, O_CLOEXEC);
	close(fd);
}

/**
 * files_say() - call a program's function, which may write to standard error
 * @say: the function; NULL: the text is written to standard error
 * @text: what to say
 *
 * Context: any thread; one with files of its own has the program's standard error meanwhile.
 */
void files_say(void (*say)(const char *text), const char *text)
{
	if (own)
		copy_stderr();
	if (say)
		say(text);
	else
		dprintf(STDERR_FILENO, "marvin: %s\n", text);
	if (own) {
		close(STDERR_FILENO);
		fill_stdio();
	}
}

/**
 * files_keep() - this thread has these descriptors for itself, and no others
 * @fds: which ones; negative: none; they get sorted
 * @n: how many
 *
 * A program may close all descriptors that it does not know, as daemons do. If userfaultfd were
 * closed, pages that are not there would read as zeroes.
 *
 * Context: at the beginning of a thread. The program's other descriptors are closed in this thread,
 * so that their other ends hear when the program closes them.
 *
 * Return: false: the thread shares them with the program, because the kernel is too old.
 */
bool files_keep(int *fds, size_t n)
{
	unsigned int from = 0;
	size_t i;

	/* Without close_range() the thread shares them: else it would keep the program's open. */
	if (__tsan_init || syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0) ||
	    unshare(CLONE_FILES))
		return false;
	own = true;
	qsort(fds, n, sizeof(*fds), compare);
	for (i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if (fds[i])
			close_between(from, (unsigned int)fds[i] - 1);
		from = (unsigned int)fds[i] + 1;
	}
	close_between(from, UINT_MAX);
	fill_stdio();
	return true;
}

/**
 * files_of() - open a file that another thread has in its own files
 * @thread: of this process, see files_keep(); 0: no thread keeps files
 * @fd: its descriptor there
 * @flags: as of open(), if it is opened anew
 *
 * Context: any, a signal handler's, too.
 *
 * Return: a descriptor; -1: it cannot be had.
 */
int files_of(pid_t thread, int fd, int flags)
{
	int pidfd, got = -1;
	char path[64];

	if (thread <= 0 || fd < 0)
		return -1;
	/* Linux 6.9: also if this process may not open the file any more. */
	pidfd = (int)syscall(SYS_pidfd_open, thread, PIDFD_THREAD);
	if (pidfd >= 0) {
		got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
		close(pidfd);
	}
	if (got < 0) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/fd/%d", (int)thread, fd);
		got = open(path, flags | O_CLOEXEC);
	}
	return got;
}
