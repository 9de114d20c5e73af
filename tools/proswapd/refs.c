// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "aside.h"
#include "maps.h"
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
};

static int range_at(const struct layout *layout, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < layout->n; i++)
		if (address >= layout->ranges[i].start && address < layout->ranges[i].end)
			return (int)i;
	return -1;
}

static int add_map(const struct mapping *map, void *arg)
{
	struct sums *sums = arg;
	int at = range_at(sums->layout, map->line.start);

	if (at < 0)
		return 0;
	sums->rss[at] += map->rss_kib;
	sums->referenced[at] += map->referenced_kib;
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
	struct sums sums = { .layout = &find->layout };
	int err = maps_each(find->id, "smaps", add_map, &sums);
	uint32_t i;

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
