// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a chunk become ranges for process_madvise(); pages that are in the swap are read.
 */
#include <errno.h>
#include <sys/mman.h>
#include "aside.h"
#include "layout.h"
#include "maps.h"
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

/* pages_of() - the pages of a chunk that are in the ranges; a page in two ranges is an error */
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

/* Adjacent pages are one range, also across chunks. */
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

#define SWAP_PAGES 600
#define FIRST_SWAPPED 510

static void put_proc(const char *name, const void *data, size_t bytes)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", getpid(), name);
	tree_put_bytes(path, data, bytes);
}

/* put_swapped() - write files of /proc with some swapped pages of a mapping */
static uint64_t put_swapped(uint64_t page_bytes)
{
	static uint64_t entries[(START >> 12) + SWAP_PAGES];
	static char text[16384];
	uint64_t first = START / page_bytes, i, n = 0;

	for (i = 0; i < SWAP_PAGES; i++) {
		bool out = i >= FIRST_SWAPPED && i % 3;

		entries[first + i] = out ? MAPS_SWAPPED : MAPS_PRESENT;
		n += out;
	}
	put_proc("pagemap", entries, (first + SWAP_PAGES) * sizeof(entries[0]));
	/* A mapping that cannot be read does not count, nor one with too long a name. */
	i = sprintf(text, "1000-2000 ---p 00000000 00:00 0 \nSwap: 4 kB\n"
		    "2000-3000 r--p 00000000 00:00 1 /%05000d\nSwap: 4 kB\n"
		    "%llx-%llx rw-p 00000000 00:00 0 \nRss: 8 kB\nSwap: 8 kB\nSwapPss: 0 kB\n"
		    "8000000000-8000001000 rw-p 00000000 00:00 0 \nSwap: 0 kB\n", 0, START,
		    START + SWAP_PAGES * page_bytes);
	put_proc("smaps", text, i);
	return n;
}

/* Just the swapped pages are read, up to the limit. */
static void test_fetch(void)
{
	uint64_t page_bytes = sys_page_size(), bytes = SWAP_PAGES * page_bytes, n;
	void *memory = mmap((void *)START, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct proc_stat stat;
	struct proc_id id;
	char text[1024];

	expect(memory == (void *)START);
	tree_make();
	sys_set_root("");
	expect_eq(proc_read(getpid(), &stat), 0);
	id = (struct proc_id){ getpid(), stat.start };
	n = sys_read("/proc/self/stat", text, sizeof(text));
	sys_set_root(tree);
	put_proc("stat", text, n);
	n = put_swapped(page_bytes);
	expect_eq(push_fetch(id, UINT64_MAX), n * page_bytes);
	expect_eq(push_fetch(id, 5 * page_bytes), 5 * page_bytes);
	expect_eq(push_fetch(id, page_bytes - 1), 0);
	id.start++;
	expect_eq(push_fetch(id, UINT64_MAX), -ESRCH);
	aside_stop();
	tree_remove();
	munmap(memory, bytes);
}

static const struct tap_case cases[] = {
	{ "pages of a chunk", test_pages },
	{ "adjacent pages", test_together },
	{ "pages in the swap", test_fetch },
};

int main(int argc, char **argv)
{
	return tap_main("push", cases, ARRAY_SIZE(cases), argc, argv);
}
