// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "aside.h"
#include "fetch.h"
#include "parse.h"
#include "sys.h"

/* Of a page's entry in /proc/PID/pagemap. */
#define SWAPPED (1ull << 62)
/* Entries that are read at once: 2 MiB of memory with pages of 4 KiB. */
#define ENTRIES 512
/*
 * Mappings may be of any size, and nearly empty. A call looks at this many entries, 4 GiB of memory
 * with pages of 4 KiB. Pages beyond come back when the program uses them.
 */
#define ENTRIES_MOST 0x100000

struct fetch {
	struct proc_id id;
	uint64_t left;			/* bytes that may still be brought back */
	uint64_t done;
	uint64_t looked;		/* entries that were read */
	int pagemap;
	struct map_line map;		/* the mapping that the lines belong to */
};

/* touch() - read a byte of each page, which brings it back; returns pages, or a negative errno */
static ssize_t touch(pid_t pid, struct iovec *pages, size_t n)
{
	char bytes[ENTRIES];
	struct iovec local = { bytes, n };
	ssize_t done = process_vm_readv(pid, &local, 1, pages, n, 0);

	return done < 0 ? -errno : done;
}

/* fetch_some() - of @n pages from one on, those that are in swap */
static int fetch_some(struct fetch *fetch, uint64_t first, size_t n)
{
	uint64_t entries[ENTRIES], page_bytes = sys_page_size();
	struct iovec pages[ENTRIES];
	ssize_t got = pread(fetch->pagemap, entries, n * 8, (off_t)(first * 8));
	size_t i, found = 0;

	if (got < (ssize_t)(n * 8))
		return got < 0 ? -errno : -ESRCH;
	for (i = 0; i < n && (found + 1) * page_bytes <= fetch->left; i++)
		if (entries[i] & SWAPPED)
			pages[found++] = (struct iovec){
				(void *)(uintptr_t)((first + i) * page_bytes), 1 };
	if (!found)
		return 0;
	got = touch(fetch->id.pid, pages, found);
	/* A mapping may be gone by now. */
	if (got < 0)
		return got == -EFAULT ? 0 : (int)got;
	fetch->done += (uint64_t)got * page_bytes;
	fetch->left -= (uint64_t)got * page_bytes;
	return 0;
}

static int fetch_map(struct fetch *fetch)
{
	uint64_t page_bytes = sys_page_size(), at = fetch->map.start / page_bytes;
	uint64_t end = fetch->map.end / page_bytes;
	int err = 0;

	for (; !err && at < end && fetch->left >= page_bytes && fetch->looked < ENTRIES_MOST;
	     at += ENTRIES) {
		fetch->looked += ENTRIES;
		err = fetch_some(fetch, at, end - at < ENTRIES ? end - at : ENTRIES);
	}
	return err;
}

/* take_line() - of smaps: the head of a mapping, or one of its figures */
static int take_line(const char *line, void *arg)
{
	struct fetch *fetch = arg;
	struct map_line map;
	uint64_t kib;

	/* The mapping of a file whose name is too long: nothing is known of it. */
	if (!line)
		memset(&fetch->map, 0, sizeof(fetch->map));
	if (!line)
		return 0;
	if (!parse_map(line, &map)) {
		fetch->map = map;
		return 0;
	}
	if (strncmp(line, "Swap:", 5) || !parse_key(line, "Swap", &kib) || !kib)
		return 0;
	if (fetch->left < sys_page_size() || fetch->map.perms[0] != 'r')
		return 0;
	return fetch_map(fetch);
}

static int open_file(struct proc_id id, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, name);
	return sys_open(path, O_RDONLY);
}

/* fetch_whole() - runs aside */
static int64_t fetch_whole(void *arg)
{
	struct fetch *fetch = arg;
	int smaps = open_file(fetch->id, "smaps"), err;

	fetch->pagemap = open_file(fetch->id, "pagemap");
	if (smaps < 0 || fetch->pagemap < 0)
		err = smaps < 0 ? smaps : fetch->pagemap;
	else
		err = proc_alive(fetch->id) ? sys_each_line(smaps, take_line, fetch) : -ESRCH;
	if (smaps >= 0)
		close(smaps);
	if (fetch->pagemap >= 0)
		close(fetch->pagemap);
	return err ? err : (int64_t)fetch->done;
}

/**
 * fetch_process() - bring what a process has in swap back into memory
 * @id: the process
 * @limit: bytes at most
 *
 * Each page is mapped again, as if the process had read it. That needs the right to trace the
 * process (CAP_SYS_PTRACE).
 *
 * Return: bytes that came back, or a negative errno as of aside().
 */
int64_t fetch_process(struct proc_id id, uint64_t limit)
{
	struct fetch fetch = { .id = id, .left = limit };

	return aside(id, fetch_whole, &fetch, sizeof(fetch));
}
