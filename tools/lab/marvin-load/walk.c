// SPDX-License-Identifier: GPL-2.0
/*
 * HeapWalker of the paper: a walk over objects of 4 KB. After each of them it uses --ratio objects
 * of a small working set. It prints the time of each walk.
 */
#include <stdio.h>
#include <stdlib.h>
#include "contents.h"
#include "heapkind.h"
#include "loads.h"

#define SMALL 4076U
#define HOT 64U

/* use() - an access that the compiler keeps, where it may have one walk for all rounds */
static inline uint64_t use(const uint64_t *object)
{
	return __atomic_load_n(&object[5], __ATOMIC_RELAXED);
}

static uint64_t walk(const struct load_options *options, uint64_t *const *objects, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i, k;

	for (i = HOT; i < n; i++) {
		sum += use(objects[i]);
		for (k = 0; k < options->ratio; k++)
			sum += use(objects[(i + k) % HOT]);
	}
	return sum;
}

int walk_run(const struct load_options *options)
{
	uint32_t n = options->mib * 256, i, round;
	uint64_t **objects = calloc(n, sizeof(*objects));
	uint64_t sum, begin_us;

	if (!objects || heapkind_open(options))
		return LOAD_FAILED;
	for (i = 0; i < n; i++) {
		objects[i] = heapkind_new(SMALL);
		if (!objects[i])
			return LOAD_FAILED;
		contents_fill(objects[i], SMALL, i);
	}
	for (round = 0; round < (options->rounds ? options->rounds : 5); round++) {
		begin_us = load_now_us();
		sum = walk(options, objects, n);
		printf("%s walk %u took_us %llu sum %llx\n", options->name, round,
		       (unsigned long long)(load_now_us() - begin_us), (unsigned long long)sum);
	}
	heapkind_close();
	free(objects);
	return LOAD_RIGHT;
}
