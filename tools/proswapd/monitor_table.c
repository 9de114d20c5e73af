// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include "log.h"
#include "monitor_table.h"

/* An index of a block that is none. */
#define NONE UINT16_MAX
#define FREE UINT8_MAX
#define CHAINS 1024u
/* All blocks are gone through for old ones not more often than that. */
#define TIDY_US 10000000u

static struct {
	struct monitor_block *blocks;
	uint32_t n;
	uint32_t touched;		/* blocks after these have not been used yet */
	uint16_t free;			/* the first one of those that were and are free */
	uint16_t chains[CHAINS];
	uint64_t tidied_us;
	bool said;			/* that there is no more room */
} table;

static uint16_t *chain_of(unsigned int slot, uint64_t number)
{
	uint64_t hash = (number * MONITOR_WATCHED + slot) * 0x9e3779b97f4a7c15u;

	return &table.chains[hash >> 32 & (CHAINS - 1)];
}

/**
 * monitor_table_open() - take the memory for it
 * @pages: of which there can be records, a block's after the other
 *
 * Return: 0, or a negative errno.
 */
int monitor_table_open(uint32_t pages)
{
	uint32_t n = pages / BLOCK_PAGES;

	if (n >= NONE)
		n = NONE - 1;
	if (!n)
		return -EINVAL;
	table.blocks = mmap(NULL, n * sizeof(*table.blocks), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table.blocks == MAP_FAILED) {
		table.blocks = NULL;
		return -errno;
	}
	memset(table.chains, 0xff, sizeof(table.chains));
	table.n = n;
	table.touched = 0;
	table.free = NONE;
	table.tidied_us = 0;
	table.said = false;
	return 0;
}

/**
 * monitor_table_close() - give its memory back
 */
void monitor_table_close(void)
{
	if (table.blocks)
		munmap(table.blocks, table.n * sizeof(*table.blocks));
	table.blocks = NULL;
	table.n = 0;
	table.touched = 0;
}

/**
 * monitor_table_find() - a block, if there is one
 * @slot: of its process
 * @number: its number
 *
 * Return: the block, or NULL.
 */
struct monitor_block *monitor_table_find(unsigned int slot, uint64_t number)
{
	uint16_t i;

	for (i = *chain_of(slot, number); i != NONE; i = table.blocks[i].next) {
		struct monitor_block *block = &table.blocks[i];

		if (block->number == number && block->slot == slot)
			return block;
	}
	return NULL;
}

static void remove_block(uint16_t i)
{
	struct monitor_block *block = &table.blocks[i];
	uint16_t *at = chain_of(block->slot, block->number);

	while (*at != i)
		at = &table.blocks[*at].next;
	*at = block->next;
	block->slot = FREE;
	block->next = table.free;
	table.free = i;
}

/* What is in the swap has to be known as long as it is there. */
static bool is_old(const struct monitor_block *block, uint64_t now_us)
{
	unsigned int i;

	if (block->slot == FREE || block->swapped)
		return false;
	for (i = 0; i < BLOCK_PAGES; i++) {
		if (block->records[i].count &&
		    monitor_record_age(&block->records[i], now_us) < MONITOR_OLD_TICKS)
			return false;
	}
	return true;
}

static void tidy(uint64_t now_us)
{
	uint32_t i;

	if (table.tidied_us && now_us - table.tidied_us < TIDY_US)
		return;
	table.tidied_us = now_us;
	for (i = 0; i < table.touched; i++) {
		if (is_old(&table.blocks[i], now_us))
			remove_block((uint16_t)i);
	}
}

static uint16_t take_free(uint64_t now_us)
{
	uint16_t i;

	if (table.free == NONE && table.touched < table.n)
		return (uint16_t)table.touched++;
	if (table.free == NONE)
		tidy(now_us);
	i = table.free;
	if (i != NONE)
		table.free = table.blocks[i].next;
	return i;
}

/**
 * monitor_table_get() - a block, that is made if there is none
 * @slot: of its process
 * @number: its number
 * @now_us: the time
 *
 * Return: the block; NULL, if there is no room, which is said once.
 */
struct monitor_block *monitor_table_get(unsigned int slot, uint64_t number, uint64_t now_us)
{
	struct monitor_block *block = monitor_table_find(slot, number);
	uint16_t *chain, i;

	if (block)
		return block;
	i = take_free(now_us);
	if (i == NONE) {
		if (!table.said)
			log_warn("swap-outs of more than %u pages: those of others are not counted",
				 table.n * BLOCK_PAGES);
		table.said = true;
		return NULL;
	}
	block = &table.blocks[i];
	memset(block, 0, sizeof(*block));
	chain = chain_of(slot, number);
	block->number = number;
	block->slot = (uint8_t)slot;
	block->next = *chain;
	*chain = i;
	return block;
}

/**
 * monitor_table_sweep() - blocks that were not seen at this look go, as their memory did
 * @slot: of the process that was looked at
 */
void monitor_table_sweep(unsigned int slot)
{
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		if (table.blocks[i].slot != slot)
			continue;
		if (!table.blocks[i].seen)
			remove_block((uint16_t)i);
		table.blocks[i].seen = 0;
	}
}

/**
 * monitor_table_forget() - the records of a process go; what is in the swap is known on
 * @slot: of the process
 */
void monitor_table_forget(unsigned int slot)
{
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		if (table.blocks[i].slot != slot)
			continue;
		if (table.blocks[i].swapped)
			memset(table.blocks[i].records, 0, sizeof(table.blocks[i].records));
		else
			remove_block((uint16_t)i);
	}
}

/**
 * monitor_table_drop() - all that is known of a process goes
 * @slot: of the process
 */
void monitor_table_drop(unsigned int slot)
{
	uint32_t i;

	for (i = 0; i < table.touched; i++) {
		if (table.blocks[i].slot == slot)
			remove_block((uint16_t)i);
	}
}

/**
 * monitor_table_each() - call a function for each record
 * @fn: the function
 * @arg: for @fn
 *
 * Return: how many there are.
 */
int monitor_table_each(monitor_record_fn fn, void *arg)
{
	unsigned int page;
	uint32_t i;
	int n = 0;

	for (i = 0; i < table.touched; i++) {
		const struct monitor_block *block = &table.blocks[i];

		for (page = 0; block->slot != FREE && page < BLOCK_PAGES; page++) {
			if (!block->records[page].count)
				continue;
			fn(block->slot, block->number * BLOCK_PAGES + page, &block->records[page],
			   arg);
			n++;
		}
	}
	return n;
}
