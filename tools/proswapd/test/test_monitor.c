// SPDX-License-Identifier: GPL-2.0
/*
 * A page's swap-outs in a record of four numbers: repeated ones, events out of order between
 * processors, and ticks that wrap.
 */
#include "monitor.h"
#include "monitor_record.h"
#include "harness.h"
#include "tree.h"

#define TICK 100ull
#define WRAP (TICK << 32)
#define HOUR 3600000000ull

static struct monitor_record record;
static struct monitor_page page;

static void begin(void)
{
	memset(&record, 0, sizeof(record));
}

static void see(u64 now_us)
{
	memset(&page, 0xff, sizeof(page));
	monitor_record_page(&record, 77, now_us, &page);
	expect_eq(page.vpn, 77);
	expect_eq(page.count, record.count);
}

static void test_some(void)
{
	static const u64 starts[] = { 0, 1000000, WRAP - 5000000, 3 * WRAP - 1000, 7 * WRAP };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		u64 at = starts[i];

		begin();
		monitor_record_add(&record, at);
		see(at + 500);
		expect_eq(page.count, 1);
		expect_eq(page.mean_us, 0);
		expect_eq(page.gap_us, 0);
		expect_eq(page.last_us, at);
		monitor_record_add(&record, at + 2000000);
		monitor_record_add(&record, at + 5000000);
		see(at + 6000000);
		expect_eq(page.count, 3);
		expect_eq(page.mean_us, 2500000);
		expect_eq(page.gap_us, 3000000);
		expect_eq(page.last_us, at + 5000000);
	}
}

/* A second swap-out within a millisecond, or out of order, does not count. */
static void test_same(void)
{
	static const struct {
		s64 after_us;
		unsigned int count;
	} cases[] = {
		{ 0, 1 }, { 99, 1 }, { 999, 1 }, { 1000, 2 }, { 5000, 2 }, { -100, 1 },
		{ -1000000, 1 }, { -1000100, 2 },
	};
	static const u64 starts[] = { 10000000, 5 * WRAP, 5 * WRAP + 900 };
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(starts); j++) {
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			begin();
			monitor_record_add(&record, starts[j]);
			monitor_record_add(&record, starts[j] + cases[i].after_us);
			if (!expect_eq(record.count, cases[i].count))
				tap_note("start %u, case %u", j, i);
		}
	}
}

static void test_age(void)
{
	u64 at = 9 * WRAP + 300000000;

	begin();
	monitor_record_add(&record, at);
	expect_eq(monitor_record_age(&record, at), 0);
	expect_eq(monitor_record_age(&record, at + 100), 1);
	expect_eq(monitor_record_age(&record, at + WRAP / 2), 1u << 31);
	/* Another processor was ahead. */
	expect_eq(monitor_record_age(&record, at - 100), 0);
	expect_eq(monitor_record_age(&record, at - 1000000), 0);
	see(at - 1000000);
	expect_eq(page.last_us, at - 1000000);
	/* Before the clock began. */
	begin();
	monitor_record_add(&record, WRAP - 100);
	see(5000000);
	expect_eq(page.last_us, 0);
}

/* A page that goes out at equal times for weeks: the mean stays right. */
static void test_long(void)
{
	static const u64 gaps[] = { 30000000, 600000000, HOUR, 6 * HOUR };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		u64 at = 12345, end = at + 60 * 24 * HOUR;

		begin();
		for (n = 0; at < end && !tap.bad; at += gaps[i], n++) {
			monitor_record_add(&record, at);
			if (n < 2)
				continue;
			see(at);
			expect_eq(page.gap_us, gaps[i]);
			expect_eq(page.last_us, at / TICK * TICK + at % TICK);
			if (!expect(page.mean_us >= gaps[i] * 3 / 4 &&
				    page.mean_us <= gaps[i] * 5 / 4))
				tap_note("%llu instead of %llu, number %u", (u64)page.mean_us,
					 gaps[i], n);
		}
	}
}

/* Random times, compared with a model that keeps all of them. */
static void test_random(void)
{
	unsigned int round, rounds = quick() ? 300 : 3000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u64 at = random_u64() >> 12 << 1, first, last, gap = 0;
		unsigned int count = 1, n = 1 + random_below(40);

		begin();
		monitor_record_add(&record, at);
		first = at / TICK;
		last = first;
		for (i = 0; i < n; i++) {
			at += random_below(3) ? random_length(100000000) : random_length(2000);
			monitor_record_add(&record, at);
			if (at / TICK - last < 10)
				continue;
			gap = at / TICK - last;
			last += gap;
			count++;
		}
		see(at);
		expect_eq(page.count, count);
		expect_eq(page.gap_us, gap * TICK);
		expect_eq(page.mean_us, count > 1 ? (last - first) * TICK / (count - 1) : 0);
		expect_eq(page.last_us, last * TICK + at % TICK);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "one and more", test_some },
		{ "twice is once", test_same },
		{ "how long ago", test_age },
		{ "two months", test_long },
		{ "random times", test_random },
	};

	return tap_main("monitor", cases, ARRAY_SIZE(cases), argc, argv);
}
