// SPDX-License-Identifier: GPL-2.0
/*
 * Making objects, using and freeing them.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "brake.h"
#include "heap.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define LOCK_NAP_NS 200000L
#define SILENT_S 60

struct heap marvin_heap = { .lock = PTHREAD_MUTEX_INITIALIZER };
#define heap marvin_heap

/* Of an object that stays in memory: always there, and no one looks at its uses. */
static uint32_t always = ENTRY_OCCUPIED | ENTRY_RESIDENT | ENTRY_DIRTY | ENTRY_READ |
			 ENTRY_WRITTEN;

/**
 * heap_say() - tell the program, or the user
 * @format: as for printf
 */
void heap_say(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (heap.options.say)
		heap.options.say(text);
	else
		fprintf(stderr, "marvin: %s\n", text);
}

/**
 * heap_is_due() - is something to be said, if it was said before?
 * @what: what
 *
 * Context: any.
 */
bool heap_is_due(enum said what)
{
	uint32_t now_s = (uint32_t)(heap_now_ns() / 1000000000);
	uint32_t until_s = atomic_load(&heap.silent_s[what]);

	return now_s >= until_s &&
	       atomic_compare_exchange_strong(&heap.silent_s[what], &until_s, now_s + SILENT_S);
}

/**
 * heap_count() - for the statistics, which others may read
 * @count: which one
 * @n: what it grows by
 */
void heap_count(enum count count, int64_t n)
{
	atomic_fetch_add_explicit(&heap.table->counts[count], (uint64_t)n, memory_order_relaxed);
}

/**
 * heap_hash() - of an object's bytes; never 0
 * @data: its bytes
 * @bytes: how many
 */
uint64_t heap_hash(const void *data, size_t bytes)
{
	uint64_t hash = XXH3_64bits(data, bytes);

	return hash ? hash : 1;
}

static uint32_t number(marvin_ref ref)
{
	return (uint32_t)((struct marvin_entry *)ref->word - heap.entries);
}

/*
 * The protocol with the reclaimer, which is another process, and may be slow, stopped or dead.
 *
 * An object is LAZY only while the store has a valid copy of it and nobody uses its bytes: LAZY is
 * set while the gate is shut, and its first user takes it away, with the heap's lock. The reclaimer
 * touches no other objects. It sets LOCK by one atomic step from a word that is LAZY and RESIDENT
 * and has neither pins nor a LOCK; it has the kernel drop pages (MADV_PAGEOUT); it takes LOCK and
 * RESIDENT away by one atomic step, which changes nothing where LOCK is gone. A user sets a pin
 * before it looks at LOCK: either the reclaimer sees the pin and stays away, or the user sees LOCK
 * and waits.
 *
 * Why bytes are right, whatever the reclaimer and the kernel did:
 * - The kernel drops only pages that were not written since MADV_FREE. What populate() has made
 *   dirty stays, also while MADV_PAGEOUT is at work: at most it goes to the swap, whole.
 * - RESIDENT is not set: the user reads the copy over what is there. That is right, too, when
 *   MADV_PAGEOUT has not taken all pages, or none: the copy has the same bytes as they have.
 * - RESIDENT is set: the hash tells whether all pages are there. If not, the copy is read.
 * - RESIDENT of an object that is not LAZY is looked at by nobody; when the object is LAZY again
 *   there is a new copy.
 * So the lock is for speed alone: without it a page could go to the swap that was just brought
 * back. Therefore a user may take away a LOCK whose owner is dead, or is not done for so long that
 * it may be stopped, in another PID namespace, or dead with another process of its id. lock.pml has
 * the same as a model.
 */
unsigned int heap_patience_ms = 200;

/**
 * heap_has_reclaimer() - is there a process that may lock?
 * @pid: its id, as the table has it; or 0
 *
 * Context: one system call, if there is one. Who may not signal it knows that it is there.
 */
bool heap_has_reclaimer(uint32_t pid)
{
	return pid && (!kill((pid_t)pid, 0) || errno != ESRCH);
}

/* is_gone() - will nobody take the lock away? */
static bool is_gone(uint64_t waited_ns)
{
	uint32_t pid = atomic_load(&heap.table->reclaimer);

	if (!heap_has_reclaimer(pid))
		return true;
	if (waited_ns < heap_patience_ms * 1000000ULL)
		return false;
	/* Its other locks are not waited for, until it says again that it is there. */
	atomic_compare_exchange_strong(&heap.table->reclaimer, &pid, 0);
	return true;
}

/* lock_out() - from here on the reclaimer does not lock it */
static void lock_out(uint32_t nr)
{
	_Atomic uint32_t *word = &heap.entries[nr].word;
	const struct timespec nap = { 0, LOCK_NAP_NS };
	uint64_t since_ns = 0;

	atomic_fetch_add(word, ENTRY_PIN);
	while (atomic_load(word) & ENTRY_LOCK) {
		since_ns = since_ns ? since_ns : heap_now_ns();
		if (is_gone(heap_now_ns() - since_ns))
			atomic_fetch_and(word, ~ENTRY_LOCK);
		else
			nanosleep(&nap, NULL);
	}
}

/* populate() - its pages are dirty from here on: the kernel does not drop them */
static void populate(uint8_t *data, size_t bytes)
{
	size_t at;

	if (!madvise(data, bytes, MADV_POPULATE_WRITE))
		return;
	/*
	 * Before Linux 5.14. A page that goes between the two reads as zeroes, but for this
	 * byte.
	 */
	for (at = 0; at < bytes; at += heap.page)
		((volatile uint8_t *)data)[at] = ((volatile uint8_t *)data)[at];
}

/* load() - from the store; the hash tells whether it is what was saved */
static int load(uint32_t nr)
{
	struct marvin_entry *entry = &heap.entries[nr];
	uint8_t *data = heap_data(nr);
	int err = store_read(&heap.store, entry->page * (uint64_t)heap.page, data, heap_bytes(nr));

	if (!err && heap_hash(data, heap_bytes(nr)) != entry->hash)
		err = heap.forked ? -ESTALE : -EBADMSG;
	if (!err) {
		heap_count(COUNT_LOADED, 1);
		heap_count(COUNT_LOADED_BYTES, (int64_t)heap_bytes(nr));
		return 0;
	}
	/* Another error than these may pass: the object is read again when it is used. */
	if (err == -EBADMSG || err == -ESTALE)
		heap_say("an object of %zu bytes is lost: %s", heap_bytes(nr), err == -EBADMSG ?
			 "the store has other bytes" :
			 "it was saved by the process that this one was forked from");
	else if (heap_is_due(SAID_UNREADABLE))
		heap_say("an object of %zu bytes cannot be read now: %s", heap_bytes(nr),
			 strerror(-err));
	heap_count(COUNT_BROKEN, 1);
	return err;
}

/**
 * heap_bring_back() - of an object that was given to the kernel
 * @nr: its entry, which is LAZY
 *
 * Context: inside, with the lock; sleeps for I/O.
 *
 * Return: 0, and it is all there; -EIO or another error of the store: it may be tried again;
 * -EBADMSG or -ESTALE.
 */
int heap_bring_back(uint32_t nr)
{
	struct marvin_entry *entry = &heap.entries[nr];
	int err = 0;

	lock_out(nr);
	populate(heap_data(nr), heap_bytes(nr));
	if (atomic_load(&entry->word) & ENTRY_RESIDENT &&
	    heap_hash(heap_data(nr), heap_bytes(nr)) == entry->hash)
		heap_count(COUNT_CLAIMED, 1);
	else
		err = load(nr);
	if (!err) {
		atomic_fetch_or(&entry->word, ENTRY_RESIDENT);
		atomic_fetch_and(&entry->word, ~ENTRY_LAZY);
	} else {
		/* The memory does not hold the object's bytes. */
		atomic_fetch_and(&entry->word, ~ENTRY_RESIDENT);
		if (err == -EBADMSG)
			atomic_fetch_or(&entry->word, ENTRY_BROKEN);
	}
	atomic_fetch_sub(&entry->word, ENTRY_PIN);
	return err;
}

static void set_fast(marvin_ref ref, bool write)
{
	/* Who sees the pointer sees the bytes that were read from the store. */
	__atomic_store_n(&ref->reading, ref->data, __ATOMIC_RELEASE);
	if (write)
		__atomic_store_n(&ref->writing, ref->data, __ATOMIC_RELEASE);
}

static int claim(marvin_ref ref, bool write)
{
	uint32_t nr = number(ref), word = heap_word(nr);
	int err = 0;

	if (word & ENTRY_BROKEN)
		return -EBADMSG;
	if (word & ENTRY_LAZY)
		err = heap_bring_back(nr);
	if (err)
		return err;
	atomic_fetch_or(&heap.entries[nr].word,
			ENTRY_READ | (write ? ENTRY_WRITTEN | ENTRY_DIRTY : 0));
	set_fast(ref, write);
	return 0;
}

/**
 * marvin_claim() - the slow part of marvin_read() and marvin_write()
 * @ref: the object
 * @write: is it to be written?
 */
void *marvin_claim(marvin_ref ref, bool write)
{
	int err, state;

	if (!ref->word) {
		errno = EINVAL;
		return NULL;
	}
	if (ref->word == &always)
		return ref->data;
	state = heap_lock();
	err = claim(ref, write);
	heap_unlock(state);
	if (err)
		errno = -err;
	return err ? NULL : ref->data;
}

/**
 * marvin_pin() - use an object for longer than marvin_leave()
 * @ref: the object
 * @write: is it to be written?
 *
 * A pinned object is neither saved nor taken back. Each pin needs an unpin.
 *
 * Return: its first byte; NULL as of marvin_read(), or with EOVERFLOW: it has 4,095 pins.
 */
void *marvin_pin(marvin_ref ref, bool write)
{
	int err, state;

	if (!ref->word) {
		errno = EINVAL;
		return NULL;
	}
	if (ref->word == &always)
		return ref->data;
	marvin_enter();
	state = heap_lock();
	err = (heap_word(number(ref)) & ENTRY_PINS) == ENTRY_PINS ? -EOVERFLOW : claim(ref, write);
	if (!err)
		__atomic_fetch_add(ref->word, ENTRY_PIN, __ATOMIC_SEQ_CST);
	heap_unlock(state);
	marvin_leave();
	if (err)
		errno = -err;
	return err ? NULL : ref->data;
}

/**
 * marvin_unpin() - the end of marvin_pin()
 * @ref: the object
 */
void marvin_unpin(marvin_ref ref)
{
	if (ref->word && ref->word != &always)
		__atomic_fetch_sub(ref->word, ENTRY_PIN, __ATOMIC_SEQ_CST);
}

/**
 * heap_release() - of an object that nobody knows any more
 * @nr: its entry
 *
 * Context: with the lock.
 */
void heap_release(uint32_t nr)
{
	struct marvin_entry *entry = &heap.entries[nr];
	uint32_t page;

	lock_out(nr);
	heap_count(COUNT_OBJECTS, -1);
	heap_count(COUNT_BYTES, -(int64_t)heap_bytes(nr));
	/* Locked memory stays: the next object begins with zeroes nevertheless. */
	if (madvise(heap_data(nr), heap_bytes(nr), MADV_DONTNEED))
		memset(heap_data(nr), 0, heap_bytes(nr));
	slots_give(&heap.slots, entry->page, entry->pages);
	for (page = entry->page; entry->hash && page < entry->page + entry->pages; page++)
		if (!slots_has(&heap.stale, page))
			heap.stale.bits[page / 64] |= 1ULL << (page % 64);
	entry->generation++;
	heap.stubs[nr] = NULL;
	atomic_store(&entry->word, 0);
	heap.spare[heap.spares++] = nr;
}

/* place() - an entry and pages for an object; -ENOSPC, if there are none */
static int place(struct marvin_stub *stub, uint32_t pages)
{
	uint32_t page = slots_take(&heap.slots, pages), nr;
	struct marvin_entry *entry;

	if (page == SLOTS_NONE)
		return -ENOSPC;
	if (!heap.spares && heap.high == heap.table->objects) {
		slots_give(&heap.slots, page, pages);
		return -ENOSPC;
	}
	nr = heap.spares ? heap.spare[--heap.spares] : heap.high++;
	entry = &heap.entries[nr];
	entry->page = page;
	entry->pages = pages;
	entry->hash = 0;
	atomic_store(&entry->word, ENTRY_OCCUPIED | ENTRY_RESIDENT | ENTRY_DIRTY | ENTRY_READ |
		     ENTRY_WRITTEN);
	heap_count(COUNT_OBJECTS, 1);
	heap_count(COUNT_BYTES, (int64_t)heap_bytes(nr));
	heap.stubs[nr] = stub;
	stub->word = (uint32_t *)&entry->word;
	stub->data = heap_data(nr);
	return 0;
}

static bool fits(size_t bytes)
{
	return bytes >= MARVIN_SMALL && bytes <= (uint64_t)heap.slots.pages * heap.page;
}

/**
 * marvin_init() - make an object for a stub of the caller's
 * @stub: filled in; it must not move
 * @bytes: size, at least 1; all of them are 0
 *
 * A small object, or one for which there is no room in the space or the table, is in ordinary
 * memory, and stays there.
 *
 * Context: takes the locks, does no I/O; outside, it may wait for memory (brake.h).
 *
 * Return: 0; -EINVAL: no bytes, or the heap is not open; -ENOMEM.
 */
int marvin_init(struct marvin_stub *stub, size_t bytes)
{
	int err = -ENOSPC, state;
	size_t pages;

	memset(stub, 0, sizeof(*stub));
	if (!bytes || !heap.table)
		return -EINVAL;
	stub->bytes = bytes;
	if (fits(bytes)) {
		pages = (bytes + heap.page - 1) / heap.page;
		brake(pages * heap.page);
		marvin_enter();
		state = heap_lock();
		err = place(stub, (uint32_t)pages);
		if (err && !heap.told) {
			heap.told = true;
			heap_say("no room in the space or the table: objects stay in memory");
		}
		if (!err)
			set_fast(stub, true);
		heap_unlock(state);
		marvin_leave();
	}
	if (!err)
		return 0;
	stub->data = calloc(1, bytes);
	stub->word = stub->data ? &always : NULL;
	set_fast(stub, true);
	return stub->data ? 0 : -ENOMEM;
}

/**
 * marvin_fini() - free the object of a stub
 * @stub: of marvin_init(); it stands for nothing afterwards
 *
 * Context: takes the locks, does no I/O. The object has no pins.
 */
void marvin_fini(struct marvin_stub *stub)
{
	uint32_t nr;
	int state;

	if (!stub->word)
		return;
	if (stub->word == &always) {
		free(stub->data);
	} else {
		nr = number(stub);
		marvin_enter();
		state = heap_lock();
		if (!(heap_word(nr) & ENTRY_LAZY))
			brake_less(heap_bytes(nr));
		/* The saver needs its place until it has written. */
		heap.stubs[nr] = NULL;
		if (heap_word(nr) & ENTRY_BUSY)
			atomic_fetch_or(&heap.entries[nr].word, ENTRY_DEAD);
		else
			heap_release(nr);
		heap_unlock(state);
		marvin_leave();
	}
	memset(stub, 0, sizeof(*stub));
}

/**
 * marvin_new() - make an object
 * @bytes: size, as for marvin_init()
 *
 * Return: the object, the caller's; NULL with errno as of marvin_init().
 */
marvin_ref marvin_new(size_t bytes)
{
	marvin_ref ref = malloc(sizeof(*ref));
	int err = ref ? marvin_init(ref, bytes) : -ENOMEM;

	if (!err)
		return ref;
	free(ref);
	errno = -err;
	return NULL;
}

/**
 * marvin_free() - the end of an object
 * @ref: of marvin_new(), or NULL
 */
void marvin_free(marvin_ref ref)
{
	if (ref)
		marvin_fini(ref);
	free(ref);
}

/**
 * marvin_stats() - what happened so far
 * @stats: filled in
 */
void marvin_stats(struct marvin_stats *stats)
{
	static const struct { enum count count; size_t at; } fields[] = {
		{ COUNT_OBJECTS, offsetof(struct marvin_stats, objects) },
		{ COUNT_BYTES, offsetof(struct marvin_stats, bytes) },
		{ COUNT_TICKS, offsetof(struct marvin_stats, ticks) },
		{ COUNT_SAVED, offsetof(struct marvin_stats, saved) },
		{ COUNT_SAVED_BYTES, offsetof(struct marvin_stats, saved_bytes) },
		{ COUNT_LAZY, offsetof(struct marvin_stats, lazy) },
		{ COUNT_CLAIMED, offsetof(struct marvin_stats, claimed) },
		{ COUNT_LOADED, offsetof(struct marvin_stats, loaded) },
		{ COUNT_LOADED_BYTES, offsetof(struct marvin_stats, loaded_bytes) },
		{ COUNT_DROPPED, offsetof(struct marvin_stats, dropped) },
		{ COUNT_BROKEN, offsetof(struct marvin_stats, broken) },
		{ COUNT_STORE_ERRORS, offsetof(struct marvin_stats, store_errors) },
		{ COUNT_FULL, offsetof(struct marvin_stats, full) },
	};
	unsigned int i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; heap.table && i < sizeof(fields) / sizeof(fields[0]); i++)
		*(uint64_t *)((char *)stats + fields[i].at) =
			atomic_load_explicit(&heap.table->counts[fields[i].count],
					     memory_order_relaxed);
}
