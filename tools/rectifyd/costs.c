// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "costs.h"

/* Of /proc/PID/stat: the name is the second field. */
#define NAME_FIELD 2
#define DELAY_FIELD 42

/* By enum costs_source. */
const char *const costs_names[] = { "none", "pressure", "delays", "faults" };

/**
 * costs_since() - what an app has waited
 * @before: at the beginning
 * @now: at the end, from the same source
 *
 * PSI of memory counts reads of pages that were in use when they went, and the search for free
 * ones; PSI of I/O any read that takes a device; neither counts a page that was not in use and that
 * the processor itself reads from memory, or decompresses: that is time in the kernel. So the waits
 * are I/O and that time, or those for memory, whichever is more: as much of both is the same. PURE.
 *
 * Return: microseconds.
 */
uint64_t costs_since(const struct costs *before, const struct costs *now)
{
	uint64_t memory_us = now->memory_us - before->memory_us;
	uint64_t other_us = now->io_us - before->io_us + now->system_us - before->system_us;

	if (now->source != before->source || now->memory_us < before->memory_us ||
	    now->io_us < before->io_us || now->system_us < before->system_us)
		return 0;
	return memory_us > other_us ? memory_us : other_us;
}

/**
 * costs_delay() - how long a process waited for block devices, by delay accounting
 * @stat: what /proc/PID/stat says; the name may have blanks and brackets. PURE
 *
 * Return: clock ticks; 0 where the kernel does not say.
 */
uint64_t costs_delay(const char *stat)
{
	const char *field = strrchr(stat, ')');
	unsigned long long ticks = 0;
	unsigned int nr;

	for (nr = NAME_FIELD; field && nr < DELAY_FIELD; nr++)
		field = strchr(field + 1, ' ');
	return field && sscanf(field, " %llu", &ticks) == 1 ? ticks : 0;
}
