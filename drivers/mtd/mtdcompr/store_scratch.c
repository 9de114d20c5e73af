// SPDX-License-Identifier: GPL-2.0
/*
 * Scratches: compressors with a buffer, one for each processor.
 *
 * This file owns the scratches of a device and knows which are free. front_blk.c takes one
 * for each page that it reads or writes as a whole; store.c compresses and decompresses in it
 * without the store's lock. Nearly all of the time of a page on memory goes there, so
 * several processors need not wait for each other. This file never takes the store's lock
 * and never looks into a buffer.
 *
 * A scratch has a mutex instead of being bound to a processor with preemption off, because a
 * page takes too long to compress for a real-time kernel. A task that moves to another
 * processor keeps its scratch.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "store_scratch.h"

/**
 * mtdc_scratch_get() - take a scratch, this processor's if it is free
 * @scratches: the scratches, at least one
 *
 * Context: process, may sleep, the store's lock not held.
 * Return: the scratch, with its lock held.
 */
struct mtdc_scratch *mtdc_scratch_get(struct mtdc_scratches *scratches)
{
	u32 first = raw_smp_processor_id(), i;
	struct mtdc_scratch *scratch;

	/* Another scratch may be free: its processor may be offline or idle. */
	for (i = 0; i < scratches->n; i++) {
		scratch = scratches->each[(first + i) % scratches->n];
		if (mutex_trylock(&scratch->lock))
			return scratch;
	}
	scratch = scratches->each[first % scratches->n];
	mutex_lock(&scratch->lock);
	return scratch;
}

/**
 * mtdc_scratch_put() - give a scratch back
 * @scratch: the scratch
 *
 * Context: process, its lock held.
 */
void mtdc_scratch_put(struct mtdc_scratch *scratch)
{
	lockdep_assert_held(&scratch->lock);
	scratch->data = NULL;
	mutex_unlock(&scratch->lock);
}

/**
 * mtdc_scratches_count() - add the counters of all scratches
 * @scratches: the scratches
 * @sum: where to add them
 *
 * Context: process, may sleep, the store's lock not held.
 */
void mtdc_scratches_count(struct mtdc_scratches *scratches, struct mtdc_stats *sum)
{
	u32 i;

	for (i = 0; i < scratches->n; i++) {
		struct mtdc_scratch *scratch = scratches->each[i];

		mutex_lock(&scratch->lock);
		mtdc_stats_add(sum, &scratch->stats);
		mutex_unlock(&scratch->lock);
	}
}

/**
 * mtdc_scratches_memory() - memory that all scratches take
 * @scratches: the scratches
 *
 * Return: bytes.
 */
size_t mtdc_scratches_memory(const struct mtdc_scratches *scratches)
{
	size_t bytes = 0;
	u32 i;

	for (i = 0; i < scratches->n; i++)
		bytes += sizeof(struct mtdc_scratch) +
			scratches->buffer_bytes +
			scratches->each[i]->comp.memory_bytes;
	return bytes;
}

static struct mtdc_scratch *create_one(const struct mtdc_comp *like, u32 page_bytes,
				       size_t buffer_bytes)
{
	struct mtdc_scratch *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);

	if (!scratch)
		return NULL;
	scratch->buffer = kvzalloc(buffer_bytes, GFP_KERNEL);
	if (!scratch->buffer)
		goto err_free;
	if (mtdc_comp_create(&scratch->comp, like->ops, like->level, page_bytes))
		goto err_free_buffer;
	mutex_init(&scratch->lock);
	return scratch;

err_free_buffer:
	kvfree(scratch->buffer);
err_free:
	kfree(scratch);
	return NULL;
}

/**
 * mtdc_scratches_create() - allocate scratches, as many as there is memory for
 * @scratches: the scratches
 * @n: how many are wanted, at most MTDC_SCRATCHES_MAX
 * @like: a compressor of the same algorithm and level
 * @page_bytes: length of a page
 * @buffer_bytes: size of the buffer of each, and of the store's own
 *
 * With fewer scratches, or none, pages wait for each other, and nothing else changes.
 *
 * Context: process, may sleep.
 */
void mtdc_scratches_create(struct mtdc_scratches *scratches, u32 n, const struct mtdc_comp *like,
			   u32 page_bytes, size_t buffer_bytes)
{
	scratches->buffer_bytes = buffer_bytes;
	for (scratches->n = 0; scratches->n < n; scratches->n++) {
		struct mtdc_scratch *scratch = create_one(like, page_bytes, buffer_bytes);

		if (!scratch)
			return;
		scratches->each[scratches->n] = scratch;
	}
}

/**
 * mtdc_scratches_destroy() - free all scratches
 * @scratches: the scratches, all given back
 *
 * Context: process, may sleep.
 */
void mtdc_scratches_destroy(struct mtdc_scratches *scratches)
{
	while (scratches->n) {
		struct mtdc_scratch *scratch = scratches->each[--scratches->n];

		mtdc_comp_destroy(&scratch->comp);
		kvfree_sensitive(scratch->buffer, scratches->buffer_bytes);
		mutex_destroy(&scratch->lock);
		kfree(scratch);
	}
}
