// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "knobs.h"
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
