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
	struct usage one = { .out = 5, .hot = 0xf0f0f0f0 };

	usage_begin(&one, 0);
	expect_eq(one.out, 0);
	usage_begin(&one, UINT32_MAX);
	expect_eq(one.out, UINT32_MAX);
	/* Once more, without an end between. */
	usage_begin(&one, 0x80000001);
	expect_eq(one.out, 0x80000001u);
	expect_eq(one.hot, 0xf0f0f0f0u);
}

/* All that can be of one page: was it hot, was it out, is it in, is it doubted? */
static void test_end(void)
{
	static const struct {
		bool hot, out, in, doubt, want;
	} cases[] = {
		/* New, and taken for what is not needed; or out, and not wanted. */
		{ 0, 0, 0, 0, 0 }, { 0, 0, 1, 0, 0 }, { 0, 1, 0, 0, 0 },
		{ 0, 0, 0, 1, 0 }, { 0, 0, 1, 1, 0 }, { 0, 1, 0, 1, 0 },
		/* It came in. */
		{ 0, 1, 1, 0, 1 }, { 0, 1, 1, 1, 1 }, { 1, 1, 1, 0, 1 }, { 1, 1, 1, 1, 1 },
		/* It stayed, */
		{ 1, 0, 1, 0, 1 }, { 1, 0, 1, 1, 0 },
		/* went out, or was out and stays there. */
		{ 1, 0, 0, 0, 0 }, { 1, 0, 0, 1, 0 }, { 1, 1, 0, 0, 0 }, { 1, 1, 0, 1, 0 },
	};
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (bit = 0; bit < 32; bit++) {
			struct usage one = { .hot = (u32)cases[i].hot << bit };

			usage_begin(&one, (u32)cases[i].out << bit);
			usage_end(&one, (u32)cases[i].in << bit, cases[i].doubt);
			if (!expect_eq(one.hot, (u32)cases[i].want << bit))
				tap_note("case %u, page %u", i, bit);
		}
	}
}

/* Pages of a chunk do not know of each other. */
static void test_pages_alone(void)
{
	unsigned int i, bit;

	for (i = 0; i < 20000; i++) {
		u32 bits_in = (u32)random_u64(), bits_out = (u32)random_u64();
		struct usage chunk = { .hot = (u32)random_u64() }, before = chunk;
		bool doubt = random_below(2);

		usage_begin(&chunk, bits_out);
		usage_end(&chunk, bits_in, doubt);
		for (bit = 0; bit < 32; bit++) {
			struct usage one = { .hot = before.hot & 1u << bit };

			usage_begin(&one, bits_out & 1u << bit);
			usage_end(&one, bits_in & 1u << bit, doubt);
			expect_eq(chunk.hot & 1u << bit, one.hot);
		}
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

/* After one visit nothing is known; after the next one all is, but for what is doubted. */
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
		e = errors();
		expect_eq(e.missing + e.doubted + e.extra, 0);
		for (j = 2; j < VISITS; j++) {
			u32 waits, doubted = e.doubted;

			back(0);
			waits = front(0);
			/* Only what was doubted is waited for, and is known again. */
			expect_eq(waits, doubted);
			e = errors();
			expect(e.missing <= NEEDED / 50 && e.extra <= NEEDED / 50);
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
			/* When the first visit began nothing was out. */
			if (!expect(!j || e.missing <= NEEDED / 50) || !expect_eq(e.extra, 0))
				tap_note("%u permille, visit %u: %u missing, %u doubted", rates[i],
					 j, e.missing, e.doubted);
			back(rates[i]);
		}
	}
}

/* A page that goes out after its last use is not kept, and comes back with the next visit. */
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
		/* The new ones are known at once. */
		if (!expect(errors().missing <= NEEDED / 50))
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
	/* What was known is doubted, too. */
	back(0);
	front(0);
	expect_eq(both(needed), NEEDED);
	for (j = 0; j < USAGE_VISITS; j++)
		front(0);
	expect_eq(both(needed), 0);
}

/*
 * Visits of all kinds, each with pages of its own. A page is hot if it has come in since its chunk
 * was doubted, or in that visit, and was in at the end of each visit from then on.
 */
static void test_random(void)
{
	u32 start = UINT32_MAX - 50, came[PAGES] = { 0 }, now, page;
	static u32 was_out[CHUNKS];

	begin(start);
	/* Visits are counted from 1 on here: 0 is never. */
	for (now = 1; now <= (quick() ? 60 : 300); now++) {
		choose(random_length(PAGES / 2));
		memcpy(was_out, out, sizeof(out));
		front(random_below(3) ? 0 : random_below(300));
		if (!random_below(4))
			evict(random_below(300));
		for (page = 0; page < PAGES; page++) {
			u32 since = (now - 1 + start - page / 32) % USAGE_VISITS;
			u32 doubted = now > since ? now - since : 0;

			if (!is_set(in, page))
				came[page] = 0;
			else if (is_set(was_out, page))
				came[page] = now;
			if (is_set(in, page) &&
			    !expect_eq(usage[page / 32].hot >> page % 32 & 1,
				       came[page] && came[page] >= doubted))
				tap_note("visit %u, page %u", now, page);
		}
		back(random_below(200));
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "a visit begins", test_begin },
		{ "a visit ends: all that can be of a page", test_end },
		{ "pages of a chunk do not know of each other", test_pages_alone },
		{ "each chunk is doubted once in a round", test_doubted },
		{ "what an app needs is known after two visits", test_known },
		{ "what doubt costs", test_doubt_costs },
		{ "the kernel takes pages, too", test_evictions },
		{ "pages that go out after their last use", test_evicted_late },
		{ "other pages are needed", test_change },
		{ "nothing is pushed out", test_plenty },
		{ "random visits", test_random },
	};

	return tap_main("usage", cases, ARRAY_SIZE(cases), argc, argv);
}
