// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pages.h"
#include "sys.h"

#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define ENTRIES 512

/* take_lines() - the whole lines of a buffer; returns the bytes that are left over */
static size_t take_lines(char *buf, size_t have, struct layout *layout)
{
	uint64_t page_bytes = sys_page_size();
	char *line = buf, *end;

	while ((end = strchr(line, '\n'))) {
		struct map_line map;

		*end = '\0';
		if (!parse_map(line, &map))
			layout_add(layout, &map, page_bytes);
		line = end + 1;
	}
	have -= (size_t)(line - buf);
	memmove(buf, line, have);
	return have;
}

/**
 * pages_layout() - where a process has its anonymous memory
 * @pid: the process
 * @layout: filled in
 *
 * Return: 0, or a negative errno.
 */
int pages_layout(int pid, struct layout *layout)
{
	char path[64], buf[8192];
	size_t have = 0;
	ssize_t n;
	int fd;

	layout_clear(layout);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return fd;
	while ((n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0) {
		have += (size_t)n;
		buf[have] = '\0';
		have = take_lines(buf, have, layout);
		/* A name that is as long as that has no end here. */
		if (have == sizeof(buf) - 1)
			have = 0;
	}
	close(fd);
	return n < 0 ? -errno : 0;
}

/**
 * pages_open() - open the page table of a process
 * @pid: the process
 *
 * Return: a descriptor, or a negative errno.
 */
int pages_open(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	return sys_open(path, O_RDONLY);
}

/* What a pass over the chunks needs. */
struct pass {
	int fd;
	pages_due_fn due;
	pages_fn fn;
	void *arg;
};

/* take_entries() - chunk by chunk; the last one of a range may be a part of one */
static void take_entries(const struct pass *pass, uint32_t nr, const uint64_t *entries, size_t n)
{
	uint32_t in = 0, out = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		in |= (uint32_t)!!(entries[i] & PRESENT) << i % CHUNK_PAGES;
		out |= (uint32_t)!!(entries[i] & SWAPPED) << i % CHUNK_PAGES;
		if (i % CHUNK_PAGES == CHUNK_PAGES - 1 || i == n - 1) {
			pass->fn(nr++, in, out, pass->arg);
			in = 0;
			out = 0;
		}
	}
}

/* run_of() - how many chunks side by side are to be looked at, from one on */
static uint32_t run_of(const struct pass *pass, uint32_t nr, uint32_t end)
{
	uint32_t n = 0;

	while (nr + n < end && n < ENTRIES / CHUNK_PAGES && pass->due(nr + n, pass->arg))
		n++;
	return n;
}

static int each_of(const struct pass *pass, const struct range *range, uint32_t end)
{
	uint64_t page_bytes = sys_page_size(), entries[ENTRIES];
	uint64_t first = range->start / page_bytes, last = range->end / page_bytes;
	uint32_t nr = range->first;

	while (nr < end) {
		uint32_t n = run_of(pass, nr, end);
		uint64_t at = first + (uint64_t)(nr - range->first) * CHUNK_PAGES;
		uint64_t want = (uint64_t)n * CHUNK_PAGES;
		ssize_t got;

		if (!n) {
			nr++;
			continue;
		}
		if (want > last - at)
			want = last - at;
		got = pread(pass->fd, entries, (size_t)want * 8, (off_t)(at * 8));
		if (got < 0)
			return -errno;
		/* The process has ended. */
		if ((uint64_t)got < want * 8)
			return -ESRCH;
		take_entries(pass, nr, entries, (size_t)want);
		nr += n;
	}
	return 0;
}

/**
 * pages_each() - look at chunks
 * @fd: of pages_open()
 * @layout: the ranges
 * @due: is a chunk to be looked at?
 * @fn: called with the chunk's number, and bits for its pages that are in memory, and in the swap
 * @arg: for @due and @fn
 *
 * Return: 0; -ESRCH, when the process has ended; or another negative errno.
 */
int pages_each(int fd, const struct layout *layout, pages_due_fn due, pages_fn fn, void *arg)
{
	struct pass pass = { fd, due, fn, arg };
	uint32_t i;
	int err = 0;

	for (i = 0; i < layout->n && !err; i++)
		err = each_of(&pass, &layout->ranges[i],
			      i + 1 < layout->n ? layout->ranges[i + 1].first : layout->n_chunks);
	return err;
}
