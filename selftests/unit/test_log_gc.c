// SPDX-License-Identifier: GPL-2.0
/* The choice of the victim block, compared with a search of all blocks. */
#include <errno.h>

#include "harness.h"
#include "log_gc.h"

#define BLOCKS		300U
#define BLOCK_BYTES	10000U
#define CLASS_BYTES	157U	/* a 64th, rounded up */
#define GAIN_BYTES	9000U

/* Smaller differences of benefit are rounding errors. */
#define A_LITTLE	(1.0 / (1ULL << 40))

static struct mtdc_gc gc;
static struct {
	bool in;
	u32 live;
	u32 closed;
} model[BLOCKS];

static void create(void)
{
	memset(model, 0, sizeof(model));
	mtdc_gc_init(&gc, test_alloc(mtdc_gc_memory(BLOCKS)), BLOCKS, BLOCK_BYTES,
		     GAIN_BYTES);
}

static u32 class_of(u32 live)
{
	return live / CLASS_BYTES < 63 ? live / CLASS_BYTES : 63;
}

/* (1 - u) / u in the middle of the class, times age. */
static double benefit(u32 block, u32 now)
{
	double u = (class_of(model[block].live) + 0.5) / 64;

	return (1 - u) / u * (u32)(now - model[block].closed + 1);
}

/* Does the unit prefer @a, with its limited precision? */
static bool is_older(u32 a, u32 b)
{
	s32 later = model[a].closed - model[b].closed;

	return later ? later < 0 : a < b;
}

static u32 horrible_choice(u32 now, enum mtdc_gc_policy policy)
{
	u32 best = MTDC_GC_NONE, i;

	for (i = 0; i < BLOCKS; i++) {
		u32 class = class_of(model[i].live);
		bool better;

		if (!model[i].in || class == 63)
			continue;
		/*
		 * A block full of incompressible pages lacks the room for another page, so emptying
		 * it gains nothing.
		 */
		if (policy == MTDC_GC_BENEFIT && class >= GAIN_BYTES / CLASS_BYTES)
			continue;
		if (best == MTDC_GC_NONE) {
			best = i;
			continue;
		}
		if (class == class_of(model[best].live))
			better = is_older(i, best);
		else if (policy == MTDC_GC_GREEDY)
			better = class < class_of(model[best].live);
		else
			better = benefit(i, now) > benefit(best, now) * (1 + A_LITTLE) ||
				(benefit(i, now) > benefit(best, now) * (1 - A_LITTLE) &&
				 class < class_of(model[best].live));
		if (better)
			best = i;
	}
	return best;
}

static void one_step(u32 *now)
{
	u32 block = random_below(BLOCKS), victim;

	if (!model[block].in) {
		model[block].in = true;
		model[block].live = random_below(4) ? random_below(BLOCK_BYTES + 1) : BLOCK_BYTES;
		model[block].closed = *now;
		mtdc_gc_add(&gc, block, model[block].live, *now);
		*now += random_below(3);
	} else if (random_below(4)) {
		model[block].live -= random_below(1 + random_below(1 + model[block].live));
		mtdc_gc_update(&gc, block, model[block].live);
	} else {
		victim = mtdc_gc_choose(&gc, *now, random_below(2));
		if (victim == MTDC_GC_NONE)
			return;
		model[victim].in = false;
		mtdc_gc_remove(&gc, victim);
	}
}

static void run(u32 now, u64 left)
{
	create();
	for (; left && !tap.bad; left--) {
		one_step(&now);
		if (left & 15)
			continue;
		expect_eq(mtdc_gc_choose(&gc, now, MTDC_GC_GREEDY),
			  horrible_choice(now, MTDC_GC_GREEDY));
		expect_eq(mtdc_gc_choose(&gc, now, MTDC_GC_BENEFIT),
			  horrible_choice(now, MTDC_GC_BENEFIT));
		if (!(left & 255))
			expect_eq(mtdc_gc_check(&gc), 0);
	}
	free(gc.nodes);
}

static void test_random(void)
{
	run(0, tap.ops);
}

/* The clock wraps around. */
static void test_round(void)
{
	run(U32_MAX - tap.ops / 16, tap.ops / 8);
}

static void test_none(void)
{
	create();
	expect_eq(mtdc_gc_choose(&gc, 0, MTDC_GC_BENEFIT), MTDC_GC_NONE);
	expect_eq(mtdc_gc_choose(&gc, 0, MTDC_GC_GREEDY), MTDC_GC_NONE);
	/* A full block is no victim, */
	mtdc_gc_add(&gc, 3, BLOCK_BYTES, 1);
	mtdc_gc_add(&gc, 4, 63 * CLASS_BYTES, 1);
	expect_eq(mtdc_gc_choose(&gc, 9, MTDC_GC_BENEFIT), MTDC_GC_NONE);
	expect_eq(mtdc_gc_choose(&gc, 9, MTDC_GC_GREEDY), MTDC_GC_NONE);
	/* until a record in it is overwritten. */
	mtdc_gc_update(&gc, 4, 63 * CLASS_BYTES - 1);
	expect_eq(mtdc_gc_choose(&gc, 9, MTDC_GC_GREEDY), 4);
	/* A block that only lacks the room for one more page is no victim at any age. */
	expect_eq(mtdc_gc_choose(&gc, U32_MAX, MTDC_GC_BENEFIT), MTDC_GC_NONE);
	mtdc_gc_update(&gc, 4, GAIN_BYTES - CLASS_BYTES);
	expect_eq(mtdc_gc_choose(&gc, 9, MTDC_GC_BENEFIT), 4);
	/* A block outside all heaps can be updated. */
	mtdc_gc_update(&gc, 5, 7);
	mtdc_gc_remove(&gc, 4);
	mtdc_gc_update(&gc, 4, 7);
	expect_eq(mtdc_gc_choose(&gc, 9, MTDC_GC_GREEDY), MTDC_GC_NONE);
	expect_eq(mtdc_gc_check(&gc), 0);
	free(gc.nodes);
}

/* The worst orders for a skew heap: ascending, descending, from the middle. */
static void test_order(void)
{
	u32 i;

	create();
	for (i = 0; i < BLOCKS; i++)
		mtdc_gc_add(&gc, i, 100, i);
	for (i = BLOCKS; i-- > BLOCKS / 2;)
		mtdc_gc_remove(&gc, i);
	for (i = BLOCKS; i-- > BLOCKS / 2;)
		mtdc_gc_add(&gc, i, 100, i);
	for (i = BLOCKS / 4; i < BLOCKS / 2; i++)
		mtdc_gc_remove(&gc, i);
	expect_eq(mtdc_gc_check(&gc), 0);
	for (i = 0; i < BLOCKS; i++) {
		if (i >= BLOCKS / 4 && i < BLOCKS / 2)
			continue;
		expect_eq(mtdc_gc_choose(&gc, BLOCKS, MTDC_GC_BENEFIT), i);
		mtdc_gc_remove(&gc, i);
	}
	expect_eq(mtdc_gc_check(&gc), 0);
	free(gc.nodes);
}

static const struct tap_case cases[] = {
	{ "no block, or none that is worth it", test_none },
	{ "blocks of one class, by age", test_order },
	{ "random blocks, as a look at all of them says", test_random },
	{ "the clock goes round", test_round },
};

int main(int argc, char **argv)
{
	return tap_main("gc", cases, ARRAY_SIZE(cases), argc, argv);
}
