// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a chunk become ranges.
 */
#include "layout.h"
#include "push.h"
#include "sys.h"
#include "tree.h"

#define START 0x10000000ULL

static void begin(struct push *push, struct layout *layout)
{
	uint64_t bytes = 64 * sys_page_size();

	memset(push, 0, sizeof(*push));
	layout_clear(layout);
	layout->n = 1;
	layout->n_chunks = 2;
	layout->ranges[0] = (struct range){ .start = START, .end = START + bytes };
}

/* pages_of() - which pages of a chunk the ranges have; one that is there twice is an error */
static uint32_t pages_of(const struct push *push, uint32_t nr)
{
	uint64_t page_bytes = sys_page_size(), from = START + nr * 32 * page_bytes;
	uint32_t bits = 0, page;
	size_t i, at;

	for (i = 0; i < push->n; i++) {
		for (at = 0; at < push->ranges[i].iov_len; at += page_bytes) {
			page = (uint32_t)(((uintptr_t)push->ranges[i].iov_base + at - from) /
					  page_bytes);
			expect(page < 32);
			expect(!(bits & 1U << page));
			bits |= 1U << page;
		}
	}
	return bits;
}

static void test_pages(void)
{
	static const uint32_t some[] = { 0, 1, 3, 0x80000000, 0xc0000001, UINT32_MAX, 0x7fffffff,
					 0xfffffffe, 0x55555555, 0xaaaaaaaa, 0x0ff00ff0 };
	static struct layout layout;
	struct push push;
	unsigned int i;

	for (i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		begin(&push, &layout);
		expect_eq(push_pages(&push, &layout, 1, some[i]),
			  (uint32_t)__builtin_popcount(some[i]));
		expect_eq(pages_of(&push, 1), some[i]);
	}
}

/* Pages side by side are one range, also from chunk to chunk. */
static void test_together(void)
{
	static struct layout layout;
	struct push push;

	begin(&push, &layout);
	push_pages(&push, &layout, 0, 0xf0000003);
	push_pages(&push, &layout, 1, 0x0000000f);
	expect_eq(push.n, 2);
	expect_eq(push.ranges[1].iov_len, 8 * sys_page_size());
}

static const struct tap_case cases[] = {
	{ "pages of a chunk", test_pages },
	{ "pages side by side", test_together },
};

int main(int argc, char **argv)
{
	return tap_main("push", cases, ARRAY_SIZE(cases), argc, argv);
}
