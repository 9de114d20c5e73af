// SPDX-License-Identifier: GPL-2.0
/*
 * The price of a page that is read: texts of real systems, and wrong texts.
 */
#include <errno.h>
#include "cost.h"
#include "tree.h"

static bool reads_are(const char *text, const char *swap, u64 pages, u64 ms)
{
	struct cost_reads reads = { 77, 77, 77 };
	bool good;

	cost_disks(text, swap, &reads);
	good = expect_eq(reads.pages, pages) & expect_eq(reads.ms, ms);
	if (!good)
		tap_note("without \"%s\": %.200s", swap, text);
	return good;
}

/* A board with raw flash and an SD card, as Linux 4.18 to 5.4 print it. */
static const char board[] =
	"   1       0 ram0 9 0 72 1 0 0 0 0 0 0 0 0 0 0 0\n"
	"   1       1 ram1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	"   7       0 loop0 1045 0 10466 512 0 0 0 0 0 640 512 0 0 0 0\n"
	"  31       0 mtdblock0 21 0 168 9 0 0 0 0 0 16 9 0 0 0 0\n"
	"  31       1 mtdblock1 4100 0 32800 1640 12 0 96 31 0 1700 1671 0 0 0 0\n"
	" 179       0 mmcblk0 8121 2310 524288 31744 901 1203 40960 20122 0 14404 51866 0 0 0 0\n"
	" 179       1 mmcblk0p1 120 40 8192 300 1 0 8 2 0 240 302 0 0 0 0\n"
	" 179       2 mmcblk0p2 7960 2270 512000 31400 900 1203 40952 20120 0 14300 51520 0 0 0 0\n"
	" 179      32 mmcblk0boot0 4 0 32 2 0 0 0 0 0 4 2 0 0 0 0\n"
	" 253       0 zram0 90210 0 721680 340 120400 0 963200 2900 0 3240 3240 0 0 0 0\n"
	" 254       0 dm-0 8000 0 400000 30000 900 0 40952 20120 0 14300 50120 0 0 0 0\n"
	" 252       0 mtdcompr0 55120 0 440960 5512 70011 0 560088 9120 0 9000 14632 0 0 0 0\n";

static void test_board(void)
{
	u64 sectors = 168 + 32800 + 524288 + 8192 + 512000 + 32;
	u64 ms = 9 + 1640 + 31744 + 300 + 31400 + 2;

	reads_are(board, "mtdcompr0", sectors / 8, ms);
	reads_are(board, "zram0", (sectors + 440960) / 8, ms + 5512);
	reads_are(board, "", (sectors + 440960) / 8, ms + 5512);
	/* The partition and its disk are left out; the disk's other partitions count. */
	reads_are(board, "mmcblk0p2", (sectors - 512000 - 524288 + 440960) / 8,
		  ms - 31400 - 31744 + 5512);
	reads_are(board, "mmcblk0p3", (sectors - 524288 + 440960) / 8, ms - 31744 + 5512);
	reads_are(board, "mmcblk0", (sectors - 524288 + 440960) / 8, ms - 31744 + 5512);
	reads_are(board, "mmcblk1p2", (sectors + 440960) / 8, ms + 5512);
	reads_are(board, "swapfile", (sectors + 440960) / 8, ms + 5512);
}

/* The time that disks were busy; without that field, the time of their reads. */
static void test_busy(void)
{
	static const struct {
		const char *text;
		u64 ms, busy_ms;
	} cases[] = {
		{ "8 0 sda 10 0 80 500 0 0 0 0 0 120 500\n", 500, 120 },
		{ "8 0 sda 10 0 80 500 9 0 72 900 0 1300 1400\n", 500, 1300 },
		{ "8 0 sda 10 0 80 500 0 0 0 0 0 0 0\n", 500, 0 },
		{ "8 0 sda 10 0 80 500 0 0 0 0 0\n", 500, 500 },
		{ "8 0 sda 10 0 80 500\n", 500, 500 },
		{ "8 0 sda 10 0 80 500 0 0 0 x 0 120 500\n", 500, 500 },
		{ "8 0 sda 10 0 80 500 0 0 0 0 0 120 500\n8 16 sdb 1 0 8 7 0 0 0 0 0 5 7\n",
		  507, 125 },
	};
	struct cost_reads reads;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cost_disks(cases[i].text, "", &reads);
		if (!(expect_eq(reads.ms, cases[i].ms) & expect_eq(reads.busy_ms, cases[i].busy_ms)))
			tap_note("case %u", i);
	}
}

/* The price comes from the smaller one of both times, since the last measurement. */
static void test_page(void)
{
	static const struct {
		struct cost_reads before, now;
		u64 ns;
	} cases[] = {
		{ { 0, 0, 0 }, { 10, 5, 8 }, 500000 }, { { 0, 0, 0 }, { 10, 8, 5 }, 500000 },
		{ { 100, 900, 30 }, { 110, 920, 35 }, 500000 },
		/* The disk was also busy with writes: the time of the reads is smaller. */
		{ { 65536, 31744, 14404 }, { 65600, 31754, 24404 }, 156250 },
		{ { 5, 5, 5 }, { 5, 5, 5 }, 0 }, { { 5, 5, 5 }, { 5, 9, 9 }, 0 },
		{ { 5, 5, 5 }, { 4, 9, 9 }, 0 }, { { 5, 5, 5 }, { 9, 4, 9 }, 0 },
		{ { 5, 5, 5 }, { 9, 9, 4 }, 0 }, { { 5, 5, 5 }, { 6, 5, 9 }, 0 },
		{ { 0, 0, 0 }, { 3, 1, 1 }, 333333 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!expect_eq(cost_page_ns(&cases[i].before, &cases[i].now), cases[i].ns))
			tap_note("case %u", i);
}

static void test_names(void)
{
	static const struct {
		const char *name;
		bool counts;
	} cases[] = {
		{ "sda", true }, { "sda1", true }, { "hda", true }, { "vda", true },
		{ "xvda1", true }, { "nvme0n1", true }, { "nvme0n1p1", true }, { "mmcblk0", true },
		{ "mmcblk1boot0", true }, { "mtdblock0", true }, { "mtdblock12", true },
		{ "mtdcompr0", true }, { "ubiblock0_1", true }, { "nbd0", true }, { "sr0", true },
		{ "fd0", true }, { "cciss!c0d0", true }, { "rbd0", true }, { "l", true },
		{ "ram0", false }, { "ram15", false }, { "loop0", false }, { "loop10p1", false },
		{ "zram0", false }, { "zram10", false }, { "dm-0", false }, { "dm-120", false },
		{ "md0", false }, { "md127p1", false }, { "md_d0", false }, { "vdb", false },
	};
	unsigned int i;
	char text[256];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), " 259  1048575 %s 10 2 800 30 4 5 600 70 0 80 90\n",
			 cases[i].name);
		reads_are(text, "vdb", 100 * cases[i].counts, 30 * cases[i].counts);
	}
}

/* A line as Linux 2.6.25, 4.18 and 5.5 print it, and with more fields. */
static void test_fields(void)
{
	static const char *const tails[] = {
		" 12 34 5600 780 0 9000 9100",
		" 12 34 5600 780 0 9000 9100 1 0 8 0", " 12 34 5600 780 0 9000 9100 1 0 8 0 7 9",
		" 12 34 5600 780 0 9000 9100 1 0 8 0 7 9 1 2 3 4 5 6 7 8",
	};
	unsigned int i;
	char text[512];

	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		snprintf(text, sizeof(text), "   8       0 sda 100 20 8000 456%s\n", tails[i]);
		reads_are(text, "", 1000, 456);
		snprintf(text, sizeof(text), "8 0 sda 100 20 8000 456%s\n8 16 sdb 1 2 80 4%s\n",
			 tails[i], tails[i]);
		reads_are(text, "", 1010, 460);
		reads_are(text, "sda", 10, 4);
		reads_are(text, "sdb", 1000, 456);
	}
}

/* Sectors become pages, rounded down for each disk. */
static void test_sectors(void)
{
	reads_are("8 0 sda 1 0 0 5 0\n", "", 0, 5);
	reads_are("8 0 sda 1 0 7 5 0\n", "", 0, 5);
	reads_are("8 0 sda 1 0 8 5 0\n", "", 1, 5);
	reads_are("8 0 sda 1 0 15 5 0\n", "", 1, 5);
	reads_are("8 0 sda 1 0 15 5 0\n8 16 sdb 1 0 15 6 0\n", "", 2, 11);
}

/* A wrong line counts as 0, and no number of another line takes its place. */
static void test_broken(void)
{
	static const char *const cases[] = {
		"", "\n", " \n", "nonsense\n", "8\n", "8 0\n", "8 0 sda\n", "8 0 sda 100\n",
		"8 0 sda 100 20\n", "8 0 sda 100 20 8000\n", "8 0 sda 100 20 8000",
		"8 0 sda 100 20 8000 -\n", "8 0 sda 100 20 8000 x\n", "8 0 sda 100 20 x 456 1\n",
		"8 0 sda x 2 8000 456 1\n", "8 0 sda 1 x 8000 456 1\n", "x 0 sda 1 2 8000 456 1\n",
		"8 x sda 1 2 8000 456 1\n", "8 0 sda b 2 8000 456 1\n", "8,0 sda 1 2 8000 456 1\n",
		"8 0 sda 100 20 8000,456 1\n", "8 0 sda 100 20 80.5 456 1\n", "\xff\xfe\x01\n",
	};
	unsigned int i;
	char text[512];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		reads_are(cases[i], "", 0, 0);
		snprintf(text, sizeof(text), "8 16 sdb 1 2 80 4 0\n%s", cases[i]);
		reads_are(text, "", 10, 4);
	}
	reads_are("8 16 sdb 1 2 80 4 0\nnonsense\n8 32 sdc 1 2 160 5 0\n", "", 30, 9);
}

/* A short line does not take its missing fields from the next one. */
static void test_short_lines(void)
{
	static const char *const cases[] = {
		"8 0 sda 100 20 8000", "8 0 sda 100 20", "8 0 sda 100", "8 0 sda", "8 0", "8", "",
		" ",
	};
	unsigned int i;
	char text[512];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "%s\n8 16 sdb 1 2 80 4 0\n", cases[i]);
		reads_are(text, "", 10, 4);
	}
}

/* If a text is cut, its last line has no end and is left out. */
static void test_cut(void)
{
	static const char text[] = "8 16 sdb 1 2 80 4 0\n8 0 sda 100 20 8000 456 12\n";
	char part[sizeof(text)];
	unsigned int n;

	for (n = 20; n < sizeof(text); n++) {
		bool whole = n == strlen(text);

		snprintf(part, n + 1, "%s", text);
		reads_are(part, "", whole ? 1010 : 10, whole ? 460 : 4);
	}
}

/* A line of up to 255 characters counts. A longer one is left out, and the next one counts. */
static void test_long_lines(void)
{
	char line[400], text[512];
	unsigned int n;

	for (n = 40; n < sizeof(line); n++) {
		memset(line, ' ', n);
		memcpy(line, "8 0 sda 1 2 80 4 0", 18);
		line[n - 1] = '9';
		line[n] = '\0';
		snprintf(text, sizeof(text), "%s\n8 16 sdb 1 2 160 5 0\n", line);
		reads_are(text, "", n < 256 ? 30 : 20, n < 256 ? 9 : 5);
		reads_are(line, "", 0, 0);
	}
}

static void test_long_names(void)
{
	unsigned int n;
	char name[300], text[512];

	for (n = 1; n < sizeof(name); n++) {
		memset(name, n % 2 ? 'a' : '7', n);
		name[n] = '\0';
		snprintf(text, sizeof(text), "8 0 %s 1 2 80 4 0\n8 16 sdb 1 2 160 5 0\n", name);
		/* Names of disks have at most 31 characters. */
		if (n <= 31) {
			reads_are(text, "", 30, 9);
		} else {
			struct cost_reads reads;

			cost_disks(text, "", &reads);
			expect(reads.pages >= 20 && reads.ms >= 5);
		}
	}
}

/* Counters near their largest value; sums wrap, as counters do. */
static void test_huge(void)
{
	static const char *const beyond[] = {
		"18446744073709551616", "99999999999999999999999999999999999999", "-1", "-8000",
	};
	struct cost_reads reads;
	unsigned int i;
	char text[512];

	reads_are("8 0 sda 1 2 4294967295 4294967295 0\n", "", 536870911, 4294967295u);
	reads_are("8 0 sda 1 2 4294967295 4294967295 0\n8 16 sdb 1 2 4294967295 4294967295 0\n", "",
		  2 * 536870911ull, 2 * 4294967295ull);
	reads_are("8 0 sda 1 2 18446744073709551615 18446744073709551615 0\n", "",
		  UINT64_MAX / 8, UINT64_MAX);
	reads_are("8 0 sda 1 2 18446744073709551608 18446744073709551610 0\n"
		  "8 16 sdb 18446744073709551615 18446744073709551615 16 10 0\n", "",
		  UINT64_MAX / 8 + 2, 4);
	/* Numbers beyond 64 bits may have any result, but do no harm. */
	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		snprintf(text, sizeof(text), "8 0 sda %s %s %s %s %s\n", beyond[i], beyond[i],
			 beyond[i], beyond[i], beyond[i]);
		cost_disks(text, "", &reads);
	}
}

/* A real text with random bytes changed: no read outside of it (ASan). */
static void test_random(void)
{
	static const char bytes[] = "0123456789  \n\n\t-.,asdmpz\xff";
	unsigned int round, i, n;

	for (round = 0; round < (quick() ? 500 : 10000); round++) {
		u32 size = random_length(sizeof(board) - 1);
		char *text = test_alloc(size + 1);
		struct cost_reads reads;

		memcpy(text, board + random_below(sizeof(board) - size), size);
		for (n = random_length(30), i = 0; i < n; i++)
			text[random_below(size)] = bytes[random_below(sizeof(bytes) - 1)];
		cost_disks(text, "sda", &reads);
		free(text);
	}
}

/*
 * A disk with files and a swap: 1000 pages of files that took 50 us each, and 1000 slower pages of
 * the swap. The kernel counts each read for the disk and for its partition.
 */
static void test_swap_partition(void)
{
	static const char text[] =
		" 179       0 mmcblk0 1063 0 16000 450 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		" 179       1 mmcblk0p1 63 0 8000 50 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		" 179       2 mmcblk0p2 1000 0 8000 400 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	struct cost_reads reads;

	cost_disks(text, "mmcblk0p2", &reads);
	expect_eq(reads.pages, 1000);
	expect_eq(reads.ms * 1000, 50 * reads.pages);
}

/* With the swap its disk is left out, but the disk's other partitions count. */
static void test_swap_disk(void)
{
	static const struct {
		const char *name, *swap;
		bool counts;
	} cases[] = {
		{ "sda", "sda2", false }, { "sda2", "sda2", false }, { "sda1", "sda2", true },
		{ "sdb", "sda2", true }, { "sdb2", "sda2", true }, { "sda", "sda12", false },
		{ "sda", "sda", false }, { "sda1", "sda", true }, { "sda", "", true },
		{ "sdaa", "sda", true }, { "sdaa2", "sda2", true }, { "sda21", "sda2", true },
		{ "nvme0n1", "nvme0n1p3", false }, { "nvme0n1p3", "nvme0n1p3", false },
		{ "nvme0n1p1", "nvme0n1p3", true }, { "nvme1n1", "nvme0n1p3", true },
		{ "mmcblk0boot0", "mmcblk0p2", true }, { "mtdcompr10", "mtdcompr1", true },
	};
	unsigned int i;
	char text[256];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "259 5 %s 10 2 800 30 4 5 600 70 0 80 90\n",
			 cases[i].name);
		reads_are(text, cases[i].swap, 100 * cases[i].counts, 30 * cases[i].counts);
	}
}

/* A disk whose name is the beginning of the swap's name need not be the swap's disk. */
static void test_swap_alike(void)
{
	static const char *const cases[][2] = {
		{ "sda1", "sda12" }, { "sda", "sdaa2" }, { "sda", "sdaa" },
		{ "mmcblk0p1", "mmcblk0p12" }, { "nvme0n1", "nvme0n10p2" },
		{ "mtdblock1", "mtdblock12" }, { "mtdcompr0", "mtdcompr00" },
	};
	unsigned int i;
	char text[256];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "259 5 %s 10 2 800 30 4 5 600 70 0 80 90\n",
			 cases[i][0]);
		reads_are(text, cases[i][1], 100, 30);
	}
}

static const char heading[] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

static void put_swaps(const char *lines)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s", heading, lines);
	tree_put("/proc/swaps", text);
}

/* put_stat() - the figures of a disk: @reads reads of one page took @ms in all */
static void put_stat(const char *disk, u64 reads, u64 ms)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", disk);
	snprintf(text, sizeof(text), "%8llu %8u %8llu %8llu       12       34     5600\n", reads, 0,
		 8 * reads, ms);
	tree_put(path, text);
}

#define LINE(disk, priority) "/dev/" disk "   partition\t1048576\t\t48576\t\t" priority "\n"

/* The swap with the highest priority counts. */
static void test_swap(void)
{
	static const struct {
		const char *lines;
		u64 ns;
	} cases[] = {
		{ "", 0 }, { LINE("sda2", "-2"), 100000 }, { LINE("sda2", "0"), 100000 },
		{ LINE("sda2", "-2") LINE("mmcblk0p3", "-3"), 100000 },
		{ LINE("mmcblk0p3", "-3") LINE("sda2", "-2"), 100000 },
		{ LINE("mmcblk0p3", "5") LINE("sda2", "32767"), 100000 },
		{ LINE("mmcblk0p3", "5") LINE("sda2", "5"), 400000 },
		{ LINE("sda2", "-2") LINE("zram0", "100"), 0 },
		{ LINE("zram0", "-3") LINE("sda2", "-2"), 100000 },
		{ LINE("sda2", "-2") LINE("mtdcompr3", "10"), 61234 },
		/* No figures of this disk; or a swap file. */
		{ LINE("vdb", "1"), 0 }, { "/data/swapfile file 1000 20 -2\n", 0 },
		{ "/data/sda file 1000 20 -2\n" LINE("sda2", "-3"), 0 },
		{ "swapfile file 1000 20 -2\n", 0 },
		/* Wrong lines. */
		{ "nonsense\n", 0 }, { LINE("sda2", "x"), 0 },
		{ LINE("sda2", "-2") "nonsense\n", 100000 },
	};
	unsigned int i;

	tree_make();
	put_stat("sda2", 1000, 100);
	put_stat("mmcblk0p3", 500, 200);
	put_stat("zram0", 500, 200);
	put_stat("mtdcompr3", 500, 200);
	tree_put("/proc/mtdcompr/other", "disk: mtdcompr33\nread_avg_ns: 5\n");
	tree_put("/proc/mtdcompr/a name", "name: ram\ndisk: mtdcompr3\nread_avg_ns: 61234\n");
	expect_eq(cost_swap_ns(), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_swaps(cases[i].lines);
		if (!expect_eq(cost_swap_ns(), cases[i].ns))
			tap_note("%s", cases[i].lines);
	}
	tree_remove();
}

/* mtdcompr tells the price itself; else its disk counts like any other. */
static void test_swap_mtdcompr(void)
{
	tree_make();
	put_swaps(LINE("mtdcompr0", "-2"));
	expect_eq(cost_swap_ns(), 0);
	put_stat("mtdcompr0", 500, 200);
	expect_eq(cost_swap_ns(), 400000);
	tree_put("/proc/mtdcompr/ram", "disk: mtdcompr0\nread_avg_ms: 3\n");
	expect_eq(cost_swap_ns(), 400000);
	tree_put("/proc/mtdcompr/ram", "disk: mtdcompr0\nread_avg_ns: -\n");
	expect_eq(cost_swap_ns(), 400000);
	/* mtdcompr has not read any page yet. */
	tree_put("/proc/mtdcompr/ram", "disk: mtdcompr0\nread_avg_ns: 0\n");
	expect_eq(cost_swap_ns(), 0);
	tree_put("/proc/mtdcompr/ram", "disk: mtdcompr0\nread_avg_ns: 1\n");
	expect_eq(cost_swap_ns(), 1);
	tree_remove();
}

/* Wrong and extreme figures of a disk. */
static void test_swap_stat(void)
{
	static const char *const broken[] = {
		"", "\n", "x\n", "100\n", "100 0 800\n", "100 0 800 x\n", "0 0 0 0\n", "0 0 0 50\n",
		"- 0 800 50\n", "100 0 7 50\n", "100 0 0 50\n",
	};
	unsigned int i;

	tree_make();
	put_swaps(LINE("sda2", "-2"));
	for (i = 0; i < ARRAY_SIZE(broken); i++) {
		tree_put("/sys/class/block/sda2/stat", broken[i]);
		if (!expect_eq(cost_swap_ns(), 0))
			tap_note("%s", broken[i]);
	}
	put_stat("sda2", 1, 0);
	expect_eq(cost_swap_ns(), 0);
	put_stat("sda2", 3, 1);
	expect_eq(cost_swap_ns(), 333333);
	put_stat("sda2", UINT32_MAX, 1);
	expect_eq(cost_swap_ns(), 0);
	put_stat("sda2", 1, UINT32_MAX);
	expect_eq(cost_swap_ns(), UINT32_MAX * 1000000ull);
	put_stat("sda2", UINT64_MAX / 8, UINT64_MAX);
	cost_swap_ns();
	/* Kernels before 4.18 print fewer fields. */
	tree_put("/sys/class/block/sda2/stat", "  10 0 80 5 0 0 0 0 0 5 5\n");
	expect_eq(cost_swap_ns(), 500000);
	tree_remove();
}

/* The kernel reads ahead: one request has 8 pages then, and vmstat counts each page. */
static void test_swap_clusters(void)
{
	tree_make();
	put_swaps(LINE("sda2", "-2"));
	tree_put("/sys/class/block/sda2/stat", "1000 7000 64000 800 0 0 0 0 0 800 800\n");
	expect_eq(cost_swap_ns(), 100000);
	/* The number of pages counts, rounded down, not the number of requests. */
	tree_put("/sys/class/block/sda2/stat", "0 0 8 1 0 0 0 0 0 1 1\n");
	expect_eq(cost_swap_ns(), 1000000);
	tree_put("/sys/class/block/sda2/stat", "15 0 15 1 0 0 0 0 0 1 1\n");
	expect_eq(cost_swap_ns(), 1000000);
	tree_put("/sys/class/block/sda2/stat", "1 1 16 1 0 0 0 0 0 1 1\n");
	expect_eq(cost_swap_ns(), 500000);
	tree_remove();
}

static bool files_are(u64 pages, u64 ms)
{
	struct cost_reads reads = { 77, 77, 77 };

	return expect_eq(cost_file_reads(&reads), 0) & expect_eq(reads.pages, pages) &
	       expect_eq(reads.ms, ms);
}

static void test_files(void)
{
	static const char disks[] =
		"8 0 sda 1 2 80 4 0\n8 16 sdb 1 2 160 5 0\n253 0 zram0 1 2 320 6 0\n";
	struct cost_reads reads;

	tree_make();
	expect_eq(cost_file_reads(&reads), -ENOENT);
	tree_put("/proc/diskstats", "");
	files_are(0, 0);
	tree_put("/proc/diskstats", disks);
	files_are(30, 9);
	/* The swap with the highest priority is left out. */
	put_swaps("");
	files_are(30, 9);
	put_swaps(LINE("sdb", "-2"));
	files_are(10, 4);
	put_swaps(LINE("sdb", "-3") LINE("sda", "-2"));
	files_are(20, 5);
	put_swaps(LINE("sdb", "-2") LINE("zram0", "100"));
	files_are(30, 9);
	put_swaps(LINE("sdb3", "-2"));
	files_are(10, 4);
	put_swaps("/data/swapfile file 1000 20 -2\n");
	files_are(30, 9);
	tree_remove();
}

/* If the text is too long for the buffer, the first disks count. */
static void test_files_many(void)
{
	static char text[65536];
	struct cost_reads reads;
	unsigned int i, n = 0;

	for (i = 0; i < 1000; i++)
		n += snprintf(text + n, sizeof(text) - n,
			      "   8    %4u sd%03u 100 0 80 10 0 0 0 0 0 0 0 0 0 0 0 0 0\n", i, i);
	tree_make();
	tree_put("/proc/diskstats", text);
	expect_eq(cost_file_reads(&reads), 0);
	expect(reads.pages >= 2000 && reads.pages <= 10000);
	expect_eq(reads.pages, reads.ms);
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "disks of a board", test_board },
	{ "time that disks were busy", test_busy },
	{ "the price of a page", test_page },
	{ "which disks count", test_names },
	{ "fields of old and new kernels", test_fields },
	{ "sectors and pages", test_sectors },
	{ "wrong lines", test_broken },
	{ "a short line before another one", test_short_lines },
	{ "a text that is cut", test_cut },
	{ "long lines", test_long_lines },
	{ "long names", test_long_names },
	{ "counters near their largest value", test_huge },
	{ "random texts", test_random },
	{ "a disk with files and a swap", test_swap_partition },
	{ "the disk of which the swap is a partition", test_swap_disk },
	{ "disks whose names look like the swap's disk", test_swap_alike },
	{ "the swap with the highest priority", test_swap },
	{ "a swap of mtdcompr", test_swap_mtdcompr },
	{ "figures of a swap's disk", test_swap_stat },
	{ "a swap that is read in clusters", test_swap_clusters },
	{ "files of a system", test_files },
	{ "files of a system with many disks", test_files_many },
};

int main(int argc, char **argv)
{
	return tap_main("cost", cases, ARRAY_SIZE(cases), argc, argv);
}
