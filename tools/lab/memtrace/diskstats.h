/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of /proc/diskstats, and what happened between two of them. PURE.
 */
#ifndef MEMTRACE_DISKSTATS_H
#define MEMTRACE_DISKSTATS_H

#include <stddef.h>
#include <stdint.h>

/* What one device has done since boot, or in an interval. */
struct disk {
	unsigned int major;
	unsigned int minor;
	char name[32];
	uint64_t reads;
	uint64_t writes;
	uint64_t read_sectors;		/* of 512 bytes, whatever the device has */
	uint64_t written_sectors;
	uint64_t ms;			/* that its reads and writes took, added up */
};

const char *diskstats_line(const char *line, struct disk *disk);
void diskstats_delta(const struct disk *from, const struct disk *to, struct disk *delta);
const struct disk *diskstats_find(const struct disk *disks, size_t n, unsigned int major,
				  unsigned int minor);

#endif
