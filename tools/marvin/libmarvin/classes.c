// SPDX-License-Identifier: GPL-2.0

#include "classes.h"

/* Slots of a page or more: so many pages and slots of them are a run, */
#define LONG_PAGES	32U
#define LONG_SLOTS	4U
/* and of less than a page: up to so many pages. */
#define SHORT_PAGES	16U
/* From this on, slots are no multiples of many lines: see class_stride(). */
#define ODD_BYTES	512U
/* Of 64, which is the number that a cache has at least. */
#define MOST_SETS	60
/* A run is good if less than this part of it is left over. */
#define GOOD_PART	128U

/**
 * class_of() - the class with the smallest slots for an object
 * @bytes: its size, at least 1, at most the number that 16 pages of 64 KiB have
 *
 * Without the additions of class_stride(), class c has the sizes 16, 32 ... 256, and then eight for
 * each power of two.
 */
unsigned int class_of(uint32_t bytes)
{
	unsigned int log;

	if (bytes > 992)
		bytes = bytes < 1024 + 64 ? 1024 : bytes - 64;
	else if (bytes > 480)
		bytes = bytes < 512 + 32 ? 512 : bytes - 32;
	log = 31 - (unsigned int)__builtin_clz((bytes - 1) | 128);
	return 8 * (log - 7) + ((bytes - 1) >> (log - 3));
}

/**
 * class_stride() - bytes of a slot
 * @class: below CLASSES
 *
 * From 512 bytes on it is an odd number of lines, or of half ones, so that the objects of a run
 * begin in all sets of a cache. And a power of two, which many programs ask for, wastes little.
 * The classes of powers of two are for alignment.
 */
uint32_t class_stride(unsigned int class)
{
	uint32_t bytes;

	if (class >= CLASSES_PLAIN)
		return 128U << (class - CLASSES_PLAIN);
	if (class < 16)
		return (class + 1) * CLASSES_GRAIN;
	bytes = (class % 8 + 9) << (class / 8 + 3);
	return bytes + (bytes >= 1024 ? 64 : bytes >= 512 ? 32 : 0);
}

/* spreads() - do the slots of runs, which may begin in any line of @left, begin in most sets? */
static bool spreads(uint32_t stride, uint32_t slots, uint32_t left, uint32_t page_bytes)
{
	uint32_t lines = left / CLASSES_LINE + 1, slot, turn;
	uint64_t begins = lines < 64 ? (1ULL << lines) - 1 : UINT64_MAX, sets = 0;

	/* They begin a line or so after each other. */
	if (stride >= page_bytes)
		return slots >= LONG_SLOTS && left >= page_bytes / 2;
	/* A power of two begins with the page, for alignment. */
	if (stride < ODD_BYTES || !(stride & (stride - 1)))
		return true;
	for (slot = 0; slot < slots; slot++) {
		turn = slot * stride / CLASSES_LINE % 64;
		sets |= begins << turn | begins >> (-turn & 63);
	}
	return __builtin_popcountll(sets) >= MOST_SETS;
}

/**
 * class_pages() - how many pages has a run, so that little of it is left over?
 * @stride: bytes of a slot
 * @page_bytes: a power of two from 4 KiB to 64 KiB
 *
 * A run has up to one slot for each 16 bytes of a page.
 */
uint32_t class_pages(uint32_t stride, uint32_t page_bytes)
{
	uint32_t most = stride >= page_bytes ? LONG_PAGES : SHORT_PAGES, pages;
	uint32_t best = 0, best_left = 0;

	if (most < LONG_SLOTS * stride / page_bytes + 2)
		most = LONG_SLOTS * stride / page_bytes + 2;
	for (pages = 1; pages <= most; pages++) {
		uint32_t slots = pages * page_bytes / stride;
		uint32_t left = pages * page_bytes % stride;

		if (slots > page_bytes / CLASSES_GRAIN)
			break;
		if (!spreads(stride, slots, left, page_bytes))
			continue;
		if (!best || (uint64_t)left * best < (uint64_t)best_left * pages) {
			best = pages;
			best_left = left;
		}
		if (left < pages * page_bytes / GOOD_PART)
			break;
	}
	return best;
}
