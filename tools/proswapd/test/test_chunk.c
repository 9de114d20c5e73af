// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at the 32 pages of a chunk: the uses that they show, the time of the next look, and the
 * time of the next use. Times wrap after 49 days.
 */
#include "chunks.h"
#include "layout.h"
#include "harness.h"
#include "tree.h"

static struct chunk chunk;
static struct chunk_news news;

static void look(u32 in, u32 out, u32 now_ms, u32 period_ms)
{
	memset(&news, 0xff, sizeof(news));
	chunk_look(&chunk, in, out, now_ms, period_ms, &news);
}

static bool says(unsigned int came, unsigned int again, unsigned int evicted, u32 gap_ms)
{
	return expect_eq(news.came, came) && expect_eq(news.again, again) &&
	       expect_eq(news.evicted, evicted) && expect_eq(news.gap_ms, gap_ms);
}

static void begin(void)
{
	memset(&chunk, 0, sizeof(chunk));
}

/* Looks at one chunk and their results; pushed: mark it as pushed out before the look. */
struct step {
	u32 now_ms, period_ms, in, out;
	bool pushed;
	unsigned int came, again, evicted;
	u32 gap_ms, used_ms;
};

static void walk(const struct step *steps, unsigned int n)
{
	unsigned int i;

	begin();
	for (i = 0; i < n; i++) {
		const struct step *step = &steps[i];

		if (step->pushed)
			chunk.pushed_ms = step->now_ms - 1;
		look(step->in, step->out, step->now_ms, step->period_ms);
		if (!says(step->came, step->again, step->evicted, step->gap_ms) ||
		    !expect_eq(chunk.used_ms, step->used_ms) ||
		    !expect_eq(chunk.looked_ms, step->now_ms) ||
		    !expect(chunk.in == step->in && chunk.out == step->out))
			tap_note("step %u", i);
	}
}

static void test_use(void)
{
	static const struct step steps[] = {
		/* No page; two pages for the first time; the same; one more within the same use. */
		{ 10, 1000, 0, 0, false, 0, 0, 0, 0, 0 },
		{ 20, 1000, 3, 0, false, 0, 0, 0, 0, 20 },
		{ 30, 1000, 3, 0, false, 0, 0, 0, 0, 20 },
		{ 269, 1000, 7, 0, false, 0, 0, 0, 0, 20 },
		/* They go out; one comes back, after a quarter of a period. */
		{ 269, 1000, 0, 7, false, 0, 0, 3, 0, 20 },
		{ 270, 1000, 1, 6, false, 1, 0, 0, 250, 270 },
		/* A page that comes in sooner than that belongs to the same use. */
		{ 519, 1000, 3, 4, false, 1, 0, 0, 0, 270 },
		{ 520, 1000, 7, 0, false, 1, 0, 0, 250, 520 },
		{ 769, 1000, 15, 0, false, 0, 0, 0, 0, 520 },
		/* No sign of a use in between: the gap is two periods. */
		{ 2400, 1000, 0, 7, false, 0, 0, 3, 0, 520 },
		{ 2520, 1000, 7, 0, false, 3, 0, 0, 2000, 2520 },
		/* While no period is known the same use lasts for 100 ms. */
		{ 2530, 0, 0, 7, false, 0, 0, 3, 0, 2520 },
		{ 2619, 0, 1, 6, false, 1, 0, 0, 0, 2520 },
		{ 2620, 0, 3, 4, false, 1, 0, 0, 100, 2620 },
		/* A page goes, another page comes. */
		{ 4000, 0, 5, 2, false, 1, 0, 1, 1380, 4000 },
		/* All go for good. */
		{ 5000, 0, 0, 0, false, 0, 0, 0, 0, 4000 },
		{ 6000, 0, UINT32_MAX, 0, false, 0, 0, 0, 2000, 6000 },
		{ 6010, 0, 0, UINT32_MAX, false, 0, 0, 32, 0, 6000 },
		{ 9010, 0, UINT32_MAX, 0, false, 32, 0, 0, 3010, 9010 },
	};

	walk(steps, ARRAY_SIZE(steps));
}

static void test_pushed(void)
{
	static const struct step steps[] = {
		{ 1000, 1000, 0xff, 0, false, 0, 0, 0, 0, 1000 },
		/* Pushed out, so not evicted. Three pages come back in the same use: too early. */
		{ 1100, 1000, 0, 0xff, true, 0, 0, 0, 0, 1000 },
		{ 1150, 1000, 7, 0xf8, false, 3, 3, 0, 0, 1000 },
		/* A page that comes then was counted before; one that goes was not pushed. */
		{ 1200, 1000, 0xf, 0xf0, false, 1, 0, 0, 0, 1000 },
		{ 1210, 1000, 0, 0xff, false, 0, 0, 4, 0, 1000 },
		/* Pushed out, and back at the last moment of the same use, and just after it. */
		{ 1220, 1000, 0, 0xff, true, 0, 0, 0, 0, 1000 },
		{ 1249, 1000, 1, 0xfe, false, 1, 1, 0, 0, 1000 },
		{ 1249, 1000, 0, 0xff, true, 0, 0, 0, 0, 1000 },
		{ 1250, 1000, 1, 0xfe, false, 1, 0, 0, 250, 1250 },
		{ 1260, 1000, 0, 0xff, true, 0, 0, 0, 0, 1250 },
		/* Pushed out, and back when it was expected: not too early. */
		{ 2000, 1000, 0xff, 0, false, 8, 0, 0, 750, 2000 },
		/* A page that was never there was not pushed out. */
		{ 2100, 1000, 0, 0xff, true, 0, 0, 0, 0, 2000 },
		{ 2200, 1000, 0x100, 0xff, false, 0, 0, 0, 0, 2000 },
	};

	walk(steps, ARRAY_SIZE(steps));
}

/* back() - pages are used at 1000, pushed out at @pushed, and looked at again at @now */
static void back(u32 pushed, u32 now, u32 in, u32 out)
{
	begin();
	look(0xff, 0, 1000, 1000);
	chunk.pushed_ms = pushed;
	look(in, out, now, 1000);
	expect(chunk.in == in && chunk.out == out);
	expect_eq(chunk.looked_ms, now);
}

/* Pushed out between two looks: pages in memory at the second one have come back. */
static void test_back(void)
{
	static const struct {
		u32 pushed, now, in, out;
		unsigned int came, again;
		u32 gap, out_ms;
	} cases[] = {
		/* In the same use: too early. */
		{ 1001, 1050, 0xff, 0, 8, 8, 0, 0 }, { 1049, 1050, 0xff, 0, 8, 8, 0, 0 },
		{ 1050, 1050, 0xff, 0, 8, 8, 0, 0 }, { 1100, 1249, 0xff, 0, 8, 8, 0, 0 },
		{ 1100, 1150, 7, 0xf8, 3, 3, 0, 0 }, { 1100, 1150, 0x1ff, 0, 8, 8, 0, 0 },
		/* In a new use. */
		{ 1100, 1250, 0xff, 0, 8, 0, 250, 150 }, { 1249, 1250, 0xff, 0, 8, 0, 250, 1 },
		{ 1250, 1250, 0xff, 0, 8, 0, 250, 0 }, { 1100, 2100, 1, 0xfe, 1, 0, 1100, 1000 },
		/* Still out, and gone for good. */
		{ 1100, 1150, 0, 0xff, 0, 0, 0, 0 }, { 1100, 2000, 0, 0xff, 0, 0, 0, 0 },
		{ 1100, 1150, 0, 0, 0, 0, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_back = cases[i].came;

		back(cases[i].pushed, cases[i].now, cases[i].in, cases[i].out);
		if (!says(cases[i].came, cases[i].again, 0, cases[i].gap) ||
		    !expect_eq(news.out_ms, cases[i].out_ms) ||
		    !expect_eq(chunk.pushed_ms, is_back ? 0 : cases[i].pushed) ||
		    !expect_eq(chunk.again_ms, cases[i].again ? cases[i].now : 0) ||
		    !expect_eq(chunk.used_ms, cases[i].gap ? cases[i].now : 1000))
			tap_note("case %u", i);
	}
}

/* The daemon may push in the same millisecond as it looked. */
static void test_back_at_once(void)
{
	back(1000, 1020, 0xff, 0);
	says(8, 8, 0, 0);
	expect(!chunk.pushed_ms && chunk.again_ms == 1020);
	back(1000, 1300, 3, 0xfc);
	says(2, 0, 0, 300);
	expect(!chunk.pushed_ms && !chunk.again_ms);
	expect_eq(news.out_ms, 300);
	/* A look in between has seen the pages out. */
	back(1000, 1020, 0, 0xff);
	says(0, 0, 0, 0);
	look(0xff, 0, 1040, 1000);
	says(8, 8, 0, 0);
	expect_eq(chunk.again_ms, 1040);
}

/* How long a chunk was pushed out, and when it came back too soon. */
static void test_out(void)
{
	begin();
	look(0, 0xff, 100, 1000);
	look(0xff, 0, 1000, 1000);
	expect_eq(news.out_ms, 0);
	/* It went out by itself. */
	look(0, 0xff, 1500, 1000);
	look(0xff, 0, 2000, 1000);
	expect_eq(news.gap_ms, 1000);
	expect_eq(news.out_ms, 0);
	/* Pushed out twice, as it came back in the same use. */
	chunk.pushed_ms = 2010;
	look(0, 0xff, 2020, 1000);
	look(0xff, 0, 2100, 1000);
	says(8, 8, 0, 0);
	expect_eq(news.out_ms, 0);
	expect_eq(chunk.again_ms, 2100);
	chunk.pushed_ms = 2200;
	look(0, 0xff, 2220, 1000);
	look(0xff, 0, 3000, 1000);
	expect_eq(news.gap_ms, 1000);
	expect_eq(news.out_ms, 800);
	/* again_ms outlives the use. */
	expect_eq(chunk.again_ms, 2100);
}

/* A use clears the marks of the use before. */
static void test_marks(void)
{
	begin();
	look(0xf, 0, 1000, 400);
	chunk.pushed_ms = 1100;
	chunk.fetched_ms = 1150;
	look(0, 0xf, 1160, 400);
	expect(chunk.pushed_ms == 1100 && chunk.fetched_ms == 1150);
	look(0xf, 0, 1400, 400);
	expect(!chunk.pushed_ms && !chunk.fetched_ms);
	expect_eq(chunk.gap_ms, 400);
}

static void test_next(void)
{
	static const struct {
		u32 used, gap, now, period, next;
	} cases[] = {
		{ 0, 0, 5000, 1000, 0 }, { 0, 900, 5000, 1000, 0 },
		{ 1000, 0, 1000, 1000, 1000 }, { 1000, 0, 1001, 1000, 999 },
		{ 1000, 0, 1999, 1000, 1 }, { 1000, 0, 2000, 1000, 1000 },
		{ 1000, 0, 5700, 1000, 300 },
		/* Its own rhythm, and one that is too far from the period of the process. */
		{ 1000, 900, 1100, 1000, 800 }, { 1000, 1100, 1100, 1000, 1000 },
		{ 1000, 876, 1100, 1000, 776 }, { 1000, 875, 1100, 1000, 900 },
		{ 1000, 501, 1100, 1000, 900 }, { 1000, 100, 1100, 1000, 900 },
		{ 1000, 1124, 1100, 1000, 1024 }, { 1000, 1125, 1100, 1000, 900 },
		{ 1000, 1999, 1100, 1000, 900 }, { 1000, 7000, 1100, 1000, 900 },
		{ 1000, UINT32_MAX, 1100, 1000, 900 },
		{ 1000, 44, 1010, 50, 34 }, { 1000, 43, 1010, 50, 40 },
		{ 1000, 55, 1010, 50, 45 }, { 1000, 56, 1010, 50, 40 },
		{ 1000, 105001, 1000, 120000, 105001 }, { 1000, 105000, 1000, 120000, 120000 },
		{ 1000, 134999, 1000, 120000, 134999 }, { 1000, 135000, 1000, 120000, 120000 },
		/* After the wrap. */
		{ UINT32_MAX - 99, 0, 100, 1000, 800 }, { UINT32_MAX - 99, 880, 100, 1000, 680 },
		{ UINT32_MAX, 0, 999, 1000, 1000 }, { 1, 0, UINT32_MAX, 1000, 706 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		chunk.used_ms = cases[i].used;
		chunk.gap_ms = cases[i].gap;
		if (!expect_eq(chunk_next_ms(&chunk, cases[i].now, cases[i].period), cases[i].next))
			tap_note("case %u", i);
	}
}

/* If a use was seen later than a sixteenth of a period, the chunk's own gap is unsure, */
static void test_unsure(void)
{
	static const struct {
		u32 looks[4];		/* the last one of each two shows a use */
		bool unsure;
	} cases[] = {
		{ { 900, 962, 1930, 1992 }, false }, { { 900, 963, 1930, 1992 }, true },
		{ { 900, 962, 1930, 1993 }, true }, { { 900, 1000, 1900, 2000 }, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const u32 *at = cases[i].looks;
		u32 gap = at[3] - at[1];

		begin();
		look(0, 0xff, at[0], 1000);
		look(0xff, 0, at[1], 1000);
		look(0, 0xff, at[2], 1000);
		look(0xff, 0, at[3], 1000);
		expect_eq(chunk.gap_ms, gap);
		if (!expect_eq(chunk.unsure, cases[i].unsure))
			tap_note("case %u", i);
		/* and the period of the process counts. */
		chunk.gap_ms = 900;
		expect_eq(chunk_next_ms(&chunk, at[3] + 10, 1000), cases[i].unsure ? 990 : 890);
	}
}

static void test_due(void)
{
	static const struct {
		struct chunk chunk;
		u32 now, period, tick;
		bool due;
	} cases[] = {
		/* A chunk without a known use is always due. */
		{ { 0 }, 1000, 0, 20, true }, { { .looked_ms = 1000 }, 1000, 0, 20, true },
		{ { 0 }, 1000, 900, 20, true },
		/* Otherwise it is due three times per period. */
		{ { .looked_ms = 1000 }, 1299, 900, 20, false },
		{ { .looked_ms = 1000 }, 1300, 900, 20, true },
		{ { .in = 1, .used_ms = 900, .looked_ms = 1000 }, 1299, 900, 20, false },
		/* It is coming in. */
		{ { .in = 1, .used_ms = 980, .looked_ms = 1000 }, 1020, 900, 20, true },
		{ { .in = 1, .used_ms = 979, .looked_ms = 1000 }, 1020, 900, 20, false },
		/* It is out, and expected at 1900. */
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1700 }, 1839, 900, 20, false },
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1700 }, 1840, 900, 20, true },
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1700 }, 1899, 900, 20, true },
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1700 }, 1900, 900, 20, true },
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1900 }, 1960, 900, 20, true },
		{ { .out = 1, .used_ms = 1000, .looked_ms = 1900 }, 1961, 900, 20, false },
		/* A chunk in memory shows no use, so its next use is no reason to look. */
		{ { .in = 1, .used_ms = 1000, .looked_ms = 1700 }, 1899, 900, 20, false },
		{ { .out = 1, .looked_ms = 1700 }, 1899, 900, 20, false },
		/* After the wrap. */
		{ { .looked_ms = UINT32_MAX - 99 }, 199, 900, 20, false },
		{ { .looked_ms = UINT32_MAX - 99 }, 200, 900, 20, true },
		{ { .out = 1, .used_ms = UINT32_MAX - 799, .looked_ms = 1 }, 39, 900, 20, false },
		{ { .out = 1, .used_ms = UINT32_MAX - 799, .looked_ms = 1 }, 40, 900, 20, true },
		/* Shorter than three milliseconds. */
		{ { .looked_ms = 1000 }, 1000, 2, 20, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!expect_eq(chunk_due(&cases[i].chunk, cases[i].now, cases[i].period,
					 cases[i].tick), cases[i].due))
			tap_note("case %u", i);
	}
}

/*
 * A program that goes through its memory in a circle. Look only at chunks that are due, or behind
 * new pages, as programs.c does: nearly all uses are seen at once, at a lower cost.
 */
#define LARGE 1024
#define SMALL 64

static void go_round(u32 period, u32 n)
{
	u32 tick = period / 48 < 10 ? 10 : period / 48 > 200 ? 200 : period / 48;
	u32 looks = 0, ticks = 0, seen = 0, wrong = 0, uses, passes = 20, now, nr;
	static struct chunk circle[LARGE];

	memset(circle, 0, sizeof(circle));
	for (now = 1; now < passes * period; now += tick) {
		u32 came_nr = 0;

		ticks++;
		for (nr = 0; nr < n; nr++) {
			/* It is in memory for a quarter of the period. */
			u32 phase = (now + period - nr * period / n) % period;
			bool in = phase < period / 4;

			if (!(came_nr && nr - came_nr < 2) &&
			    !chunk_due(&circle[nr], now, period, tick))
				continue;
			looks++;
			chunk_look(&circle[nr], in ? 0xff : 0, in ? 0 : 0xff, now, period, &news);
			if (news.came)
				came_nr = nr + 1;
			if (!news.gap_ms || now < passes / 2 * period)
				continue;
			seen++;
			wrong += news.gap_ms + period / 10 < period ||
				 news.gap_ms > period + period / 10;
		}
	}
	uses = n * passes / 2;
	if (!expect(seen >= uses * 9 / 10) || !expect(wrong <= uses / 10) ||
	    !expect(looks < ticks * n / 2))
		tap_note("%u ms: of %u uses %u seen, %u with a wrong time; %u looks at %u ticks",
			 period, uses, seen, wrong, looks, ticks);
}

static void test_due_is_enough(void)
{
	u32 period;

	for (period = 200; period < 20000; period += 1 + period / 5)
		go_round(period, LARGE);
}

/*
 * Less than two chunks per tick, so that no chunk is found behind another one. After a use that was
 * seen late the next one is expected at a wrong time.
 */
static void test_due_is_enough_small(void)
{
	u32 period;

	for (period = 200; period < 20000; period += 1 + period / 9)
		go_round(period, SMALL);
}

/* The same looks give the same results long after the start and across the wrap. */
static void test_wrap(void)
{
	unsigned int round, i;

	for (round = 0; round < 300 && !tap.bad; round++) {
		static const u32 bases[] = { 2000001, UINT32_MAX - 6000 };
		struct chunk chunks[2] = { { 0 }, { 0 } };
		u32 at = 0, period = random_below(4) ? 100 + random_below(2000) : 0, tick = 20;

		for (i = 0; i < 40; i++) {
			struct chunk_news both[2];
			u32 in = (u32)random_u64(), out = (u32)random_u64() & ~in, next[2], due[2];
			bool push = !random_below(4);
			unsigned int j;

			/* Even, so that the time is never 0, which means "never". */
			at += 2 + 2 * random_below(400);
			for (j = 0; j < 2; j++) {
				u32 now = bases[j] + at;

				due[j] = chunk_due(&chunks[j], now, period, tick);
				if (push)
					chunks[j].pushed_ms = now;
				chunk_look(&chunks[j], in, out, now, period, &both[j]);
				next[j] = chunk_next_ms(&chunks[j], now, period ? period : 1);
			}
			expect(!memcmp(&both[0], &both[1], sizeof(both[0])));
			expect_eq(next[0], next[1]);
			expect_eq(due[0], due[1]);
			expect_eq(chunks[0].gap_ms, chunks[1].gap_ms);
			expect_eq(chunks[0].used_ms - bases[0], chunks[1].used_ms - bases[1]);
		}
	}
}

/* model() - the same rules, page by page; @pushed: it was pushed out since the last look */
static void model(const struct chunk *was, u32 in, u32 out, u32 now, u32 period, bool pushed)
{
	unsigned int came = 0, first = 0, evicted = 0, i;
	u32 least = period ? period / 4 : 100;
	bool use;

	for (i = 0; i < CHUNK_PAGES; i++) {
		bool is_in = in >> i & 1, was_in = !pushed && was->in >> i & 1;
		bool is_out = out >> i & 1;
		bool was_out = was->out >> i & 1 || (pushed && was->in >> i & 1);

		first += is_in && !was_in;
		came += is_in && !was_in && was_out;
		evicted += was_in && is_out;
	}
	use = first && (!was->used_ms || now - was->used_ms >= least);
	expect_eq(news.came, came);
	expect_eq(news.evicted, was->pushed_ms ? 0 : evicted);
	expect_eq(news.again, !use && was->pushed_ms ? came : 0);
	expect_eq(news.gap_ms, use && was->used_ms ? now - was->used_ms : 0);
	expect_eq(news.out_ms, news.gap_ms && was->pushed_ms ? now - was->pushed_ms : 0);
	expect_eq(chunk.used_ms, use ? now : was->used_ms);
	expect_eq(chunk.again_ms, news.again ? now : was->again_ms);
	expect_eq(chunk.gap_ms, news.gap_ms ? news.gap_ms : was->gap_ms);
	expect_eq(chunk.pushed_ms, use || news.again ? 0 : was->pushed_ms);
	expect_eq(chunk.fetched_ms, use ? 0 : was->fetched_ms);
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 200 : 2000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 now = 1 + random_below(1000), period = random_below(3) * 500;

		begin();
		for (i = 0; i < 30; i++) {
			struct chunk was;
			u32 stays = random_below(2) ? chunk.in : 0;
			u32 in = (u32)(random_u64() & random_u64()) | stays;
			u32 out = ((u32)random_u64() | chunk.in | chunk.out) & ~in;
			u32 step = 1 + random_length(2000);
			bool pushed = chunk.used_ms && !random_below(5);

			if (pushed)
				chunk.pushed_ms = now + step / 2;
			if (chunk.used_ms && !random_below(9))
				chunk.fetched_ms = now;
			now += step;
			was = chunk;
			look(in, out, now, period);
			model(&was, in, out, now, period, pushed);
		}
	}
}

/*
 * If a chunk stayed in memory for many periods before the kernel took it, the time since its last
 * visible use is not the period.
 */
static void test_kept(void)
{
	struct chunk chunk = { 0 };
	struct chunk_news news;

	chunk_look(&chunk, 0, 0xff, 1000, 1000, &news);
	chunk_look(&chunk, 0xff, 0, 1100, 1000, &news);
	chunk_look(&chunk, 0xff, 0, 5000, 1000, &news);
	expect_eq(chunk.gone_ms, 0);
	chunk_look(&chunk, 0xf, 0xf0, 6000, 1000, &news);
	expect_eq(chunk.gone_ms, 6000);
	chunk_look(&chunk, 0, 0xff, 6100, 1000, &news);
	expect_eq(chunk.gone_ms, 6000);
	chunk_look(&chunk, 0xff, 0, 7100, 1000, &news);
	expect_eq(news.gap_ms, 6000);
	expect_eq(news.kept_ms, 4900);
	expect_eq(news.out_ms, 0);
	expect_eq(chunk.gone_ms, 0);
	/* Chunks that the daemon pushed out follow another rule. */
	chunk.pushed_ms = 7500;
	chunk_look(&chunk, 0, 0xff, 7600, 1000, &news);
	expect_eq(chunk.gone_ms, 0);
	chunk_look(&chunk, 0xff, 0, 8100, 1000, &news);
	expect_eq(news.kept_ms, 0);
	expect_eq(news.out_ms, 600);
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "what is a use", test_use },
		{ "what was pushed out too early", test_pushed },
		{ "what comes back between two looks", test_back },
		{ "what comes back before the next look", test_back_at_once },
		{ "how long it was out", test_out },
		{ "a use ends what was done", test_marks },
		{ "when it is needed again", test_next },
		{ "uses that are seen late", test_unsure },
		{ "when a look is due", test_due },
		{ "looks that are due see each use", test_due_is_enough },
		{ "looks that are due see each use of a small circle", test_due_is_enough_small },
		{ "milliseconds wrap round", test_wrap },
		{ "random looks against a model", test_random },
		{ "what stayed for many periods", test_kept },
	};

	return tap_main("chunk", cases, ARRAY_SIZE(cases), argc, argv);
}
