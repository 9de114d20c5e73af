// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "knobs.h"
#include "parse.h"
#include "space.h"
#include "sys.h"
#include "undo.h"

#define CLUSTER "/proc/sys/vm/page-cluster"
#define AROUND "/sys/kernel/debug/fault_around_bytes"

static int set(const char *path, uint64_t value, bool on)
{
	return on ? undo_rewrite(path) : undo_write_u64(path, value);
}

/**
 * knobs_swap_readahead() - whether pages beside the one that is needed are read from the swap
 * @on: as it was before; else off
 *
 * Return: 0, or a negative errno.
 */
int knobs_swap_readahead(bool on)
{
	return set(CLUSTER, 0, on);
}

static int disk(const char *name, void *arg)
{
	char path[SYS_PATH];

	/* Their swap is memory; the rest has nothing to read ahead. */
	if (!strncmp(name, "ram", 3) || !strncmp(name, "loop", 4) || !strncmp(name, "zram", 4))
		return 0;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", name);
	set(path, 0, *(const bool *)arg);
	return 0;
}

/**
 * knobs_all() - algorithm 2, lines 6, 7 and 11: readahead of disks, pages around a fault
 * @on: as it was before; else off
 *
 * Return: 0; or a negative errno of the last that could not be set.
 */
int knobs_all(bool on)
{
	int err = knobs_swap_readahead(on), disks = sys_each_entry("/sys/block", disk, &on);

	if (disks < 0)
		err = disks;
	/* Only with debugfs mounted. */
	if (sys_writable(AROUND))
		disks = set(AROUND, sys_page_size(), on);
	return disks < 0 ? disks : err;
}

/**
 * knobs_drop_cache() - algorithm 2, line 5: the page cache of the whole system
 *
 * Return: 0, or a negative errno.
 */
int knobs_drop_cache(void)
{
	return sys_write("/proc/sys/vm/drop_caches", "1");
}

/* disk_ns() - milliseconds of all reads, by their number */
static uint64_t disk_ns(const char *name)
{
	unsigned long long reads = 0, ticks = 0;
	char path[SYS_PATH], text[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", name);
	if (sys_read(path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%llu %*u %*u %llu", &reads, &ticks) != 2 || !reads)
		return 0;
	return ticks * 1000000 / reads;
}

/**
 * knobs_read_ns() - what a page costs that is read from the swap, with the one used first
 *
 * Return: nanoseconds; 0, if that is not known, or in memory, as zram's is.
 */
uint64_t knobs_read_ns(void)
{
	struct swap_line swap, first = { .priority = -1000 };
	const char *line, *name;
	char text[8192];
	uint64_t ns;

	if (sys_read("/proc/swaps", text, sizeof(text)) <= 0)
		return 0;
	for (line = parse_next_line(text); line; ) {
		line = parse_swap(line, &swap);
		if (swap.name[0] && swap.priority > first.priority)
			first = swap;
	}
	name = strrchr(first.name, '/');
	name = name ? name + 1 : first.name;
	if (!name[0] || !strncmp(name, "zram", 4))
		return 0;
	if (!space_statistics(name, text, sizeof(text)) && parse_key(text, "read_avg_ns", &ns))
		return ns;
	return disk_ns(name);
}
