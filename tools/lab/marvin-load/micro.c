// SPDX-License-Identifier: GPL-2.0
/*
 * MicroBenchmark of the paper: arithmetic with --ratio steps for each access to an object. The
 * difference to plain memory is libmarvin's overhead.
 */
#include <stdio.h>
#include "heapkind.h"
#include "loads.h"

#define OBJECTS 64U
#define WORDS 512U
#define ACCESSES 5120000U

static inline uint64_t arithmetic(uint64_t x, uint32_t steps)
{
	while (steps--)
		x = x * 0x9e3779b97f4a7c15ULL + steps;
	return x;
}

/* add() - to a word, with a read and a write that the compiler keeps */
static inline void add(uint64_t *word, uint64_t x)
{
	__atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + x, __ATOMIC_RELAXED);
}

int micro_run(const struct load_options *options)
{
	static uint64_t *objects[OBJECTS];
	uint64_t begin_us, x = 1;
	uint32_t i;

	if (heapkind_open(options))
		return LOAD_FAILED;
	for (i = 0; i < OBJECTS; i++) {
		objects[i] = heapkind_new(WORDS * sizeof(uint64_t));
		if (!objects[i])
			return LOAD_FAILED;
	}
	begin_us = load_now_us();
	for (i = 0; i < ACCESSES; i++) {
		add(&objects[i % OBJECTS][i % WORDS], x);
		x = arithmetic(x, options->ratio);
	}
	printf("%s micro ratio %u took_us %llu sum %llx\n", options->name, options->ratio,
	       (unsigned long long)(load_now_us() - begin_us), (unsigned long long)x);
	heapkind_close();
	return LOAD_RIGHT;
}
