// SPDX-License-Identifier: GPL-2.0
/*
 * MicroBenchmark of the paper: arithmetic with --ratio steps for each access to an object; what the
 * same takes without libmarvin is its overhead. The access is within a loop, which is what
 * marvin_enter() and marvin_leave() are around.
 */
#include <err.h>
#include <stdio.h>
#include "heapkind.h"
#include "loads.h"

#define OBJECTS 64U
#define BURST 256U
#define BURSTS 20000U

static inline uint64_t arithmetic(uint64_t x, uint32_t steps)
{
	while (steps--)
		x = x * 0x9e3779b97f4a7c15ULL + steps;
	return x;
}

static uint64_t burst_plain(struct piece *pieces, uint64_t x, uint32_t ratio)
{
	uint32_t i;

	for (i = 0; i < BURST; i++) {
		uint64_t *data = pieces[i % OBJECTS].stub.data;

		data[i] += x;
		x = arithmetic(x, ratio);
	}
	return x;
}

static uint64_t burst_marvin(struct piece *pieces, uint64_t x, uint32_t ratio)
{
	uint32_t i;

	marvin_enter();
	for (i = 0; i < BURST; i++) {
		uint64_t *data = marvin_write(&pieces[i % OBJECTS].stub);

		if (!data)
			errx(4, "an object is lost");
		data[i] += x;
		x = arithmetic(x, ratio);
	}
	marvin_leave();
	return x;
}

int micro_run(const struct load_options *options)
{
	static struct piece pieces[OBJECTS];
	uint64_t begin_us, x = 1;
	uint32_t i;

	if (heapkind_open(options->plain, options->store, options->tick_ms))
		return LOAD_FAILED;
	for (i = 0; i < OBJECTS; i++)
		if (piece_make(&pieces[i], 4096, i))
			return LOAD_FAILED;
	begin_us = load_now_us();
	for (i = 0; i < BURSTS; i++)
		x = options->plain ? burst_plain(pieces, x, options->ratio) :
				     burst_marvin(pieces, x, options->ratio);
	printf("%s micro ratio %u took_us %llu sum %llx\n", options->name, options->ratio,
	       (unsigned long long)(load_now_us() - begin_us), (unsigned long long)x);
	heapkind_close();
	return LOAD_RIGHT;
}
