// SPDX-License-Identifier: GPL-2.0
/*
 * The heap as a whole: its memory, its store, and what becomes of it in a fork.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>
#include "gate.h"
#include "heap.h"
#include "register.h"
#include "saver.h"

#define heap marvin_heap
#define DEFAULT_SPACE (sizeof(void *) > 4 ? 512ULL << 20 : 128ULL << 20)
#define DEFAULT_OBJECTS 60000U
#define MOST_OBJECTS (1U << 24)

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static size_t bitmap_bytes(void)
{
	return (heap.slots.pages + 63) / 64 * sizeof(uint64_t);
}

/* map_table() - in memory that marvind can map, and that nobody can make smaller */
static int map_table(uint32_t objects)
{
	void *at;

	heap.table_bytes = sizeof(*heap.table) + objects * sizeof(*heap.entries);
	heap.table_fd = store_above_stdio(memfd_create("marvin",
						       MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (heap.table_fd < 0 || ftruncate(heap.table_fd, (off_t)heap.table_bytes) ||
	    fcntl(heap.table_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	at = mmap(NULL, heap.table_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, heap.table_fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	heap.table = at;
	heap.table->objects = objects;
	heap.entries = (struct marvin_entry *)(heap.table + 1);
	return 0;
}

static int map_all(const struct marvin_options *options)
{
	uint64_t wanted = options->space ? options->space : DEFAULT_SPACE;
	uint32_t objects = options->objects ? options->objects : DEFAULT_OBJECTS;
	uint64_t *bits, *stale;
	size_t space;
	int err;

	heap.page = (size_t)sysconf(_SC_PAGESIZE);
	if (wanted < heap.page || wanted > SIZE_MAX / 2 || wanted / heap.page >= SLOTS_NONE ||
	    objects > MOST_OBJECTS)
		return -EINVAL;
	space = (size_t)(wanted - wanted % heap.page);
	err = map_table(objects);
	if (err)
		return err;
	heap.slots.pages = (uint32_t)(space / heap.page);
	heap.space = map(space);
	bits = map(bitmap_bytes());
	stale = map(bitmap_bytes());
	heap.spare = map(objects * sizeof(*heap.spare));
	heap.stubs = map(objects * sizeof(*heap.stubs));
	if (!heap.space || !bits || !stale || !heap.spare || !heap.stubs)
		return -ENOMEM;
	/* A page of an object is given and taken by itself. */
	madvise(heap.space, space, MADV_NOHUGEPAGE);
	slots_begin(&heap.slots, bits, (uint32_t)(space / heap.page));
	slots_begin(&heap.stale, stale, heap.slots.pages);
	return 0;
}

static void unmap(void *at, size_t bytes)
{
	if (at)
		munmap(at, bytes);
}

static void unmap_all(void)
{
	size_t bytes = bitmap_bytes();
	uint32_t objects = heap.table ? heap.table->objects : 0;

	unmap(heap.space, heap.slots.pages * heap.page);
	unmap(heap.slots.bits, bytes);
	unmap(heap.stale.bits, bytes);
	unmap(heap.spare, objects * sizeof(*heap.spare));
	unmap(heap.stubs, objects * sizeof(*heap.stubs));
	unmap(heap.table, heap.table_bytes);
	if (heap.table_fd >= 0)
		close(heap.table_fd);
}

/* forget_all() - but for the lock, and what was in it */
static void forget_all(void)
{
	pthread_mutex_t lock = heap.lock;

	memset(&heap, 0, sizeof(heap));
	heap.lock = lock;
	heap.table_fd = -1;
	heap.store.fd = -1;
}

static void describe(void)
{
	struct marvin_table *table = heap.table;
	const char *name = heap.options.name ? heap.options.name : program_invocation_short_name;

	table->entry_bytes = sizeof(*heap.entries);
	table->page_bytes = (uint32_t)heap.page;
	table->space = (uintptr_t)heap.space;
	table->space_pages = heap.slots.pages;
	strncpy(table->name, name, sizeof(table->name) - 1);
	table->magic = TABLE_MAGIC;
}

/*
 * A copy of the table as it is at the fork: the child may not look at the parent's, nor change
 * it.
 */
static void *forked_table;

static void before_fork(void)
{
	/* Also without a heap: the child may open one, and has but one of the threads. */
	gate_lock();
	if (!heap.table)
		return;
	pthread_mutex_lock(&heap.lock);
	forked_table = map(heap.table_bytes);
	if (forked_table)
		memcpy(forked_table, heap.table,
		       sizeof(*heap.table) + heap.high * sizeof(*heap.entries));
}

static void in_parent(void)
{
	if (heap.table) {
		unmap(forked_table, heap.table_bytes);
		pthread_mutex_unlock(&heap.lock);
	}
	gate_unlock();
}

/*
 * keep_objects() - those of a child stay in memory from now on; one that is not there is read from
 * the parent's store, as long as that has it
 */
static void keep_objects(void)
{
	uint32_t nr;

	heap.forked = true;
	if (!forked_table ||
	    mremap(forked_table, heap.table_bytes, heap.table_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		   heap.table) == MAP_FAILED)
		abort();
	close(heap.table_fd);
	heap.table_fd = -1;
	heap.table->reclaimer = 0;
	/* Nobody saves them any more. */
	for (nr = 0; nr < heap.high; nr++) {
		uint32_t word = heap_word(nr);

		if (word & ENTRY_BUSY)
			atomic_fetch_or(&heap.entries[nr].word, ENTRY_DIRTY);
		atomic_fetch_and(&heap.entries[nr].word, ~(ENTRY_BUSY | ENTRY_LOCK));
		if (word & ENTRY_DEAD)
			heap_release(nr);
	}
	pthread_mutex_unlock(&heap.lock);
	register_forked();
	saver_forked();
}

static void in_child(void)
{
	if (heap.table)
		keep_objects();
	gate_forked();
}

static int begin_once(void)
{
	static bool begun;
	int err;

	if (begun)
		return 0;
	gate_begin();
	err = -pthread_atfork(before_fork, in_parent, in_child);
	begun = !err;
	return err;
}

/* take_store() - and say why, if the library refuses it: an errno alone does not tell what to do */
static int take_store(const char *path)
{
	const char *why;
	int err = store_open(&heap.store, path, &why);

	if (why)
		heap_say("%.100s is not used as the store: %s", path, why);
	return err;
}

static int open_heap(const struct marvin_options *options)
{
	int err;

	forget_all();
	heap.options = *options;
	heap.options.foreground_ms = options->foreground_ms ? options->foreground_ms : 5000;
	heap.options.background_ms = options->background_ms ? options->background_ms : 30000;
	err = begin_once();
	if (!err)
		err = map_all(options);
	if (!err && options->store)
		err = take_store(options->store);
	if (!err) {
		describe();
		register_begin();
		register_try();
		err = saver_begin();
	}
	if (err) {
		register_end();
		store_close(&heap.store);
		unmap_all();
		forget_all();
	}
	return err;
}

/**
 * marvin_open() - make the heap of the process
 * @options: what is wanted; all zeroes are the defaults, and no store
 *
 * Context: one thread; the names in @options have to stay. Starts a thread.
 *
 * Return: 0; -EBUSY: there is one, or the store is in use; -EINVAL: a size that cannot be, or a
 * store that is neither a file nor a block device; -ENOMEM; or another error of the store, as of
 * store_open(). If the library refuses the store, it says why.
 */
int marvin_open(const struct marvin_options *options)
{
	int err, state;

	if (heap.table)
		return -EBUSY;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = open_heap(options);
	pthread_setcancelstate(state, NULL);
	return err;
}

/* forget_stubs() - who uses one of them nevertheless gets an error, and not another object */
static void forget_stubs(void)
{
	uint32_t nr;

	for (nr = 0; nr < heap.high; nr++)
		if (heap.stubs[nr])
			memset(heap.stubs[nr], 0, sizeof(*heap.stubs[nr]));
}

static void close_heap(void)
{
	saver_end();
	register_end();
	forget_stubs();
	if (!heap.forked && !heap.store.device && heap.store.fd >= 0 && ftruncate(heap.store.fd, 0))
		heap_say("the store could not be emptied");
	/* From here on it may be another's store. A child has the file still, and the lock. */
	if (!heap.forked && heap.store.fd >= 0)
		flock(heap.store.fd, LOCK_UN);
	store_close(&heap.store);
	unmap_all();
	forget_all();
}

/**
 * marvin_close() - the end of the heap and of all its objects
 *
 * Context: one thread; nobody is inside, and nobody uses an object afterwards.
 *
 * Return: 0; -EINVAL: it is not open.
 */
int marvin_close(void)
{
	int state;

	if (!heap.table)
		return -EINVAL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	close_heap();
	pthread_setcancelstate(state, NULL);
	return 0;
}
