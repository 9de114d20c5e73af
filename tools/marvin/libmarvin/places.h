/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places: which bytes of the space are objects. PURE: no lock, no system call, and the memory is
 * the caller's, so the pages of the objects are neither read nor written here.
 *
 * Objects of up to 16 pages lie in runs: extents that are cut into slots of one size. There are
 * eight sizes for each power of two; an object fills more than 7/8 of its slot, if it has more than
 * 112 bytes. A larger object has an extent for itself, and begins some cache lines into its first
 * page. Both of this is for the processor's caches: with 4 KiB from one object to the next, all of
 * them would begin in the same few lines.
 *
 * An extent that gets empty is kept for a while, if it is not large, because a program that makes
 * an object and frees it again would have its page discarded and faulted in each time.
 */
#ifndef MARVIN_PLACES_H
#define MARVIN_PLACES_H

#include "classes.h"
#include "extents.h"

#define PLACES_NONE	UINT64_MAX
#define PLACES_ALIGN	(1U << 20)	/* the most that places_take_aligned() can do */
#define PLACES_KEPT	16

struct places_range {
	uint32_t page, pages;
};

struct places_class {
	uint32_t stride;		/* bytes from one slot to the next */
	uint32_t pages;			/* of a run */
	uint32_t runs;			/* list of the runs that have a free slot */
};

struct places {
	struct extents extents;
	unsigned int page_shift;
	size_t small;			/* bytes: objects that are larger have an extent */
	uint32_t turn;			/* chooses the cache line that an extent begins with */
	uint64_t objects;
	uint64_t bytes;			/* of objects, as places_find() has them */
	struct places_class classes[CLASSES];
	struct places_range kept[PLACES_KEPT];	/* empty; pages 0: no entry */
	unsigned int oldest;		/* entry of kept[] */
};

uint64_t places_memory(uint32_t pages, uint32_t page_bytes);
void places_begin(struct places *places, void *memory, uint32_t pages, uint32_t page_bytes);
uint64_t places_take(struct places *places, size_t bytes, bool *fresh);
uint64_t places_take_aligned(struct places *places, size_t bytes, size_t align, bool *fresh);
bool places_give(struct places *places, uint64_t at, struct places_range *unused);
bool places_trim(struct places *places, struct places_range *unused);
bool places_find(const struct places *places, uint64_t inside, uint64_t *at, size_t *bytes);
bool places_resize(struct places *places, uint64_t at, size_t bytes, struct places_range *unused,
		   uint64_t *zeroes);
bool places_used(const struct places *places, uint32_t page);

#endif
