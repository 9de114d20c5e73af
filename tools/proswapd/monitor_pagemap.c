// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs by comparison of page maps: a page that is in the swap and was not at the last poll
 * went out meanwhile. A page that went out and came back between two polls is not seen.
 *
 * Records are in blocks of 32 pages side by side, because a program seldom loses one page alone.
 * The blocks are in chains by a hash of their process and number.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "log.h"
#include "monitor_backend.h"
#include "pages.h"
#include "sys.h"

#define BLOCK_PAGES 32
/* An index of a block that is none, and the slot of a free block. */
#define NONE UINT16_MAX
#define FREE UINT8_MAX
/* A power of two: 65,536 pages are 2048 blocks, two in a chain. */
#define CHAINS 1024u
/* A full table is searched for old blocks each 10 s at most: a guess. */
#define TIDY_US 10000000u

struct block {
	uint64_t number;		/* of its first page, by BLOCK_PAGES */
	uint32_t swapped;		/* bit n: page n was in the swap at the last poll */
	uint16_t next;			/* in the chain, or of the free ones */
	uint8_t slot;
	uint8_t seen;			/* at this poll */
	struct monitor_record records[BLOCK_PAGES];
};

static struct {
	struct block *blocks;
	uint32_t n;
	uint32_t touched;		/* blocks after these have not been used yet */
	uint16_t free;			/* the first one that was used and is free */
	uint16_t chains[CHAINS];
	uint64_t tidied_us;
	bool said;			/* that the table is full */
} table;

static struct {
	struct proc_id id;		/* pid 0: the slot is free */
	bool looked;			/* at least once: block->swapped is known */
	bool said;			/* that it has more memory than is looked at */
} processes[MONITOR_WATCHED];

static struct layout layout;

/* A poll of one process. */
struct look {
	unsigned int slot;
	uint64_t now_us;
};

static uint16_t *chain_of(unsigned int slot, uint64_t number)
{
	uint64_t hash = (number * MONITOR_WATCHED + slot) * 0x9e3779b97f4a7c15u;

	return &table.chains[hash >> 32 & (CHAINS - 1)];
}

static struct block *find_block(unsigned int slot, uint64_t number)
{
	uint16_t i;

	for (i = *chain_of(slot, number); i != NONE; i = table.blocks[i].next)
		if (table.blocks[i].number == number && table.blocks[i].slot == slot)
			return &table.blocks[i];
	return NULL;
}

static void remove_block(uint32_t i)
{
	struct block *block = &table.blocks[i];
	uint16_t *at = chain_of(block->slot, block->number);

	while (*at != i)
		at = &table.blocks[*at].next;
	*at = block->next;
	block->slot = FREE;
	block->next = table.free;
	table.free = (uint16_t)i;
}

/* is_old_block() - pages in the swap have to be known as long as they are there */
static bool is_old_block(const struct block *block, uint64_t now_us)
{
	unsigned int i;

	if (block->slot == FREE || block->swapped)
		return false;
	for (i = 0; i < BLOCK_PAGES; i++)
		if (block->records[i].count &&
		    monitor_record_age(&block->records[i], now_us) < MONITOR_OLD_TICKS)
			return false;
	return true;
}

static void remove_old_blocks(uint64_t now_us)
{
	uint32_t i;

	if (table.tidied_us && now_us - table.tidied_us < TIDY_US)
		return;
	table.tidied_us = now_us;
	for (i = 0; i < table.touched; i++)
		if (is_old_block(&table.blocks[i], now_us))
			remove_block(i);
}

/* add_block() - NULL, if the table is full, which is logged once */
static struct block *add_block(unsigned int slot, uint64_t number, uint64_t now_us)
{
	uint16_t *chain = chain_of(slot, number), i = table.free;
	struct block *block;

	if (i == NONE && table.touched < table.n) {
		i = (uint16_t)table.touched++;
	} else {
		if (i == NONE)
			remove_old_blocks(now_us);
		i = table.free;
		if (i == NONE && !table.said)
			log_warn("swap-outs of more than %u pages: those of others are not counted",
				 table.n * BLOCK_PAGES);
		table.said |= i == NONE;
		if (i == NONE)
			return NULL;
		table.free = table.blocks[i].next;
	}
	block = &table.blocks[i];
	*block = (struct block){ .number = number, .slot = (uint8_t)slot, .next = *chain };
	*chain = i;
	return block;
}

/* compare() - pages of one block; mask: their bits, swapped: the ones in the swap */
static void compare(const struct look *look, uint64_t number, uint32_t mask, uint32_t swapped)
{
	struct block *block = find_block(look->slot, number);
	uint32_t went;

	if (!block && swapped)
		block = add_block(look->slot, number, look->now_us);
	if (!block)
		return;
	block->seen = 1;
	went = processes[look->slot].looked ? swapped & ~block->swapped : 0;
	block->swapped = (block->swapped & ~mask) | swapped;
	for (; went; went &= went - 1)
		monitor_record_add(&block->records[__builtin_ctz(went)], look->now_us);
}

/* A chunk begins anywhere: it is in one block or in two. */
_Static_assert(CHUNK_PAGES == BLOCK_PAGES, "a chunk is as large as a block");

static bool each_chunk(uint32_t nr, void *arg)
{
	(void)nr;
	(void)arg;
	return true;
}

static void compare_chunk(uint32_t nr, uint32_t in, uint32_t out, void *arg)
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

/* remove_unseen_blocks() - this poll did not see them, because their memory is gone */
static void remove_unseen_blocks(unsigned int slot)
{
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		if (table.blocks[i].slot != slot)
			continue;
		if (!table.blocks[i].seen)
			remove_block(i);
		table.blocks[i].seen = 0;
	}
}

static int pagemap_compare(unsigned int slot)
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
	err = pages_each(id, &layout, each_chunk, compare_chunk, &look);
	if (err)
		return err;
	remove_unseen_blocks(slot);
	processes[slot].looked = true;
	return 0;
}

/* pagemap_poll() - a process that has ended is not seen; its watcher finds that out */
static void pagemap_poll(const bool *sleeps)
{
	unsigned int slot;

	for (slot = 0; slot < MONITOR_WATCHED; slot++)
		if (processes[slot].id.pid && !sleeps[slot])
			pagemap_compare(slot);
}

static int pagemap_open(uint32_t pages, unsigned int every, char *why, size_t size)
{
	uint32_t n = pages / BLOCK_PAGES;

	(void)every;
	if (!sys_exists("/proc/self/pagemap")) {
		snprintf(why, size, "the kernel is built without CONFIG_PROC_PAGE_MONITOR");
		return -ENOENT;
	}
	memset(&table, 0, sizeof(table));
	memset(table.chains, 0xff, sizeof(table.chains));
	table.free = NONE;
	table.blocks = mmap(NULL, n * sizeof(*table.blocks), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table.blocks == MAP_FAILED) {
		table.blocks = NULL;
		snprintf(why, size, "no memory for the table");
		return -ENOMEM;
	}
	table.n = n;
	return 0;
}

static void pagemap_close(void)
{
	if (table.blocks)
		munmap(table.blocks, table.n * sizeof(*table.blocks));
	memset(&table, 0, sizeof(table));
}

static int pagemap_watch(unsigned int slot, struct proc_id id)
{
	processes[slot].id = id;
	processes[slot].looked = false;
	processes[slot].said = false;
	return pagemap_compare(slot);
}

static void pagemap_unwatch(unsigned int slot, pid_t tgid)
{
	uint32_t i;

	(void)tgid;
	processes[slot].id.pid = 0;
	for (i = 0; i < table.touched; i++)
		if (table.blocks[i].slot == slot)
			remove_block(i);
}

/* pagemap_forget() - the records go, but pages in the swap are known on */
static void pagemap_forget(unsigned int slot)
{
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		if (table.blocks[i].slot != slot)
			continue;
		if (table.blocks[i].swapped)
			memset(table.blocks[i].records, 0, sizeof(table.blocks[i].records));
		else
			remove_block(i);
	}
}

static void pagemap_each(monitor_record_fn fn, void *arg)
{
	const struct block *block;
	unsigned int page;
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		block = &table.blocks[i];
		for (page = 0; block->slot != FREE && page < BLOCK_PAGES; page++)
			if (block->records[page].count)
				fn(block->slot, block->number * BLOCK_PAGES + page,
				   &block->records[page], arg);
	}
}

const struct monitor_backend monitor_pagemap = {
	.open = pagemap_open,
	.close = pagemap_close,
	.watch = pagemap_watch,
	.unwatch = pagemap_unwatch,
	.forget = pagemap_forget,
	.poll = pagemap_poll,
	.each = pagemap_each,
};
