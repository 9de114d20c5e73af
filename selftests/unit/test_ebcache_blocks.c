// SPDX-License-Identifier: GPL-2.0
/*
 * The table of good eraseblocks: the number of spare blocks, the physical block of each logical
 * block, and that no block is used twice or returns after it was given up.
 */
#include <errno.h>

#include "harness.h"
#include "ebcache_blocks.h"

/* Enough for six spare blocks. The checker needs quadratic time. */
#define TOTAL_MAX	320U

static const struct {
	u32 total;
	u32 good;
	int err;
	u32 logical;
	u32 spares;
} sizes[] = {
	{ 0, 0, -ENOSPC, 0, 0 },
	{ 1, 1, -ENOSPC, 0, 0 },
	{ 2, 2, -ENOSPC, 0, 0 },
	{ 3, 0, -ENOSPC, 0, 0 },
	{ 3, 2, -ENOSPC, 0, 0 },
	{ 3, 3, 0, 2, 1 },
	{ 4, 3, 0, 2, 1 },
	{ 4, 4, 0, 3, 1 },
	{ 64, 64, 0, 63, 1 },
	{ 64, 3, 0, 2, 1 },
	{ 64, 2, -ENOSPC, 0, 0 },
	/* 20 spare blocks in 1024, rounded down, but at least one. */
	{ 51, 51, 0, 50, 1 },
	{ 52, 52, 0, 51, 1 },
	{ 102, 102, 0, 101, 1 },
	{ 103, 103, 0, 101, 2 },
	{ 1023, 1023, 0, 1004, 19 },
	{ 1024, 1024, 0, 1004, 20 },
	/* Bad blocks do not reduce the number of spare blocks. */
	{ 1024, 1004, 0, 984, 20 },
	{ 1024, 22, 0, 2, 20 },
	{ 1024, 21, -ENOSPC, 0, 0 },
	{ 1024, 0, -ENOSPC, 0, 0 },
	{ MTDC_BLOCKS_MAX, MTDC_BLOCKS_MAX, 0, MTDC_BLOCKS_MAX - 20480, 20480 },
	/* The product has more than 32 bits. */
	{ U32_MAX, 1000, -ENOSPC, 0, 0 },
};

static void test_sizes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct mtdc_blocks blocks;
		u32 *memory = test_alloc(mtdc_blocks_memory(sizes[i].good));
		unsigned int bad = tap.bad;
		u32 n;

		mtdc_blocks_init(&blocks, memory, sizes[i].total);
		for (n = 0; n < sizes[i].good; n++)
			mtdc_blocks_add(&blocks, sizes[i].total - sizes[i].good + n);
		expect_eq(mtdc_blocks_settle(&blocks), sizes[i].err);
		expect_eq(blocks.logical, sizes[i].logical);
		expect_eq(blocks.spares, sizes[i].spares);
		expect_eq(blocks.good, sizes[i].good);
		if (sizes[i].good <= 1024)
			expect_eq(mtdc_blocks_check(&blocks), 0);
		if (tap.bad != bad)
			tap_note("  with %u of %u good", sizes[i].good, sizes[i].total);
		free(memory);
	}
}

/* A table of all blocks except those whose number is a multiple of @every. */
static u32 *make(struct mtdc_blocks *blocks, u32 total, u32 every)
{
	u32 *memory = test_alloc(mtdc_blocks_memory(total));
	u32 i;

	mtdc_blocks_init(blocks, memory, total);
	for (i = 0; i < total; i++)
		if (!every || i % every)
			mtdc_blocks_add(blocks, i);
	return memory;
}

static void test_memory(void)
{
	expect_eq(mtdc_blocks_memory(0), 0);
	expect_eq(mtdc_blocks_memory(3), 12);
	expect_eq(mtdc_blocks_memory(MTDC_BLOCKS_MAX), 4ULL << 20);
}

/* Logical blocks are the good ones in order; the last ones are the spare blocks. */
static void test_order(void)
{
	struct mtdc_blocks blocks;
	u32 *memory = make(&blocks, 12, 3);
	static const u32 want[] = { 1, 2, 4, 5, 7, 8, 10 };
	u32 i;

	expect_eq(mtdc_blocks_settle(&blocks), 0);
	expect_eq(blocks.logical, ARRAY_SIZE(want));
	for (i = 0; i < ARRAY_SIZE(want); i++)
		expect_eq(blocks.at[i], want[i]);
	expect_eq(blocks.at[i], 11);
	expect_eq(mtdc_blocks_check(&blocks), 0);
	free(memory);
}

static void test_no_spare(void)
{
	struct mtdc_blocks blocks, before;
	u32 *memory = make(&blocks, 5, 0);
	u32 copy[5];

	expect_eq(mtdc_blocks_settle(&blocks), 0);
	expect_eq(mtdc_blocks_try_spare(&blocks, 2), 0);
	expect_eq(blocks.at[2], 4);
	mtdc_blocks_keep_spare(&blocks);
	expect_eq(blocks.spares, 0);
	before = blocks;
	memcpy(copy, memory, sizeof(copy));
	expect_eq(mtdc_blocks_try_spare(&blocks, 0), -ENOSPC);
	expect(!memcmp(&before, &blocks, sizeof(before)));
	expect(!memcmp(copy, memory, sizeof(copy)));
	expect_eq(mtdc_blocks_check(&blocks), 0);
	free(memory);
}

/* If a spare block fails, too, the others must still be used. */
static void test_turns(void)
{
	struct mtdc_blocks blocks;
	u32 *memory = make(&blocks, 300, 0);
	u32 tried[5] = { 0 };
	u32 i, n, spares;

	expect_eq(mtdc_blocks_settle(&blocks), 0);
	spares = blocks.spares;
	expect_eq(spares, ARRAY_SIZE(tried));
	for (n = 0; n < 3; n++) {
		for (i = 0; i < spares; i++) {
			expect_eq(mtdc_blocks_try_spare(&blocks, 7), 0);
			if (expect(blocks.at[7] >= blocks.logical && blocks.at[7] < 300))
				tried[blocks.at[7] - blocks.logical]++;
			mtdc_blocks_undo_spare(&blocks, 7);
			expect_eq(blocks.at[7], 7);
		}
		for (i = 0; i < spares; i++)
			expect_eq(tried[i], n + 1);
	}
	expect_eq(mtdc_blocks_check(&blocks), 0);
	free(memory);
}

/* The checker finds each damage. */
static void test_check(void)
{
	struct mtdc_blocks blocks;
	u32 *memory = make(&blocks, 60, 0);
	u32 was;

	expect_eq(mtdc_blocks_settle(&blocks), 0);
	expect_eq(mtdc_blocks_check(&blocks), 0);
	was = blocks.at[3];
	blocks.at[3] = blocks.at[50];
	expect_eq(mtdc_blocks_check(&blocks), -EUCLEAN);
	/* Also with the last spare block. */
	blocks.at[3] = blocks.at[blocks.logical + blocks.spares - 1];
	expect_eq(mtdc_blocks_check(&blocks), -EUCLEAN);
	blocks.at[3] = 60;
	expect_eq(mtdc_blocks_check(&blocks), -EUCLEAN);
	blocks.at[3] = was;
	blocks.spares++;
	expect_eq(mtdc_blocks_check(&blocks), -EUCLEAN);
	blocks.spares--;
	blocks.good = 61;
	expect_eq(mtdc_blocks_check(&blocks), -EUCLEAN);
	blocks.good = 60;
	expect_eq(mtdc_blocks_check(&blocks), 0);
	free(memory);
}

/* The model: plain arrays, whose entries are moved by hand. */
struct horrible {
	u32 at[TOTAL_MAX];
	u32 spare[TOTAL_MAX];	/* the next to be tried comes first */
	u32 logical;
	u32 spares;
	bool given_up[TOTAL_MAX];
};

static u32 spares_of(u32 total)
{
	/* No floating point: on the x87, 256 / 51.2 is below 5. */
	return total * 5 / 256 ? total * 5 / 256 : 1;
}

static void horrible_init(struct horrible *model, const u32 *good, u32 n, u32 total)
{
	u32 i;

	memset(model, 0, sizeof(*model));
	model->spares = spares_of(total);
	model->logical = n - model->spares;
	memcpy(model->at, good, model->logical * sizeof(*good));
	for (i = 0; i < model->spares; i++)
		model->spare[i] = good[n - 1 - i];
}

static void horrible_shift(struct horrible *model)
{
	memmove(model->spare, model->spare + 1, (model->spares - 1) * sizeof(*model->spare));
}

/* A block fails; @works: the spare block takes its data. */
static void horrible_replace(struct horrible *model, u32 logical, bool works)
{
	u32 spare = model->spare[0];

	if (!model->spares)
		return;
	horrible_shift(model);
	if (works) {
		model->given_up[model->at[logical]] = true;
		model->at[logical] = spare;
		model->spares--;
	} else {
		model->spare[model->spares - 1] = spare;
	}
}

static bool is_like(const struct mtdc_blocks *blocks, const struct horrible *model)
{
	u32 i;

	if (!expect_eq(mtdc_blocks_check(blocks), 0) ||
	    !expect_eq(blocks->logical, model->logical) ||
	    !expect_eq(blocks->spares, model->spares))
		return false;
	for (i = 0; i < blocks->logical; i++)
		if (!expect_eq(blocks->at[i], model->at[i]) ||
		    !expect(!model->given_up[blocks->at[i]]))
			return false;
	for (i = 0; i < blocks->spares; i++)
		if (!expect(!model->given_up[blocks->at[blocks->logical + i]]))
			return false;
	return true;
}

static void replace(struct mtdc_blocks *blocks, u32 logical, bool works)
{
	u32 was = blocks->at[logical];
	bool any = blocks->spares;

	if (!expect_eq(mtdc_blocks_try_spare(blocks, logical), any ? 0 : -ENOSPC) || !any)
		return;
	expect(blocks->at[logical] != was);
	expect_eq(mtdc_blocks_check(blocks), 0);
	if (works)
		mtdc_blocks_keep_spare(blocks);
	else
		mtdc_blocks_undo_spare(blocks, logical);
}

/*
 * The whole life of a medium, until some time after its last spare block is used; returns the
 * operations.
 */
static u64 random_life(void)
{
	u32 total = 2 + random_length(TOTAL_MAX - 2), after = 4;
	u32 *memory = test_alloc(mtdc_blocks_memory(total));
	u32 often = random_below(8), i;
	struct mtdc_blocks blocks;
	struct horrible model;
	u64 ops = 0;

	mtdc_blocks_init(&blocks, memory, total);
	for (i = 0; i < total; i++)
		if (!often || random_below(often + 1))
			mtdc_blocks_add(&blocks, i);
	if (blocks.good < spares_of(total) + 2) {
		expect_eq(mtdc_blocks_settle(&blocks), -ENOSPC);
	} else if (expect_eq(mtdc_blocks_settle(&blocks), 0)) {
		horrible_init(&model, memory, blocks.good, total);
		while (after && is_like(&blocks, &model)) {
			u32 logical = random_below(blocks.logical);
			bool works = !random_below(3);

			replace(&blocks, logical, works);
			horrible_replace(&model, logical, works);
			after -= !blocks.spares;
			ops++;
		}
	}
	free(memory);
	return ops + 1;
}

static void test_random(void)
{
	u64 ops = tap.ops / 32, done = 0;

	while (done < ops && !tap.bad)
		done += random_life();
}

static const struct tap_case cases[] = {
	{ "memory of a table", test_memory },
	{ "how many are kept aside, and what is too few", test_sizes },
	{ "logical blocks are the good ones in order", test_order },
	{ "without a spare one nothing changes", test_no_spare },
	{ "spare ones that fail are tried in turns", test_turns },
	{ "the checker finds what it is for", test_check },
	{ "random lives against the model", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("blocks", cases, ARRAY_SIZE(cases), argc, argv);
}
