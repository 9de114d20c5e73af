// SPDX-License-Identifier: GPL-2.0
/*
 * The counters: after any number of pages counted in and out, they equal a recount of the remaining
 * pages. Wear is counted by bytes.
 */
#include "harness.h"
#include "map.h"
#include "stats.h"

static struct mtdc_place random_place(void)
{
	struct mtdc_place place = { .kind = random_below(MTDC_KINDS) };
	unsigned int i;

	if (place.kind != MTDC_RAW && place.kind != MTDC_COMPRESSED)
		return place;
	place.bytes = random_length(65536);
	place.n = random_length(MTDC_CHAIN_MAX);
	for (i = 0; i < place.n; i++)
		place.chain[i].len = random_length(1000);
	return place;
}

static void horrible_recount(struct mtdc_stats *stats, const struct mtdc_place *places, u32 pages)
{
	u32 i, k;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; i < pages; i++) {
		const struct mtdc_place *place = &places[i];

		if (place->kind != MTDC_NONE)
			stats->kept.pages[place->kind]++;
		if (!place->n)
			continue;
		stats->kept.chains[0] += place->n == 1;
		stats->kept.chains[1] += place->n == 2;
		stats->kept.chains[2] += place->n >= 3 && place->n <= 4;
		stats->kept.chains[3] += place->n >= 5 && place->n <= 8;
		stats->kept.chains[4] += place->n >= 9;
		stats->kept.fragments += place->n;
		stats->kept.payload_bytes += place->bytes;
		for (k = 0; k < place->n; k++)
			stats->kept.granules += place->chain[k].len;
	}
}

static void test_random_places(void)
{
	struct mtdc_place places[20] = { };
	struct mtdc_stats stats = { }, want;
	u64 chain_max = 0, ops = tap.ops / 4, i;

	for (i = 0; i < ops && !tap.bad; i++) {
		struct mtdc_place *place = &places[random_below(ARRAY_SIZE(places))];

		mtdc_stats_place(&stats, place, false);
		*place = random_place();
		mtdc_stats_place(&stats, place, true);
		if (place->n > chain_max)
			chain_max = place->n;
		horrible_recount(&want, places, ARRAY_SIZE(places));
		want.kept.chain_max = chain_max;
		/* Compare all counters: the others stay 0. */
		if (!expect(!memcmp(&stats, &want, sizeof(stats))))
			tap_note("operation %llu", i);
	}
}

/* The last length of each bucket, and the first of the next. */
static void test_buckets(void)
{
	static const struct {
		unsigned int n, bucket;
	} table[] = {
		{ 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 2 }, { 5, 3 }, { 8, 3 }, { 9, 4 },
		{ MTDC_CHAIN_MAX, 4 },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct mtdc_place place = { .kind = MTDC_RAW, .bytes = 4096, .n = table[i].n };
		struct mtdc_stats stats = { };

		mtdc_stats_place(&stats, &place, true);
		for (k = 0; k < MTDC_CHAIN_BUCKETS; k++)
			expect_eq(stats.kept.chains[k], k == table[i].bucket);
		expect_eq(stats.kept.chain_max, table[i].n);
		mtdc_stats_place(&stats, &place, false);
		expect_eq(stats.kept.chains[table[i].bucket], 0);
		expect_eq(stats.kept.fragments, 0);
		expect_eq(stats.kept.payload_bytes, 0);
		/* chain_max is the longest chain ever, so it does not shrink. */
		expect_eq(stats.kept.chain_max, table[i].n);
	}
}

struct wear_write {
	u64 offset, bytes;
};

static void expect_wear(const struct wear_write *writes, unsigned int n, u64 region_bytes)
{
	u64 *want = test_alloc(MTDC_WEAR_REGIONS * sizeof(*want));
	struct mtdc_stats stats = { };
	u64 total = 0, at;
	unsigned int i;

	for (i = 0; i < n; i++) {
		mtdc_stats_wear(&stats, writes[i].offset, writes[i].bytes, region_bytes);
		for (at = writes[i].offset; at < writes[i].offset + writes[i].bytes; at++)
			want[at / region_bytes]++;
		total += writes[i].bytes;
	}
	expect(!memcmp(want, stats.wear, MTDC_WEAR_REGIONS * sizeof(*want)));
	expect_eq(stats.media_written_bytes, total);
	free(want);
}

static void test_wear(void)
{
	static const struct {
		const char *why;
		struct wear_write write;
		u64 region_bytes;
	} table[] = {
		{ "nothing", { 5, 0 }, 10 },
		{ "within a region", { 11, 8 }, 10 },
		{ "up to the end of one", { 11, 9 }, 10 },
		{ "a byte into the next", { 11, 10 }, 10 },
		{ "exactly one", { 10, 10 }, 10 },
		{ "all of them", { 0, 10 * MTDC_WEAR_REGIONS }, 10 },
		{ "regions of a byte", { 3, 70 }, 1 },
		{ "the last byte of the media", { 10 * MTDC_WEAR_REGIONS - 1, 1 }, 10 },
		{ "beyond 4 GiB", { (127ULL << 32) - 5, 11 }, 1ULL << 32 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table) && !tap.bad; i++) {
		expect_wear(&table[i].write, 1, table[i].region_bytes);
		if (tap.bad)
			tap_note("  with %s", table[i].why);
	}
}

static void test_random_wear(void)
{
	u64 ops = tap.ops / 100, i;

	for (i = 0; i < ops && !tap.bad; i++) {
		u32 region_bytes = random_length(100), k;
		u32 media_bytes = MTDC_WEAR_REGIONS * region_bytes;
		struct wear_write writes[5];

		for (k = 0; k < ARRAY_SIZE(writes); k++) {
			writes[k].offset = random_below(media_bytes);
			writes[k].bytes = random_length(media_bytes - writes[k].offset);
		}
		expect_wear(writes, ARRAY_SIZE(writes), region_bytes);
	}
}

/* Compare with all sizes, sorted. */
static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void test_percentiles(void)
{
	static const u32 permilles[] = { 1, 10, 500, 900, 990, 999, 1000 };
	struct mtdc_latency pages = { 0 };
	u64 all[2000], n, i, sum = 0, untimed = 0;
	unsigned int k;

	expect_eq(mtdc_stats_percentile(&pages, 500), 0);
	for (n = 1; n <= ARRAY_SIZE(all); n++) {
		u64 ns = random_u64() >> (25 + random_below(39));

		all[n - 1] = ns;
		sum += ns;
		mtdc_stats_page(&pages, ns);
		/* Pages that are not timed change no figure but their number. */
		for (i = random_below(3); i; i--, untimed++)
			mtdc_stats_page(&pages, MTDC_NOT_TIMED);
		if (n > 50 && n % 100)
			continue;
		qsort(all, n, sizeof(*all), by_size);
		for (k = 0; k < ARRAY_SIZE(permilles); k++) {
			u64 got = mtdc_stats_percentile(&pages, permilles[k]);
			u64 want = all[(n * permilles[k] + 999) / 1000 - 1];

			if (!expect(want < got && (!want || want >= got / 2)))
				tap_note("%u of %llu: %llu, not %llu", permilles[k], n, got, want);
		}
	}
	/* No size is too long to be counted. */
	expect_eq(pages.n, ARRAY_SIZE(all) + untimed);
	expect_eq(mtdc_stats_timed(&pages), ARRAY_SIZE(all));
	expect_eq(pages.ns, sum);
	memset(&pages, 0, sizeof(pages));
	for (i = 1; i <= 3; i++)
		mtdc_stats_page(&pages, ~0ULL >> i);
	expect_eq(pages.times[MTDC_TIME_BUCKETS - 1], 3);
	expect_eq(mtdc_stats_percentile(&pages, 1), 1ULL << (MTDC_TIME_BUCKETS - 1));
}

/* Each counter is added to the same counter, and to no other. */
static void test_add(void)
{
	static struct mtdc_stats sum, part, zero;
	u64 *to = (u64 *)&sum, *from = (u64 *)&part;
	size_t n = sizeof(sum) / sizeof(*to), i;

	for (i = 0; i < n; i++) {
		to[i] = i;
		from[i] = 1000 * i + 7;
	}
	mtdc_stats_add(&sum, &part);
	for (i = 0; i < n; i++)
		if (!expect_eq(to[i], 1001 * i + 7))
			break;
	expect_eq(sum.err_gone, part.err_gone + (part.err_gone - 7) / 1000);
	mtdc_stats_add(&part, &zero);
	expect_eq(part.reads.n % 1000, 7);
}

static const struct tap_case cases[] = {
	{ "counters of several together", test_add },
	{ "percentiles of durations against all of them, sorted", test_percentiles },
	{ "buckets of chain lengths", test_buckets },
	{ "wear at the borders of regions", test_wear },
	{ "random pages against a recount", test_random_places },
	{ "random wear against a recount", test_random_wear },
};

int main(int argc, char **argv)
{
	return tap_main("stats", cases, ARRAY_SIZE(cases), argc, argv);
}
