// SPDX-License-Identifier: GPL-2.0
/*
 * malloc-timer of the paper: how long it takes to have memory and to write to each page of it.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "loads.h"

int timer_run(const struct load_options *options)
{
	size_t bytes = (size_t)options->mib << 20, page = (size_t)sysconf(_SC_PAGESIZE), at;
	uint64_t begin_us = load_now_us(), cpu_us = load_cpu_us();
	uint8_t *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		warn("%s: %u MiB", options->name, options->mib);
		return LOAD_FAILED;
	}
	for (at = 0; at < bytes; at += page)
		map[at] = (uint8_t)(at / page);
	printf("%s timer mib %u at_us %llu took_us %llu cpu_us %llu\n", options->name, options->mib,
	       (unsigned long long)begin_us, (unsigned long long)(load_now_us() - begin_us),
	       (unsigned long long)(load_cpu_us() - cpu_us));
	for (at = 0; at < bytes; at += page)
		if (map[at] != (uint8_t)(at / page))
			return LOAD_WRONG;
	return LOAD_RIGHT;
}
