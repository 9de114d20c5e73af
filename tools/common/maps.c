// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /proc/PID/maps, smaps and pagemap, and opens them only for the process that is meant. The
 * kernel takes the process's mmap_lock for these reads: call them aside (aside.h). Users choose the
 * names of files: a line that is too long begins an unknown mapping, and is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "maps.h"
#include "sys.h"

/** maps_open() - a descriptor for a file in /proc/PID, never of a later process; -ESRCH */
int maps_open(struct proc_id id, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, name);
	fd = sys_open(path, O_RDONLY);
	if (fd >= 0 && !proc_alive(id)) {
		close(fd);
		fd = -ESRCH;
	}
	return fd;
}

struct reader {
	maps_fn fn;
	void *arg;
	bool known;			/* @map is one, and @fn has not had it yet */
	struct mapping map;
};

static int hand_over(struct reader *reader)
{
	bool known = reader->known;

	reader->known = false;
	return known ? reader->fn(&reader->map, reader->arg) : 0;
}

static void add_figure(struct mapping *map, const char *line)
{
	if (line[0] == 'R' && !parse_key(line, "Rss", &map->rss_kib))
		parse_key(line, "Referenced", &map->referenced_kib);
	else if (line[0] == 'S')
		parse_key(line, "Swap", &map->swap_kib);
}

/* take_line() - the head of a mapping, or one of its figures; NULL: a head that is too long */
static int take_line(const char *line, void *arg)
{
	struct reader *reader = arg;
	struct map_line head;
	int ret;

	if (line && parse_map(line, &head)) {
		add_figure(&reader->map, line);
		return 0;
	}
	ret = hand_over(reader);
	memset(&reader->map, 0, sizeof(reader->map));
	if (!line || ret)
		return ret;
	reader->known = true;
	reader->map.line = head;
	snprintf(reader->map.name, sizeof(reader->map.name), "%.*s", (int)head.name_len, head.name);
	reader->map.line.name = reader->map.name;
	return 0;
}

/**
 * maps_each() - call a function for each mapping
 * @name: of the file, "maps" or "smaps"
 * @fn: the function; another value than 0 ends it, and is returned
 */
int maps_each(struct proc_id id, const char *name, maps_fn fn, void *arg)
{
	struct reader reader = { .fn = fn, .arg = arg };
	int fd = maps_open(id, name), ret;

	if (fd < 0)
		return fd;
	ret = sys_each_line(fd, take_line, &reader);
	close(fd);
	return ret ? ret : hand_over(&reader);
}

/**
 * maps_entries() - read entries of the page table; -ESRCH, as when the process has ended
 * @first: the number of the first page in the process
 * @n: pages, MAPS_ENTRIES at most
 */
int maps_entries(int pagemap, uint64_t first, size_t n, uint64_t *entries)
{
	ssize_t got = pread(pagemap, entries, n * sizeof(*entries),
			    (off_t)(first * sizeof(*entries)));

	if (got < 0)
		return -errno;
	return (size_t)got < n * sizeof(*entries) ? -ESRCH : 0;
}
