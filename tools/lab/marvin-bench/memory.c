// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "memory.h"
#include "rounds.h"

/* Enough ticks to save and give all pages: each of the two needs three. */
#define TICKS 64
#define TICK_MS 60000U

/**
 * memory_open() - make a heap
 * @options: road
 * @store: store of the heap
 * @bytes: size of all its objects together
 * @tick_ms: from tick to tick; 0: only memory_save() saves
 *
 * Return: the heap; NULL after an error message.
 */
struct marvin *memory_open(const struct bench_options *options, const char *store, uint64_t bytes,
			   uint32_t tick_ms)
{
	struct marvin_options of = MARVIN_OPTIONS;
	struct marvin *heap;
	int err;

	of.store = store;
	of.road = options->road;
	of.space = 2 * bytes + (16 << 20);
	of.foreground_ms = tick_ms;
	of.background_ms = tick_ms;
	of.no_thread = !tick_ms;
	err = marvin_open(&heap, &of);
	if (err)
		warnx("%s: %s", store, strerror(-err));
	return err ? NULL : heap;
}

/* is_given() - is all given, or saved if the library does not give pages? */
static bool is_given(struct marvin *heap)
{
	struct marvin_stats stats = MARVIN_STATS;
	struct marvin_info info = MARVIN_INFO;

	marvin_stats(heap, &stats);
	marvin_info(heap, &info);
	return !stats.unsaved && (info.road == MARVIN_ROAD_SIGNAL || !stats.saved);
}

/**
 * memory_save() - save and give all pages
 * @heap: without a thread
 *
 * Return: false on failure.
 */
bool memory_save(struct marvin *heap)
{
	int i, err = 0;

	for (i = 0; i < TICKS; i++) {
		err = marvin_tick(heap, TICK_MS);
		/* A library that does not give pages drops pages of that age. */
		if (!err && i > 6 && is_given(heap))
			return true;
	}
	warnx("the heap is not saved: %s", strerror(-err));
	return false;
}

/* word() - a word of a page's contents; a third is random, as in real programs */
static uint64_t word(uint64_t seed, uint32_t nr, uint32_t i)
{
	uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15ULL + nr;

	if (i % 12 >= 4)
		return x;
	x = (x + i) * 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 29;
}

/**
 * memory_fill() - write pages
 * @at: the first page
 * @bytes: a multiple of MEMORY_PAGE
 * @seed: seed of the contents
 */
void memory_fill(uint8_t *at, size_t bytes, uint64_t seed)
{
	const uint32_t words = MEMORY_PAGE / sizeof(uint64_t);
	uint64_t value;
	size_t i;

	for (i = 0; i < bytes / sizeof(value); i++) {
		value = word(seed, (uint32_t)(i / words), (uint32_t)(i % words));
		memcpy(at + i * sizeof(value), &value, sizeof(value));
	}
}

/**
 * memory_is_page() - is the first word of a page right?
 * @at: where the page begins
 * @nr: its number, counted from the begin of the contents
 * @seed: seed of the contents
 */
bool memory_is_page(const uint8_t *at, uint32_t nr, uint64_t seed)
{
	uint64_t value = word(seed, nr, 0);

	return !memcmp(at, &value, sizeof(value));
}

/**
 * memory_resident() - the share of resident pages
 * @at: where it begins
 * @bytes: how many
 *
 * Return: 0 to 1; 1 if unknown.
 */
double memory_resident(const void *at, size_t bytes)
{
	size_t from = (uintptr_t)at / MEMORY_PAGE * MEMORY_PAGE, i, n = 0;
	size_t pages = ((uintptr_t)at + bytes - from) / MEMORY_PAGE;
	unsigned char *there = malloc(pages);

	if (!there || mincore((void *)from, pages * MEMORY_PAGE, there)) {
		free(there);
		return 1;
	}
	for (i = 0; i < pages; i++)
		n += there[i] & 1;
	free(there);
	return (double)n / (double)pages;
}
