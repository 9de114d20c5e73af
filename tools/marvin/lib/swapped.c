// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <unistd.h>
#include "swapped.h"

/* Of a page's 64 bits in pagemap. */
#define IN_SWAP (1ULL << 62)
/* So many pages are looked at, the first ones: it takes a microsecond. */
#define LOOK_PAGES 256U

/**
 * swapped_most() - of what pagemap says; PURE
 * @flags: of each page
 * @n: how many
 *
 * Return: true, if more than half of the pages are in the swap.
 */
bool swapped_most(const uint64_t *flags, size_t n)
{
	size_t i, out = 0;

	for (i = 0; i < n; i++)
		out += !!(flags[i] & IN_SWAP);
	return out > n / 2;
}

/**
 * swapped_open() - to look at this process' memory
 *
 * Return: a file descriptor for swapped(), the caller's; or -1: this kernel has no pagemap, or the
 * process may not read it.
 */
int swapped_open(void)
{
	return open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

/**
 * swapped() - is the most of an object in the swap?
 * @fd: of swapped_open()
 * @data: its first byte
 * @pages: of it
 * @page: bytes of one
 *
 * Return: as of swapped_most(), of the first pages; false, if it cannot be found out.
 */
bool swapped(int fd, const void *data, size_t pages, size_t page)
{
	uint64_t flags[LOOK_PAGES];
	size_t n = pages < LOOK_PAGES ? pages : LOOK_PAGES, bytes = n * sizeof(*flags);
	off_t at = (off_t)((uintptr_t)data / page * sizeof(*flags));

	return fd >= 0 && pread(fd, flags, bytes, at) == (ssize_t)bytes && swapped_most(flags, n);
}
