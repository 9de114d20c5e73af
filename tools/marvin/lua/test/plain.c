// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that the module calls, without Marvin: for the benchmark objects are memory of
 * calloc(), and none is saved.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "marvin.h"

struct marvin {
	uint64_t objects, bytes, ticks;
};

int marvin_open(struct marvin **heap, const struct marvin_options *options)
{
	(void)options;
	*heap = calloc(1, sizeof(**heap));
	return *heap ? 0 : -ENOMEM;
}

int marvin_close(struct marvin *heap)
{
	free(heap);
	return 0;
}

void *marvin_new(struct marvin *heap, size_t bytes)
{
	void *at = calloc(1, bytes);

	if (at) {
		heap->objects++;
		heap->bytes += malloc_usable_size(at);
	}
	return at;
}

void marvin_free(struct marvin *heap, void *object)
{
	if (!object)
		return;
	heap->objects--;
	heap->bytes -= malloc_usable_size(object);
	free(object);
}

int marvin_prefetch(struct marvin *heap, const void *at, size_t bytes)
{
	(void)heap, (void)at, (void)bytes;
	return 0;
}

int marvin_tick(struct marvin *heap, uint32_t budget_ms)
{
	(void)budget_ms;
	heap->ticks++;
	return 0;
}

uint64_t marvin_drop(struct marvin *heap, uint64_t bytes)
{
	(void)heap;
	(void)bytes;
	return 0;
}

int marvin_fetch(struct marvin *heap)
{
	(void)heap;
	return 0;
}

int marvin_background(struct marvin *heap, bool background)
{
	(void)heap;
	(void)background;
	return 0;
}

int marvin_info(struct marvin *heap, struct marvin_info *info)
{
	(void)heap;
	*info = (struct marvin_info){ .size = info->size, .road = MARVIN_ROAD_NONE };
	return 0;
}

const char *marvin_road_name(enum marvin_road road)
{
	return road == MARVIN_ROAD_AUTO ? "auto" : "none";
}

int marvin_stats(struct marvin *heap, struct marvin_stats *stats)
{
	*stats = (struct marvin_stats){ .size = stats->size, .objects = heap->objects,
					.bytes = heap->bytes, .ticks = heap->ticks };
	return 0;
}
