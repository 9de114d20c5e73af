// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages an app needs: each rule for one page, and an app of which that is known, in front and
 * at the back in turn.
 */
#include "usage.h"
#include "harness.h"
#include "tree.h"

#define PAGES 5000
#define CHUNKS ((PAGES + 31) / 32)
/* What the app needs in each visit. */
#define NEEDED (PAGES / 4)
#define VISITS 30

/* The app: bits of chunks, as those of the units. */
static u32 needed[CHUNKS], in[CHUNKS], out[CHUNKS];
static struct usage usage[CHUNKS];
static u32 visit;

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

/* choose() - another set of pages is needed from now on */
static void choose(u32 n)
{
	memset(needed, 0, sizeof(needed));
	while (count(needed) < n)
		set(needed, random_below(PAGES));
}

/* begin() - an app that has filled its memory; none of it was ever out */
static void begin(u32 first_visit)
{
	u32 page;

	memset(usage, 0, sizeof(usage));
	memset(in, 0, sizeof(in));
	memset(out, 0, sizeof(out));
	for (page = 0; page < PAGES; page++)
		set(in, page);
	visit = first_visit;
	choose(NEEDED);
}

/* evict() - what the kernel takes: so many pages of 1000, whatever they are */
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

/* use() - all that is needed is in memory now; returns how many pages were not */
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

	for (i = 0; i < CHUNKS; i++)
		usage_end(&usage[i], in[i], usage_doubted(i, visit));
	visit++;
}

/* push() - what is not needed goes out, as rectifyd does it */
static void push(void)
{
	u32 i;

	for (i = 0; i < CHUNKS; i++) {
		out[i] |= in[i] & ~usage[i].hot;
		in[i] &= usage[i].hot;
	}
}

/* front() - a visit, in which the kernel takes pages, too; returns how many came in */
static u32 front(u32 permille)
{
	u32 waits, i;

	for (i = 0; i < CHUNKS; i++)
		usage_begin(&usage[i], out[i]);
	waits = use();
	evict(permille);
	waits += use();
	end();
	return waits;
}

/* back() - after a visit */
static void back(u32 permille)
{
	push();
	evict(permille);
}

/* Pages that are not as the true set says, as of the visit that has just ended. */
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

		if (usage_doubted(i, visit - 1))
			errors.doubted += missing;
		else
			errors.missing += missing;
		errors.extra += __builtin_popcount(usage[i].hot & ~needed[i]);
	}
	return errors;
}

/* Pages of both sets. */
static u32 both(const u32 *pages)
{
	u32 n = 0, i;

	for (i = 0; i < CHUNKS; i++)
		n += __builtin_popcount(usage[i].hot & pages[i]);
	return n;
}

/* What is out at the beginning is taken as it is, and nothing else changes. */
static void test_begin(void)
{
	struct usage one = { .out = 5, .seen = 0xf0f0ffff, .hot = 0xf0f0f0f0 };

	usage_begin(&one, 0);
	expect_eq(one.out, 0);
	usage_begin(&one, UINT32_MAX);
	expect_eq(one.out, UINT32_MAX);
	/* Once more, without an end between. */
	usage_begin(&one, 0x80000001);
	expect_eq(one.out, 0x80000001u);
	expect_eq(one.seen, 0xf0f0ffffu);
	expect_eq(one.hot, 0xf0f0f0f0u);
}

/* What is known of a page; which is hot was seen, too. */
enum known { NOTHING, SEEN, HOT };

/* All that can be of one page: what was known, was it out, is it in, and what if it is doubted? */
static void test_end(void)
{
	static const struct {
		enum known was;
		bool out, in;
		enum known is, doubted;
	} cases[] = {
		/* New, and taken for what is not needed; or out, and not wanted. */
		{ NOTHING, 0, 0, NOTHING, NOTHING }, { NOTHING, 0, 1, NOTHING, NOTHING },
		{ NOTHING, 1, 0, NOTHING, NOTHING },
		/* It came in, once, and in the next visit, too. */
		{ NOTHING, 1, 1, SEEN, SEEN }, { SEEN, 1, 1, HOT, HOT },
		/* After it came in once it was not needed, or nothing shows that it was. */
		{ SEEN, 1, 0, NOTHING, NOTHING }, { SEEN, 0, 0, NOTHING, NOTHING },
		{ SEEN, 0, 1, NOTHING, NOTHING },
		/* It stayed; doubted, it has to come in once to be hot again. */
		{ HOT, 0, 1, HOT, SEEN }, { HOT, 1, 1, HOT, HOT },
		/* It went out, or was out and stays there. */
		{ HOT, 0, 0, NOTHING, NOTHING }, { HOT, 1, 0, NOTHING, NOTHING },
	};
	unsigned int i, bit;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		enum known was = cases[i / 2].was;
		enum known want = i % 2 ? cases[i / 2].doubted : cases[i / 2].is;

		for (bit = 0; bit < 32; bit++) {
			struct usage one = {
				.seen = (u32)(was != NOTHING) << bit, .hot = (u32)(was == HOT) << bit,
			};

			usage_begin(&one, (u32)cases[i / 2].out << bit);
			usage_end(&one, (u32)cases[i / 2].in << bit, i % 2);
			if (!expect_eq(one.hot, (u32)(want == HOT) << bit) ||
			    !expect_eq(one.seen, (u32)(want != NOTHING) << bit))
				tap_note("case %u, doubted %u, page %u", i / 2, i % 2, bit);
		}
	}
}

/* visits() - a page that is out before each visit; is it needed in it? Returns: is it hot */
static bool visits(const char *needed_in)
{
	struct usage one = { 0 };

	for (; *needed_in; needed_in++) {
		usage_begin(&one, 1);
		usage_end(&one, *needed_in == '1', false);
	}
	return one.hot;
}

/* Two visits, one after the other. */
static void test_twice(void)
{
	expect(!visits("1"));
	expect(!visits("01"));
	expect(!visits("101"));
	expect(!visits("1010101"));
	expect(!visits("1001"));
	expect(!visits("110"));
	expect(!visits("1101"));
	expect(visits("11"));
	expect(visits("011"));
	expect(visits("1011"));
	expect(visits("111"));
	expect(visits("11011"));
}

/* Pages of a chunk do not know of each other. */
static void test_pages_alone(void)
{
	unsigned int i, bit;

	for (i = 0; i < 20000; i++) {
		u32 bits_in = (u32)random_u64(), bits_out = (u32)random_u64();
		struct usage chunk = { .seen = (u32)random_u64() }, before;
		bool doubt = random_below(2);

		chunk.hot = chunk.seen & (u32)random_u64();
		before = chunk;
		usage_begin(&chunk, bits_out);
		usage_end(&chunk, bits_in, doubt);
		for (bit = 0; bit < 32; bit++) {
			struct usage one = {
				.seen = before.seen & 1u << bit, .hot = before.hot & 1u << bit,
			};

			usage_begin(&one, bits_out & 1u << bit);
			usage_end(&one, bits_in & 1u << bit, doubt);
			expect_eq(chunk.hot & 1u << bit, one.hot);
			expect_eq(chunk.seen & 1u << bit, one.seen);
		}
		/* What is hot was seen. */
		expect_eq(chunk.hot & ~chunk.seen, 0);
	}
}

/* Each chunk once in so many visits, and in each visit as many of them; also when visits wrap. */
static void test_doubted(void)
{
	static const u32 starts[] = { 0, 1, 7, 1000, UINT32_MAX - 3, UINT32_MAX };
	static const u32 chunks[] = { 0, 1, 7, 8, 9, 12345, UINT32_MAX - 1, UINT32_MAX };
	unsigned int i, j, k, n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(chunks); j++) {
			for (n = 0, k = 0; k < USAGE_VISITS; k++)
				n += usage_doubted(chunks[j], starts[i] + k);
			if (!expect_eq(n, 1))
				tap_note("chunk %u from visit %u on", chunks[j], starts[i]);
			expect_eq(usage_doubted(chunks[j], starts[i]),
				  usage_doubted(chunks[j], starts[i] + USAGE_VISITS));
		}
		for (n = 0, k = 0; k < 100 * USAGE_VISITS; k++)
			n += usage_doubted(k, starts[i]);
		expect_eq(n, 100);
	}
}

/*
 * In the first visit nothing is known, and in the next one all comes in; after one more all is
 * known, but for what is doubted.
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
			/* Only what was doubted is waited for, and is known again. */
			expect_eq(waits, doubted);
			e = errors();
			expect_eq(e.missing + e.extra, 0);
			expect(both(needed) + e.missing + e.doubted == NEEDED);
			/* About an eighth. */
			if (!expect(e.doubted >= NEEDED / 12 && e.doubted <= NEEDED / 6))
				tap_note("visit %u: %u doubted", j, e.doubted);
		}
	}
}

/* In so many visits each page that is needed was doubted once, and came back. */
static void test_doubt_costs(void)
{
	unsigned int i;
	u32 waits = 0;

	begin(3);
	for (i = 0; i < 4; i++) {
		front(0);
		back(0);
	}
	for (i = 0; i < USAGE_VISITS; i++) {
		waits += front(0);
		back(0);
	}
	expect_eq(waits, NEEDED);
}

/* The kernel takes pages at the back and in front: nothing is taken for what it is not. */
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
			/* When the first visit began nothing was out, and it takes two more. */
			if (!expect(j < 2 || !e.missing) || !expect_eq(e.extra, 0))
				tap_note("%u permille, visit %u: %u missing, %u doubted", rates[i],
					 j, e.missing, e.doubted);
			back(rates[i]);
		}
	}
}

/* A page that goes out after its last use is not kept, and is known again after two visits. */
static void test_evicted_late(void)
{
	unsigned int j;
	u32 i, taken;

	begin(0);
	for (j = 0; j < VISITS; j++) {
		for (i = 0; i < CHUNKS; i++)
			usage_begin(&usage[i], out[i]);
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

/* From one visit to the next other pages are needed: the old ones leave, an eighth a visit. */
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
		/* The new ones are known after two visits. */
		if (!expect(j < 2 || !errors().missing))
			tap_note("visit %u: %u missing", j, errors().missing);
		now = both(old);
		expect(now <= left);
		/* The last eighth was out when that began. */
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

/* Nothing is pushed out, as when memory is plenty: nothing is known, and nothing is wrong. */
static void test_plenty(void)
{
	unsigned int j;

	begin(0);
	for (j = 0; j < VISITS; j++) {
		front(0);
		expect_eq(both(needed), 0);
	}
	/* What came in once is not known when it stays. */
	back(0);
	front(0);
	for (j = 0; j < 3; j++) {
		expect_eq(both(needed), 0);
		expect_eq(front(0), 0);
	}
	/* What was known is doubted, too. */
	for (j = 0; j < 2; j++) {
		back(0);
		front(0);
	}
	expect_eq(both(needed), NEEDED);
	for (j = 0; j < USAGE_VISITS; j++)
		front(0);
	expect_eq(both(needed), 0);
}

/* In each visit pages are needed that are not needed again: they go out, and no other ones do. */
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

			/* Not twice, one visit after the other. */
			if (!is_set(last, page))
				set(needed, page);
		}
		front(0);
		for (i = 0; i < CHUNKS; i++) {
			expect_eq(usage[i].hot & ~always[i], 0);
			if (j >= 2 && !usage_doubted(i, visit - 1))
				expect_eq(always[i] & ~usage[i].hot, 0);
			last[i] = needed[i] & ~always[i];
		}
		back(0);
		for (i = 0; i < CHUNKS; i++)
			expect_eq(in[i] & ~always[i], 0);
	}
}

/* Two kinds of visits in turn, with pages of their own: what both need stays, and nothing else. */
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
			if (j >= 2 && !usage_doubted(i, visit - 1))
				expect_eq(usage[i].hot, shared);
		}
		back(0);
	}
}

/* next() - what is known of a page after one more visit */
static enum known next(enum known was, bool was_out, bool is_in, bool doubt)
{
	if (!is_in)
		return NOTHING;
	if (was_out)
		return was == NOTHING ? SEEN : HOT;
	return was == HOT ? doubt ? SEEN : HOT : NOTHING;
}

/* Visits of all kinds, each with pages of its own, in which the kernel takes some, or none. */
static void test_random(void)
{
	u32 start = UINT32_MAX - 50, now, page;
	static u32 was_out[CHUNKS];
	static enum known known[PAGES];

	begin(start);
	memset(known, 0, sizeof(known));
	for (now = 0; now < (quick() ? 60 : 300); now++) {
		if (random_below(3))
			choose(random_length(PAGES / 2));
		memcpy(was_out, out, sizeof(out));
		front(random_below(3) ? 0 : random_below(300));
		for (page = 0; page < PAGES; page++) {
			known[page] = next(known[page], is_set(was_out, page), is_set(in, page),
					   page / 32 % USAGE_VISITS == (start + now) % USAGE_VISITS);
			if (!expect_eq(usage[page / 32].hot >> page % 32 & 1, known[page] == HOT) ||
			    !expect_eq(usage[page / 32].seen >> page % 32 & 1,
				       known[page] != NOTHING))
				tap_note("visit %u, page %u", now, page);
		}
		if (!random_below(4))
			evict(random_below(300));
		/* Not all goes out that is not needed. */
		if (random_below(4))
			back(random_below(200));
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "a visit begins", test_begin },
		{ "a visit ends: all that can be of a page", test_end },
		{ "a page is needed in visits one after the other, or not", test_twice },
		{ "pages of a chunk do not know of each other", test_pages_alone },
		{ "each chunk is doubted once in a round", test_doubted },
		{ "what an app needs is known after three visits", test_known },
		{ "what doubt costs", test_doubt_costs },
		{ "the kernel takes pages, too", test_evictions },
		{ "pages that go out after their last use", test_evicted_late },
		{ "other pages are needed", test_change },
		{ "nothing is pushed out", test_plenty },
		{ "pages that are needed once", test_once },
		{ "two kinds of visits in turn", test_turns },
		{ "random visits", test_random },
	};

	return tap_main("usage", cases, ARRAY_SIZE(cases), argc, argv);
}
