/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heaps that save and give pages on the caller's demand, and the contents of pages.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench.h"

#define MEMORY_PAGE 4096U

struct marvin *memory_open(const struct bench_options *options, const char *store, uint64_t bytes,
			   uint32_t tick_ms);
bool memory_save(struct marvin *heap);
void memory_fill(uint8_t *at, size_t bytes, uint64_t seed);
bool memory_is_page(const uint8_t *at, uint32_t nr, uint64_t seed);
double memory_resident(const void *at, size_t bytes);

#endif
