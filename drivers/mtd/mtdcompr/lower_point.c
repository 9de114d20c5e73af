// SPDX-License-Identifier: GPL-2.0
/*
 * Media that are read where they lie.
 *
 * A driver with _point has its media in the address space. If the processor keeps them in its
 * caches, as mtdram's and slram's, a page is checked and decompressed where it lies, without a
 * copy. phram maps its media uncached, unless it is told otherwise: there each byte would come
 * from the memory anew, and some processors take no unaligned access. So this unit measures at
 * the attach. It only reads the media, and only lower.c calls it. Drivers with a window that moves
 * over their media promise more than they map; they are uncached, which refuses them.
 */
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mtd/mtd.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "lower_point.h"

/* One of them is hardly ever disturbed by an interrupt. */
#define TRIALS		5U

/* So that a clock of a few MHz tells times apart: half a MiB, 0.1 ms or so from a cache. */
#define ROUNDS		128U

/* Memory without a cache is slower by ten and more; a cache with other contents is not by four. */
#define TIMES		4U

/* The least time to read a page again and again, by aligned words; it ends soon over @limit. */
static u64 time_of(const void *page, u64 limit)
{
	const unsigned long *words = page;
	u64 least = U64_MAX;
	unsigned int trial, round, i;

	for (trial = 0; trial < TRIALS; trial++) {
		u64 start = ktime_get_ns(), ns = 0;

		for (round = 0; round < ROUNDS && ns <= limit; round++) {
			for (i = 0; i < PAGE_SIZE / sizeof(*words); i++)
				(void)READ_ONCE(words[i]);
			ns = ktime_get_ns() - start;
		}
		least = min(least, ns);
		cond_resched();
	}
	return least;
}

/* False also if the clock cannot tell. */
static bool is_cached(const void *media)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL);
	u64 limit;

	if (!page)
		return false;
	limit = TIMES * time_of(page, U64_MAX);
	free_page((unsigned long)page);
	return limit && time_of(media, limit) <= limit;
}

/*
 * Is it memory that the kernel knows as such? An emulator has no caches to be measured, but may
 * refuse unaligned access to a device's memory.
 */
static bool is_ram(const void *media)
{
	return is_vmalloc_addr(media) ? pfn_valid(vmalloc_to_pfn(media)) : virt_addr_valid(media);
}

/**
 * mtdc_point_begin() - find the media in the address space
 * @mtd: the MTD, open
 *
 * Context: process, may sleep.
 * Return: where they begin, until mtdc_point_end(); NULL if they are not there as a whole, or
 * not in the processor's caches.
 */
const u8 *mtdc_point_begin(struct mtd_info *mtd)
{
	size_t bytes = min_t(u64, mtd->size, SIZE_MAX), done = 0;
	void *media;

	/* Each page has to begin at a word, and one page has to be there. */
	if (!mtd_get_master(mtd)->_point || !(mtd->flags & MTD_NO_ERASE) || bytes < PAGE_SIZE ||
	    mtd_point(mtd, 0, bytes, &done, &media, NULL))
		return NULL;
	if (done == mtd->size && IS_ALIGNED((unsigned long)media, sizeof(long)) &&
	    is_ram(media) && is_cached(media))
		return media;
	mtd_unpoint(mtd, 0, done);
	return NULL;
}

/**
 * mtdc_point_end() - the media are not looked at any more
 * @mtd: the MTD
 * @media: what mtdc_point_begin() has returned, or NULL
 *
 * Context: process, may sleep.
 */
void mtdc_point_end(struct mtd_info *mtd, const u8 *media)
{
	if (media)
		mtd_unpoint(mtd, 0, mtd->size);
}
