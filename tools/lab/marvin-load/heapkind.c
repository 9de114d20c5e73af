// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the loads: a heap of libmarvin, plain memory, or objects in a shared file mapping,
 * which a program can use without libmarvin. The kernel writes the mapping's pages to the file
 * and reclaims them; this kind is for one thread.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "heapkind.h"
#include "places.h"

static struct marvin *heap;		/* NULL: plain memory, or a mapped file */
static bool is_mapped;

#define PAGE 4096U

static struct {
	struct places places;
	void *memory;			/* memory of the allocator of places */
	uint64_t memory_bytes;
	uint8_t *space;
	uint64_t bytes;			/* of the space, and of the file */
	struct places_range unused;	/* pages that the file still has */
} mapped;				/* used if is_mapped */

/* Makes a file without a name and without blocks. */
static int mapped_open(const char *directory, uint64_t space)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), err = 0;

	if (fd < 0)
		return -errno;
	mapped.bytes = space / PAGE * PAGE;
	mapped.memory_bytes = places_memory((uint32_t)(mapped.bytes / PAGE), PAGE);
	mapped.memory = mmap(NULL, mapped.memory_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped.memory == MAP_FAILED || ftruncate(fd, (off_t)mapped.bytes))
		err = -errno;
	if (!err)
		mapped.space = mmap(NULL, mapped.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!err && mapped.space == MAP_FAILED)
		err = -errno;
	close(fd);
	if (!err)
		places_begin(&mapped.places, mapped.memory, (uint32_t)(mapped.bytes / PAGE), PAGE);
	return err;
}

static void mapped_close(void)
{
	munmap(mapped.space, mapped.bytes);
	munmap(mapped.memory, mapped.memory_bytes);
}

/*
 * remove_unused() - punch unused pages out of the file, so that the kernel neither writes nor
 * reads them. If that fails, zero them
 */
static void remove_unused(void)
{
	uint8_t *at = mapped.space + mapped.unused.page * (uint64_t)PAGE;
	size_t bytes = mapped.unused.pages * (size_t)PAGE;

	if (bytes && madvise(at, bytes, MADV_REMOVE))
		memset(at, 0, bytes);
	mapped.unused.pages = 0;
}

static void *mapped_new(size_t bytes)
{
	uint64_t at;
	bool fresh;

	remove_unused();
	at = places_take(&mapped.places, bytes, &fresh);
	if (at == PLACES_NONE)
		return NULL;
	if (!fresh)
		memset(mapped.space + at, 0, bytes);
	return mapped.space + at;
}

static void mapped_free(void *object)
{
	struct places_range *old = &mapped.unused, range = { 0, 0 };

	places_give(&mapped.places, (uint64_t)((uint8_t *)object - mapped.space), &range);
	if (!range.pages)
		return;
	/* Neighbours are often freed one after the other, so merge the ranges into one call. */
	if (old->pages && range.page + range.pages == old->page) {
		old->page = range.page;
		old->pages += range.pages;
	} else if (old->pages && old->page + old->pages == range.page) {
		old->pages += range.pages;
	} else {
		remove_unused();
		*old = range;
	}
}

/* Write all pages and make the kernel reclaim them. */
static int mapped_background(void)
{
	if (msync(mapped.space, mapped.bytes, MS_SYNC) ||
	    madvise(mapped.space, mapped.bytes, MADV_PAGEOUT))
		return -errno;
	return 0;
}

static _Thread_local sigjmp_buf *to;	/* see sigbus_to() */

static void handle(int number)
{
	static const char text[] = "a SIGBUS: bytes are lost\n";
	sigjmp_buf *where = to;

	(void)number;
	if (where) {
		to = NULL;
		siglongjmp(*where, 1);
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(STATUS_LOST);
	_exit(STATUS_LOST);
}

/* Called before the heap is opened, because the road "signal" has a handler of its own. */
static void sigbus_begin(void)
{
	struct sigaction action = { .sa_handler = handle };

	sigemptyset(&action.sa_mask);
	/* Before Linux 6.6 a lost page may raise SIGSEGV while it is read again. */
	if (sigaction(SIGBUS, &action, NULL) || sigaction(SIGSEGV, &action, NULL))
		err(STATUS_FAILED, "sigaction");
}

/**
 * sigbus_to() - set where this thread continues after its next SIGBUS
 * @where: from sigsetjmp(), with the signal mask; NULL: end the program
 */
void sigbus_to(sigjmp_buf *where)
{
	to = where;
}

/* road() - find a road by its name */
static enum marvin_road road(const char *name)
{
	enum marvin_road found = MARVIN_ROAD_NONE;

	while (found != MARVIN_ROAD_AUTO && strcmp(name, marvin_road_name(found)))
		found--;
	return found;
}

/**
 * heapkind_open() - make the heap, unless the options want plain memory
 * @options: plain, mapped, store, road, mib and tick_ms
 *
 * Afterwards a SIGBUS ends the program with STATUS_LOST, see sigbus_to().
 *
 * Return: 0, or a negative errno after an error message.
 */
int heapkind_open(const struct load_options *options)
{
	struct marvin_options of = MARVIN_OPTIONS;
	/*
	 * Room for objects that grow, and for some large sparse objects, which do not depend on
	 * --mib.
	 */
	uint64_t space = (4 * (uint64_t)options->mib + 16) << 20;
	int err;

	sigbus_begin();
	if (options->plain)
		return 0;
	is_mapped = options->mapped;
	if (is_mapped) {
		err = mapped_open(options->store, space);
		if (err)
			warnx("%s: %s", options->store, strerror(-err));
		return err;
	}
	of.store = options->store;
	of.foreground_ms = options->tick_ms;
	of.background_ms = options->tick_ms;
	of.road = options->road ? road(options->road) : MARVIN_ROAD_AUTO;
	of.space = space;
	err = marvin_open(&heap, &of);
	if (err)
		warnx("%s: %s", options->store ? options->store : "the heap", strerror(-err));
	return err;
}

/**
 * heapkind_close() - free all memory
 */
void heapkind_close(void)
{
	if (heap)
		marvin_close(heap);
	if (is_mapped)
		mapped_close();
	heap = NULL;
	is_mapped = false;
}

/**
 * heapkind_heap() - the heap, for functions that only libmarvin has
 *
 * Return: the heap; NULL for plain or mapped memory.
 */
struct marvin *heapkind_heap(void)
{
	return heap;
}

/**
 * heapkind_new() - allocate an object
 * @bytes: size
 *
 * Return: the zeroed object; NULL if the memory is used up.
 */
void *heapkind_new(size_t bytes)
{
	if (is_mapped)
		return mapped_new(bytes);
	return heap ? marvin_new(heap, bytes) : calloc(1, bytes);
}

/**
 * heapkind_resize() - resize an object, which may move; not for a mapped file
 * @object: from heapkind_new()
 * @bytes: new size
 *
 * Return: the object; NULL if the memory is used up, with the object unchanged.
 */
void *heapkind_resize(void *object, size_t bytes)
{
	return heap ? marvin_resize(heap, object, bytes) : realloc(object, bytes);
}

/**
 * heapkind_free() - free an object
 * @object: from heapkind_new(), or NULL
 */
void heapkind_free(void *object)
{
	if (is_mapped && object)
		mapped_free(object);
	else if (heap && object)
		marvin_free(heap, object);
	else
		free(object);
}

/**
 * heapkind_background() - move to the background: all memory may be taken
 *
 * Context: sleeps for I/O. Plain memory stays.
 *
 * Return: 0, or a negative errno.
 */
int heapkind_background(void)
{
	if (is_mapped)
		return mapped_background();
	return heap ? marvin_background(heap, true) : 0;
}

/**
 * heapkind_pin() - keep bytes in memory
 * @object: where they begin
 * @bytes: how many
 *
 * Return: 0, then call heapkind_unpin() later; or a negative errno if they can't be read.
 */
int heapkind_pin(const void *object, size_t bytes)
{
	return heap ? marvin_pin(heap, object, bytes) : 0;
}

/**
 * heapkind_unpin() - undo heapkind_pin()
 * @object: the same
 * @bytes: the same
 */
void heapkind_unpin(const void *object, size_t bytes)
{
	if (heap)
		marvin_unpin(heap, object, bytes);
}
