// SPDX-License-Identifier: GPL-2.0
/*
 * How much more the swap really takes. Free swap in /proc/swaps is the number of pages without a
 * name; on a compressed device the memory below it may be full long before.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "space.h"
#include "sys.h"

/*
 * If more of it is free, a single page was refused that did not shrink, or a program has ended
 * since.
 */
#define FULL_PART 8

/** space_mtdcompr() - the figures of /proc/mtdcompr/NAME */
int space_mtdcompr(const char *text, struct space_device *device)
{
	uint64_t pages, page = 0;

	device->full = !!strstr(text, "\nstate: full\n");
	if (!parse_key(text, "pages_stored", &pages) ||
	    !parse_key(text, "media_used_bytes", &device->used) ||
	    !parse_key(text, "media_free_bytes", &device->free))
		return -EINVAL;
	if (!parse_key(text, "page_bytes", &page))
		page = sys_page_size();
	return __builtin_mul_overflow(pages, page, &device->stored) ? -EINVAL : 0;
}

/** space_zram() - the figures of /sys/block/zramN/mm_stat */
int space_zram(const char *mm_stat, struct space_device *device)
{
	uint64_t figures[4], limit;
	unsigned int i;

	/* Stored, compressed, used, limit. */
	for (i = 0; i < 4; i++) {
		mm_stat += strspn(mm_stat, " ");
		if (parse_decimal(mm_stat, 0, &figures[i]))
			return -EINVAL;
		mm_stat += strcspn(mm_stat, " \n");
	}
	limit = figures[3];
	device->stored = figures[0];
	device->used = figures[2];
	device->full = false;
	device->free = !limit ? UINT64_MAX : limit > device->used ? limit - device->used : 0;
	return 0;
}

/**
 * space_left() - how much a compressed device still takes
 * @free_bytes: of the swap that no page has yet
 *
 * At the ratio of its present pages. Nothing, if it refuses pages and little of it is free: a log
 * and small fragments leave space that no page fits into. A device that holds less than 256 KiB
 * has no ratio yet: then it is taken to be 2.
 *
 * Return: bytes of pages.
 */
uint64_t space_left(uint64_t free_bytes, const struct space_device *device)
{
	uint64_t stored = device->stored, used = device->used, left, rest;

	if (device->free == UINT64_MAX)
		return free_bytes;
	if (device->full && device->free < used / FULL_PART)
		return 0;
	if (used < 256 << 10 || !stored) {
		stored = 2;
		used = 1;
	}
	/* Divided first: bytes times bytes may not fit into 64 bits. */
	rest = (uint64_t)((double)(device->free % used) * (double)(stored >> 1) /
			  (double)used * 2);
	if (__builtin_mul_overflow(device->free / used, stored, &left) ||
	    __builtin_add_overflow(left, rest, &left))
		return free_bytes;
	return left < free_bytes ? left : free_bytes;
}

struct search {
	const char *disk;
	char *text;
	size_t size;
};

/* try_device() - is this the file of that disk? An MTD may have any name. */
static int try_device(const char *name, void *arg)
{
	struct search *search = arg;
	char path[SYS_PATH], line[64];
	const char *at;

	snprintf(path, sizeof(path), "/proc/mtdcompr/%s", name);
	if (sys_read(path, search->text, search->size) <= 0)
		return 0;
	for (at = search->text; at; at = parse_next_line(at))
		if (sscanf(at, "disk: %63s", line) == 1 && !strcmp(line, search->disk))
			return 1;
	return 0;
}

/**
 * space_statistics() - read the file in /proc/mtdcompr of a disk, as "mtdcompr0"; -ENOENT
 * @size: of @text in bytes, 8192 at least
 */
int space_statistics(const char *disk, char *text, size_t size)
{
	struct search search = { disk, text, size };

	return sys_each_entry("/proc/mtdcompr", try_device, &search) == 1 ? 0 : -ENOENT;
}

/* device_left() - of a line of /proc/swaps */
static uint64_t device_left(const struct swap_line *swap)
{
	uint64_t free_bytes = (swap->size_kib - swap->used_kib) << 10;
	const char *name = strrchr(swap->name, '/');
	struct space_device device;
	char path[SYS_PATH], text[8192];

	name = name ? name + 1 : swap->name;
	if (!strncmp(name, "mtdcompr", 8)) {
		if (!space_statistics(name, text, sizeof(text)) && !space_mtdcompr(text, &device))
			return space_left(free_bytes, &device);
	} else if (!strncmp(name, "zram", 4)) {
		snprintf(path, sizeof(path), "/sys/block/%s/mm_stat", name);
		if (sys_read(path, text, sizeof(text)) > 0 && !space_zram(text, &device))
			return space_left(free_bytes, &device);
	}
	return free_bytes;
}

/** space_read() - the swap of the system; -EINVAL, if /proc/swaps is not as expected */
int space_read(struct space *space)
{
	struct swap_line swap;
	char text[4096];
	const char *line;
	ssize_t n = sys_read("/proc/swaps", text, sizeof(text));

	memset(space, 0, sizeof(*space));
	/* A kernel without swap. */
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return (int)n;
	line = parse_next_line(text);
	while (line) {
		line = parse_swap(line, &swap);
		if (!swap.name[0] || swap.used_kib > swap.size_kib)
			return -EINVAL;
		space->total += swap.size_kib << 10;
		space->used += swap.used_kib << 10;
		space->left += device_left(&swap);
	}
	return 0;
}
