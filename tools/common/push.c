// SPDX-License-Identifier: GPL-2.0
/*
 * Pushes memory of a process out, or brings it back: ranges are gathered, and advised together. The
 * calls run aside (aside.h).
 */
#include <errno.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <unistd.h>
#include "aside.h"
#include "maps.h"
#include "push.h"
#include "sys.h"

/* Bytes of one range of push_process(), a guess: a call is short, and keeps to the limit. */
#define RANGE_BYTES (4ull << 20)

/*
 * Mappings may be of any size, and nearly empty. push_fetch() looks at so many entries of pagemap:
 * 4 GiB of memory with pages of 4 KiB. Pages beyond come back when the program uses them.
 */
#define FETCH_ENTRIES 0x100000

/**
 * push_begin() - begin with a process; push_end() is needed
 * @advice: MADV_PAGEOUT or MADV_WILLNEED
 */
void push_begin(struct push *push, struct proc_id id, int advice)
{
	push->id = id;
	push->advice = advice;
	push->done = 0;
	push->n = 0;
}

/*
 * advise() - runs aside. With the rights of the program's user for files, because the kernel drops
 * the pages of a file for a caller that may write to it: a program could have the pages of files
 * dropped that it can only read.
 */
static int64_t advise(void *arg)
{
	const struct push *push = arg;
	int pidfd = proc_open(push->id);
	uid_t uids[4];
	ssize_t done;

	if (pidfd < 0)
		return pidfd;
	done = proc_users(push->id.pid, uids);
	if (!done) {
		setfsuid(uids[0]);
		done = sys_process_madvise(pidfd, push->ranges, push->n, push->advice);
		setfsuid(0);
	}
	close(pidfd);
	return done;
}

/** push_end() - advise the ranges that were gathered */
int push_end(struct push *push)
{
	int64_t done;

	if (!push->n)
		return 0;
	done = aside(push->id, advise, push,
		     offsetof(struct push, ranges) + push->n * sizeof(push->ranges[0]));
	push->n = 0;
	/* A mapping may be gone meanwhile, or of a kind that takes no advice. */
	if (done == -ENOMEM || done == -EINVAL || done == -EAGAIN)
		return 0;
	if (done < 0)
		return (int)done;
	push->done += (uint64_t)done;
	return 0;
}

/** push_add() - one chunk more; joined with the last one, if they touch */
int push_add(struct push *push, uint64_t address, uint64_t bytes)
{
	struct iovec *last = push->n ? &push->ranges[push->n - 1] : NULL;

	if (last && (uintptr_t)last->iov_base + last->iov_len == address) {
		last->iov_len += (size_t)bytes;
		return 0;
	}
	if (push->n == PUSH_RANGES) {
		int err = push_end(push);

		if (err)
			return err;
	}
	push->ranges[push->n].iov_base = (void *)(uintptr_t)address;
	push->ranges[push->n++].iov_len = (size_t)bytes;
	return 0;
}

/** push_pages() - add some pages of a chunk, bit n of @bits for page n; returns how many */
uint32_t push_pages(struct push *push, const struct layout *layout, uint32_t nr, uint32_t bits)
{
	uint64_t page_bytes = sys_page_size(), address = layout_address(layout, nr, page_bytes);
	uint32_t pages = (uint32_t)__builtin_popcount(bits);
	unsigned int at = 0, n;

	while (bits) {
		at += (unsigned int)__builtin_ctz(bits);
		bits = bits >> __builtin_ctz(bits);
		n = bits == UINT32_MAX ? 32 : (unsigned int)__builtin_ctz(~bits);
		push_add(push, address + at * page_bytes, n * page_bytes);
		at += n;
		bits = n < 32 ? bits >> n : 0;
	}
	return pages;
}

struct whole {
	uint64_t left;			/* bytes that may still be advised */
	uint64_t from;			/* addresses below are done */
	struct push push;
};

static int add_map(const struct mapping *mapping, void *arg)
{
	const struct map_line *map = &mapping->line;
	struct whole *whole = arg;
	uint64_t at = map->start > whole->from ? map->start : whole->from, len;
	int err = 0;

	if (!layout_is_private(map))
		return 0;
	while (!err && at < map->end && whole->left) {
		len = map->end - at;
		len = len < RANGE_BYTES ? len : RANGE_BYTES;
		len = len < whole->left ? len : whole->left;
		push_add(&whole->push, at, len);
		err = push_end(&whole->push);
		at += len;
		whole->left -= len;
		whole->from = at;
	}
	return err;
}

/* push_whole() - runs aside */
static int64_t push_whole(void *arg)
{
	struct whole *whole = arg;
	int err = maps_each(whole->push.id, "maps", add_map, whole);

	return err ? err : (int64_t)whole->push.done;
}

/**
 * push_process() - push anonymous memory of a process out
 * @limit: bytes of its addresses at most
 * @from: the address to begin at; filled in: where to go on, or 0 after the last one
 *
 * Return: bytes of addresses that were advised, or a negative errno as of aside().
 */
int64_t push_process(struct proc_id id, uint64_t limit, uint64_t *from)
{
	struct whole whole = { .left = limit, .from = *from };
	int64_t done;

	push_begin(&whole.push, id, MADV_PAGEOUT);
	done = aside(id, push_whole, &whole, sizeof(whole));
	*from = whole.left || done < 0 ? 0 : whole.from;
	return done;
}

struct fetch {
	struct proc_id id;
	uint64_t left;			/* bytes that may still be brought back */
	uint64_t done;
	uint64_t looked;		/* entries that were read */
	int pagemap;
};

/* fetch_some() - of @n pages from one on, read a byte of each that is in swap: it comes back */
static int fetch_some(struct fetch *fetch, uint64_t first, size_t n)
{
	uint64_t entries[MAPS_ENTRIES], page_bytes = sys_page_size();
	struct iovec pages[MAPS_ENTRIES], local;
	char bytes[MAPS_ENTRIES];
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
	local = (struct iovec){ bytes, found };
	got = process_vm_readv(fetch->id.pid, &local, 1, pages, found, 0);
	/* A mapping may be gone by now. */
	if (got < 0)
		return errno == EFAULT ? 0 : -errno;
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
	for (; !err && at < end && fetch->left >= page_bytes && fetch->looked < FETCH_ENTRIES;
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
 * push_fetch() - bring memory of a process back from the swap
 * @limit: bytes at most
 *
 * Each page is mapped again, as if the process had read it. That needs the right to trace the
 * process (CAP_SYS_PTRACE). MADV_WILLNEED would not do: it reads pages ahead into the swap cache,
 * where they still are the swap's.
 *
 * Return: bytes that came back, or a negative errno as of aside().
 */
int64_t push_fetch(struct proc_id id, uint64_t limit)
{
	struct fetch fetch = { .id = id, .left = limit };

	return aside(id, fetch_whole, &fetch, sizeof(fetch));
}
