// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the units that are compiled for user space, too, and tested
 * there against models: here that the kernel's compiler and libraries make the
 * same of them.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/prandom.h>

#include "ebcache_blocks.h"
#include "inplace_freelist.h"
#include "map.h"
#include "media.h"
#include "store_fill.h"

#define RANDOM_OPS	2000U
#define GRANULES	2000U
#define GRANULE		20U

/* Pages come and go; the chains in the map and the free list always add up to the media. */
static void map_and_freelist_agree(struct kunit *test)
{
	const u32 pages = 40, links = 300;
	struct mtdc_place *place = kunit_kzalloc(test, sizeof(*place),
						 GFP_KERNEL);
	struct mtdc_freelist fl;
	struct rnd_state rnd;
	struct mtdc_map map;
	void *fl_memory, *map_memory;
	u32 i;

	fl_memory = kunit_kzalloc(test, mtdc_freelist_memory(GRANULES),
				  GFP_KERNEL);
	map_memory = kunit_kzalloc(test, mtdc_map_memory(pages, links),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, place);
	KUNIT_ASSERT_NOT_NULL(test, fl_memory);
	KUNIT_ASSERT_NOT_NULL(test, map_memory);
	prandom_seed_state(&rnd, 2);
	mtdc_freelist_init(&fl, fl_memory, GRANULES, GRANULE,
			   MTDC_FRAGMENT_BYTES, PAGE_SIZE);
	mtdc_map_init(&map, map_memory, pages, links, GRANULE,
		      MTDC_FRAGMENT_BYTES);
	for (i = 0; i < RANDOM_OPS; i++) {
		u32 page = prandom_u32_state(&rnd) % pages;
		int n;

		mtdc_map_get(&map, page, place);
		if (place->kind == MTDC_COMPRESSED)
			mtdc_freelist_free(&fl, place->chain, place->n);
		place->kind = MTDC_COMPRESSED;
		place->bytes = 1 + prandom_u32_state(&rnd) % 3000;
		place->generation = i % MTDC_GENERATIONS;
		n = mtdc_freelist_alloc(&fl, MTDC_ALLOC_ROTATE, place->bytes,
					place->chain, MTDC_CHAIN_MAX);
		place->n = max(n, 0);
		if (n <= 0) {
			place->kind = MTDC_NONE;
		} else if (!mtdc_map_has_room(&map, page, place)) {
			mtdc_freelist_free(&fl, place->chain, place->n);
			place->kind = MTDC_NONE;
		}
		KUNIT_ASSERT_EQ(test, mtdc_map_set(&map, page, place), 0);
		KUNIT_ASSERT_EQ(test, mtdc_freelist_check(&fl), 0);
		KUNIT_ASSERT_EQ(test, mtdc_map_check(&map), 0);
	}
	for (i = 0; i < pages; i++) {
		mtdc_map_get(&map, i, place);
		if (place->kind == MTDC_COMPRESSED)
			mtdc_freelist_free(&fl, place->chain, place->n);
	}
	KUNIT_EXPECT_EQ(test, mtdc_freelist_check(&fl), 0);
	KUNIT_EXPECT_EQ(test, fl.free, GRANULES);
	KUNIT_EXPECT_EQ(test, fl.fragments, 1U);
}

static void spare_blocks_are_used_up(struct kunit *test)
{
	const u32 total = 200;
	struct mtdc_blocks blocks;
	u32 i, logical;
	void *memory = kunit_kzalloc(test, mtdc_blocks_memory(total),
				     GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	mtdc_blocks_init(&blocks, memory, total);
	for (i = 0; i < total; i++)
		if (i % 9)
			mtdc_blocks_add(&blocks, i);
	KUNIT_ASSERT_EQ(test, mtdc_blocks_settle(&blocks), 0);
	logical = blocks.logical;
	for (i = 0; blocks.spares; i = (i + 7) % logical) {
		KUNIT_ASSERT_EQ(test, mtdc_blocks_try_spare(&blocks, i), 0);
		if (i % 2)
			mtdc_blocks_keep_spare(&blocks);
		else
			mtdc_blocks_undo_spare(&blocks, i);
		KUNIT_ASSERT_EQ(test, mtdc_blocks_check(&blocks), 0);
	}
	KUNIT_EXPECT_EQ(test, mtdc_blocks_try_spare(&blocks, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, blocks.logical, logical);
}

static void fill_words_are_found(struct kunit *test)
{
	u64 *page = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL), word = 0;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	mtdc_fill_expand(page, PAGE_SIZE, 0x0123456789abcdefULL);
	KUNIT_EXPECT_TRUE(test, mtdc_fill_detect(page, PAGE_SIZE, &word));
	KUNIT_EXPECT_EQ(test, word, 0x0123456789abcdefULL);
	for (i = 0; i < PAGE_SIZE; i++) {
		((u8 *)page)[i] ^= 0x80;
		KUNIT_EXPECT_FALSE(test,
				   mtdc_fill_detect(page, PAGE_SIZE, &word));
		((u8 *)page)[i] ^= 0x80;
	}
}

static void sealed_fragment_has_no_other_meaning(struct kunit *test)
{
	const struct mtdc_media_id id = {
		.nonce = 1, .page = 2, .generation = 3, .nr = 4,
	};
	struct mtdc_media_id other[] = { id, id, id, id };
	u32 bits = 8 * (MTDC_FRAGMENT_BYTES + 40), i;
	u8 fragment[MTDC_FRAGMENT_BYTES + 40] = {};

	mtdc_media_seal(fragment, 40, &id);
	KUNIT_EXPECT_EQ(test, mtdc_media_verify(fragment, 40, &id), 0);
	other[0].nonce++;
	other[1].page++;
	other[2].generation++;
	other[3].nr++;
	for (i = 0; i < ARRAY_SIZE(other); i++)
		KUNIT_EXPECT_NE(test, mtdc_media_verify(fragment, 40,
							&other[i]), 0);
	for (i = 0; i < bits; i++) {
		fragment[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_NE(test, mtdc_media_verify(fragment, 40, &id), 0);
		fragment[i / 8] ^= 1 << i % 8;
	}
	KUNIT_EXPECT_NE(test, mtdc_media_verify(fragment, 39, &id), 0);
}

static struct kunit_case pure_cases[] = {
	KUNIT_CASE(map_and_freelist_agree),
	KUNIT_CASE(spare_blocks_are_used_up),
	KUNIT_CASE(fill_words_are_found),
	KUNIT_CASE(sealed_fragment_has_no_other_meaning),
	{}
};

static struct kunit_suite pure_suite = {
	.name = "mtdcompr_pure",
	.test_cases = pure_cases,
};

kunit_test_suite(pure_suite);
