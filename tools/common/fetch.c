// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>
#include "aside.h"
#include "fetch.h"
#include "maps.h"
#include "sys.h"

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
};

/* touch() - read a byte of each page, which brings it back; returns pages, or a negative errno */
static ssize_t touch(pid_t pid, struct iovec *pages, size_t n)
{
	char bytes[MAPS_ENTRIES];
	struct iovec local = { bytes, n };
	ssize_t done = process_vm_readv(pid, &local, 1, pages, n, 0);

	return done < 0 ? -errno : done;
}

/* fetch_some() - of @n pages from one on, those that are in swap */
static int fetch_some(struct fetch *fetch, uint64_t first, size_t n)
{
	uint64_t entries[MAPS_ENTRIES], page_bytes = sys_page_size();
	struct iovec pages[MAPS_ENTRIES];
	int err = maps_entries(fetch->pagemap, first, n, entries);
	size_t i, found = 0;
	ssize_t got;

	if (err)
		return err;
	for (i = 0; i < n && (found + 1) * page_bytes <= fetch->left; i++)
		if (entries[i] & MAPS_SWAPPED)
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

static int fetch_map(const struct mapping *map, void *arg)
{
	uint64_t page_bytes = sys_page_size(), at = map->line.start / page_bytes;
	uint64_t end = map->line.end / page_bytes;
	struct fetch *fetch = arg;
	int err = 0;

	if (!map->swap_kib || map->line.perms[0] != 'r')
		return 0;
	for (; !err && at < end && fetch->left >= page_bytes && fetch->looked < ENTRIES_MOST;
	     at += MAPS_ENTRIES) {
		fetch->looked += MAPS_ENTRIES;
		err = fetch_some(fetch, at,
				 end - at < MAPS_ENTRIES ? (size_t)(end - at) : MAPS_ENTRIES);
	}
	return err;
}

/* fetch_whole() - runs aside */
static int64_t fetch_whole(void *arg)
{
	struct fetch *fetch = arg;
	int err;

	fetch->pagemap = maps_open(fetch->id, "pagemap");
	if (fetch->pagemap < 0)
		return fetch->pagemap;
	err = maps_each(fetch->id, "smaps", fetch_map, fetch);
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
