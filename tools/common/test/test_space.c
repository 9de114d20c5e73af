// SPDX-License-Identifier: GPL-2.0
/*
 * How many more bytes of pages a compressed swap can take.
 */
#include <errno.h>
#include "space.h"
#include "tree.h"

static const char mtdcompr[] =
	"name: ram\nmtd: 1\nlower_mtd: 0\nlower_name: nand\nstate: ok\ncomp: zstd\nlevel: 3\n"
	"pages_stored: 2000\npage_bytes: 16384\nmedia_used_bytes: 8192000\n"
	"media_free_bytes: 1048576\ndisk: mtdcompr3\n";

static void test_mtdcompr(void)
{
	struct space_device device;

	expect_eq(space_mtdcompr(mtdcompr, &device), 0);
	expect_eq(device.stored, 2000 * 16384);
	expect_eq(device.used, 8192000);
	expect_eq(device.free, 1048576);
	expect(!device.full);
	expect_eq(space_mtdcompr("name: full\nstate: full\npages_stored: 3\npage_bytes: 4096\n"
				 "media_used_bytes: 1\nmedia_free_bytes: 2\n", &device), 0);
	expect(device.full);
	/* An old version does not print its page size: the system's counts. */
	expect_eq(space_mtdcompr("pages_stored: 3\nmedia_used_bytes: 1\nmedia_free_bytes: 2\n",
				 &device), 0);
	expect_eq(device.stored, 3 * sysconf(_SC_PAGESIZE));
	expect_eq(space_mtdcompr("", &device), -EINVAL);
	expect_eq(space_mtdcompr("pages_stored: 3\nmedia_used_bytes: 1\n", &device), -EINVAL);
	expect_eq(space_mtdcompr("pages_stored: 3\nmedia_free_bytes: 1\n", &device), -EINVAL);
	expect_eq(space_mtdcompr("media_used_bytes: 1\nmedia_free_bytes: 2\n", &device), -EINVAL);
	expect_eq(space_mtdcompr("pages_stored: x\nmedia_used_bytes: 1\nmedia_free_bytes: 2\n",
				 &device), -EINVAL);
}

static void test_mtdcompr_overflow(void)
{
	struct space_device device;

	expect_eq(space_mtdcompr("pages_stored: 4611686018427387905\npage_bytes: 4096\n"
				 "media_used_bytes: 1\nmedia_free_bytes: 2\n", &device), -EINVAL);
}

static void test_zram(void)
{
	struct space_device device;

	/* Linux 6.1 and later: orig_data_size compr_data_size mem_used_total mem_limit ... */
	expect_eq(space_zram(" 4096000   123456   200704 1048576   200704     12        0        0        0\n",
			     &device), 0);
	expect_eq(device.stored, 4096000);
	expect_eq(device.used, 200704);
	expect_eq(device.free, 1048576 - 200704);
	expect_eq(space_zram("4096 64 8192 0 8192 0 0 0 0\n", &device), 0);
	expect(device.free == UINT64_MAX);
	expect_eq(space_zram("4096 64 8192 8192 8192 0 0\n", &device), 0);
	expect_eq(device.free, 0);
	expect_eq(space_zram("4096 64 8192 100 8192 0 0\n", &device), 0);
	expect_eq(device.free, 0);
	expect_eq(space_zram("", &device), -EINVAL);
	expect_eq(space_zram("4096 64 8192\n", &device), -EINVAL);
	expect_eq(space_zram("4096 64 x 0\n", &device), -EINVAL);
	expect_eq(space_zram("4096 64 -8192 0\n", &device), -EINVAL);
	expect_eq(space_zram("99999999999999999999 64 8192 0\n", &device), -EINVAL);
}

static u64 left_of(u64 free_bytes, u64 stored, u64 used, u64 media_free)
{
	struct space_device device = { stored, used, media_free, false };

	return space_left(free_bytes, &device);
}

static void test_left(void)
{
	struct space_device device = { 3 << 20, 1 << 20, 0, true };

	/* A ratio of 3:1, and of 1:3, which rounds down. */
	expect_eq(left_of(1 << 30, 3 << 20, 1 << 20, 1 << 20), 3 << 20);
	expect_eq(left_of(1 << 20, 3 << 20, 1 << 20, 1 << 20), 1 << 20);
	expect_eq(left_of(1 << 30, 1 << 20, 3 << 20, 1 << 20), (1 << 20) / 3);
	expect_eq(left_of(1 << 30, 3 << 20, 1 << 20, 0), 0);
	expect_eq(left_of(0, 3 << 20, 1 << 20, 1 << 20), 0);
	/* A zram without a limit takes memory as needed: the free slots count. */
	expect_eq(left_of(12345, 3 << 20, 1 << 20, UINT64_MAX), 12345);
	/* The device refuses pages: its free bytes are in small pieces, or belong to its log. */
	device.free = 100 << 10;
	expect_eq(space_left(1 << 30, &device), 0);
	device.full = false;
	expect_eq(space_left(1 << 30, &device), 300 << 10);
	/* With much free space a single page was refused, or a program has ended since. */
	device.full = true;
	device.free = 1 << 20;
	expect_eq(space_left(1 << 30, &device), 3 << 20);
	/* Too little is stored for a ratio: assume 2:1. */
	expect_eq(left_of(1 << 30, 0, 0, 1 << 20), 2 << 20);
	expect_eq(left_of(1 << 30, 100 << 20, (256 << 10) - 1, 1 << 20), 2 << 20);
	expect_eq(left_of(1 << 30, 1 << 20, 256 << 10, 1 << 20), 4 << 20);
}

/* A device that stores no page and uses some space for itself is not full. */
static void test_left_nothing(void)
{
	expect(left_of(1 << 30, 0, 256 << 10, 64 << 20) > 0);
}

static u64 naive(u64 free_bytes, u64 stored, u64 used, u64 media_free)
{
	unsigned __int128 left;

	if (media_free == UINT64_MAX)
		return free_bytes;
	if (used < 256 << 10) {
		stored = 2;
		used = 1;
	}
	left = (unsigned __int128)media_free * stored / used;
	return left < free_bytes ? (u64)left : free_bytes;
}

static void compare(unsigned int max_bits, u32 rounds)
{
	while (rounds--) {
		u64 stored = 1 + (random_u64() >> (65 - max_bits + random_below(max_bits - 1)));
		u64 used = random_u64() >> (64 - max_bits + random_below(max_bits));
		u64 media_free = random_u64() >> (64 - max_bits + random_below(max_bits));
		u64 free_bytes = random_u64() >> (64 - max_bits + random_below(max_bits));
		u64 got = left_of(free_bytes, stored, used, media_free);
		u64 want = naive(free_bytes, stored, used, media_free);
		u64 off = got > want ? got - want : want - got;

		/* The remainder is computed with 53 bits. */
		if (off > 1 + (stored >> 50)) {
			tap.bad++;
			tap_note("%llu instead of %llu: swap %llu, stored %llu, used %llu, media %llu",
				 got, want, free_bytes, stored, used, media_free);
			return;
		}
	}
}

/* Realistic devices, up to 4 TiB. */
static void test_left_random(void)
{
	compare(42, quick() ? 10000 : 300000);
}

/* Any figures of 64 bits. */
static void test_left_huge(void)
{
	compare(64, quick() ? 10000 : 300000);
}

static const char heading[] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

static void put_swaps(const char *lines)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", heading, lines);
	tree_put("/proc/swaps", text);
}

static void test_tree(void)
{
	struct space space;

	tree_make();
	put_swaps("/dev/mtdcompr3                          partition\t1048576\t\t48576\t\t100\n"
		  "/dev/zram0                              partition\t524288\t\t24288\t\t50\n"
		  "/dev/zram1                              partition\t524288\t\t0\t\t50\n"
		  "/swap/mtdcompr\\040file                  file\t\t1000\t\t900\t\t-2\n"
		  "/dev/vdb                                partition\t2000\t\t500\t\t-3\n");
	tree_put("/proc/mtdcompr/other", "pages_stored: 1\ndisk: mtdcompr33\n");
	tree_put("/proc/mtdcompr/a name", mtdcompr);
	tree_put("/proc/mtdcompr/empty", "");
	tree_put("/sys/block/zram0/mm_stat",
		 "4194304 100 1048576 3145728 1048576 0 0 0 0\n");
	expect_eq(space_read(&space), 0);
	expect_eq(space.total, (1048576ULL + 524288 + 524288 + 1000 + 2000) << 10);
	expect_eq(space.used, (48576ULL + 24288 + 900 + 500) << 10);
	/* 4:1 of 1 MiB; 4:1 of 2 MiB; a zram, a file and a disk without figures. */
	expect_eq(space.left, (4ULL << 20) + (8ULL << 20) +
		  ((524288ULL + 100 + 1500) << 10));
	tree_remove();
}

static void test_tree_bad(void)
{
	struct space space;

	tree_make();
	put_swaps("");
	expect_eq(space_read(&space), 0);
	expect_eq(space.total, 0);
	expect_eq(space.left, 0);
	put_swaps("/dev/vdb partition 100 200 1\n");
	expect_eq(space_read(&space), -EINVAL);
	put_swaps("/dev/vdb partition 100 20 1\n/dev/vdc partition\n");
	expect_eq(space_read(&space), -EINVAL);
	put_swaps("/dev/vdb partition 100 20 1\nnonsense\n");
	expect_eq(space_read(&space), -EINVAL);
	/* Devices with wrong figures count like devices without figures. */
	put_swaps("/dev/mtdcompr3 partition 100 20 1\n/dev/zram0 partition 100 30 1\n");
	tree_put("/proc/mtdcompr/a", "disk: mtdcompr3\npages_stored: -\n");
	tree_put("/sys/block/zram0/mm_stat", "nonsense\n");
	expect_eq(space_read(&space), 0);
	expect_eq(space.left, 150 << 10);
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "figures of mtdcompr", test_mtdcompr },
	{ "figures of mtdcompr that overflow", test_mtdcompr_overflow },
	{ "figures of zram", test_zram },
	{ "space left", test_left },
	{ "space left on an empty device", test_left_nothing },
	{ "space left, random devices", test_left_random },
	{ "space left, random figures", test_left_huge },
	{ "the swap of a system", test_tree },
	{ "the swap of a system, wrong figures", test_tree_bad },
};

int main(int argc, char **argv)
{
	return tap_main("space", cases, ARRAY_SIZE(cases), argc, argv);
}
