// SPDX-License-Identifier: GPL-2.0
/*
 * As many scratches as processors: nearly all of the time that a page takes is spent
 * in compressors, and two processors need not wait for each other there.
 *
 * This file knows which scratch is free. What is done with it, it does not know
 * (store.c).
 *
 * A scratch is a lock and not a processor that may not be left, so that on kernels for
 * real time nothing has to wait until a page is compressed. Who is moved to another
 * processor meanwhile keeps it.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "store_scratch.h"

/**
 * mtdc_scratch_get() - take a scratch, this processor's if it is free
 * @scratches: the scratches, of which there are some
 *
 * Context: process, may sleep, the store's lock not held.
 * Return: the scratch, its lock held.
 */
struct mtdc_scratch *mtdc_scratch_get(struct mtdc_scratches *scratches)
{
	u32 first = raw_smp_processor_id(), i;
	struct mtdc_scratch *scratch;

	/* Numbers of processors have gaps, and who holds one may not be running. */
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
 * mtdc_scratch_put() - give it back
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
 * mtdc_scratches_count() - add what was counted beside the store's lock
 * @scratches: the scratches
 * @sum: what it is added to
 *
 * Context: process, may sleep, the store's lock not held.
 */
void mtdc_scratches_count(struct mtdc_scratches *scratches,
			  struct mtdc_stats *sum)
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
 * mtdc_scratches_memory() - memory that they take
 * @scratches: the scratches
 *
 * Context: any.
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

static void destroy_one(struct mtdc_scratch *scratch)
{
	mtdc_comp_destroy(&scratch->comp);
	kvfree(scratch->buffer);
	mutex_destroy(&scratch->lock);
	kfree(scratch);
}

static struct mtdc_scratch *create_one(const struct mtdc_comp *like,
				       u32 page_bytes, size_t buffer_bytes)
{
	struct mtdc_scratch *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);

	if (!scratch)
		return NULL;
	scratch->buffer = kvzalloc(buffer_bytes, GFP_KERNEL);
	if (!scratch->buffer)
		goto err_free;
	if (mtdc_comp_create(&scratch->comp, like->ops, like->level,
			     page_bytes))
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
 * mtdc_scratches_create() - allocate them, as many as there is memory for
 * @scratches: the scratches
 * @n: how many are wanted, at most MTDC_SCRATCHES_MAX
 * @like: what compressor they are to have, and of which level
 * @page_bytes: length of the pages that it will be given
 * @buffer_bytes: size of the buffer of each, and of the store's own
 *
 * With fewer of them, or none, everything works, and takes longer.
 *
 * Context: process, may sleep.
 */
void mtdc_scratches_create(struct mtdc_scratches *scratches, u32 n,
			   const struct mtdc_comp *like, u32 page_bytes,
			   size_t buffer_bytes)
{
	scratches->buffer_bytes = buffer_bytes;
	for (scratches->n = 0; scratches->n < n; scratches->n++) {
		struct mtdc_scratch *scratch = create_one(like, page_bytes,
							  buffer_bytes);

		if (!scratch)
			return;
		scratches->each[scratches->n] = scratch;
	}
}

/**
 * mtdc_scratches_destroy() - free them
 * @scratches: the scratches; nobody uses them any more
 *
 * Context: process, may sleep.
 */
void mtdc_scratches_destroy(struct mtdc_scratches *scratches)
{
	while (scratches->n)
		destroy_one(scratches->each[--scratches->n]);
}
