// SPDX-License-Identifier: GPL-2.0
/*
 * The period in many times: single cases, all lengths, traces, and a model that keeps all times.
 */
#include "trace.h"
#include "tree.h"

#define FIRST 8192ull

static struct period period;
static struct period_found found;

static void find(void)
{
	memset(&found, 0xff, sizeof(found));
	period_find(&period, &found);
}

static void add(u64 gap_us, unsigned int times)
{
	while (times--)
		period_add(&period, gap_us);
}

static void test_single(void)
{
	static const struct {
		u64 gap;
		unsigned int events;
	} cases[] = {
		{ 0, 0 }, { 1, 0 }, { FIRST - 1, 0 }, { FIRST, 1 }, { FIRST + 1, 1 },
		{ 9215, 1 }, { 9216, 1 }, { 16383, 1 }, { 16384, 1 }, { 1000000, 1 },
		{ 16 * FIRST, 1 }, { 16 * FIRST - 1, 1 }, { FIRST << 15, 1 },
		{ (FIRST << 16) - 1, 1 }, { FIRST << 16, 1 }, { 3600000000ull, 1 },
		{ 1ull << 40, 1 }, { 1ull << 62, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		period_clear(&period);
		add(cases[i].gap, 1);
		find();
		expect_eq(found.events, cases[i].events);
		expect_eq(found.us, cases[i].events ? cases[i].gap : 0);
		expect_eq(found.share, cases[i].events ? 1000 : 0);
		expect_eq(found.mean_us, cases[i].events ? cases[i].gap : 0);
	}
}

static void test_nothing(void)
{
	period_clear(&period);
	find();
	expect_eq(found.us, 0);
	expect_eq(found.share, 0);
	expect_eq(found.events, 0);
	expect_eq(found.mean_us, 0);
	add(100000, 3);
	find();
	expect_eq(found.events, 3);
	period_clear(&period);
	find();
	expect_eq(found.us, 0);
	expect_eq(found.events, 0);
	expect_eq(found.mean_us, 0);
}

static void test_share(void)
{
	period_clear(&period);
	add(100000, 6);
	add(1000000, 4);
	find();
	expect_eq(found.us, 100000);
	expect_eq(found.share, 600);
	expect_eq(found.events, 10);
	add(1000000, 90);
	find();
	expect_eq(found.us, 1000000);
	expect_eq(found.share, 940);
	/* The mean of the times that agree. */
	period_clear(&period);
	add(1000000, 1);
	add(1040000, 1);
	add(30000, 1);
	find();
	expect_eq(found.us, 1020000);
	expect_eq(found.share, 666);
	/* A time outside the best three bins is in no mean. */
	add(1500000, 1);
	find();
	expect_eq(found.us, 1020000);
	expect_eq(found.share, 500);
}

/* mean_us is over all times, also in the first and last bin, and also those that do not agree. */
static void test_mean(void)
{
	period_clear(&period);
	add(100000, 6);
	add(1000000, 4);
	find();
	expect_eq(found.mean_us, 460000);
	add(FIRST - 1, 100);
	find();
	expect_eq(found.mean_us, 460000);
	add(FIRST, 1);
	find();
	expect_eq(found.mean_us, (4600000 + FIRST) / 11);
	add(1ull << 40, 1);
	find();
	expect_eq(found.mean_us, (4600000 + FIRST + (1ull << 40)) / 12);
	expect_eq(found.us, 100000);
	/* No times agree: the first ones give the period; the mean is over all. */
	period_clear(&period);
	add(20000, 1);
	add(80000, 1);
	add(320000, 1);
	find();
	expect_eq(found.us, 20000);
	expect_eq(found.share, 333);
	expect_eq(found.mean_us, 140000);
}

static void test_no_overflow(void)
{
	unsigned int i;

	/* A counter stays at its largest value. */
	period_clear(&period);
	add(100000, 1);
	for (i = 0; i < PERIOD_BINS; i++) {
		if (!period.count[i])
			continue;
		period.count[i] = UINT32_MAX;
		period.sum_us[i] = 100000ull * UINT32_MAX;
	}
	period.total = UINT32_MAX;
	add(100000, 5);
	find();
	expect_eq(found.us, 100000);
	expect_eq(found.share, 1000);
	expect_eq(found.mean_us, 100000);
	expect_eq(found.events, UINT32_MAX);
}

/* All lengths, with noise of a tenth either way. */
static void test_lengths(void)
{
	u64 us;

	for (us = 10000; us < 480000000; us += us / 37) {
		unsigned int i;

		period_clear(&period);
		for (i = 0; i < 500; i++)
			add(us + random_around((u32)us / 10), 1);
		find();
		if (!trace_near(found.us, us) || !expect(found.share >= 500))
			tap_note("a period of %llu us: share %u", us, found.share);
	}
}

/* All times agree if the longest exceeds the shortest by less than a seventh. */
static void test_agree(void)
{
	u64 us;

	for (us = FIRST; us < 460000000; us += 1 + us / 211) {
		period_clear(&period);
		add(us, 1);
		add(us + us / 14, 1);
		add(us + us / 7 - 1, 1);
		find();
		if (!expect_eq(found.share, 1000))
			tap_note("%llu us", us);
	}
}

static struct trace trace;

static void see(trace_next next, u64 period_us, unsigned int noise, unsigned int passes)
{
	trace_period_us = period_us;
	trace_noise_us = period_us * noise / 1000;
	trace_begin(&trace, next);
	trace_until(&trace, period_us * passes);
	trace_find(&trace, &found);
}

static const u64 lengths[] = {
	50000, 66667, 100000, 333000, 1000000, 4700000, 30000000, 119000000,
};

static void test_traces(void)
{
	static const struct {
		const char *name;
		trace_next next;
		unsigned int noise;
	} cases[] = {
		{ "circle", trace_circle, 0 }, { "circle", trace_circle, 20 },
		{ "circle", trace_circle, 60 }, { "circle", trace_circle, 100 },
		{ "two", trace_two, 20 }, { "half stays", trace_half_stays, 20 },
		{ "zigzag", trace_zigzag, 0 }, { "zigzag", trace_zigzag, 50 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			bool near;

			see(cases[i].next, lengths[j], cases[i].noise, 8);
			near = trace_near(found.us, lengths[j]);
			if (!expect(found.share >= 500 && found.events >= 100) || !near)
				tap_note("%s of %llu us, noise %u: share %u", cases[i].name,
					 lengths[j], cases[i].noise, found.share);
		}
	}
}

static void test_drift(void)
{
	unsigned int j, k;

	for (j = 0; j < ARRAY_SIZE(lengths); j++) {
		trace_period_us = lengths[j];
		trace_noise_us = lengths[j] / 50;
		trace_begin(&trace, trace_drift);
		for (k = 3; k < 30; k++) {
			u64 at = trace_drift_pass(k);

			trace_until(&trace, at);
			trace_find(&trace, &found);
			trace_near(found.us, at - trace_drift_pass(k - 1));
			expect(found.share >= 500);
		}
	}
}

static void test_not_periodic(void)
{
	unsigned int round, n, i;
	u64 mean;

	for (mean = 20000; mean < 60000000; mean += mean / 7) {
		for (round = 0; round < 6; round++) {
			n = 64 << round;
			period_clear(&period);
			for (i = 0; i < n; i++)
				add(random_exponential(mean), 1);
			find();
			if (found.events >= 64 && !expect(found.share < 500))
				tap_note("a mean of %llu us: %u of %u agree on %llu us", mean,
					 found.share, found.events, (u64)found.us);
		}
		see(trace_exponential, mean, 0, 10);
		expect(found.share < 500);
	}
}

static void test_lost(void)
{
	unsigned int j;

	for (j = 0; j < ARRAY_SIZE(lengths); j++) {
		trace_change_us = lengths[j] * 6;
		see(trace_lost, lengths[j], 20, 6);
		trace_near(found.us, lengths[j]);
		expect(found.share >= 900);
		trace_until(&trace, lengths[j] * 16);
		trace_find(&trace, &found);
		expect(found.share < 500);
	}
}

/* model() - keep all times, and count each three bins side by side */
static void model(const u64 *gaps, unsigned int n)
{
	u64 best_sum = 0, best_n = 0, all = 0, low[PERIOD_BINS + 1];
	unsigned int i, j, events = 0;

	for (i = 0; i <= PERIOD_BINS; i++)
		low[i] = ((8ull + i % 8) << i / 8) * FIRST / 8;
	low[PERIOD_BINS] = UINT64_MAX;
	for (j = 0; j < n; j++) {
		events += gaps[j] >= FIRST;
		all += gaps[j] >= FIRST ? gaps[j] : 0;
	}
	for (i = 0; i + 3 <= PERIOD_BINS; i++) {
		u64 sum = 0, count = 0;

		for (j = 0; j < n; j++) {
			if (gaps[j] >= low[i] && gaps[j] < low[i + 3]) {
				sum += gaps[j];
				count++;
			}
		}
		if (count > best_n) {
			best_n = count;
			best_sum = sum;
		}
	}
	expect_eq(found.events, events);
	expect_eq(found.us, best_n ? best_sum / best_n : 0);
	expect_eq(found.share, events ? best_n * 1000 / events : 0);
	expect_eq(found.mean_us, events ? all / events : 0);
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 200 : 1500, i;
	u64 gaps[64];

	for (round = 0; round < rounds && !tap.bad; round++) {
		unsigned int n = random_length(ARRAY_SIZE(gaps));
		u32 most = random_length(UINT32_MAX);

		period_clear(&period);
		for (i = 0; i < n; i++) {
			gaps[i] = (random_below(2) ? most / 2 : 0) + random_length(most);
			add(gaps[i], 1);
		}
		find();
		model(gaps, n);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "a single time", test_single },
		{ "nothing is known", test_nothing },
		{ "the share, and the mean of those that agree", test_share },
		{ "the mean of all", test_mean },
		{ "counters do not wrap round", test_no_overflow },
		{ "all lengths with noise", test_lengths },
		{ "times that differ by a seventh agree", test_agree },
		{ "traces of periodic programs", test_traces },
		{ "a period that becomes longer", test_drift },
		{ "exponential times are not periodic", test_not_periodic },
		{ "a period that is lost", test_lost },
		{ "random times against a model", test_random },
	};

	return tap_main("period", cases, ARRAY_SIZE(cases), argc, argv);
}
