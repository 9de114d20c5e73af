// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the page table of a process: which pages are in memory, and which in the swap. The reads
 * run aside (aside.h).
 */
#include <unistd.h>
#include "aside.h"
#include "maps.h"
#include "pages.h"
#include "sys.h"

static int add_map(const struct mapping *map, void *arg)
{
	layout_add(arg, &map->line, sys_page_size());
	return 0;
}

/* The argument of the call; the layout is copied out of the child. */
struct find {
	struct proc_id id;
	struct layout layout;
};

/* read_layout() - runs aside */
static int64_t read_layout(void *arg)
{
	struct find *find = arg;

	layout_clear(&find->layout);
	return maps_each(find->id, "maps", add_map, &find->layout);
}

/** pages_layout() - where a process has its anonymous memory; errors as of aside() */
int pages_layout(struct proc_id id, struct layout *layout)
{
	static struct find find;
	int err;

	find.id = id;
	err = (int)aside(id, read_layout, &find, sizeof(find));
	if (!err)
		*layout = find.layout;
	return err;
}

/* Chunks of one call: 64 MiB of memory, and an argument of 12 KiB. A guess. */
#define BATCH 512
/* Chunks after a due one, a guess. They often become due when that one shows use. */
#define AHEAD 2

/* Chunks to be looked at, in ascending order. */
struct batch {
	struct proc_id id;
	uint32_t n;
	struct {
		uint64_t first;		/* number of its first page in the process */
		uint32_t pages;
		uint32_t in;		/* filled in: bit n: page n is in memory, */
		uint32_t out;		/* or in the swap */
	} chunks[BATCH];
};

static uint32_t bits_of(const uint64_t *entries, uint32_t n, uint64_t flag)
{
	uint32_t i, bits = 0;

	for (i = 0; i < n; i++)
		bits |= (uint32_t)!!(entries[i] & flag) << i;
	return bits;
}

/* run_of() - pages of chunks side by side, from one on, that fit into the buffer; @n: how many */
static uint32_t run_of(const struct batch *batch, uint32_t at, uint32_t *n)
{
	uint32_t pages = 0;

	for (*n = 0; at + *n < batch->n; ++*n) {
		if (pages + batch->chunks[at + *n].pages > MAPS_ENTRIES ||
		    batch->chunks[at + *n].first != batch->chunks[at].first + pages)
			break;
		pages += batch->chunks[at + *n].pages;
	}
	return pages;
}

/* read_batch() - runs aside */
static int64_t read_batch(void *arg)
{
	uint64_t entries[MAPS_ENTRIES];
	struct batch *batch = arg;
	int fd = maps_open(batch->id, "pagemap"), err = fd < 0 ? fd : 0;
	uint32_t at = 0, pages, n, i, done;

	while (!err && at < batch->n) {
		pages = run_of(batch, at, &n);
		err = maps_entries(fd, batch->chunks[at].first, pages, entries);
		for (i = 0, done = 0; !err && i < n; i++, at++) {
			batch->chunks[at].in = bits_of(entries + done, batch->chunks[at].pages,
						       MAPS_PRESENT);
			batch->chunks[at].out = bits_of(entries + done, batch->chunks[at].pages,
							MAPS_SWAPPED);
			done += batch->chunks[at].pages;
		}
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* gather() - chunks that are due, from one on, and some after each; @nrs: which ones */
static void gather(struct batch *batch, uint16_t *nrs, const struct layout *layout, uint32_t nr,
		   pages_due_fn due, void *arg)
{
	uint64_t page_bytes = sys_page_size();
	uint32_t ahead = 0;

	for (batch->n = 0; nr < layout->n_chunks && batch->n < BATCH; nr++) {
		if (due(nr, arg))
			ahead = AHEAD + 1;
		if (!ahead)
			continue;
		ahead--;
		nrs[batch->n] = (uint16_t)nr;
		batch->chunks[batch->n].first = layout_address(layout, nr, page_bytes) /
						page_bytes;
		batch->chunks[batch->n++].pages = (uint32_t)(layout_bytes(layout, nr, page_bytes) /
							     page_bytes);
	}
}

/**
 * pages_each() - look at chunks
 * @due: is a chunk to be looked at? Asked more than once; an earlier @fn may change the answer
 * @fn: called with the chunk's number, and bits for its pages that are in memory, and in the swap
 * @arg: for @due and @fn
 *
 * Return: 0; -ESRCH, when the process has ended; or another negative errno as of aside().
 */
int pages_each(struct proc_id id, const struct layout *layout, pages_due_fn due, pages_fn fn,
	       void *arg)
{
	static uint16_t nrs[BATCH];
	static struct batch batch;
	uint32_t nr = 0, i;
	int err;

	for (;;) {
		batch.id = id;
		gather(&batch, nrs, layout, nr, due, arg);
		if (!batch.n)
			return 0;
		err = (int)aside(id, read_batch, &batch,
				 offsetof(struct batch, chunks) +
				 batch.n * sizeof(batch.chunks[0]));
		if (err)
			return err;
		for (i = 0; i < batch.n; i++) {
			nr = nrs[i];
			if (due(nr, arg))
				fn(nr, batch.chunks[i].in, batch.chunks[i].out, arg);
			nr++;
			/*
			 * The look at this chunk made the next one due: the next call begins there.
			 */
			if ((i + 1 == batch.n || nrs[i + 1] != nr) && nr < layout->n_chunks &&
			    due(nr, arg))
				break;
		}
	}
}
