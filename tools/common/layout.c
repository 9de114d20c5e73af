// SPDX-License-Identifier: GPL-2.0
/*
 * Where a process has its anonymous memory, in chunks of 32 pages side by side, which are numbered
 * through. PURE.
 */
#include <string.h>
#include "layout.h"

/* Less than that is not worth a range: a guess. */
#define LEAST_BYTES (64 << 10)

/** layout_clear() - a process without memory */
void layout_clear(struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
}

/** layout_is_private() - is it memory that a program may write to, and that no file keeps? */
bool layout_is_private(const struct map_line *map)
{
	if (map->perms[0] != 'r' || map->perms[1] != 'w' || map->perms[3] != 'p')
		return false;
	return !map->name_len || map->name[0] != '[' || !strncmp(map->name, "[heap]", 6) ||
	       !strncmp(map->name, "[stack]", 7) || !strncmp(map->name, "[anon", 5);
}

/**
 * layout_add() - add a line of /proc/PID/maps, if it is private, anonymous and may be written
 * @map: the line; lines come in the order of their addresses
 * @page_bytes: of a page
 *
 * A mapping that touches the range before becomes part of it: mprotect() and madvise() split
 * mappings.
 */
void layout_add(struct layout *layout, const struct map_line *map, uint64_t page_bytes)
{
	struct range *last = layout->n ? &layout->ranges[layout->n - 1] : NULL;
	uint64_t chunk_bytes = page_bytes * CHUNK_PAGES, start = map->start;
	uint64_t room = 0, bytes = map->end - map->start;

	if (last && last->end != start)
		last = NULL;
	if (!layout_is_private(map) || map->inode || (bytes < LEAST_BYTES && !last) ||
	    (map->name_len && !strncmp(map->name, "[stack]", 7)))
		return;
	/* The last chunk of a range that grows may have some room. */
	if (last)
		room = (LAYOUT_CHUNKS - last->first) * chunk_bytes - (last->end - last->start);
	else if (layout->n < LAYOUT_RANGES)
		room = (LAYOUT_CHUNKS - layout->n_chunks) * chunk_bytes;
	if (bytes > room) {
		layout->lost += bytes - room;
		bytes = room;
	}
	if (!bytes)
		return;
	if (!last) {
		last = &layout->ranges[layout->n++];
		*last = (struct range){ .start = start, .first = layout->n_chunks };
	}
	last->end = map->start + bytes;
	layout->n_chunks = last->first +
			   (uint32_t)((last->end - last->start + chunk_bytes - 1) / chunk_bytes);
}

/**
 * layout_keep() - take over the knowledge of ranges that begin where one began before
 * @chunks: of each chunk of the new layout, an array of LAYOUT_CHUNKS; filled in
 * @chunks_before: of the old one
 * @size: of an element of both, in bytes
 */
void layout_keep(struct layout *layout, const struct layout *before, void *chunks,
		 const void *chunks_before, size_t size)
{
	uint32_t i, j = 0;

	memset(chunks, 0, size * layout->n_chunks);
	for (i = 0; i < layout->n; i++) {
		struct range *range = &layout->ranges[i];
		uint32_t end = i + 1 < layout->n ? range[1].first : layout->n_chunks, n, had;
		const struct range *old;

		while (j < before->n && before->ranges[j].start < range->start)
			j++;
		if (j == before->n || before->ranges[j].start != range->start)
			continue;
		old = &before->ranges[j];
		had = (j + 1 < before->n ? old[1].first : before->n_chunks) - old->first;
		n = end - range->first < had ? end - range->first : had;
		memcpy((char *)chunks + range->first * size,
		       (const char *)chunks_before + old->first * size, n * size);
		range->hold_ms = old->hold_ms;
		range->pushed = old->pushed;
		range->again = old->again;
		range->doubled = old->doubled;
	}
}

/** layout_range() - the range of a chunk, whose number is less than n_chunks */
const struct range *layout_range(const struct layout *layout, uint32_t nr)
{
	uint32_t low = 0, high = layout->n;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (layout->ranges[middle].first <= nr)
			low = middle;
		else
			high = middle;
	}
	return &layout->ranges[low];
}

/** layout_address() - the address of a chunk */
uint64_t layout_address(const struct layout *layout, uint32_t nr, uint64_t page_bytes)
{
	const struct range *range = layout_range(layout, nr);

	return range->start + (uint64_t)(nr - range->first) * CHUNK_PAGES * page_bytes;
}

/** layout_bytes() - the size of a chunk: the last one of a range may be smaller */
uint64_t layout_bytes(const struct layout *layout, uint32_t nr, uint64_t page_bytes)
{
	uint64_t left = layout_range(layout, nr)->end - layout_address(layout, nr, page_bytes);

	return left < CHUNK_PAGES * page_bytes ? left : CHUNK_PAGES * page_bytes;
}

/** layout_same() - are the ranges the same? */
bool layout_same(const struct layout *one, const struct layout *other)
{
	uint32_t i;

	if (one->n != other->n)
		return false;
	for (i = 0; i < one->n; i++)
		if (one->ranges[i].start != other->ranges[i].start ||
		    one->ranges[i].end != other->ranges[i].end)
			return false;
	return true;
}
