// SPDX-License-Identifier: GPL-2.0

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "files.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

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
 */
void files_keep(int *fds, size_t n)
{
	unsigned int from = 0;
	size_t i;

	/* Without close_range() the thread shares them: else it would keep the program's open. */
	if (syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0) || unshare(CLONE_FILES))
		return;
	qsort(fds, n, sizeof(*fds), compare);
	for (i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if (fds[i])
			close_between(from, (unsigned int)fds[i] - 1);
		from = (unsigned int)fds[i] + 1;
	}
	close_between(from, UINT_MAX);
}
