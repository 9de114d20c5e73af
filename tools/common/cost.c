// SPDX-License-Identifier: GPL-2.0
/* The cost of reading a page: from the swap, and from the disks that hold files. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "cost.h"
#include "parse.h"
#include "space.h"
#include "sys.h"

/* read_swap() - the name of the swap that is used first, without its directory; "" without */
static void read_swap(char *name, size_t size)
{
	struct swap_line swap, first = { .priority = -1000 };
	const char *line, *base;
	char text[8192];

	name[0] = '\0';
	if (sys_read("/proc/swaps", text, sizeof(text)) <= 0)
		return;
	for (line = parse_next_line(text); line; ) {
		line = parse_swap(line, &swap);
		if (swap.name[0] && swap.priority > first.priority)
			first = swap;
	}
	base = strrchr(first.name, '/');
	snprintf(name, size, "%s", base ? base + 1 : first.name);
}

/* disk_ns() - milliseconds of all reads, by the pages that they read */
static uint64_t disk_ns(const char *name)
{
	unsigned long long sectors = 0, ticks = 0;
	char path[SYS_PATH], text[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", name);
	if (sys_read(path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%*u %*u %llu %llu", &sectors, &ticks) != 2 || sectors < 8)
		return 0;
	return ticks * 1000000 / (sectors / 8);
}

/** cost_swap_ns() - nanoseconds to read a page from the first swap; 0: not known, or zram */
uint64_t cost_swap_ns(void)
{
	char name[128], text[8192];
	uint64_t ns;

	read_swap(name, sizeof(name));
	if (!name[0] || !strncmp(name, "zram", 4))
		return 0;
	if (!space_statistics(name, text, sizeof(text)) && parse_key(text, "read_avg_ns", &ns))
		return ns;
	return disk_ns(name);
}

/** cost_swap_write_ns() - nanoseconds to write a page, if the first swap is MTDCOMPR; else 0 */
uint64_t cost_swap_write_ns(void)
{
	char name[128], text[8192];
	uint64_t ns;

	read_swap(name, sizeof(name));
	if (!name[0] || space_statistics(name, text, sizeof(text)) ||
	    !parse_key(text, "write_avg_ns", &ns))
		return 0;
	return ns;
}

/* is_memory() - disks whose reads wait for nothing, or that stand on others that are counted */
static bool is_memory(const char *name)
{
	return !strncmp(name, "ram", 3) || !strncmp(name, "loop", 4) || !strncmp(name, "zram", 4) ||
	       !strncmp(name, "dm-", 3) || !strncmp(name, "md", 2);
}

/* is_below() - is a partition the disk itself, or on it: sda1 on sda, mmcblk0p1 on mmcblk0? */
static bool is_below(const char *partition, const char *disk)
{
	size_t len = strlen(disk);
	const char *rest = partition + len;

	if (strncmp(partition, disk, len))
		return false;
	if (len && isdigit((unsigned char)disk[len - 1]) && *rest && *rest++ != 'p')
		return false;
	return !rest[strspn(rest, "0123456789")];
}

/* take_disk() - add a line, if it is a whole one */
static void take_disk(const char *line, size_t len, const char *swap, struct cost_reads *reads)
{
	unsigned long long sectors, ms, busy;
	char text[256], name[64];
	int n;

	if (len >= sizeof(text))
		return;
	memcpy(text, line, len);
	text[len] = '\0';
	n = sscanf(text, "%*u %*u %63s %*u %*u %llu %llu %*u %*u %*u %*u %*u %llu", name, &sectors,
		   &ms, &busy);
	if (n < 3)
		return;
	/* The swap, and the disk that it is a partition of. */
	if (is_memory(name) || is_below(swap, name))
		return;
	reads->pages += sectors / 8;
	reads->ms += ms;
	reads->busy_ms += n == 4 ? busy : ms;
}

/**
 * cost_page_ns() - nanoseconds for a page that was read between two counts; 0: not known. PURE
 *
 * If requests wait for each other, each counts its own wait: then the disks' busy time is less.
 */
uint64_t cost_page_ns(const struct cost_reads *before, const struct cost_reads *now)
{
	uint64_t ms = now->ms - before->ms, busy_ms = now->busy_ms - before->busy_ms;

	if (now->pages <= before->pages || now->ms < before->ms || now->busy_ms < before->busy_ms)
		return 0;
	return (ms < busy_ms ? ms : busy_ms) * 1000000 / (now->pages - before->pages);
}

/**
 * cost_disks() - the reads of disks that hold files. PURE
 * @diskstats: contents of /proc/diskstats
 * @swap: the name of a disk or partition that is left out; may be empty
 * @reads: filled in
 *
 * A disk with partitions counts twice, in pages and in time, which leaves the cost of one right.
 */
void cost_disks(const char *diskstats, const char *swap, struct cost_reads *reads)
{
	const char *line = diskstats, *end;

	memset(reads, 0, sizeof(*reads));
	/* A line without an end was cut. */
	for (; (end = strchr(line, '\n')); line = end + 1)
		take_disk(line, (size_t)(end - line), swap, reads);
}

/** cost_file_reads() - cost_disks() until now, without the swap */
int cost_file_reads(struct cost_reads *reads)
{
	char swap[128], text[16384];
	ssize_t n = sys_read("/proc/diskstats", text, sizeof(text));

	if (n < 0)
		return (int)n;
	read_swap(swap, sizeof(swap));
	cost_disks(text, swap, reads);
	return 0;
}
