// SPDX-License-Identifier: GPL-2.0
/*
 * HeapWalker of the paper: a walk over objects of 4 KB in which for each one of those that are not
 * used otherwise --ratio of a small working set are used. It prints what each walk took.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include "heapkind.h"
#include "loads.h"

#define SMALL 4076U
#define HOT 64U

/* touch() - one word of an object is read; false: it is lost */
static bool touch(const struct load_options *options, struct piece *piece, uint64_t *sum)
{
	const uint64_t *data = piece_read(piece);

	if (data)
		*sum += data[5];
	if (!options->plain)
		marvin_leave();
	return data;
}

static bool walk(const struct load_options *options, struct piece *pieces, uint32_t n,
		 uint64_t *sum)
{
	uint32_t i, k;

	for (i = HOT; i < n; i++) {
		if (!touch(options, &pieces[i], sum))
			return false;
		for (k = 0; k < options->ratio; k++)
			if (!touch(options, &pieces[(i + k) % HOT], sum))
				return false;
	}
	return true;
}

int walk_run(const struct load_options *options)
{
	uint32_t n = options->mib * 256, i, round;
	struct piece *pieces = calloc(n, sizeof(*pieces));
	uint64_t sum = 0, begin_us;

	if (!pieces || heapkind_open(options->plain, options->store, options->tick_ms))
		return LOAD_FAILED;
	for (i = 0; i < n; i++)
		if (piece_make(&pieces[i], SMALL, i))
			return LOAD_FAILED;
	for (round = 0; round < (options->rounds ? options->rounds : 5); round++) {
		begin_us = load_now_us();
		if (!walk(options, pieces, n, &sum))
			errx(4, "%s: an object is lost", options->name);
		printf("%s walk %u took_us %llu sum %llx\n", options->name, round,
		       (unsigned long long)(load_now_us() - begin_us), (unsigned long long)sum);
	}
	heapkind_close();
	free(pieces);
	return LOAD_RIGHT;
}
