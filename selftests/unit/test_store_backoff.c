// SPDX-License-Identifier: GPL-2.0
/*
 * Which writes to full media are tried: all at first, then few of many, and all again when space
 * may be free. A new burst must not inherit the state of the one before.
 */
#include <limits.h>
#include "harness.h"
#include "store_backoff.h"

#define IDLE	100UL

/* Return whether the write is tried; it fails then. */
static bool write_one(struct mtdc_backoff *backoff, unsigned long now)
{
	if (mtdc_backoff_skip(backoff, now, IDLE))
		return false;
	mtdc_backoff_failed(backoff, now);
	return true;
}

static u32 tries(struct mtdc_backoff *backoff, unsigned long now, u32 writes)
{
	u32 n = 0;

	while (writes--)
		n += write_one(backoff, now);
	return n;
}

static void test_first(void)
{
	struct mtdc_backoff backoff = { 0 };

	expect(!mtdc_backoff_pending(&backoff));
	expect_eq(tries(&backoff, 7, MTDC_BACKOFF_FREE), MTDC_BACKOFF_FREE);
	expect(!mtdc_backoff_pending(&backoff));
	expect(write_one(&backoff, 7));
	expect(mtdc_backoff_pending(&backoff));
	expect(!write_one(&backoff, 7));
}

/* The OOM killer waits for the tries, so they must be few. */
static void test_many(void)
{
	struct mtdc_backoff backoff = { 0 };
	const u32 writes = 100000;
	u32 n = tries(&backoff, 7, writes);

	expect(n >= MTDC_BACKOFF_FREE + MTDC_BACKOFF_MAX);
	expect(n <= MTDC_BACKOFF_FREE + MTDC_BACKOFF_MAX + writes / MTDC_BACKOFF_MAX);
}

/* The number of refusals in a row has a bound, after any number of writes. */
static void test_longest(void)
{
	struct mtdc_backoff backoff = { 0 };
	u32 skipped = 0, longest = 0, i;

	for (i = 0; i < 100000; i++) {
		skipped = write_one(&backoff, 7) ? 0 : skipped + 1;
		longest = skipped > longest ? skipped : longest;
	}
	expect_eq(longest, MTDC_BACKOFF_MAX);
}

static void test_reset(void)
{
	struct mtdc_backoff backoff = { 0 };

	tries(&backoff, 7, 1000);
	mtdc_backoff_reset(&backoff);
	expect(!mtdc_backoff_pending(&backoff));
	expect_eq(tries(&backoff, 7, MTDC_BACKOFF_FREE), MTDC_BACKOFF_FREE);
}

/* The clock wraps around at any point of the test. */
static void test_idle(void)
{
	static const unsigned long begin[] = { 0, 7, LONG_MAX - 5, ULONG_MAX - 5, ULONG_MAX };
	struct mtdc_backoff backoff = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(begin); i++) {
		unsigned long now = begin[i];

		mtdc_backoff_reset(&backoff);
		tries(&backoff, now, 100000);
		/* End with a tried write, so that the next one is refused. */
		while (!write_one(&backoff, now))
			;
		/* A refusal extends the burst, too. */
		expect(!write_one(&backoff, now + IDLE));
		expect(!write_one(&backoff, now + 2 * IDLE));
		now += 3 * IDLE + 1;
		expect_eq(tries(&backoff, now, MTDC_BACKOFF_FREE), MTDC_BACKOFF_FREE);
	}
}

static const struct tap_case cases[] = {
	{ "the first ones are all tried", test_first },
	{ "of very many, few are", test_many },
	{ "never too many in a row are not", test_longest },
	{ "all are again where there may be space", test_reset },
	{ "and after a while, whatever the clock says", test_idle },
};

int main(int argc, char **argv)
{
	return tap_main("backoff", cases, ARRAY_SIZE(cases), argc, argv);
}
