// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a process, from lines of maps as they may be: the first byte has the size of a
 * page, the rest are lines; an empty one begins a new layout, which takes over what was known.
 */
#include "fuzz.h"
#include "chunk.h"
#include "layout.h"

static struct chunk chunks[2][LAYOUT_CHUNKS];

/* check() - with lines in any order, ranges may overlap, but chunks are numbered through */
static void check(const struct layout *layout, u64 page)
{
	u32 nr = 0, i;

	must_be(layout->n <= LAYOUT_RANGES && layout->n_chunks <= LAYOUT_CHUNKS);
	for (i = 0; i < layout->n; i++) {
		const struct range *range = &layout->ranges[i];
		u64 left = range->end - range->start;

		must_be(range->end > range->start && range->first == nr);
		for (; left; nr++) {
			u64 bytes = layout_bytes(layout, nr, page);

			must_be(layout_range(layout, nr) == range);
			must_be(bytes && bytes <= left && bytes <= page * CHUNK_PAGES);
			must_be(layout_address(layout, nr, page) == range->end - left);
			left -= bytes;
		}
	}
	must_be(nr == layout->n_chunks);
	must_be(layout_same(layout, layout));
}

static void lines(const char *text, u64 page)
{
	static struct layout layout, before;
	unsigned int now = 0;
	const char *line;
	u32 i;

	layout_clear(&layout);
	for (line = text; line; line = parse_next_line(line)) {
		struct map_line map;

		if (!parse_map(line, &map))
			layout_add(&layout, &map, page);
		if (*line != '\n')
			continue;
		check(&layout, page);
		layout_keep(&layout, &before, chunks[now], chunks[!now], sizeof(chunks[0][0]));
		for (i = 0; i < layout.n_chunks; i++)
			must_be(chunks[now][i].in == 0 || chunks[now][i].in == 1);
		for (i = 0; i < layout.n_chunks; i++)
			chunks[now][i].in = 1;
		now = !now;
		before = layout;
		layout_clear(&layout);
	}
	check(&layout, page);
	layout_keep(&layout, &before, chunks[now], chunks[!now], sizeof(chunks[0][0]));
	layout_clear(&before);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	static const u64 pages[] = { 4096, 16384, 65536 };
	char *text;

	if (!bytes)
		return 0;
	text = malloc(bytes);
	if (!text)
		abort();
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	lines(text, pages[data[0] % ARRAY_SIZE(pages)]);
	free(text);
	return 0;
}
