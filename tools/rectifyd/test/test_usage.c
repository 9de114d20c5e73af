// SPDX-License-Identifier: GPL-2.0
/*
 * Learning which pages an app needs: each rule for one page; then a simulated app with a known set
 * of needed pages, which is in front and at the back in turn.
 */
#include "usage.h"
#include "harness.h"
#include "tree.h"

#define PAGES 5000
#define CHUNKS ((PAGES + 31) / 32)
/* Pages that the app needs in each visit. */
#define NEEDED (PAGES / 4)
#define VISITS 30

/* The simulated app, a bit per page; the same chunks of 32 pages as in usage.c. */
static u32 needed[CHUNKS], in[CHUNKS], out[CHUNKS];
static struct usage usage[CHUNKS];
static u32 visit;
/* A kept page is doubted once in so many visits; 0: never. */
static u32 visits;
/* usage_visits() changes @visits after each visit. */
static bool adapts;
/* Of the visit that has just ended. */
static struct usage_sums sums;
static u32 doubted_each;

static bool is_set(const u32 *pages, u32 page)
{
	return pages[page / 32] >> page % 32 & 1;
}

static void set(u32 *pages, u32 page)
{
	pages[page / 32] |= 1u << page % 32;
}

static u32 count(const u32 *pages)
{
	u32 n = 0, i;

	for (i = 0; i < CHUNKS; i++)
		n += __builtin_popcount(pages[i]);
	return n;
}

/* choose() - the app needs @n random pages from now on */
static void choose(u32 n)
{
	memset(needed, 0, sizeof(needed));
	while (count(needed) < n)
		set(needed, random_below(PAGES));
}

/* begin() - a new app: all of its pages are in memory, and none was ever out */
static void begin(u32 first_visit)
{
	u32 page;

	memset(usage, 0, sizeof(usage));
	memset(in, 0, sizeof(in));
	memset(out, 0, sizeof(out));
	for (page = 0; page < PAGES; page++)
		set(in, page);
	visit = first_visit;
	visits = USAGE_VISITS;
	adapts = false;
	choose(NEEDED);
}

/* evict() - the kernel reclaims @permille of the pages, chosen at random */
static void evict(u32 permille)
{
	u32 i, bits, page;

	for (i = 0; permille && i < CHUNKS; i++) {
		for (bits = 0, page = 0; page < 32; page++)
			bits |= (u32)(random_below(1000) < permille) << page;
		out[i] |= in[i] & bits;
		in[i] &= ~bits;
	}
}

/* use() - the app touches all needed pages; returns how many had to be read */
static u32 use(void)
{
	u32 n = 0, i;

	for (i = 0; i < CHUNKS; i++) {
		n += __builtin_popcount(needed[i] & ~in[i]);
		in[i] |= needed[i];
		out[i] &= ~needed[i];
	}
	return n;
}

static void end(void)
{
	u32 i;

	memset(&sums, 0, sizeof(sums));
	doubted_each = visits;
	for (i = 0; i < CHUNKS; i++)
		usage_end(&usage[i], in[i], visits && usage_is_doubted(i, visit, visits), &sums);
	visit++;
	if (adapts)
		visits = usage_visits(visits, &sums);
}

/* push() - swap out all pages that are not hot, as rectifyd does at the back */
static void push(void)
{
	u32 i;

	for (i = 0; i < CHUNKS; i++) {
		out[i] |= in[i] & ~usage[i].hot;
		in[i] &= usage[i].hot;
	}
}

/* front() - a visit with reclaim in the middle; returns how many pages were read */
static u32 front(u32 permille)
{
	u32 waits, i;

	for (i = 0; i < CHUNKS; i++)
		usage[i].out = out[i];
	waits = use();
	evict(permille);
	waits += use();
	end();
	return waits;
}

/* back() - the app goes to the back; the kernel reclaims @permille of the other pages */
static void back(u32 permille)
{
	push();
	evict(permille);
}

/* was_doubted() - was the chunk doubted in the visit that has just ended? */
static bool was_doubted(u32 nr)
{
	return doubted_each && usage_is_doubted(nr, visit - 1, doubted_each);
}

/* Pages whose state differs from the true set after the last visit. */
struct errors {
	u32 missing;			/* needed, not hot, and not doubted */
	u32 doubted;			/* needed, not hot, but doubted */
	u32 extra;			/* hot, and not needed */
};

static struct errors errors(void)
{
	struct errors errors = { 0 };
	u32 i;

	for (i = 0; i < CHUNKS; i++) {
		u32 missing = __builtin_popcount(needed[i] & ~usage[i].hot);

		if (was_doubted(i))
			errors.doubted += missing;
		else
			errors.missing += missing;
		errors.extra += __builtin_popcount(usage[i].hot & ~needed[i]);
	}
	return errors;
}

/* both() - pages that are hot and in @pages */
static u32 both(const u32 *pages)
{
	u32 n = 0, i;

	for (i = 0; i < CHUNKS; i++)
		n += __builtin_popcount(usage[i].hot & pages[i]);
	return n;
}

/* Setting @out at the start of a visit changes no other field. */
static void test_begin(void)
{
	struct usage one = { .out = 5, .seen = 0xf0f0ffff, .hot = 0xf0f0f0f0, .doubted = 0xf0f };

	one.out = 0;
	expect_eq(one.out, 0);
	one.out = UINT32_MAX;
	expect_eq(one.out, UINT32_MAX);
	/* Once more, without usage_end() in between. */
	one.out = 0x80000001;
	expect_eq(one.out, 0x80000001u);
	expect_eq(one.seen, 0xf0f0ffffu);
	expect_eq(one.hot, 0xf0f0f0f0u);
	expect_eq(one.doubted, 0xf0fu);
}

/* State of a page. A page that is hot or doubted was also seen. */
enum known { NOTHING, SEEN, HOT, DOUBTED };

/* page_of() - a page in this state, at @bit of its chunk */
static struct usage page_of(enum known known, unsigned int bit)
{
	return (struct usage){
		.seen = (u32)(known != NOTHING) << bit, .hot = (u32)(known == HOT) << bit,
		.doubted = (u32)(known == DOUBTED) << bit,
	};
}

static bool page_is(const struct usage *one, enum known known, unsigned int bit)
{
	struct usage want = page_of(known, bit);

	return expect_eq(one->hot, want.hot) & expect_eq(one->seen, want.seen) &
	       expect_eq(one->doubted, want.doubted);
}

/* All transitions of one page: old state, was it out, is it in; new state, also if doubted. */
static const struct end_case {
	enum known was;
	bool out, in;
	enum known is, if_doubted;
	bool hot_back, cold_back, needed;
} end_cases[] = {
	/* A new page in memory counts as not needed; a page that stays out does, too. */
	{ NOTHING, 0, 0, NOTHING, NOTHING, 0, 0, 0 }, { NOTHING, 0, 1, NOTHING, NOTHING, 0, 0, 0 },
	{ NOTHING, 1, 0, NOTHING, NOTHING, 0, 0, 0 },
	/* It was read in one visit, and in the next one, too. */
	{ NOTHING, 1, 1, SEEN, SEEN, 0, 1, 0 }, { SEEN, 1, 1, HOT, HOT, 0, 0, 0 },
	/* It was read once; then it was not needed, or it stayed and showed nothing. */
	{ SEEN, 1, 0, NOTHING, NOTHING, 0, 0, 0 }, { SEEN, 0, 0, NOTHING, NOTHING, 0, 0, 0 },
	{ SEEN, 0, 1, NOTHING, NOTHING, 0, 0, 0 },
	/* A hot page that stayed gets doubted; a hot page that was read does not. */
	{ HOT, 0, 1, HOT, DOUBTED, 0, 0, 0 }, { HOT, 1, 1, HOT, HOT, 1, 0, 0 },
	/* A hot page went out, or stayed out. */
	{ HOT, 0, 0, NOTHING, NOTHING, 0, 0, 0 }, { HOT, 1, 0, NOTHING, NOTHING, 0, 0, 0 },
	/* A doubted page is hot again once it was read. */
	{ DOUBTED, 1, 1, HOT, HOT, 0, 1, 1 }, { DOUBTED, 1, 0, NOTHING, NOTHING, 0, 0, 0 },
	/* A doubted page did not go out, so nothing shows that it is needed. */
	{ DOUBTED, 0, 1, NOTHING, NOTHING, 0, 0, 0 }, { DOUBTED, 0, 0, NOTHING, NOTHING, 0, 0, 0 },
};

static bool end_one(const struct end_case *one, bool doubt, unsigned int bit)
{
	enum known want = doubt ? one->if_doubted : one->is;
	struct usage_sums sum = { 10, 200, 3000, 40000, 500000 };
	struct usage page = page_of(one->was, bit);
	bool good;

	page.out = (u32)one->out << bit;
	usage_end(&page, (u32)one->in << bit, doubt, &sum);
	good = page_is(&page, want, bit);
	good &= expect_eq(sum.hot, 10 + (want == HOT));
	good &= expect_eq(sum.hot_back, 200 + one->hot_back);
	good &= expect_eq(sum.cold_back, 3000 + one->cold_back);
	if (one->out || one->was != DOUBTED)
		good &= expect_eq(sum.doubted, 40000 + (one->was == DOUBTED));
	return good & expect_eq(sum.needed, 500000 + one->needed);
}

static void test_end(void)
{
	unsigned int i, bit;

	for (i = 0; i < 2 * ARRAY_SIZE(end_cases); i++) {
		for (bit = 0; bit < 32; bit++) {
			if (!end_one(&end_cases[i / 2], i % 2, bit))
				tap_note("case %u, doubted %u, page %u", i / 2, i % 2, bit);
		}
	}
}

/* is_hot() - of a page that is out before each visit; '1': the visit needs it */
static bool is_hot(const char *needed_in)
{
	struct usage one = { 0 };

	for (; *needed_in; needed_in++) {
		one.out = 1;
		usage_end(&one, *needed_in == '1', false, &sums);
	}
	return one.hot;
}

/* A page gets hot when two visits in a row need it. */
static void test_twice(void)
{
	expect(!is_hot("1"));
	expect(!is_hot("01"));
	expect(!is_hot("101"));
	expect(!is_hot("1010101"));
	expect(!is_hot("1001"));
	expect(!is_hot("110"));
	expect(!is_hot("1101"));
	expect(is_hot("11"));
	expect(is_hot("011"));
	expect(is_hot("1011"));
	expect(is_hot("111"));
	expect(is_hot("11011"));
}

static void add(struct usage_sums *all, const struct usage_sums *one)
{
	all->hot += one->hot;
	all->hot_back += one->hot_back;
	all->cold_back += one->cold_back;
	all->doubted += one->doubted;
	all->needed += one->needed;
}

/* The pages of a chunk do not affect each other, and each of them counts once. */
static void test_pages_alone(void)
{
	unsigned int i, bit;

	for (i = 0; i < 20000; i++) {
		u32 bits_in = (u32)random_u64(), bits_out = (u32)random_u64();
		struct usage chunk = { .seen = (u32)random_u64() }, before;
		struct usage_sums all = { 0 }, each = { 0 };
		bool doubt = random_below(2);

		chunk.hot = chunk.seen & (u32)random_u64();
		chunk.doubted = chunk.seen & ~chunk.hot & (u32)random_u64();
		before = chunk;
		chunk.out = bits_out;
		usage_end(&chunk, bits_in, doubt, &all);
		for (bit = 0; bit < 32; bit++) {
			struct usage one = {
				.seen = before.seen & 1u << bit, .hot = before.hot & 1u << bit,
				.doubted = before.doubted & 1u << bit,
			};
			struct usage_sums sum = { 0 };

			one.out = bits_out & 1u << bit;
			usage_end(&one, bits_in & 1u << bit, doubt, &sum);
			expect_eq(chunk.hot & 1u << bit, one.hot);
			expect_eq(chunk.seen & 1u << bit, one.seen);
			expect_eq(chunk.doubted & 1u << bit, one.doubted);
			add(&each, &sum);
		}
		expect(!memcmp(&all, &each, sizeof(all)));
		/* Hot and doubted pages were seen; a doubted page is not hot. */
		expect_eq((chunk.hot | chunk.doubted) & ~chunk.seen, 0);
		expect_eq(chunk.hot & chunk.doubted, 0);
	}
}

/*
 * Each chunk is doubted once in @each visits, and each visit doubts the same number of chunks; also
 * when the number of the visit wraps.
 */
static void test_doubted(void)
{
	static const u32 starts[] = { 0, 1, 7, 1000, UINT32_MAX - 3, UINT32_MAX };
	static const u32 chunks[] = { 0, 1, 7, 8, 9, 12345, UINT32_MAX - 1, UINT32_MAX };
	unsigned int i, j, k, n;
	u32 each;

	for (i = 0; i < ARRAY_SIZE(starts) * 4; i++) {
		u32 start = starts[i / 4];

		each = USAGE_VISITS << i % 4;
		for (j = 0; j < ARRAY_SIZE(chunks); j++) {
			for (n = 0, k = 0; k < each; k++)
				n += usage_is_doubted(chunks[j], start + k, each);
			if (!expect_eq(n, 1))
				tap_note("chunk %u from visit %u on", chunks[j], start);
			expect_eq(usage_is_doubted(chunks[j], start, each),
				  usage_is_doubted(chunks[j], start + each, each));
		}
		for (n = 0, k = 0; k < 100 * each; k++)
			n += usage_is_doubted(k, start, each);
		expect_eq(n, 100);
	}
	/* If the interval varies, each chunk is still doubted within USAGE_VISITS_MOST visits. */
	for (i = 0; i < 2000; i++) {
		u32 start = (u32)random_u64() | -(i % 2), chunk = (u32)random_u64();

		for (n = 0, k = 0; k < USAGE_VISITS_MOST; k++)
			n += usage_is_doubted(chunk, start + k, USAGE_VISITS << random_below(4));
		expect(n >= 1);
	}
}

/*
 * The interval doubles if nearly all doubted pages were needed, and goes back to the first one if
 * less than half of them were.
 */
static void test_visits(void)
{
	static const struct {
		u32 visits, doubted, needed, want;
	} cases[] = {
		/* No page was doubted: no change. */
		{ 8, 0, 0, 8 }, { 16, 0, 0, 16 }, { 64, 0, 0, 64 },
		/* Needed: all but an eighth, which is rounded down. */
		{ 8, 8, 8, 16 }, { 8, 8, 7, 16 }, { 8, 8, 6, 8 }, { 16, 8, 6, 16 },
		{ 8, 7, 7, 16 }, { 16, 7, 6, 16 }, { 8, 1, 1, 16 }, { 32, 15, 14, 64 },
		{ 32, 15, 13, 32 }, { 16, 100, 88, 32 }, { 16, 100, 87, 16 }, { 16, 100, 100, 32 },
		/* The longest interval stays. */
		{ 32, 100, 100, 64 }, { 64, 100, 100, 64 }, { 64, 100, 88, 64 },
		/* Needed: half or less. */
		{ 16, 8, 4, 16 }, { 16, 8, 3, 8 }, { 64, 100, 50, 64 }, { 64, 100, 49, 8 },
		{ 64, 100, 0, 8 }, { 32, 2, 1, 32 }, { 32, 2, 0, 8 }, { 8, 100, 0, 8 },
		/* The largest counts. */
		{ 8, UINT32_MAX, UINT32_MAX, 16 },
		{ 8, UINT32_MAX, UINT32_MAX - (1u << 29) + 1, 16 },
		{ 8, UINT32_MAX, UINT32_MAX - (1u << 29), 8 },
		{ 32, UINT32_MAX, 1u << 31, 32 }, { 32, UINT32_MAX, INT32_MAX - 1, 8 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct usage_sums sum = {
			.hot = i % 2 * 5000, .hot_back = i % 3 * 5000, .cold_back = i % 5 * 5000,
			.doubted = cases[i].doubted, .needed = cases[i].needed,
		};

		if (!expect_eq(usage_visits(cases[i].visits, &sum), cases[i].want))
			tap_note("%u of %u, each %u", cases[i].needed, cases[i].doubted,
				 cases[i].visits);
	}
}

/* The border of one half, with odd numbers of pages. */
static void test_visits_odd(void)
{
	static const u32 cases[][3] = {
		{ 1, 0, 8 }, { 3, 1, 8 }, { 3, 2, 32 }, { 5, 2, 8 }, { 5, 3, 32 }, { 101, 50, 8 },
		{ 101, 51, 32 }, { UINT32_MAX, INT32_MAX, 8 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct usage_sums sum = { .doubted = cases[i][0], .needed = cases[i][1] };

		if (!expect_eq(usage_visits(32, &sum), cases[i][2]))
			tap_note("%u of %u", cases[i][1], cases[i][0]);
	}
}

/*
 * The first visit teaches nothing, because all pages are in memory. The second one reads all needed
 * pages, and after the third one all of them are hot, except the doubted ones.
 */
static void test_known(void)
{
	static const u32 starts[] = { 0, 5, UINT32_MAX - 10 };
	unsigned int i, j;
	struct errors e;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		begin(starts[i]);
		expect_eq(front(0), 0);
		expect_eq(both(needed), 0);
		back(0);
		expect_eq(count(in), 0);
		expect_eq(front(0), NEEDED);
		expect_eq(both(needed), 0);
		back(0);
		expect_eq(count(in), 0);
		expect_eq(front(0), NEEDED);
		e = errors();
		expect_eq(e.missing + e.doubted + e.extra, 0);
		for (j = 3; j < VISITS; j++) {
			u32 waits, doubted = e.doubted;

			back(0);
			waits = front(0);
			/* The app reads just the doubted pages, and these are hot again. */
			expect_eq(waits, doubted);
			expect_eq(sums.doubted, doubted);
			expect_eq(sums.needed, doubted);
			expect_eq(sums.cold_back, doubted);
			expect_eq(sums.hot_back, 0);
			e = errors();
			expect_eq(e.missing + e.extra, 0);
			expect(both(needed) + e.missing + e.doubted == NEEDED);
			/* USAGE_VISITS is 8: about an eighth of the pages. */
			if (!expect(e.doubted >= NEEDED / 12 && e.doubted <= NEEDED / 6))
				tap_note("visit %u: %u doubted", j, e.doubted);
		}
	}
}

/* In one interval each needed page is doubted once, and is read once. */
static void test_doubt_costs(void)
{
	u32 waits, each, i;

	for (each = USAGE_VISITS; each <= USAGE_VISITS_MOST; each *= 2) {
		begin(3);
		visits = each;
		for (i = 0; i < 4; i++) {
			front(0);
			back(0);
		}
		for (waits = 0, i = 0; i < each; i++) {
			waits += front(0);
			back(0);
		}
		expect_eq(waits, NEEDED);
	}
}

/* The sums of a visit match the pages that the app had to read. */
static void test_counts(void)
{
	static const u32 rates[] = { 0, 1, 20, 200, 1000 };
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		begin(i);
		adapts = i % 2;
		for (j = 0; j < VISITS; j++) {
			u32 waits, hot_out = 0, doubted_out = 0, learned = 0;

			if (!(j % 7))
				choose(random_length(PAGES / 2));
			for (k = 0; k < CHUNKS; k++) {
				hot_out += __builtin_popcount(usage[k].hot & out[k] & needed[k]);
				doubted_out += __builtin_popcount(usage[k].doubted & needed[k]);
				learned += __builtin_popcount(usage[k].seen & ~usage[k].hot &
							      ~usage[k].doubted & out[k] & needed[k]);
			}
			waits = front(0);
			expect_eq(sums.hot_back + sums.cold_back + learned, waits);
			expect_eq(sums.hot_back, hot_out);
			/* Doubted pages count as needed if they went out and were read. */
			expect_eq(sums.needed, doubted_out);
			expect(sums.needed <= sums.doubted && sums.needed <= sums.cold_back);
			for (k = 0; k < CHUNKS; k++)
				sums.hot -= __builtin_popcount(usage[k].hot);
			expect_eq(sums.hot, 0);
			back(rates[i]);
		}
	}
}

/* The kernel reclaims pages at the back and in front: no page gets a wrong state. */
static void test_evictions(void)
{
	static const u32 rates[] = { 1, 10, 50, 200, 500, 1000 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		begin(i);
		for (j = 0; j < VISITS; j++) {
			struct errors e;

			front(rates[i]);
			e = errors();
			/* No page was out in the first visit, so learning takes two more. */
			if (!expect(j < 2 || !e.missing) || !expect_eq(e.extra, 0))
				tap_note("%u permille, visit %u: %u missing, %u doubted", rates[i],
					 j, e.missing, e.doubted);
			back(rates[i]);
		}
	}
}

/* A page reclaimed after its last use in a visit is not kept; two visits make it hot again. */
static void test_evicted_late(void)
{
	unsigned int j;
	u32 i, taken;

	begin(0);
	for (j = 0; j < VISITS; j++) {
		for (i = 0; i < CHUNKS; i++)
			usage[i].out = out[i];
		use();
		evict(100);
		for (taken = 0, i = 0; i < CHUNKS; i++)
			taken += __builtin_popcount(needed[i] & out[i]);
		end();
		for (i = 0; i < CHUNKS; i++)
			expect_eq(usage[i].hot & out[i], 0);
		expect(!j || errors().missing <= taken);
		expect_eq(errors().extra, 0);
		back(0);
		expect(front(0) >= taken);
		expect(!j || errors().missing <= taken);
		back(0);
		front(0);
		expect_eq(errors().missing, 0);
		back(0);
	}
}

/* change() - the app suddenly needs other pages: the old ones go, an eighth in each visit */
static void change(u32 first_visit, u32 permille)
{
	u32 old[CHUNKS], left = NEEDED, now;
	unsigned int i, j;

	begin(first_visit);
	for (j = 0; j < VISITS; j++) {
		front(permille);
		back(permille);
	}
	memcpy(old, needed, sizeof(old));
	choose(NEEDED);
	for (i = 0; i < CHUNKS; i++)
		old[i] &= ~needed[i];
	for (j = 1; j <= USAGE_VISITS; j++) {
		front(permille);
		/* The new pages are hot after two visits. */
		if (!expect(j < 2 || !errors().missing))
			tap_note("visit %u: %u missing", j, errors().missing);
		now = both(old);
		expect(now <= left);
		/* The last eighth was out when the set changed. */
		expect(permille || j >= USAGE_VISITS - 1 || now > 0);
		left = now;
		back(permille);
	}
	if (!expect_eq(left, 0))
		tap_note("from visit %u on, %u permille", first_visit, permille);
	expect_eq(errors().extra, 0);
}

static void test_change(void)
{
	unsigned int i;

	for (i = 0; i < 2 * USAGE_VISITS; i++) {
		change(i, 0);
		change(UINT32_MAX - i - VISITS, 0);
		change(i, 20);
	}
}

/* Memory is plenty, so no page goes out: no page gets hot, and that is right. */
static void test_plenty(void)
{
	unsigned int j;

	begin(0);
	for (j = 0; j < VISITS; j++) {
		front(0);
		expect_eq(both(needed), 0);
	}
	/* A page that was read once and then stays does not get hot. */
	back(0);
	front(0);
	for (j = 0; j < 3; j++) {
		expect_eq(both(needed), 0);
		expect_eq(front(0), 0);
	}
	/* Hot pages stay hot while they are not doubted, */
	for (j = 0; j < 2; j++) {
		back(0);
		front(0);
	}
	expect_eq(both(needed), NEEDED);
	visits = 0;
	for (j = 0; j < VISITS; j++) {
		front(0);
		expect_eq(both(needed), NEEDED);
		expect_eq(sums.hot, NEEDED);
		expect_eq(sums.hot_back + sums.cold_back + sums.doubted + sums.needed, 0);
	}
	/* and not longer. */
	visits = USAGE_VISITS;
	for (j = 0; j < USAGE_VISITS; j++)
		front(0);
	expect_eq(both(needed), 0);
}

/* learn() - the app needs the same pages until the interval is the longest one */
static void learn(u32 first_visit)
{
	u32 was;
	unsigned int j;

	begin(first_visit);
	adapts = true;
	for (j = 0; j < 3; j++) {
		front(0);
		expect_eq(visits, USAGE_VISITS);
		back(0);
	}
	for (j = 0; j < VISITS; j++) {
		was = visits;
		front(0);
		/* The interval doubles at once when the doubted pages came back. */
		expect_eq(visits, !sums.doubted || was == USAGE_VISITS_MOST ? was : 2 * was);
		back(0);
	}
	expect_eq(visits, USAGE_VISITS_MOST);
}

/* If an app needs the same pages for a long time, they are doubted more and more rarely. */
static void test_same(void)
{
	u32 waits, i, j;

	for (i = 0; i < 40; i++) {
		learn(i % 2 ? i : UINT32_MAX - i);
		for (waits = 0, j = 0; j < USAGE_VISITS_MOST; j++) {
			waits += front(0);
			expect_eq(visits, USAGE_VISITS_MOST);
			back(0);
		}
		expect_eq(waits, NEEDED);
	}
}

/* found() - replace @permille of the needed pages; return the visits until the old ones are gone */
static u32 found(u32 first_visit, u32 permille)
{
	u32 old[CHUNKS], now, left, page, i, j;

	learn(first_visit);
	memcpy(old, needed, sizeof(old));
	for (page = 0; page < PAGES; page++) {
		if (is_set(old, page) && random_below(1000) < permille)
			needed[page / 32] &= ~(1u << page % 32);
	}
	while (count(needed) < NEEDED) {
		page = random_below(PAGES);
		if (!is_set(old, page))
			set(needed, page);
	}
	for (i = 0; i < CHUNKS; i++)
		old[i] &= ~needed[i];
	for (left = NEEDED, j = 0; j <= 2 * USAGE_VISITS_MOST && left; j++) {
		front(0);
		/* The new pages are hot after two visits. */
		expect(!j || !errors().missing);
		now = both(old);
		expect(now <= left);
		left = now;
		back(0);
	}
	expect_eq(errors().extra, 0);
	return j;
}

/* The needed pages change after a long time: the old ones go within a bounded number of visits. */
static void test_found(void)
{
	unsigned int i;

	for (i = 0; i < USAGE_VISITS_MOST; i += 3) {
		/* Most pages change: the interval is the first one again after the first visit. */
		expect(found(i, 1000) <= 2 + USAGE_VISITS);
		expect(found(UINT32_MAX - 33 - i, 700) <= 3 + USAGE_VISITS);
		/* Some pages change: the interval stays. */
		expect(found(i, 250) <= USAGE_VISITS_MOST + 1);
	}
}

/* A single page is no longer needed: it goes within the longest interval. */
static void test_found_one(void)
{
	unsigned int i, j;

	for (i = 0; i < 2 * USAGE_VISITS_MOST; i++) {
		struct usage one = { .seen = 1, .hot = 1 };

		for (j = 0; one.hot && j < 1000; j++) {
			one.out = 0;
			usage_end(&one, 1, usage_is_doubted(i, j, USAGE_VISITS_MOST), &sums);
		}
		expect(j <= USAGE_VISITS_MOST);
	}
}

/* The needed pages change every few visits: the interval does not get to the longest one. */
static void test_changes(void)
{
	unsigned int i, j, k;

	for (i = 3; i < 10; i++) {
		begin(i);
		adapts = true;
		for (j = 0; j < 40; j++) {
			choose(NEEDED);
			for (k = 0; k < i; k++) {
				front(0);
				back(0);
			}
			/* Old pages that were not doubted yet are still kept; this bounds them. */
			expect(sums.hot <= NEEDED * (2 + USAGE_VISITS / i));
		}
		expect(visits < USAGE_VISITS_MOST);
	}
}

/* Each visit also needs pages that the next one does not need: just these go out. */
static void test_once(void)
{
	u32 always[CHUNKS], last[CHUNKS] = { 0 };
	unsigned int i, j, k;

	begin(0);
	memcpy(always, needed, sizeof(always));
	for (j = 0; j < VISITS; j++) {
		memcpy(needed, always, sizeof(needed));
		for (k = 0; k < NEEDED; k++) {
			u32 page = random_below(PAGES);

			/* Not in two visits in a row. */
			if (!is_set(last, page))
				set(needed, page);
		}
		front(0);
		for (i = 0; i < CHUNKS; i++) {
			expect_eq(usage[i].hot & ~always[i], 0);
			if (j >= 2 && !was_doubted(i))
				expect_eq(always[i] & ~usage[i].hot, 0);
			last[i] = needed[i] & ~always[i];
		}
		back(0);
		for (i = 0; i < CHUNKS; i++)
			expect_eq(in[i] & ~always[i], 0);
	}
}

/* Two kinds of visits in turn, each with its own pages: just the shared pages stay. */
static void test_turns(void)
{
	u32 turns[2][CHUNKS];
	unsigned int i, j;

	begin(0);
	memcpy(turns[0], needed, sizeof(needed));
	choose(NEEDED);
	memcpy(turns[1], needed, sizeof(needed));
	for (j = 0; j < VISITS; j++) {
		memcpy(needed, turns[j % 2], sizeof(needed));
		front(0);
		for (i = 0; i < CHUNKS; i++) {
			u32 shared = turns[0][i] & turns[1][i];

			expect_eq(usage[i].hot & ~shared, 0);
			if (j >= 2 && !was_doubted(i))
				expect_eq(usage[i].hot, shared);
		}
		back(0);
	}
}

/* next() - the state of a page after one more visit */
static enum known next(enum known was, bool was_out, bool is_in, bool doubt)
{
	if (!is_in)
		return NOTHING;
	if (was_out)
		return was == NOTHING ? SEEN : HOT;
	return was == HOT ? doubt ? DOUBTED : HOT : NOTHING;
}

/* pages_are() - compare all pages and sums with next(); @known gets the new states */
static void pages_are(enum known *known, const u32 *was_out)
{
	struct usage_sums want = { 0 };
	u32 page, doubted_in = 0;

	for (page = 0; page < PAGES; page++) {
		bool came = is_set(was_out, page) && is_set(in, page);
		struct usage *chunk = &usage[page / 32];
		enum known was = known[page];

		want.hot_back += came && was == HOT;
		want.cold_back += came && was != HOT && was != SEEN;
		want.needed += came && was == DOUBTED;
		want.doubted += is_set(was_out, page) && was == DOUBTED;
		doubted_in += !is_set(was_out, page) && was == DOUBTED;
		known[page] = next(was, is_set(was_out, page), is_set(in, page),
				   was_doubted(page / 32));
		want.hot += known[page] == HOT;
		if (!expect_eq(chunk->hot >> page % 32 & 1, known[page] == HOT) ||
		    !expect_eq(chunk->seen >> page % 32 & 1, known[page] != NOTHING) ||
		    !expect_eq(chunk->doubted >> page % 32 & 1, known[page] == DOUBTED))
			tap_note("visit %u, page %u", visit - 1, page);
	}
	expect_eq(sums.hot, want.hot);
	expect_eq(sums.hot_back, want.hot_back);
	expect_eq(sums.cold_back, want.cold_back);
	expect_eq(sums.needed, want.needed);
	expect(sums.doubted >= want.doubted && sums.doubted <= want.doubted + doubted_in);
}

/* Random visits with random pages, with and without reclaim. */
static void test_random(void)
{
	u32 now;
	static u32 was_out[CHUNKS];
	static enum known known[PAGES];

	begin(UINT32_MAX - 50);
	memset(known, 0, sizeof(known));
	for (now = 0; now < (quick() ? 60 : 300); now++) {
		/* A fixed interval, one that adapts, or no doubt at all. */
		adapts = random_below(2);
		if (!random_below(5))
			visits = random_below(4) ? USAGE_VISITS << random_below(4) : 0;
		if (random_below(3))
			choose(random_length(PAGES / 2));
		memcpy(was_out, out, sizeof(out));
		adapts = adapts && visits;
		front(random_below(3) ? 0 : random_below(300));
		pages_are(known, was_out);
		expect(visits <= USAGE_VISITS_MOST);
		if (!random_below(4))
			evict(random_below(300));
		/* Sometimes rectifyd does not push. */
		if (random_below(4))
			back(random_below(200));
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "a visit begins", test_begin },
		{ "a visit ends: all transitions of a page", test_end },
		{ "a page gets hot after two visits in a row", test_twice },
		{ "pages of a chunk do not affect each other", test_pages_alone },
		{ "each chunk is doubted once in an interval", test_doubted },
		{ "the interval of doubt", test_visits },
		{ "needed pages are hot after three visits", test_known },
		{ "doubt costs one read per page and interval", test_doubt_costs },
		{ "the sums of a visit", test_counts },
		{ "the kernel reclaims pages, too", test_evictions },
		{ "pages that go out after their last use", test_evicted_late },
		{ "other pages are needed", test_change },
		{ "nothing is pushed out", test_plenty },
		{ "the same pages are needed for a long time", test_same },
		{ "other pages are needed after a long time", test_found },
		{ "one page is not needed any more", test_found_one },
		{ "other pages are needed now and then", test_changes },
		{ "pages that are needed once", test_once },
		{ "two kinds of visits in turn", test_turns },
		{ "random visits", test_random },
		{ "the interval of doubt, odd numbers of pages", test_visits_odd },
	};

	return tap_main("usage", cases, ARRAY_SIZE(cases), argc, argv);
}
