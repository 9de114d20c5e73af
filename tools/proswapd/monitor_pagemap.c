// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs by comparison: a page that is in the swap and was not at the last poll went out
 * meanwhile. One that went out and came back between two polls is not seen.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include "log.h"
#include "monitor_backend.h"
#include "monitor_table.h"
#include "pages.h"
#include "sys.h"

static struct {
	struct proc_id id;		/* pid 0: the slot is free */
	bool looked;			/* at least once: what was in the swap before is known */
	bool said;			/* that it has more memory than is looked at */
} processes[MONITOR_WATCHED];

static struct layout layout;

/* A look at one process. */
struct look {
	unsigned int slot;
	uint64_t now_us;
};

static int begin(uint32_t pages, char *why, size_t size)
{
	int err;

	if (!sys_exists("/proc/self/pagemap")) {
		snprintf(why, size, "the kernel is built without CONFIG_PROC_PAGE_MONITOR");
		return -ENOENT;
	}
	err = monitor_table_open(pages);
	if (err)
		snprintf(why, size, "no memory for the table");
	return err;
}

/* compare() - pages of one block: those of mask are in the swap where swapped has a bit */
static void compare(const struct look *look, uint64_t number, uint32_t mask, uint32_t swapped)
{
	struct monitor_block *block = monitor_table_find(look->slot, number);
	uint32_t went;
	unsigned int i;

	if (!block && swapped)
		block = monitor_table_get(look->slot, number, look->now_us);
	if (!block)
		return;
	block->seen = 1;
	went = processes[look->slot].looked ? swapped & ~block->swapped : 0;
	block->swapped = (block->swapped & ~mask) | swapped;
	for (i = 0; went >> i; i++) {
		if (went >> i & 1)
			monitor_record_add(&block->records[i], look->now_us);
		if (i == BLOCK_PAGES - 1)
			break;
	}
}

/* A chunk begins anywhere: it is in one block or in two. */
_Static_assert(CHUNK_PAGES == BLOCK_PAGES, "a chunk is as large as a block");

static bool each_chunk(uint32_t nr, void *arg)
{
	(void)nr;
	(void)arg;
	return true;
}

static void look_at_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	const struct look *look = arg;
	uint64_t page_bytes = sys_page_size();
	uint64_t vpn = layout_address(&layout, nr, page_bytes) / page_bytes;
	unsigned int shift = vpn % BLOCK_PAGES;
	uint64_t pages = layout_bytes(&layout, nr, page_bytes) / page_bytes;
	uint64_t mask = ((1ull << pages) - 1) << shift, swapped = (uint64_t)out << shift;

	(void)in;
	compare(look, vpn / BLOCK_PAGES, (uint32_t)mask, (uint32_t)swapped);
	if (mask >> 32)
		compare(look, vpn / BLOCK_PAGES + 1, (uint32_t)(mask >> 32),
			(uint32_t)(swapped >> 32));
}

static int look_at(unsigned int slot)
{
	struct look look = { slot, sys_now_us() };
	struct proc_id id = processes[slot].id;
	int err = pages_layout(id, &layout);

	if (err)
		return err;
	if (layout.lost && !processes[slot].said) {
		log_info("process %d: swap-outs of %llu MiB are not counted",
			 id.pid, (unsigned long long)layout.lost >> 20);
		processes[slot].said = true;
	}
	err = pages_each(id, &layout, each_chunk, look_at_chunk, &look);
	if (err)
		return err;
	monitor_table_sweep(slot);
	processes[slot].looked = true;
	return 0;
}

static int watch(unsigned int slot, struct proc_id id)
{
	processes[slot].id = id;
	processes[slot].looked = false;
	processes[slot].said = false;
	return look_at(slot);
}

static void unwatch(unsigned int slot, pid_t tgid)
{
	(void)tgid;
	processes[slot].id.pid = 0;
	monitor_table_drop(slot);
}

static void forget(unsigned int slot, pid_t tgid)
{
	(void)tgid;
	monitor_table_forget(slot);
}

/* Of a process that has ended nothing is to be seen; the one who watches it finds out. */
static int poll_all(void)
{
	unsigned int slot;

	for (slot = 0; slot < MONITOR_WATCHED; slot++) {
		if (processes[slot].id.pid && !monitor_slot_sleeps(slot))
			look_at(slot);
	}
	return 0;
}

const struct monitor_backend monitor_pagemap = {
	.name = "pagemap",
	.open = begin,
	.close = monitor_table_close,
	.watch = watch,
	.unwatch = unwatch,
	.forget = forget,
	.poll = poll_all,
	.each = monitor_table_each,
};
