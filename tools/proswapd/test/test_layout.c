// SPDX-License-Identifier: GPL-2.0
/*
 * Which lines of maps count, their ranges with pages of all sizes and without room for more, and
 * the chunks that a new layout takes over from an old one.
 */
#include <errno.h>
#include "chunks.h"
#include "layout.h"
#include "aside.h"
#include "pages.h"
#include "refs.h"
#include "harness.h"
#include "tree.h"

#define KIB 1024ull
#define MIB (KIB << 10)
#define GIB (MIB << 10)

static const u64 page_sizes[] = { 4 * KIB, 16 * KIB, 64 * KIB };
static struct layout layout;
static struct chunk chunks[LAYOUT_CHUNKS], chunks_before[LAYOUT_CHUNKS];

/* add() - a line that is anonymous memory */
static void add(u64 start, u64 bytes, u64 page)
{
	struct map_line map = { .start = start, .end = start + bytes, .perms = "rw-p", .name = "" };

	layout_add(&layout, &map, page);
}

/* check() - the rules of a layout; returns its bytes */
static u64 check(const struct layout *one, u64 page)
{
	u64 chunk = page * CHUNK_PAGES, sum = 0;
	unsigned int bad = tap.bad;
	u32 nr = 0, i;

	expect(one->n <= LAYOUT_RANGES && one->n_chunks <= LAYOUT_CHUNKS);
	for (i = 0; i < one->n && tap.bad == bad; i++) {
		const struct range *range = &one->ranges[i];
		u64 at = range->start;

		expect(range->end > range->start);
		expect_eq(range->first, nr);
		expect(!i || range[-1].end <= range->start);
		for (; at < range->end && tap.bad == bad; nr++) {
			u64 bytes = range->end - at < chunk ? range->end - at : chunk;

			expect(layout_range(one, nr) == range);
			expect_eq(layout_address(one, nr, page), at);
			expect_eq(layout_bytes(one, nr, page), bytes);
			at += bytes;
		}
		sum += range->end - range->start;
	}
	expect_eq(one->n_chunks, nr);
	return sum;
}

static void test_lines(void)
{
	static const struct {
		const char *line;
		unsigned int n;
	} cases[] = {
		{ "7f0000000000-7f0000100000 rw-p 00000000 00:00 0", 1 },
		{ "7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n", 1 },
		{ "7f0000000000-7f0000100000 rwxp 00000000 00:00 0", 1 },
		{ "55d43500e000-55d43602f000 rw-p 00000000 00:00 0                   [heap]", 1 },
		{ "7f0000000000-7f0000100000 rw-p 00000000 00:00 0     [anon:glibc: malloc]", 1 },
		{ "7f0000000000-7f0000100000 r--p 00000000 00:00 0", 0 },
		{ "7f0000000000-7f0000100000 ---p 00000000 00:00 0", 0 },
		{ "7f0000000000-7f0000100000 -w-p 00000000 00:00 0", 0 },
		{ "7f0000000000-7f0000100000 rw-s 00000000 00:00 0", 0 },
		{ "7f0000000000-7f0000100000 rw-s 00000000 00:01 9    /dev/zero (deleted)", 0 },
		{ "7f0000000000-7f0000100000 rw-p 00000000 fe:00 1234 /usr/lib/libc.so.6", 0 },
		{ "7ffc00000000-7ffc00100000 rw-p 00000000 00:00 0    [stack]", 0 },
		{ "7ffc00000000-7ffc00100000 r-xp 00000000 00:00 0    [vdso]", 0 },
		{ "7ffc00000000-7ffc00100000 rw-p 00000000 00:00 0    [vvar]", 0 },
		{ "7ffc00000000-7ffc00100000 rw-p 00000000 00:00 0    [hea", 0 },
		{ "7f0000000000-7f0000010000 rw-p 00000000 00:00 0", 1 },
		{ "7f0000000000-7f000000f000 rw-p 00000000 00:00 0", 0 },
		{ "7f0000000000-7f0000000000 rw-p 00000000 00:00 0", 0 },
		{ "0-100000 rw-p 00000000 00:00 0", 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct map_line map;

		layout_clear(&layout);
		expect_eq(parse_map(cases[i].line, &map), 0);
		layout_add(&layout, &map, 4 * KIB);
		if (!expect_eq(layout.n, cases[i].n))
			tap_note("%s", cases[i].line);
		expect_eq(layout.lost, 0);
		expect_eq(check(&layout, 4 * KIB), cases[i].n ? map.end - map.start : 0);
	}
}

/* Sizes around a chunk, with pages of all sizes. */
static void test_sizes(void)
{
	unsigned int i, pages;

	for (i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		u64 page = page_sizes[i];

		for (pages = 64 * KIB / page; pages < 100; pages++) {
			layout_clear(&layout);
			add(GIB, pages * page, page);
			add(2 * GIB, pages * page, page);
			expect_eq(layout.n, 2);
			expect_eq(layout.n_chunks, 2 * DIV_ROUND_UP(pages, CHUNK_PAGES));
			expect_eq(check(&layout, page), 2 * pages * page);
			expect_eq(layout_bytes(&layout, layout.n_chunks - 1, page),
				  (pages % CHUNK_PAGES ? pages % CHUNK_PAGES : CHUNK_PAGES) * page);
		}
	}
}

/* Mappings that touch become a range, whose chunks go on across the seam. */
static void test_merge(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		u64 page = page_sizes[i], piece = 17 * page;

		layout_clear(&layout);
		add(GIB, piece, page);
		expect_eq(layout.n_chunks, 1);
		add(GIB + piece, piece, page);
		expect_eq(layout.n, 1);
		expect_eq(layout.n_chunks, 2);
		add(GIB + 2 * piece, piece, page);
		expect_eq(layout.n_chunks, 2);
		/* A page is missing. */
		add(GIB + 3 * piece + page, piece, page);
		expect_eq(layout.n, 2);
		expect_eq(layout.n_chunks, 3);
		expect_eq(check(&layout, page), 4 * piece);
		expect_eq(layout.lost, 0);
	}
}

/* layout_add(): "What touches the range before becomes part of it: mprotect() [...]" */
static void test_merge_small(void)
{
	layout_clear(&layout);
	add(GIB, MIB, 4 * KIB);
	add(GIB + MIB, 4 * KIB, 4 * KIB);
	add(GIB + MIB + 4 * KIB, MIB, 4 * KIB);
	expect_eq(layout.n, 1);
	expect_eq(check(&layout, 4 * KIB), 2 * MIB + 4 * KIB);
}

static void test_ranges_full(void)
{
	unsigned int i;

	layout_clear(&layout);
	for (i = 0; i < LAYOUT_RANGES; i++)
		add(GIB * (i + 1), MIB, 4 * KIB);
	expect_eq(layout.n, LAYOUT_RANGES);
	expect_eq(layout.lost, 0);
	/* A mapping that touches the last one has a place, another one has none. */
	add(GIB * LAYOUT_RANGES + MIB, MIB, 4 * KIB);
	expect_eq(layout.lost, 0);
	add(GIB * (LAYOUT_RANGES + 1), 3 * MIB, 4 * KIB);
	expect_eq(layout.n, LAYOUT_RANGES);
	expect_eq(layout.lost, 3 * MIB);
	add(GIB * (LAYOUT_RANGES + 1) + 3 * MIB, MIB, 4 * KIB);
	expect_eq(layout.lost, 4 * MIB);
	expect_eq(check(&layout, 4 * KIB), (LAYOUT_RANGES + 1) * MIB);
}

static void test_chunks_full(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		u64 page = page_sizes[i], chunk = page * CHUNK_PAGES, all = LAYOUT_CHUNKS * chunk;

		layout_clear(&layout);
		add(64 * GIB, all, page);
		expect_eq(layout.n_chunks, LAYOUT_CHUNKS);
		expect_eq(layout.lost, 0);
		add(64 * GIB + all, 64 * KIB, page);
		add(128 * GIB, MIB, page);
		expect_eq(layout.n, 1);
		expect_eq(layout.lost, MIB + 64 * KIB);
		expect_eq(check(&layout, page), all);

		/* A mapping that is too large, and another one at its end. */
		layout_clear(&layout);
		add(GIB, chunk + 5 * page, page);
		add(64 * GIB, all, page);
		expect_eq(layout.n_chunks, LAYOUT_CHUNKS);
		expect_eq(layout.lost, 2 * chunk);
		add(64 * GIB + all, MIB, page);
		expect_eq(layout.n, 2);
		expect_eq(layout.lost, 2 * chunk + MIB);
		expect_eq(check(&layout, page), all - chunk + 5 * page);

		layout_clear(&layout);
		add(0, ~0ull & -page, page);
		expect_eq(layout.lost, (~0ull & -page) - all);
		expect_eq(check(&layout, page), all);
	}
}

/* lost: "bytes that have no place here"; the rest of the last chunk is a place */
static void test_chunks_full_partly(void)
{
	u64 page = 4 * KIB, all = LAYOUT_CHUNKS * CHUNK_PAGES * page;

	layout_clear(&layout);
	add(GIB, all - 16 * page, page);
	expect_eq(layout.n_chunks, LAYOUT_CHUNKS);
	add(GIB + all - 16 * page, 16 * page, page);
	expect_eq(layout.lost, 0);
	expect_eq(check(&layout, page), all);
}

/* A mapping that grew, one that went, one that is new, and one that begins elsewhere. */
static void test_keep(void)
{
	u64 page = 4 * KIB, chunk = page * CHUNK_PAGES;
	struct layout before;
	u32 i;

	layout_clear(&layout);
	add(GIB, 3 * chunk + page * 16, page);
	add(2 * GIB, 2 * chunk, page);
	add(3 * GIB, 2 * chunk, page);
	add(4 * GIB, 5 * chunk, page);
	for (i = 0; i < layout.n; i++) {
		layout.ranges[i].hold_ms = 10 + i;
		layout.ranges[i].pushed = 20 + i;
		layout.ranges[i].again = 30 + i;
	}
	before = layout;
	for (i = 0; i < before.n_chunks; i++)
		chunks_before[i].in = 100 + i;
	layout_clear(&layout);
	add(GIB, 6 * chunk, page);
	add(2 * GIB + chunk, chunk, page);
	add(3 * GIB - chunk, 3 * chunk, page);
	add(4 * GIB, 2 * chunk, page);
	add(5 * GIB, chunk, page);
	memset(chunks, 0xff, sizeof(chunks));
	layout_keep(&layout, &before, chunks, chunks_before, sizeof(chunks[0]));
	for (i = 0; i < layout.n_chunks; i++) {
		static const u32 want[] = { 100, 101, 102, 103, 0, 0, 0, 0, 0, 0, 108, 109, 0 };

		expect_eq(chunks[i].in, want[i]);
	}
	expect_eq(layout.ranges[0].hold_ms, 10);
	expect_eq(layout.ranges[1].hold_ms, 0);
	expect_eq(layout.ranges[2].hold_ms, 0);
	expect_eq(layout.ranges[3].hold_ms, 13);
	expect_eq(layout.ranges[3].pushed, 23);
	expect_eq(layout.ranges[3].again, 33);
	expect_eq(layout.ranges[4].hold_ms, 0);
}

static void test_same(void)
{
	struct layout one;

	layout_clear(&layout);
	one = layout;
	expect(layout_same(&one, &layout));
	add(GIB, MIB, 4 * KIB);
	expect(!layout_same(&one, &layout));
	one = layout;
	one.ranges[0].hold_ms = 5;
	expect(layout_same(&one, &layout));
	one.ranges[0].end += 4 * KIB;
	expect(!layout_same(&one, &layout));
	one = layout;
	one.ranges[0].start += 4 * KIB;
	expect(!layout_same(&one, &layout));
	add(2 * GIB, MIB, 4 * KIB);
	expect(!layout_same(&one, &layout));
}

/* random_layout() - returns the bytes that were asked for */
static u64 random_layout(u64 page)
{
	u64 at = GIB, sum = 0;
	unsigned int n = random_below(70), i;

	layout_clear(&layout);
	for (i = 0; i < n; i++) {
		u64 pages = 64 * KIB / page + random_length(random_below(8) ? 300 : 20000);

		if (random_below(3))
			at += page * random_length(1000);
		add(at, pages * page, page);
		at += pages * page;
		sum += pages * page;
	}
	return sum;
}

static void test_random_layouts(void)
{
	unsigned int round, rounds = quick() ? 100 : 600, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u64 page = page_sizes[round % ARRAY_SIZE(page_sizes)], asked = random_layout(page);

		expect_eq(check(&layout, page) + layout.lost, asked);
		/* Ranges touch only where the rest of the first had no room. */
		for (i = 1; i < layout.n; i++)
			expect(layout.ranges[i - 1].end != layout.ranges[i].start);
	}
}

/* Old addresses, and the state of each: by chunks of ranges that begin where one did. */
static u32 known(const struct layout *before, u64 start, u64 at, u64 page)
{
	u32 nr;

	for (nr = 0; nr < before->n_chunks; nr++) {
		if (layout_range(before, nr)->start == start &&
		    layout_address(before, nr, page) == at)
			return chunks_before[nr].in;
	}
	return 0;
}

static void test_random_keep(void)
{
	unsigned int round, rounds = quick() ? 50 : 400;
	struct layout before;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u64 page = page_sizes[round % ARRAY_SIZE(page_sizes)];
		static struct { u64 at, bytes; } maps[60];
		unsigned int n = 1 + random_below(60), i;
		u64 at = GIB;
		u32 nr;

		memset(chunks_before, 0, sizeof(chunks_before));
		layout_clear(&layout);
		for (i = 0; i < n; i++) {
			at += random_below(2) * page * random_length(40);
			maps[i].at = at;
			maps[i].bytes = 64 * KIB + page * random_length(150);
			at += maps[i].bytes;
			add(maps[i].at, maps[i].bytes, page);
		}
		for (nr = 0; nr < layout.n_chunks; nr++)
			chunks_before[nr].in = 1 + (u32)random_u64() % 1000000;
		for (i = 0; i < layout.n; i++)
			layout.ranges[i].hold_ms = 1 + random_below(1000);
		before = layout;
		/* Some go, some shrink, some begin later. */
		layout_clear(&layout);
		for (i = 0; i < n; i++) {
			u64 cut = random_below((u32)(maps[i].bytes / page)) * page;

			switch (random_below(8)) {
			case 0:
				continue;
			case 1:
				add(maps[i].at, maps[i].bytes - cut, page);
				continue;
			case 2:
				add(maps[i].at + cut, maps[i].bytes - cut, page);
				continue;
			}
			add(maps[i].at, maps[i].bytes, page);
		}
		memset(chunks, 0xff, sizeof(chunks));
		layout_keep(&layout, &before, chunks, chunks_before, sizeof(chunks[0]));
		for (nr = 0; nr < layout.n_chunks && !tap.bad; nr++) {
			const struct range *range = layout_range(&layout, nr);

			expect_eq(chunks[nr].in, known(&before, range->start,
						       layout_address(&layout, nr, page), page));
		}
		for (i = 0; i < layout.n; i++) {
			u32 hold = 0, j;

			for (j = 0; j < before.n; j++)
				if (before.ranges[j].start == layout.ranges[i].start)
					hold = before.ranges[j].hold_ms;
			expect_eq(layout.ranges[i].hold_ms, hold);
		}
	}
}

#define REAL "200000-300000 rw-p 00000000 00:00 0 \n"
#define FORGED "700000-800000 rw-p 00000000 00:00 0 \n"

/* put_maps() - the file's name ends with a text that looks like a line; it begins at @at */
static const struct proc_id program = { 500, 10 };

/* begin_tree() - with that process; the helper looks below the tree that is there when it begins */
static void begin_tree(void)
{
	tree_make();
	tree_put("/proc/500/stat",
		 "500 (x) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 10 8192 1 1 1\n");
	expect_eq(aside_start(), 0);
}

static void end_tree(void)
{
	aside_stop();
	tree_remove();
}

static void put_maps(int at)
{
	static const char head[] = "100000-200000 r--p 00000000 00:00 7 /";
	static char text[20000];

	sprintf(text, "%s%0*d" FORGED REAL, head, at - (int)strlen(head), 0);
	tree_put("/proc/500/maps", text);
}

/* A user chooses the name of a file: no part of it may be taken for a line. */
static void test_long_names(void)
{
	int at;

	begin_tree();
	for (at = 1000; at < 17000; at += at % 4096 > 16 && at % 4096 < 3980 ? 100 : 1) {
		put_maps(at);
		expect_eq(pages_layout(program, &layout), 0);
		if (!expect_eq(layout.n, 1) || !expect_eq(layout.ranges[0].start, 0x200000))
			tap_note("from byte %d on", at);
	}
	end_tree();
}

/* put_smaps() - a mapping of a file that is referenced as a whole, behind memory that is not */
static void put_smaps(int len)
{
	static char text[20000];

	sprintf(text, REAL "Rss: 1000 kB\nReferenced: 0 kB\n"
		"300000-400000 r--p 00000000 00:00 7 /%0*d\nRss: 1000 kB\nReferenced: 1000 kB\n"
		"VmFlags: rd\n", len, 0);
	tree_put("/proc/500/smaps", text);
}

/* The figures of a file with a long name do not count for the memory before it. */
static void test_refs(void)
{
	unsigned int permille[LAYOUT_RANGES];
	int len;

	begin_tree();
	layout_clear(&layout);
	add(0x200000, MIB, 4 * KIB);
	for (len = 100; len < 9000; len += 445) {
		put_smaps(len);
		expect_eq(refs_read(program, &layout, permille), 0);
		if (!expect_eq(permille[0], 0))
			tap_note("a name of %d bytes", len);
	}
	tree_put("/proc/500/smaps", REAL "Rss: 1000 kB\nReferenced: 250 kB\n");
	expect_eq(refs_read(program, &layout, permille), 0);
	expect_eq(permille[0], 250);
	expect_eq(refs_read((struct proc_id){ 501, 10 }, &layout, permille), -ENOENT);
	end_tree();
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "which lines count", test_lines },
		{ "sizes of chunks and pages", test_sizes },
		{ "what touches becomes one range", test_merge },
		{ "what touches, and is small", test_merge_small },
		{ "no room for more ranges", test_ranges_full },
		{ "no room for more chunks", test_chunks_full },
		{ "room in the last chunk", test_chunks_full_partly },
		{ "what is taken over", test_keep },
		{ "the same layout", test_same },
		{ "files with long names", test_long_names },
		{ "accesses, and files with long names", test_refs },
		{ "random layouts", test_random_layouts },
		{ "random layouts, taken over", test_random_keep },
	};

	return tap_main("layout", cases, ARRAY_SIZE(cases), argc, argv);
}
