// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of chunks that go out and come back, compared with the best choice; and a simulated
 * program that goes through its memory in a circle, with these rules.
 */
#include "chunks.h"
#include "harness.h"
#include "tree.h"

#define PAGE 4096ull
#define VIEWS 3
#define MOST 200

static struct layout layouts[VIEWS];
static struct chunk chunks[VIEWS][LAYOUT_CHUNKS];
static struct view views[VIEWS];
static struct choice choice;

static void add(struct layout *layout, u64 start, u32 n)
{
	struct map_line map = {
		.start = start, .end = start + n * CHUNK_PAGES * PAGE, .perms = "rw-p", .name = "",
	};

	layout_add(layout, &map, PAGE);
}

static void begin(u32 n, u32 period)
{
	layout_clear(&layouts[0]);
	add(&layouts[0], 1 << 30, n);
	memset(chunks[0], 0, sizeof(chunks[0]));
	views[0] = (struct view){ chunks[0], &layouts[0], period };
}

static bool push(u32 nr)
{
	return select_push(&choice, &views[0], nr);
}

static void decide_trim(u32 now, u32 want, u32 horizon, bool trim)
{
	select_begin(&choice, now, want, horizon);
	expect(!choice.trim);
	choice.trim = trim;
	select_count(&choice, &views[0]);
	select_decide(&choice);
}

static void decide(u32 now, u32 want, u32 horizon)
{
	decide_trim(now, want, horizon, false);
}

/* May a chunk go out? The period is 800, and the time 10000. */
static void test_candidate(void)
{
	static const struct {
		struct chunk chunk;
		u32 hold;
		bool goes;
	} cases[] = {
		{ { 0 }, 0, false },
		{ { .in = 1, .used_ms = 9900 }, 0, true },
		{ { .out = 1, .used_ms = 9900 }, 0, false },
		{ { .in = 1 }, 0, false },
		{ { .in = 1, .used_ms = 9900, .pushed_ms = 9950 }, 0, false },
		{ { .in = 1, .out = 2, .used_ms = 9900, .fetched_ms = 9950 }, 0, true },
		/* Its use is over. */
		{ { .in = 1, .used_ms = 9900 }, 100, true },
		{ { .in = 1, .used_ms = 9900 }, 101, false },
		{ { .in = 1, .used_ms = 10000 }, 0, true },
		/* It is needed again soon. */
		{ { .in = 1, .used_ms = 9301 }, 0, true },
		{ { .in = 1, .used_ms = 9300 }, 0, false },
		{ { .in = 1, .used_ms = 9201 }, 0, false },
		/* It has been in memory for longer than a period. */
		{ { .in = 1, .used_ms = 9200 }, 0, true },
		{ { .in = 1, .used_ms = 9000 }, 0, true },
		{ { .in = 1, .used_ms = 8501 }, 0, true },
		{ { .in = 1, .used_ms = 8500 }, 0, false },
		{ { .in = 1, .used_ms = 8401 }, 0, false },
		{ { .in = 1, .used_ms = 8400 }, 0, true },
		{ { .in = 1, .used_ms = 1 }, 0, true },
		{ { .in = 1, .used_ms = 9000 }, 1000, true },
		{ { .in = 1, .used_ms = 9000 }, 1001, false },
		{ { .in = 1, .used_ms = 9000, .pushed_ms = 9950 }, 0, false },
		/* Its own gap counts if it is near the period. */
		{ { .in = 1, .used_ms = 9300, .gap_ms = 801 }, 0, true },
		{ { .in = 1, .used_ms = 9300, .gap_ms = 800 }, 0, false },
		{ { .in = 1, .used_ms = 9300, .gap_ms = 899 }, 0, true },
		{ { .in = 1, .used_ms = 9300, .gap_ms = 900 }, 0, false },
		{ { .in = 1, .used_ms = 9301, .gap_ms = 701 }, 0, false },
		{ { .in = 1, .used_ms = 9301, .gap_ms = 700 }, 0, true },
		{ { .in = 1, .used_ms = 9201, .gap_ms = 899 }, 0, false },
		{ { .in = 1, .used_ms = 9202, .gap_ms = 899 }, 0, true },
		{ { .in = 1, .used_ms = 9100, .gap_ms = 899 }, 0, true },
		{ { .in = 1, .used_ms = 9301, .gap_ms = 701, .unsure = true }, 0, true },
		{ { .in = 1, .used_ms = 9300, .gap_ms = 899, .unsure = true }, 0, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(1, 800);
		chunks[0][0] = cases[i].chunk;
		layouts[0].ranges[0].hold_ms = cases[i].hold;
		decide(10000, 1, 2400);
		if (!expect_eq(push(0), cases[i].goes))
			tap_note("case %u", i);
		expect_eq(choice.want, cases[i].goes ? 0 : 1);
		expect_eq(chunks[0][0].pushed_ms, cases[i].goes ? 10000 : cases[i].chunk.pushed_ms);
	}
}

/* May a chunk go out, with and without trim? The period is 1000, and the time 20000. */
static void test_trim(void)
{
	static const struct {
		struct chunk chunk;
		u32 hold;
		bool without, with;
	} cases[] = {
		/* It was never seen in use. */
		{ { .in = 1 }, 0, false, true },
		{ { .in = 1, .out = 2 }, 1000, false, true },
		{ { .out = 1 }, 0, false, false },
		{ { .in = 1, .pushed_ms = 19900 }, 0, false, false },
		/* It is needed within 500 ms. */
		{ { .in = 1, .used_ms = 19800 }, 0, true, true },
		{ { .in = 1, .used_ms = 19500 }, 0, true, true },
		{ { .in = 1, .used_ms = 19499 }, 0, true, false },
		{ { .in = 1, .used_ms = 19126 }, 0, true, false },
		{ { .in = 1, .used_ms = 19125 }, 0, false, false },
		{ { .in = 1, .used_ms = 18500 }, 0, true, true },
		{ { .in = 1, .used_ms = 18499 }, 0, true, false },
		{ { .in = 1, .used_ms = 19400, .gap_ms = 1100 }, 0, true, true },
		{ { .in = 1, .used_ms = 19399, .gap_ms = 1100 }, 0, true, false },
		/* Its use is over, for an eighth of the period at least. */
		{ { .in = 1, .used_ms = 19800 }, 200, true, true },
		{ { .in = 1, .used_ms = 19800 }, 201, false, false },
		{ { .in = 1, .used_ms = 20000 }, 0, true, false },
		{ { .in = 1, .used_ms = 19876 }, 0, true, false },
		{ { .in = 1, .used_ms = 19875 }, 0, true, true },
		{ { .in = 1, .used_ms = 19900, .pushed_ms = 19950 }, 0, false, false },
		/* It came back too soon, within two periods. */
		{ { .in = 1, .used_ms = 19800, .again_ms = 20000 }, 0, true, false },
		{ { .in = 1, .used_ms = 19800, .again_ms = 18001 }, 0, true, false },
		{ { .in = 1, .used_ms = 19800, .again_ms = 18000 }, 0, true, true },
		{ { .in = 1, .used_ms = 19800, .again_ms = 1 }, 0, true, true },
		{ { .in = 1, .again_ms = 18001 }, 0, false, false },
		{ { .in = 1, .again_ms = 18000 }, 0, false, true },
	};
	unsigned int i, trim;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (trim = 0; trim < 2; trim++) {
			bool goes = trim ? cases[i].with : cases[i].without;

			begin(1, 1000);
			chunks[0][0] = cases[i].chunk;
			layouts[0].ranges[0].hold_ms = cases[i].hold;
			decide_trim(20000, 1, 3000, trim);
			if (!expect_eq(push(0), goes))
				tap_note("case %u, %s trim", i, trim ? "with" : "without");
			expect_eq(chunks[0][0].pushed_ms,
				  goes ? 20000 : cases[i].chunk.pushed_ms);
		}
	}
}

/* Times are milliseconds of the program: also short ones, and across the wrap. */
static void test_trim_period(void)
{
	static const struct {
		u32 period, now, used, again;
		bool goes;
	} cases[] = {
		{ 500, 20000, 20000, 0, false }, { 500, 20000, 19937, 0, false },
		{ 576, 20000, 19928, 0, true }, { 576, 20000, 19929, 0, false },
		{ 576, 20000, 19923, 0, false }, { 50, 20000, 1, 0, false },
		{ 600, 20000, 19900, 18801, false }, { 600, 20000, 19900, 18800, true },
		{ 120000, 2000000, 1980000, 1760001, false },
		{ 120000, 2000000, 1980000, 1760000, true },
		{ 1000, 100, UINT32_MAX - 99, UINT32_MAX - 99, false },
		{ 1000, 1900, 1700, UINT32_MAX - 98, false },
		{ 1000, 1900, 1700, UINT32_MAX - 99, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(1, cases[i].period);
		chunks[0][0].in = 1;
		chunks[0][0].used_ms = cases[i].used;
		chunks[0][0].again_ms = cases[i].again;
		decide_trim(cases[i].now, 1, 3 * cases[i].period, true);
		if (!expect_eq(push(0), cases[i].goes))
			tap_note("case %u", i);
	}
}

/* Chunks without a use go before all others. */
static void test_trim_order(void)
{
	u32 nr, want;

	for (want = 1; want <= 20 * CHUNK_PAGES; want += CHUNK_PAGES / 2) {
		u32 pushed = 0, of_used = 0;

		begin(20, 1000);
		for (nr = 0; nr < 20; nr++)
			chunks[0][nr] = (struct chunk){
				.in = UINT32_MAX, .used_ms = nr % 2 ? 0 : 9860 - 10 * nr,
			};
		decide_trim(10000, want, 3000, true);
		for (nr = 0; nr < 20; nr++) {
			if (push(nr)) {
				pushed++;
				of_used += !(nr % 2);
			}
		}
		if (!expect_eq(pushed, (want + CHUNK_PAGES - 1) / CHUNK_PAGES) ||
		    !expect_eq(of_used, pushed > 10 ? pushed - 10 : 0))
			tap_note("%u pages wanted", want);
	}
}

static void test_want(void)
{
	u32 nr;

	begin(10, 1000);
	for (nr = 0; nr < 10; nr++)
		chunks[0][nr] = (struct chunk){ .in = UINT32_MAX, .used_ms = 9900 };
	decide(10000, 0, 3000);
	expect(!push(0) && !chunks[0][0].pushed_ms);
	decide(10000, 65, 3000);
	expect(push(0) && push(1));
	expect_eq(choice.want, 1);
	expect(push(2));
	expect_eq(choice.want, 0);
	expect(!push(3) && !chunks[0][3].pushed_ms);
	/* A chunk goes once. */
	decide(10000, 1000, 3000);
	expect(!push(0) && push(4));
	expect_eq(choice.want, 968);
}

/* chunks.c: "the chunk that is needed again last goes first" */
static void test_last_first(void)
{
	u32 nr;

	/* Nine chunks are needed in 500 ms, the last one in 900; not all of them have to go. */
	begin(10, 1000);
	for (nr = 0; nr < 10; nr++)
		chunks[0][nr] = (struct chunk){ .in = UINT32_MAX, .used_ms = nr < 9 ? 9500 : 9900 };
	decide(10000, 64, 3000);
	for (nr = 0; nr < 10; nr++)
		push(nr);
	expect(chunks[0][9].pushed_ms);
	expect(chunks[0][0].pushed_ms);
}

/* A chunk that came in during the last period goes before a chunk that stayed. */
static void test_stayed_last(void)
{
	u32 nr, want;

	for (want = 1; want <= 20 * CHUNK_PAGES; want += CHUNK_PAGES / 2) {
		unsigned int pushed = 0, of_stayed = 0;

		begin(20, 1000);
		/* Chunks that stayed are needed in 990 to 810 ms, the others in 390 to 210. */
		for (nr = 0; nr < 20; nr++)
			chunks[0][nr] = (struct chunk){
				.in = UINT32_MAX,
				.used_ms = nr % 2 ? 1000 - 10 * nr : 9390 - 10 * nr,
			};
		decide(10000, want, 3000);
		for (nr = 0; nr < 20; nr++) {
			if (push(nr)) {
				pushed++;
				of_stayed += nr % 2;
			}
		}
		if (!expect_eq(pushed, (want + CHUNK_PAGES - 1) / CHUNK_PAGES) ||
		    !expect_eq(of_stayed, pushed > 10 ? pushed - 10 : 0))
			tap_note("%u pages wanted", want);
	}
}

/* The border between the two, to the millisecond: with buckets that are narrower than one. */
static void test_stayed_border(void)
{
	static const struct {
		u32 new_ms, old_ms;
	} cases[] = {
		/* Since when they are in; the old one is needed in all of a period. */
		{ 9960, 9950 }, { 9957, 9950 }, { 9957, 9900 },
	};
	unsigned int i, first;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (first = 0; first < 2; first++) {
			begin(2, 50);
			chunks[0][first].in = UINT32_MAX;
			chunks[0][first].used_ms = cases[i].new_ms;
			chunks[0][!first].in = UINT32_MAX;
			chunks[0][!first].used_ms = cases[i].old_ms;
			decide(10000, 1, 150);
			push(0);
			push(1);
			if (!expect(chunks[0][first].pushed_ms && !chunks[0][!first].pushed_ms))
				tap_note("case %u", i);
		}
	}
}

static void test_fetch(void)
{
	static const struct {
		struct chunk chunk;
		u32 want, lead, left;
		bool comes;
	} cases[] = {
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000 }, 8, 100, 0, true },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000 }, 20, 100, 12, true },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000 }, 7, 100, 7, false },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000 }, 20, 99, 20, false },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 950 }, 20, 50, 12, true },
		{ { .out = 0xff, .used_ms = 9100 }, 20, 100, 20, false },
		{ { .out = 0xff, .gap_ms = 1000 }, 20, 1000, 20, false },
		{ { .in = 0xff, .used_ms = 9100, .gap_ms = 1000 }, 20, 100, 20, false },
		{ { .in = 0xf, .out = 0xf0, .used_ms = 9100, .gap_ms = 1000 }, 20, 100, 16, true },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000, .fetched_ms = 9999 },
		  20, 100, 20, false },
		{ { .out = 0xff, .used_ms = 9100, .gap_ms = 1000, .pushed_ms = 9200 },
		  20, 100, 12, true },
		{ { .out = 0xff, .used_ms = 10000, .gap_ms = 1000 }, 20, 999, 20, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(1, 1000);
		chunks[0][0] = cases[i].chunk;
		select_begin(&choice, 10000, 0, 3000);
		choice.want = cases[i].want;
		choice.lead_ms = cases[i].lead;
		if (!expect_eq(select_fetch(&choice, &views[0], 0), cases[i].comes))
			tap_note("case %u", i);
		expect_eq(choice.want, cases[i].left);
		expect_eq(chunks[0][0].fetched_ms,
			  cases[i].comes ? 10000 : cases[i].chunk.fetched_ms);
	}
}

/* A chunk, for the best choice. */
struct one {
	u32 next, pages;
};

static int by_next(const void *a, const void *b)
{
	u32 one = ((const struct one *)a)->next, other = ((const struct one *)b)->next;

	return one < other ? 1 : one > other ? -1 : 0;
}

static u32 next_use(const struct chunk *chunk, u32 hold, u32 now, u32 period)
{
	u32 past = now - chunk->used_ms, gap = period, at;
	bool trim = choice.trim;

	if (!chunk->in || chunk->pushed_ms)
		return 0;
	if (trim && chunk->again_ms && now - chunk->again_ms < 2 * period)
		return 0;
	if (!chunk->used_ms)
		return trim ? choice.horizon_ms : 0;
	if (trim && hold < period / 8)
		hold = period / 8;
	if (past < hold)
		return 0;
	if (chunk->gap_ms > period * 7 / 8 && chunk->gap_ms < period * 9 / 8)
		gap = chunk->gap_ms;
	for (at = gap; at <= past;)
		at += gap;
	if (at - past <= period / 8 || (trim && at - past < 500))
		return 0;
	/* Chunks that stayed for a period go last. */
	return past < period ? at - past + period : at - past;
}

static u32 random_state(unsigned int n, u32 now)
{
	u32 longest = 0, nr;
	unsigned int v, i;

	for (v = 0; v < n; v++) {
		unsigned int ranges = 1 + random_below(4);
		u32 period = 50 + random_length(random_below(2) ? 1000 : 119950);

		layout_clear(&layouts[v]);
		for (i = 0; i < ranges; i++)
			add(&layouts[v], (u64)(i + 1) << 32, random_length(MOST / 4));
		for (i = 0; i < layouts[v].n; i++)
			layouts[v].ranges[i].hold_ms = random_below(2) * random_below(period) / 2;
		memset(chunks[v], 0, sizeof(chunks[v]));
		for (nr = 0; nr < layouts[v].n_chunks; nr++) {
			u32 most = random_below(4) ? 2 * period : 9 * period;
			struct chunk *chunk = &chunks[v][nr];

			chunk->in = random_below(3) ? (u32)(random_u64() | random_u64()) : 0;
			chunk->out = (u32)random_u64() & ~chunk->in;
			chunk->used_ms = random_below(8) ? now - random_below(most) : 0;
			chunk->gap_ms = random_below(2) ? random_below(3 * period) : 0;
			/* A gap near the period counts. */
			if (!random_below(4))
				chunk->gap_ms = period * 3 / 4 + random_below(period / 2);
			chunk->pushed_ms = random_below(5) ? 0 : now - 1;
			chunk->again_ms = random_below(3) ? 0 : now - random_below(16 * period);
		}
		views[v] = (struct view){ chunks[v], &layouts[v], period };
		if (period > longest)
			longest = period;
	}
	return 3 * longest;
}

static void test_random_push(void)
{
	unsigned int round, rounds = quick() ? 300 : 2500;
	static struct one all[VIEWS * LAYOUT_CHUNKS];

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 now = random_below(4) ? 500000 + random_below(1 << 30) :
			  1 + random_below(20000);
		unsigned int n = 1 + random_below(VIEWS), n_all = 0, v, i;
		u32 horizon = random_state(n, now), want = random_length(6000), left = want;
		u32 total = 0, limit = 0, pushed = 0, nr;

		select_begin(&choice, now, want, horizon);
		choice.trim = random_below(2);
		for (v = 0; v < n; v++)
			select_count(&choice, &views[v]);
		select_decide(&choice);
		for (v = 0; v < n; v++) {
			for (nr = 0; nr < layouts[v].n_chunks; nr++) {
				struct one *one = &all[n_all++];

				one->pages = __builtin_popcount(chunks[v][nr].in);
				one->next = next_use(&chunks[v][nr],
						     layout_range(&layouts[v], nr)->hold_ms, now,
						     views[v].period_ms);
				total += one->next ? one->pages : 0;
			}
		}
		qsort(all, n_all, sizeof(all[0]), by_next);
		for (i = 0; i < n_all && all[i].next && left; i++) {
			limit = all[i].next;
			left -= all[i].pages < left ? all[i].pages : left;
		}
		for (v = 0; v < n; v++) {
			for (nr = 0; nr < layouts[v].n_chunks; nr++) {
				u32 next = next_use(&chunks[v][nr],
						    layout_range(&layouts[v], nr)->hold_ms, now,
						    views[v].period_ms);

				if (!select_push(&choice, &views[v], nr))
					continue;
				pushed += __builtin_popcount(chunks[v][nr].in);
				/* As good as the best choice, up to the width of a bucket. */
				expect(next && next + horizon / 64 + 2 >= limit);
				expect_eq(chunks[v][nr].pushed_ms, now);
			}
		}
		expect(pushed >= (want < total ? want : total));
		expect(pushed < want + CHUNK_PAGES);
		expect_eq(choice.want, pushed < want ? want - pushed : 0);
	}
}

static void test_random_fetch(void)
{
	unsigned int round, rounds = quick() ? 300 : 1500;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 now = 500000 + random_below(1 << 30), horizon = random_state(1, now), nr;
		u32 want = random_length(3000), fetched = 0;

		select_begin(&choice, now, want, horizon);
		choice.lead_ms = random_below(views[0].period_ms);
		for (nr = 0; nr < layouts[0].n_chunks; nr++) {
			struct chunk *chunk = &chunks[0][nr];
			u32 pages = __builtin_popcount(chunk->out);
			u32 next = chunk_next_ms(chunk, now, views[0].period_ms);
			bool meant = pages && chunk->used_ms && chunk->gap_ms &&
				     next <= choice.lead_ms && pages <= want - fetched;

			expect_eq(select_fetch(&choice, &views[0], nr), meant);
			expect_eq(chunk->fetched_ms, meant ? now : 0);
			fetched += meant ? pages : 0;
			expect(!select_fetch(&choice, &views[0], nr));
		}
		expect_eq(choice.want, want - fetched);
	}
}

/*
 * A program that goes through its memory in a circle, and has room for half of it; a chunk is
 * in memory as a whole, or not at all.
 */
#define CIRCLE 64
#define CIRCLE_MS 960
#define TICK 20

static struct {
	bool in[CIRCLE];
	bool read[CIRCLE];		/* brought back; the page table shows it when it is used */
	u32 n_in, waited, fetched;
} circle;

static void circle_tick(u32 now, u32 room, u32 used, bool fetch)
{
	struct chunk_news news;
	u32 nr, want;

	/* Chunks that were needed since the last tick. */
	for (nr = 0; nr < used; nr++) {
		if ((now + CIRCLE_MS - nr * CIRCLE_MS / CIRCLE) % CIRCLE_MS < TICK &&
		    !circle.in[nr]) {
			circle.in[nr] = true;
			circle.waited += !circle.read[nr];
			circle.read[nr] = false;
		}
	}
	circle.n_in = 0;
	for (nr = 0; nr < CIRCLE; nr++) {
		u32 all = UINT32_MAX;

		circle.n_in += circle.in[nr];
		chunk_look(&chunks[0][nr], circle.in[nr] ? all : 0, circle.in[nr] ? 0 : all, now,
			   CIRCLE_MS, &news);
	}
	want = circle.n_in > room ? (circle.n_in - room) * CHUNK_PAGES : 0;
	decide(now, want, 3 * CIRCLE_MS);
	for (nr = 0; nr < CIRCLE; nr++) {
		if (push(nr)) {
			circle.in[nr] = false;
			circle.n_in--;
		}
	}
	if (!fetch || circle.n_in >= room + 8)
		return;
	choice.want = (room + 8 - circle.n_in) * CHUNK_PAGES;
	choice.lead_ms = 3 * TICK;
	for (nr = 0; nr < CIRCLE; nr++) {
		if (select_fetch(&choice, &views[0], nr)) {
			circle.read[nr] = true;
			circle.fetched++;
		}
	}
}

static void circle_begin(void)
{
	begin(CIRCLE, CIRCLE_MS);
	memset(&circle, 0, sizeof(circle));
}

static void test_circle(void)
{
	u32 now = 1, pass, waited = 0;

	circle_begin();
	for (pass = 0; pass < 20; pass++) {
		u32 end = 1 + (pass + 1) * CIRCLE_MS;

		circle.waited = 0;
		for (; now < end; now += TICK)
			circle_tick(now, CIRCLE / 2, CIRCLE, false);
		if (pass >= 10)
			waited += circle.waited;
	}
	/* LRU would wait for all chunks, the best choice for half of them. */
	if (!expect(waited <= 10 * CIRCLE * 7 / 10))
		tap_note("%u of %u had to be waited for", waited, 10 * CIRCLE);
}

/* A chunk that is brought back comes in early; that must not make its gap shorter. */
static void test_circle_fetch(void)
{
	u32 now = 1, nr, bad = 0, shortest = UINT32_MAX;

	circle_begin();
	for (; now < 60 * CIRCLE_MS; now += TICK)
		circle_tick(now, CIRCLE / 2, CIRCLE, true);
	expect(circle.fetched > 0);
	for (nr = 0; nr < CIRCLE; nr++) {
		u32 gap = chunks[0][nr].gap_ms;

		if (!gap)
			continue;
		bad += gap < CIRCLE_MS * 9 / 10 || gap > CIRCLE_MS * 11 / 10;
		if (gap < shortest)
			shortest = gap;
	}
	if (!expect_eq(bad, 0))
		tap_note("%u chunks, %u with another period, down to %u ms instead of %u",
			 CIRCLE, bad, shortest, CIRCLE_MS);
}

/* A chunk that is no longer used is not brought back for ever. */
static void test_fetch_ends(void)
{
	u32 now = 1, fetched;

	circle_begin();
	for (; now < 10 * CIRCLE_MS; now += TICK)
		circle_tick(now, CIRCLE / 2, CIRCLE, true);
	for (; now < 20 * CIRCLE_MS; now += TICK)
		circle_tick(now, CIRCLE / 2, 0, true);
	fetched = circle.fetched;
	for (; now < 40 * CIRCLE_MS; now += TICK)
		circle_tick(now, CIRCLE / 2, 0, true);
	if (!expect_eq(circle.fetched - fetched, 0))
		tap_note("chunks brought back in 20 periods in which the program did nothing");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "what may go out", test_candidate },
		{ "what may go out of a program that is trimmed", test_trim },
		{ "to trim: the times of the program", test_trim_period },
		{ "to trim: what was never used goes first", test_trim_order },
		{ "no more goes out than is wanted", test_want },
		{ "what is needed again last goes first", test_last_first },
		{ "what has stayed goes last", test_stayed_last },
		{ "when something has stayed", test_stayed_border },
		{ "what comes back", test_fetch },
		{ "random chunks against the best choice", test_random_push },
		{ "random chunks that come back", test_random_fetch },
		{ "a circle", test_circle },
		{ "a circle that is brought back early", test_circle_fetch },
		{ "what is not used any more", test_fetch_ends },
	};

	return tap_main("select", cases, ARRAY_SIZE(cases), argc, argv);
}
