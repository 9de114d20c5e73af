// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "knobs.h"
#include "parse.h"
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

struct search {
	const char *disk;
	uint64_t ns;
};

/* try_device() - is this the file of that disk? An MTD may have any name. */
static int try_device(const char *name, void *arg)
{
	struct search *search = arg;
	char path[SYS_PATH], disk_name[64], text[8192];
	const char *at;

	snprintf(path, sizeof(path), "/proc/mtdcompr/%s", name);
	if (sys_read(path, text, sizeof(text)) <= 0)
		return 0;
	for (at = text; at; at = parse_next_line(at))
		if (sscanf(at, "disk: %63s", disk_name) == 1 && !strcmp(disk_name, search->disk))
			return parse_key(text, "read_avg_ns", &search->ns) ? 1 : 0;
	return 0;
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
	struct search search = { NULL, 0 };
	char text[4096];
	const char *line, *name;

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
	search.disk = name;
	if (!strncmp(name, "mtdcompr", 8) &&
	    sys_each_entry("/proc/mtdcompr", try_device, &search) == 1)
		return search.ns;
	return disk_ns(name);
}
