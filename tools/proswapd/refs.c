// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "aside.h"
#include "refs.h"
#include "sys.h"

/* clear() - runs aside */
static int64_t clear(void *arg)
{
	const struct proc_id *id = arg;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", id->pid);
	return proc_alive(*id) ? sys_write(path, "1") : -ESRCH;
}

/**
 * refs_clear() - from now on accesses are marked
 * @id: the process
 *
 * Return: 0, or a negative errno as of aside().
 */
int refs_clear(struct proc_id id)
{
	return (int)aside(id, clear, &id, sizeof(id));
}

struct sums {
	const struct layout *layout;
	uint64_t rss[LAYOUT_RANGES];		/* KiB */
	uint64_t referenced[LAYOUT_RANGES];	/* KiB */
	int at;					/* the range of these lines, or -1 */
};

static int range_at(const struct layout *layout, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < layout->n; i++)
		if (address >= layout->ranges[i].start && address < layout->ranges[i].end)
			return (int)i;
	return -1;
}

static int take_line(const char *line, void *arg)
{
	struct sums *sums = arg;
	struct map_line map;
	uint64_t kib;

	/* A line that is too long begins the mapping of a file, which is in no range. */
	if (!line)
		sums->at = -1;
	else if (!parse_map(line, &map))
		sums->at = range_at(sums->layout, map.start);
	else if (sums->at < 0)
		return 0;
	else if (!strncmp(line, "Rss:", 4) && parse_key(line, "Rss", &kib))
		sums->rss[sums->at] += kib;
	else if (!strncmp(line, "Referenced:", 11) && parse_key(line, "Referenced", &kib))
		sums->referenced[sums->at] += kib;
	return 0;
}

/* The argument of refs_read()'s call. */
struct find {
	struct proc_id id;
	struct layout layout;
	unsigned int permille[LAYOUT_RANGES];	/* filled in */
};

/* read_refs() - runs aside */
static int64_t read_refs(void *arg)
{
	struct find *find = arg;
	struct sums sums = { .layout = &find->layout, .at = -1 };
	char path[64];
	uint32_t i;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/smaps", find->id.pid);
	fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return fd;
	err = proc_alive(find->id) ? sys_each_line(fd, take_line, &sums) : -ESRCH;
	close(fd);
	for (i = 0; i < find->layout.n; i++)
		find->permille[i] = sums.rss[i] ?
			(unsigned int)(sums.referenced[i] * 1000 / sums.rss[i]) : 0;
	return err;
}

/**
 * refs_read() - how much of each range was accessed since refs_clear()
 * @id: the process
 * @layout: its ranges
 * @permille: LAYOUT_RANGES; filled in: of what of the range is in memory
 *
 * Return: 0, or a negative errno as of aside().
 */
int refs_read(struct proc_id id, const struct layout *layout, unsigned int *permille)
{
	struct find find = { .id = id, .layout = *layout };
	int err = (int)aside(id, read_refs, &find, sizeof(find));

	if (!err)
		memcpy(permille, find.permille, sizeof(find.permille));
	return err;
}
