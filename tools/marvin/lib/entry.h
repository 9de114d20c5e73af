/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reclamation table: what the program and a reclaimer (marvind) know of each object. It lies in
 * memory that both map; all numbers are in the machine's own order.
 *
 * An entry's word has flags, the history of its uses and the count of its users, so that one atomic
 * step can look at all and change some. Only an object that is LAZY, is not locked and has no users
 * may be taken back: its pages were given to the kernel by MADV_FREE, and whoever uses it next
 * looks whether they are still there.
 *
 * What the lock is for, and what it is not for: bytes are right without it. See heap.c.
 */
#ifndef MARVIN_ENTRY_H
#define MARVIN_ENTRY_H

#include <stdatomic.h>
#include <stdint.h>

/* Of a word: */
#define ENTRY_OCCUPIED	(1U << 0)	/* there is an object */
#define ENTRY_LOCK	(1U << 1)	/* the reclaimer's, while it takes the object back */
#define ENTRY_RESIDENT	(1U << 2)	/* not set: its pages are gone, the copy is all there is */
#define ENTRY_LAZY	(1U << 3)	/* the kernel may drop its pages */
#define ENTRY_DIRTY	(1U << 4)	/* changed since it was saved, or never saved */
#define ENTRY_READ	(1U << 5)	/* used since the last tick */
#define ENTRY_WRITTEN	(1U << 6)
#define ENTRY_BUSY	(1U << 7)	/* being saved: it is not DIRTY, but has no copy yet */
#define ENTRY_BROKEN	(1U << 8)	/* its bytes are lost, which was said */
#define ENTRY_DEAD	(1U << 9)	/* freed while it was BUSY */
/* four bits each, the newest one being the highest: */
#define ENTRY_READS	12
#define ENTRY_WRITES	16
/* who uses it, and for how long nobody knows: */
#define ENTRY_PIN	(1U << 20)
#define ENTRY_PINS	(0xfffU * ENTRY_PIN)

struct marvin_entry {
	_Atomic uint32_t word;
	uint32_t generation;		/* of what its place was used for */
	uint32_t page;			/* of space and store: where it begins */
	uint32_t pages;
	uint64_t hash;			/* of the copy */
};

/* The last digit is the version: another one has another form, or other meanings. */
#define TABLE_MAGIC	0x4d525631U	/* "MRV1" */

/* Of a request: */
#define REQUEST_FETCH	1U		/* bring back what was given */

/* The head of the table. */
struct marvin_table {
	uint32_t magic;
	uint32_t entry_bytes;
	uint32_t objects;		/* entries, with those that are free */
	uint32_t page_bytes;
	uint64_t space;			/* address in the program */
	uint64_t space_pages;
	_Atomic uint32_t reclaimer;	/* process id of who may lock, or 0 */
	_Atomic uint32_t background;	/* set by the reclaimer; counts while it lives */
	_Atomic uint32_t request;	/* of the reclaimer's to the program, which takes it away */
	uint32_t reserved;
	_Atomic uint64_t counts[16];	/* enum count */
	char name[32];			/* of the program */
};

enum count {
	COUNT_OBJECTS,
	COUNT_BYTES,
	COUNT_TICKS,
	COUNT_SAVED,			/* objects written to the store, as the following ones */
	COUNT_SAVED_BYTES,
	COUNT_LAZY,			/* given to the kernel */
	COUNT_CLAIMED,			/* used again, and still there */
	COUNT_LOADED,			/* used again, and read from the store */
	COUNT_LOADED_BYTES,
	COUNT_DROPPED,			/* taken back by marvin_drop() or the reclaimer */
	COUNT_BROKEN,			/* lost */
	COUNT_STORE_ERRORS,
	COUNT_FULL,			/* not saved, as the store was full */
};

#endif
