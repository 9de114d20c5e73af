// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mapped.h"
#include "places.h"

#define PAGE 4096U

static struct {
	struct places places;
	void *memory;			/* of places */
	uint64_t memory_bytes;
	uint8_t *space;
	uint64_t bytes;			/* of the space, and of the file */
	struct places_range unused;	/* pages that the file still has */
} mapped;

/**
 * mapped_open() - map a new file
 * @directory: where it is made, without a name
 * @space: bytes of the file, which has no blocks yet
 *
 * Return: 0, or a negative errno.
 */
int mapped_open(const char *directory, uint64_t space)
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

/**
 * mapped_close() - the end of the file
 */
void mapped_close(void)
{
	munmap(mapped.space, mapped.bytes);
	munmap(mapped.memory, mapped.memory_bytes);
}

/*
 * remove_unused() - take unused pages from the file, so that the kernel neither writes them nor
 * reads them again. If that fails, they are zeroed
 */
static void remove_unused(void)
{
	uint8_t *at = mapped.space + mapped.unused.page * (uint64_t)PAGE;
	size_t bytes = mapped.unused.pages * (size_t)PAGE;

	if (bytes && madvise(at, bytes, MADV_REMOVE))
		memset(at, 0, bytes);
	mapped.unused.pages = 0;
}

/**
 * mapped_new() - take memory
 * @bytes: size
 *
 * Return: the object, whose bytes are zero; NULL: the space is used up.
 */
void *mapped_new(size_t bytes)
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

/**
 * mapped_free() - give it back
 * @object: of mapped_new()
 */
void mapped_free(void *object)
{
	struct places_range *old = &mapped.unused, range = { 0, 0 };

	places_give(&mapped.places, (uint64_t)((uint8_t *)object - mapped.space), &range);
	if (!range.pages)
		return;
	/* Objects side by side are often freed one after the other: one call for all of them. */
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

/**
 * mapped_resize() - change its size and its place
 * @object: of mapped_new()
 * @bytes: new size
 *
 * Return: the object; NULL: the space is used up, and the object is unchanged.
 */
void *mapped_resize(void *object, size_t bytes)
{
	void *new = mapped_new(bytes);
	uint64_t at;
	size_t before = 0;

	if (!new)
		return NULL;
	places_find(&mapped.places, (uint64_t)((uint8_t *)object - mapped.space), &at, &before);
	memcpy(new, object, before < bytes ? before : bytes);
	mapped_free(object);
	return new;
}

/**
 * mapped_background() - write all, and have the kernel take it
 *
 * Context: sleeps for I/O.
 *
 * Return: 0, or a negative errno.
 */
int mapped_background(void)
{
	if (msync(mapped.space, mapped.bytes, MS_SYNC) ||
	    madvise(mapped.space, mapped.bytes, MADV_PAGEOUT))
		return -errno;
	return 0;
}
