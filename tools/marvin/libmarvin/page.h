/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of each page of a heap, and how it changes. PURE. test/page.pml is the model of it.
 *
 * A page is one of these:
 *
 *	new		never used: it reads as zeroes. On a road that traps, its first use does
 *	dirty		MAPPED: the memory is all there is
 *	kept		MAPPED COPY: the memory may have been written since it was saved. It counts
 *			if it is there; if it is missing, the copy counts
 *	saved		MAPPED COPY CLEAN: the memory is protected, and equals the copy
 *	given		MAPPED COPY CLEAN GIVEN: the same, but it may be missing
 *	lost		LOST: it is missing, and the copy cannot be read
 *
 * Why the bytes are right. A write to a saved or given page traps, and CLEAN goes before the write
 * is let through; a page is given only while it is CLEAN, with the lock that the trap needs. The
 * kernel drops a given page only if it was not written since. So a missing page equals its copy.
 * The library overwrites a copy only if the memory differs from it: then the page was written, and
 * the kernel keeps it.
 *
 * After fork() two processes have the same memory, until one of them writes. MADV_FREE of one makes
 * it lazy for both. The kernel may not know that it was written: if something pins and reads it
 * (process_vm_readv(), O_DIRECT), the kernel copies it, and takes the copy for clean. So a page
 * that was not CLEAN at fork() is of KIN: this process can drop its share, but does not give the
 * memory.
 */
#ifndef MARVIN_PAGE_H
#define MARVIN_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE_MAPPED	(1U << 0)
#define PAGE_COPY	(1U << 1)
#define PAGE_CLEAN	(1U << 2)
#define PAGE_GIVEN	(1U << 3)
#define PAGE_SAVING	(1U << 4)	/* protected, and being saved: a write takes this away */
#define PAGE_LOADING	(1U << 5)	/* the copy is being read */
#define PAGE_LOST	(1U << 6)
#define PAGE_ZERO	(1U << 7)	/* the copy is zeroes, and nowhere */
#define PAGE_SHARED	(1U << 8)	/* a child reads this place of the store */
#define PAGE_STALE	(1U << 9)	/* its place in the store can be punched */
#define PAGE_OUT	(1U << 10)	/* of a given page: this library took its memory */
#define PAGE_KIN	(1U << 11)	/* its memory may be a relative's, too, which has no copy */

/* A page that was not written for so many ticks is saved, and given after as many without a use. */
#define PAGE_TICKS 3U
/* A page that is written after a save waits twice as long the next time, at most so long. */
#define PAGE_TICKS_MOST 48U

struct page {
	uint64_t sum;			/* of the copy */
	uint16_t flags;
	uint16_t pins;
	uint8_t age;			/* ticks since the last use that is known */
	uint8_t wait;			/* ticks from a write to a save */
	uint8_t layer;			/* which store has the copy */
};

/* page_map() - there is memory, which reads as zeroes */
static inline void page_map(struct page *page)
{
	page->flags = (page->flags & (PAGE_SHARED | PAGE_STALE)) | PAGE_MAPPED;
	page->age = 0;
	if (!page->wait)
		page->wait = PAGE_TICKS;
}

/* page_discard() - its bytes are not needed any more */
static inline void page_discard(struct page *page, uint8_t layer)
{
	uint16_t flags = page->flags & (PAGE_SHARED | PAGE_STALE);

	if (page->flags & PAGE_COPY && page->layer == layer && !(page->flags & PAGE_ZERO))
		flags |= PAGE_STALE;
	page->flags = flags;
	page->pins = 0;
	page->wait = PAGE_TICKS;
}

/* page_written() - a write is let through from now on */
static inline void page_written(struct page *page)
{
	page->flags &= (uint16_t)~(PAGE_CLEAN | PAGE_GIVEN | PAGE_OUT | PAGE_SAVING);
	page->age = 0;
	if (!page->wait)
		page->wait = PAGE_TICKS;
	else
		page->wait = page->wait * 2 < (int)PAGE_TICKS_MOST ? (uint8_t)(page->wait * 2) :
								     (uint8_t)PAGE_TICKS_MOST;
}

/*
 * page_emptied() - no object has it any more. The next object may be written once and then be cold:
 * what the old one did does not count
 */
static inline void page_emptied(struct page *page)
{
	page->age = 0;
	page->wait = page->flags & PAGE_CLEAN ? 0 : PAGE_TICKS;
}

/* page_wants_save() - how old it has to be is up to the caller */
static inline bool page_wants_save(const struct page *page)
{
	return page->flags & PAGE_MAPPED && !page->pins &&
	       !(page->flags & (PAGE_CLEAN | PAGE_SAVING | PAGE_LOADING | PAGE_LOST | PAGE_SHARED));
}

/* page_saving() - it was protected, and is copied now */
static inline void page_saving(struct page *page)
{
	page->flags |= PAGE_SAVING;
}

/*
 * page_is_unchanged() - it was copied: does it equal the copy that the store has? If so it is
 * saved; if not, and it is still SAVING, it will be overwritten, and counts no more
 */
static inline bool page_is_unchanged(struct page *page, uint64_t sum, bool zero, uint8_t layer)
{
	bool same = page->flags & PAGE_COPY && page->sum == sum &&
		    zero == !!(page->flags & PAGE_ZERO);

	if (!(page->flags & PAGE_SAVING))
		return true;
	if (zero || same) {
		if (zero && page->flags & PAGE_COPY && page->layer == layer &&
		    !(page->flags & PAGE_ZERO))
			page->flags |= PAGE_STALE;
		page->flags &= (uint16_t)~PAGE_SAVING;
		page->flags |= PAGE_COPY | PAGE_CLEAN | (zero ? PAGE_ZERO : 0);
		page->sum = sum;
		return true;
	}
	if (page->layer == layer)
		page->flags &= (uint16_t)~PAGE_COPY;
	/* Until page_saved(): it may be written or freed meanwhile, or the store may fail. */
	page->flags |= PAGE_STALE;
	return false;
}

/* page_saved() - the store has it; false: it was written or freed meanwhile */
static inline bool page_saved(struct page *page, uint64_t sum, uint8_t layer)
{
	if (!(page->flags & PAGE_SAVING))
		return false;
	page->flags &= (uint16_t)~(PAGE_SAVING | PAGE_ZERO | PAGE_STALE);
	page->flags |= PAGE_COPY | PAGE_CLEAN;
	page->sum = sum;
	page->layer = layer;
	return true;
}

/* page_unsaved() - the store failed: the memory is all there is */
static inline void page_unsaved(struct page *page)
{
	page->flags &= (uint16_t)~PAGE_SAVING;
}

/* page_wants_give() - as page_wants_save() */
static inline bool page_wants_give(const struct page *page)
{
	return page->flags & PAGE_CLEAN && !page->pins &&
	       !(page->flags & (PAGE_GIVEN | PAGE_LOADING));
}

/* page_may_go() - may a page that wants it be left to the kernel, or has the library to take it? */
static inline bool page_may_go(const struct page *page)
{
	return !(page->flags & PAGE_KIN);
}

/* page_wants_drop() - its memory can be taken at once */
static inline bool page_wants_drop(const struct page *page)
{
	return page->flags & PAGE_GIVEN && !page->pins &&
	       !(page->flags & (PAGE_OUT | PAGE_LOADING));
}

/* page_wants_load() - may the memory be missing, and the store have it? */
static inline bool page_wants_load(const struct page *page)
{
	return page->flags & PAGE_COPY && !(page->flags & (PAGE_LOADING | PAGE_ZERO | PAGE_LOST));
}

/* page_came() - the copy was put in place, protected */
static inline void page_came(struct page *page)
{
	page->flags &= (uint16_t)~(PAGE_GIVEN | PAGE_OUT | PAGE_LOADING | PAGE_LOST | PAGE_KIN);
	page->flags |= PAGE_MAPPED | PAGE_CLEAN;
	page->age = 0;
}

/* page_shared() - by fork(): in the parent, and in the child */
static inline void page_shared(struct page *page)
{
	if ((page->flags & (PAGE_MAPPED | PAGE_CLEAN)) == PAGE_MAPPED)
		page->flags |= PAGE_KIN;
}

/* page_forked() - in a child: what userfaultfd had protected is not */
static inline void page_forked(struct page *page, bool protected)
{
	page_shared(page);
	page->flags &= (uint16_t)~(PAGE_SAVING | PAGE_LOADING | PAGE_SHARED | PAGE_STALE);
	if (!protected)
		page->flags &= (uint16_t)~(PAGE_CLEAN | PAGE_GIVEN | PAGE_OUT);
	page->pins = 0;
}

/* page_older() - a tick; a page that was never used stays all zeroes, and takes no memory */
static inline void page_older(struct page *page)
{
	if (!page->flags)
		return;
	if (page->age < UINT8_MAX)
		page->age++;
	/* Long out of use: its next writer is another one, perhaps. */
	if (page->age > 2 * PAGE_TICKS_MOST)
		page->wait = PAGE_TICKS;
}

#endif
