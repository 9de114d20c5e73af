/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A free list that is too simple to be wrong: it has a byte for each granule, and answers each
 * question with a loop over all of them.
 */
#ifndef HORRIBLE_FREELIST_H
#define HORRIBLE_FREELIST_H

#include <linux/minmax.h>

#include "harness.h"
#include "inplace_freelist.h"

/* On media with at most this many leaves, every policy searches exhaustively. */
#define HORRIBLE_EXACT_LEAVES	4U

/* The class of all fragments of 512 granules and more. */
#define HORRIBLE_CLASS_TOP	56U

/**
 * struct horrible_freelist - the model
 * @used: for each granule: not 0 while it is in use
 * @runs: the free fragments in order, filled by horrible_scan()
 * @nruns: number of @runs
 * @free: number of free granules, filled by horrible_scan()
 */
struct horrible_freelist {
	u8 *used;
	struct mtdc_extent *runs;
	u32 nruns;
	u32 free;
};

static inline void horrible_init(struct horrible_freelist *model, u32 granules)
{
	model->used = test_alloc(granules);
	model->runs = test_alloc((granules / 2 + 1) * sizeof(*model->runs));
}

static inline void horrible_exit(struct horrible_freelist *model)
{
	free(model->used);
	free(model->runs);
}

static inline void horrible_scan(struct horrible_freelist *model, u32 granules)
{
	u32 i;

	model->nruns = 0;
	model->free = 0;
	for (i = 0; i < granules; i++) {
		if (model->used[i])
			continue;
		if (!i || model->used[i - 1])
			model->runs[model->nruns++] = (struct mtdc_extent) { i, 0 };
		model->runs[model->nruns - 1].len++;
		model->free++;
	}
}

/* Length class: exact below 8, then eight steps an octave; 512 and more are one class. */
static inline unsigned int horrible_class(u32 len)
{
	unsigned int class = 8;
	u32 octave = 8;

	if (len < 8)
		return len;
	if (len >= 512)
		return HORRIBLE_CLASS_TOP;
	for (; len >= 2 * octave; octave *= 2)
		class += 8;
	return class + (len - octave) / (octave / 8);
}

/* The lowest class whose fragments all have at least @len granules. */
static inline unsigned int horrible_class_ceil(u32 len)
{
	return horrible_class(len) + (horrible_class(len - 1) == horrible_class(len));
}

/* The longest fragment; the lowest address if several have that length. */
static inline struct mtdc_extent horrible_largest(const struct horrible_freelist *model)
{
	struct mtdc_extent largest = { 0, 0 };
	u32 i;

	for (i = 0; i < model->nruns; i++)
		if (model->runs[i].len > largest.len)
			largest = model->runs[i];
	return largest;
}

/* The shortest fragment that fits; the lowest address if several have that length. */
static inline struct mtdc_extent horrible_tightest(const struct horrible_freelist *model, u32 len)
{
	struct mtdc_extent tightest = { 0, 0 };
	u32 i;

	for (i = 0; i < model->nruns; i++)
		if (model->runs[i].len >= len &&
		    (!tightest.len || model->runs[i].len < tightest.len))
			tightest = model->runs[i];
	return tightest;
}

/*
 * Best fit: in the length class of the shortest fragment that fits, the shortest one of the lowest
 * leaf.
 */
static inline u32 horrible_best(const struct horrible_freelist *model, u32 len)
{
	unsigned int class = horrible_class(horrible_tightest(model, len).len);
	const struct mtdc_extent *best = NULL;
	u32 i;

	for (i = 0; i < model->nruns; i++) {
		const struct mtdc_extent *run = &model->runs[i];

		if (run->len < len || horrible_class(run->len) != class)
			continue;
		if (best && best->start / MTDC_LEAF_GRANULES != run->start / MTDC_LEAF_GRANULES)
			break;
		if (!best || run->len < best->len)
			best = run;
	}
	return best->start;
}

/*
 * The rotating policy takes the next suitable fragment from the cursor on, then from the start. A
 * fragment is suitable if its class is one of the two lowest whose fragments all fit, or a class
 * whose fragments fit any page. (All of the top class count as such.) With more than a fifth free,
 * each higher class is suitable, too. U32_MAX if no fragment is suitable; then best fit decides.
 */
static inline u32 horrible_rotate(const struct horrible_freelist *model,
				  const struct mtdc_freelist *fl, u32 len, u32 cursor)
{
	unsigned int ceil = min(horrible_class_ceil(len), HORRIBLE_CLASS_TOP);
	unsigned int roomy = min(horrible_class_ceil(fl->top), HORRIBLE_CLASS_TOP);
	bool room = model->free > fl->granules / 5;
	unsigned int lap;
	u32 i;

	for (lap = 0; lap < 2; lap++) {
		for (i = 0; i < model->nruns; i++) {
			struct mtdc_extent run = model->runs[i];
			unsigned int class;

			if (!lap && run.start < cursor) {
				if (run.start + run.len <= cursor)
					continue;
				run.len -= cursor - run.start;
				run.start = cursor;
			}
			class = horrible_class(run.len);
			if (run.len >= len &&
			    (class >= roomy ||
			     (class >= ceil && (room || class <= ceil + 1))))
				return run.start;
		}
	}
	return U32_MAX;
}

/*
 * Number of fragments that a page is split into, or -ENOSPC. While the page does not fit in one
 * piece, it gets the whole largest fragment, if that is worth its header.
 */
static inline int horrible_fits(const struct horrible_freelist *model,
				const struct mtdc_freelist *fl, u32 bytes, unsigned int max)
{
	struct mtdc_extent *runs = model->runs;
	struct horrible_freelist copy = *model;
	unsigned int n;
	int result = -ENOSPC;

	copy.runs = test_alloc(copy.nruns * sizeof(*runs));
	memcpy(copy.runs, runs, copy.nruns * sizeof(*runs));
	for (n = 1; n <= max; n++) {
		struct mtdc_extent largest = horrible_largest(&copy);
		u32 room = largest.len * fl->granule_bytes;
		u32 i;

		if (room >= bytes + fl->header_bytes) {
			result = n;
			break;
		}
		if (room < MTDC_FRAGMENT_MIN)
			break;
		bytes -= room - fl->header_bytes;
		for (i = 0; i < copy.nruns; i++)
			if (copy.runs[i].start == largest.start)
				copy.runs[i].len = 0;
	}
	free(copy.runs);
	return result;
}

#endif /* HORRIBLE_FREELIST_H */
