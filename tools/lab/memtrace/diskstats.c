// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "diskstats.h"
#include "parse.h"

/**
 * diskstats_line() - read a line
 * @line: the line
 * @disk: the device; without a name, if it is no such line
 *
 * Return: the next line, or NULL after the last one.
 */
const char *diskstats_line(const char *line, struct disk *disk)
{
	unsigned long long reads, read_sectors, read_ms, writes, written_sectors, write_ms;

	memset(disk, 0, sizeof(*disk));
	if (sscanf(line, "%u %u %31s %llu %*u %llu %llu %llu %*u %llu %llu", &disk->major,
		   &disk->minor, disk->name, &reads, &read_sectors, &read_ms, &writes,
		   &written_sectors, &write_ms) != 9) {
		disk->name[0] = '\0';
		return parse_next_line(line);
	}
	disk->reads = reads;
	disk->writes = writes;
	disk->read_sectors = read_sectors;
	disk->written_sectors = written_sectors;
	disk->ms = read_ms + write_ms;
	return parse_next_line(line);
}

/* The kernel's counters are of 32 bits on some machines, and begin again at zero. */
static uint64_t since(uint64_t from, uint64_t to)
{
	return to >= from ? to - from : (uint32_t)(to - from);
}

/**
 * diskstats_delta() - what a device has done in an interval
 * @from: the device at its beginning, or NULL if it was not there
 * @to: the device at its end
 * @delta: the figures
 */
void diskstats_delta(const struct disk *from, const struct disk *to, struct disk *delta)
{
	*delta = *to;
	if (!from)
		return;
	delta->reads = since(from->reads, to->reads);
	delta->writes = since(from->writes, to->writes);
	delta->read_sectors = since(from->read_sectors, to->read_sectors);
	delta->written_sectors = since(from->written_sectors, to->written_sectors);
	delta->ms = since(from->ms, to->ms);
}

/**
 * diskstats_find() - find a device by its numbers
 * @disks: devices
 * @n: how many
 * @major: of the device
 * @minor: of the device
 *
 * Return: the device, or NULL.
 */
const struct disk *diskstats_find(const struct disk *disks, size_t n, unsigned int major,
				  unsigned int minor)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (disks[i].major == major && disks[i].minor == minor)
			return &disks[i];
	return NULL;
}
