// SPDX-License-Identifier: GPL-2.0
/* Erase counts and the blocks chosen by them, compared with a search of all blocks. */
#include <errno.h>

#include "harness.h"
#include "log_label.h"
#include "log_wear.h"

#define BLOCKS_MAX	67U
#define SPREAD		5U

static struct mtdc_wear wear;
static u32 erases[BLOCKS_MAX], pool[BLOCKS_MAX], blocks;

static void create(u32 n)
{
	blocks = n;
	memset(erases, 0, sizeof(erases));
	memset(pool, 0, sizeof(pool));
	mtdc_wear_init(&wear, test_alloc(mtdc_wear_memory(n)), n, SPREAD);
}

static u32 horrible_choice(enum mtdc_wear_pool which, bool most)
{
	u32 best = MTDC_WEAR_NONE, i;

	for (i = 0; i < blocks; i++) {
		if (pool[i] != which)
			continue;
		if (best == MTDC_WEAR_NONE ||
		    (most ? erases[i] > erases[best] : erases[i] < erases[best]))
			best = i;
	}
	return best;
}

static u32 horrible_rested(void)
{
	u32 used = horrible_choice(MTDC_WEAR_USED, false);
	u32 most = horrible_choice(MTDC_WEAR_FREE, true);

	if (used == MTDC_WEAR_NONE || most == MTDC_WEAR_NONE ||
	    erases[most] <= erases[used] + SPREAD)
		return MTDC_WEAR_NONE;
	return used;
}

static void compare(void)
{
	expect_eq(mtdc_wear_least(&wear), horrible_choice(MTDC_WEAR_FREE, false));
	expect_eq(mtdc_wear_most(&wear), horrible_choice(MTDC_WEAR_FREE, true));
	expect_eq(mtdc_wear_rested(&wear), horrible_rested());
}

static void run(u32 n, u64 left)
{
	u32 i;

	create(n);
	for (i = 0; i < n; i++) {
		erases[i] = random_below(10);
		mtdc_wear_know(&wear, i, erases[i]);
	}
	for (; left && !tap.bad; left--) {
		i = random_below(n);
		if (random_below(2)) {
			/* Often erase the free block that the unit would choose. */
			if (random_below(2) && mtdc_wear_least(&wear) != MTDC_WEAR_NONE)
				i = mtdc_wear_least(&wear);
			mtdc_wear_erased(&wear, i);
			erases[i]++;
		} else {
			pool[i] = random_below(3);
			mtdc_wear_put(&wear, i, pool[i]);
		}
		expect_eq(wear.erases[i], erases[i]);
		compare();
		if (!(left & 127))
			expect_eq(mtdc_wear_check(&wear), 0);
	}
	free(wear.erases);
}

static void test_random(void)
{
	u32 n;

	for (n = 2; n <= BLOCKS_MAX; n++)
		run(n, tap.ops / 20 / BLOCKS_MAX + 200);
}

static void test_guess(void)
{
	u32 i;

	create(10);
	for (i = 0; i < 4; i++)
		mtdc_wear_know(&wear, i, 100 + 10 * i);
	mtdc_wear_guess(&wear);
	for (i = 0; i < 10; i++)
		expect_eq(wear.erases[i], i < 4 ? 100 + 10 * i : 115);
	free(wear.erases);
	create(3);
	mtdc_wear_guess(&wear);
	expect_eq(wear.erases[0] + wear.erases[1] + wear.erases[2], 0);
	free(wear.erases);
}

/* Sums have more than 32 bits, and counts saturate. */
static void test_most(void)
{
	u32 i;

	create(6);
	for (i = 0; i < 5; i++)
		mtdc_wear_know(&wear, i, MTDC_ERASES_MAX);
	mtdc_wear_guess(&wear);
	expect_eq(wear.erases[5], MTDC_ERASES_MAX);
	mtdc_wear_put(&wear, 5, MTDC_WEAR_FREE);
	mtdc_wear_erased(&wear, 5);
	expect_eq(wear.erases[5], MTDC_ERASES_MAX);
	wear.spread = U32_MAX;
	mtdc_wear_put(&wear, 4, MTDC_WEAR_USED);
	expect_eq(mtdc_wear_rested(&wear), MTDC_WEAR_NONE);
	expect_eq(mtdc_wear_check(&wear), 0);
	free(wear.erases);
}

static const struct tap_case cases[] = {
	{ "random blocks, as a look at all of them says", test_random },
	{ "unknown counts are the mean of the others", test_guess },
	{ "the largest counts", test_most },
};

int main(int argc, char **argv)
{
	return tap_main("wear", cases, ARRAY_SIZE(cases), argc, argv);
}
