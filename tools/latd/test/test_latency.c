// SPDX-License-Identifier: GPL-2.0
/*
 * The latencies that protected programs report, and their goal.
 */
#include "harness.h"
#include "latency.h"

static struct slo slo;

static uint64_t latency(uint64_t now_us)
{
	uint64_t us = 0;

	return slo_latency(&slo, now_us, &us) ? us : 0;
}

static void test_goal(void)
{
	static const char *const wrong[] = {
		"p99", "p99 20", "99 20ms", "p0 1ms", "p100 1ms", "p99 0ms", "p99 20 ms",
		"p99 20msx", "p99.55 1ms", "p99 -1ms", "p99 1h", "p 1ms",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (!expect(slo_parse(&slo, wrong[i])))
			tap_note("%s", wrong[i]);
	expect(!slo_parse(&slo, ""));
	slo_report(&slo, "5ms\n", 1);
	expect_eq(latency(1), 0);
	expect(!slo_parse(&slo, "p99.5 0.5s"));
	expect_eq(slo.quantile, 995);
	expect_eq(slo.goal_us, 500000);
	expect(!slo_parse(&slo, "p99 20ms"));
	expect_eq(slo_report(&slo, "1ms\nnonsense\n30ms\n2.5ms\n7\n900us", 1000), 4);
	/* Of a few latencies the quantile is the longest. */
	expect_eq(latency(1000), 30000);
	expect_eq(latency(1000 + SLO_RECENT_US), 30000);
	expect_eq(latency(1001 + SLO_RECENT_US), 0);
	for (i = 0; i < 1000; i++)
		slo_report(&slo, i % 128 ? "1ms" : "0.05s", 3000000);
	expect_eq(latency(3000000), 1000);
	for (i = 0; i < 1000; i++)
		slo_report(&slo, i % 64 ? "1ms" : "0.05s", 4000000);
	expect_eq(latency(4000000), 50000);
}

static const struct tap_case cases[] = {
	{ "a goal for the latency", test_goal },
};

int main(int argc, char **argv)
{
	return tap_main("latency", cases, ARRAY_SIZE(cases), argc, argv);
}
