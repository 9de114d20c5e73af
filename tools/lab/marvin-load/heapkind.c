// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "heapkind.h"
#include "mapped.h"
#include "sigbus.h"

static struct marvin *heap;		/* NULL: plain memory, or a mapped file */
static bool is_mapped;

/* road() - the one of a name; all of them have one */
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
 * From here on a SIGBUS ends the program with LOAD_LOST, see sigbus_to().
 *
 * Return: 0, or a negative errno, which was said.
 */
int heapkind_open(const struct load_options *options)
{
	struct marvin_options of = MARVIN_OPTIONS;
	/*
	 * Objects change their sizes, and large ones are sparse: some of these, whatever --mib is.
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
 * heapkind_close() - free all of it
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
 * heapkind_heap() - the heap, for what plain memory has not
 *
 * Return: the heap; NULL: memory is plain, or mapped.
 */
struct marvin *heapkind_heap(void)
{
	return heap;
}

/**
 * heapkind_new() - take memory
 * @bytes: size
 *
 * Return: the object, whose bytes are zero; NULL: the memory is used up.
 */
void *heapkind_new(size_t bytes)
{
	if (is_mapped)
		return mapped_new(bytes);
	return heap ? marvin_new(heap, bytes) : calloc(1, bytes);
}

/**
 * heapkind_resize() - change its size, perhaps its place
 * @object: of heapkind_new()
 * @bytes: new size
 *
 * Return: the object; NULL: the memory is used up, and the object is unchanged.
 */
void *heapkind_resize(void *object, size_t bytes)
{
	if (is_mapped)
		return mapped_resize(object, bytes);
	return heap ? marvin_resize(heap, object, bytes) : realloc(object, bytes);
}

/**
 * heapkind_free() - give it back
 * @object: of heapkind_new(), or NULL
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
 * heapkind_background() - the program goes to the background: its memory may be taken
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
 * Return: 0, and heapkind_unpin() has to follow; or a negative errno: they cannot be read.
 */
int heapkind_pin(const void *object, size_t bytes)
{
	return heap ? marvin_pin(heap, object, bytes) : 0;
}

/**
 * heapkind_unpin() - the end of heapkind_pin()
 * @object: the same
 * @bytes: the same
 */
void heapkind_unpin(const void *object, size_t bytes)
{
	if (heap)
		marvin_unpin(heap, object, bytes);
}
