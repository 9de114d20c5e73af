// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of the kernels 6.1 to 7.x are read right. A text that is cut, too long, too large or empty
 * is an error, never a guess.
 */
#include <errno.h>
#include "harness.h"
#include "parse.h"

/* exact() - a copy in a buffer of just its size, so that ASan sees reads behind it */
static char *exact(const char *text, size_t bytes)
{
	char *copy = test_alloc(bytes + 1);

	memcpy(copy, text, bytes);
	return copy;
}

static const char psi_memory[] =
	"some avg10=12.34 avg60=2.30 avg300=0.45 total=123456789\n"
	"full avg10=5.60 avg60=1.07 avg300=0.01 total=98765432\n";
/* Before Linux 5.13 the pressure of the processor has one line. */
static const char psi_cpu_old[] = "some avg10=89.97 avg60=87.31 avg300=75.69 total=2389385185\n";
static const char psi_cpu[] =
	"some avg10=100.00 avg60=87.31 avg300=75.69 total=2389385185\n"
	"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

static void test_psi(void)
{
	struct psi psi;

	expect_eq(parse_psi(psi_memory, &psi), 0);
	expect_eq(psi.some.avg10, 1234);
	expect_eq(psi.some.avg60, 230);
	expect_eq(psi.some.avg300, 45);
	expect_eq(psi.some.total, 123456789);
	expect_eq(psi.full.avg10, 560);
	expect_eq(psi.full.avg300, 1);
	expect_eq(psi.full.total, 98765432);
	expect_eq(parse_psi(psi_cpu_old, &psi), 0);
	expect_eq(psi.some.total, 2389385185);
	expect_eq(psi.full.total, 0);
	expect_eq(parse_psi(psi_cpu, &psi), 0);
	expect_eq(psi.some.avg10, 10000);
	expect_eq(parse_psi("some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551615\n",
			    &psi), 0);
	expect_eq(psi.some.total, (long long)UINT64_MAX);
}

static void test_psi_bad(void)
{
	static const char *const bad[] = {
		"", "\n", "some", "some\n", "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=99999999999999999999999\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=-1\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1x\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1 \n",
		"some avg10=0.0 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0.000 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=101.00 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=18446744073709551617.00 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0,00 avg60=0.00 avg300=0.00 total=1\n",
		"some avg60=0.00 avg10=0.00 avg300=0.00 total=1\n",
		"some  avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
		"SOME avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nsome avg10=0.00\n",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
	};
	struct psi psi;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect_eq(parse_psi(bad[i], &psi), -EINVAL))
			tap_note("%s", bad[i]);
	}
}

/* Cut anywhere: an error, or the same figures; the first line alone is like an old kernel's. */
static void test_psi_cut(void)
{
	struct psi whole, psi;
	bool cut_done = false;
	size_t n;

	parse_psi(psi_memory, &whole);
	for (n = 0; n < strlen(psi_memory) && !cut_done; n++) {
		char *text = exact(psi_memory, n);

		if (!parse_psi(text, &psi) &&
		    (memcmp(&psi.some, &whole.some, sizeof(psi.some)) ||
		     (psi.full.total && psi.full.total != whole.full.total))) {
			tap.bad++;
			tap_note("of a text that is cut: total=%llu", (u64)(psi.full.total ?
				 psi.full.total : psi.some.total));
			cut_done = true;
		}
		free(text);
	}
}

static const char meminfo[] =
	"MemTotal:        4025316 kB\nMemFree:          132468 kB\nMemAvailable:    3391676 kB\n"
	"Buffers:            4720 kB\nCached:          3266980 kB\nSwapCached:            0 kB\n"
	"HugePages_Total:       0\nDirectMap4k:       51200 kB\n";
static const char memory_stat[] =
	"anon 1941504\nfile 43180032\nkernel 2867200\nkernel_stack 98304\npagetables 372736\n"
	"sec_pagetables 0\npercpu 1120\nsock 0\nvmalloc 4096\nshmem 0\nzswap 0\nzswapped 0\n"
	"file_mapped 14057472\nfile_dirty 0\nfile_writeback 0\nswapcached 0\nanon_thp 0\n"
	"inactive_anon 1896448\nactive_anon 4096\nslab_reclaimable 1548032\nslab 1983912\n"
	"workingset_refault_anon 7\nworkingset_refault_file 1211\npgscan 0\npgsteal 0\n"
	"pgfault 61217\npgmajfault 131\npgrefill 0\nzswpin 0\nzswpout 0\nzswpwb 0\n";
static const char vmstat[] =
	"nr_free_pages 33117\nnr_free_pages_blocks 0\nnr_zone_inactive_anon 3\n"
	"workingset_nodes 0\npgpgin 40480\npgpgout 7\npswpin 520\npswpout 0\npgmajfault 331\n"
	"pgsteal_kswapd 1\npgsteal_proactive 0\nkcompressd_queued 0\nnr_unstable 0\n";
static const char status[] =
	"Name:\tVmSwap: 5 kB\nUmask:\t0022\nState:\tS (sleeping)\nVmRSS:\t    3420 kB\n"
	"VmSwap:\t      96 kB\nThreads:\t1\n";

static bool key_is(const char *text, const char *key, u64 want)
{
	uint64_t value = 0;
	bool found = parse_key(text, key, &value);

	if (found && value == want)
		return true;
	tap.bad++;
	tap_note("%s: %llu instead of %llu", key, found ? (u64)value : 0, want);
	return false;
}

static void test_key(void)
{
	uint64_t value;

	key_is(meminfo, "MemTotal", 4025316);
	key_is(meminfo, "MemFree", 132468);
	key_is(meminfo, "HugePages_Total", 0);
	key_is(meminfo, "DirectMap4k", 51200);
	key_is(memory_stat, "anon", 1941504);
	key_is(memory_stat, "kernel", 2867200);
	key_is(memory_stat, "slab", 1983912);
	key_is(memory_stat, "workingset_refault_anon", 7);
	key_is(memory_stat, "zswpwb", 0);
	key_is(vmstat, "nr_free_pages", 33117);
	key_is(vmstat, "pswpin", 520);
	key_is(vmstat, "pgsteal_proactive", 0);
	/* The real key counts, not the same text in the process's name. */
	key_is(status, "VmSwap", 96);
	expect(!parse_key(meminfo, "Mem", &value));
	expect(!parse_key(meminfo, "Total", &value));
	expect(!parse_key(meminfo, "SwapTotal", &value));
	expect(!parse_key(memory_stat, "an", &value));
	expect(!parse_key(memory_stat, "refault_anon", &value));
	expect(!parse_key("", "anon", &value));
	expect(!parse_key("\n\n", "anon", &value));
	key_is("\n\nanon 5\n", "anon", 5);
}

static void test_key_bad(void)
{
	static const char *const bad[] = {
		"anon", "anon\n", "anon \n", "anon:\n", "anon: \n5\n", "anon -1\n", "anon x\n",
		"anon +5\n", "anon 18446744073709551616\n", "anon 99999999999999999999999999\n",
		"anon 0x10\n", "anon 12x\n", "anon 1.5\n", "anonymous 5\n", "anon\t5\n", " anon 5\n",
	};
	uint64_t value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (parse_key(bad[i], "anon", &value)) {
			tap.bad++;
			tap_note("%llu is made of \"%s\"", (u64)value, bad[i]);
		}
	}
	key_is("anon 18446744073709551615\n", "anon", UINT64_MAX);
}

/* If the buffer was too small, the text may end within a number. */
static void test_key_cut(void)
{
	bool cut_done = false;
	size_t n;

	for (n = 0; n < strlen(status) && !cut_done; n++) {
		char *text = exact(status, n);
		uint64_t value;

		if (parse_key(text, "VmSwap", &value) && value != 96) {
			tap.bad++;
			tap_note("of a text that is cut: %llu instead of 96", (u64)value);
			cut_done = true;
		}
		free(text);
	}
}

#define STAT_REST \
	"S 7040 7040 27413 0 -1 4194304 99 0 11 0 23 5 0 0 20 0 1 0 493083 3133440 386 " \
	"18446744073709551615 94793238695936 94793238715817 140723056759120 0 0 0 0 0 0 0 0 0 17 " \
	"0 0 0 0 0 0 94793238731824 94793238733440 94793920745472 140723056761517 0 0 0 0\n"

static void test_stat(void)
{
	struct proc_stat stat;

	expect_eq(parse_proc_stat("7060 (cat) " STAT_REST, &stat), 0);
	expect_eq(stat.pid, 7060);
	expect(!strcmp(stat.comm, "cat"));
	expect_eq(stat.state, 'S');
	expect_eq(stat.ppid, 7040);
	expect_eq(stat.flags, 4194304);
	expect_eq(stat.majflt, 11);
	expect_eq(stat.utime, 23);
	expect_eq(stat.stime, 5);
	expect_eq(stat.threads, 1);
	expect_eq(stat.start, 493083);
	expect_eq(stat.vsize, 3133440);
	expect_eq(stat.rss, 386);
}

static void test_stat_names(void)
{
	static const struct {
		const char *text;
		const char *comm;
	} good[] = {
		{ "1 (a) (b) " STAT_REST, "a) (b" },
		{ "1 () S 9) " STAT_REST, ") S 9" },
		{ "1 (Web Content) " STAT_REST, "Web Content" },
		{ "1 ((sd-pam)) " STAT_REST, "(sd-pam)" },
		{ "1 () " STAT_REST, "" },
		{ "1 ()) R 1 1 1 1) " STAT_REST, ")) R 1 1 1 1" },
		{ "1 (\xc3\xa9\x01\\n\") " STAT_REST, "___\\n\"" },
		{ "1 (x\npid: 1\n\033[31m) " STAT_REST, "x_pid: 1__[31m" },
		{ "1 (\x7f\xff) " STAT_REST, "__" },
	};
	char text[512], want[64];
	struct proc_stat stat;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		expect_eq(parse_proc_stat(good[i].text, &stat), 0);
		if (!expect(!strcmp(stat.comm, good[i].comm)))
			tap_note("%s: \"%s\"", good[i].text, stat.comm);
		expect_eq(stat.start, 493083);
		expect_eq(stat.state, 'S');
	}
	/* Names of kernel threads may be long; they are cut. */
	snprintf(text, sizeof(text), "1 (%080d) " STAT_REST, 7);
	snprintf(want, sizeof(want), "%063d", 0);
	expect_eq(parse_proc_stat(text, &stat), 0);
	expect(!strcmp(stat.comm, want));
	expect_eq(stat.rss, 386);
}

static void test_stat_kernel(void)
{
	struct proc_stat stat;

	expect_eq(parse_proc_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 14 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
				  &stat), 0);
	expect(stat.flags & PROC_KTHREAD);
	expect_eq(stat.ppid, 0);
	expect_eq(stat.start, 14);
	expect_eq(parse_proc_stat("31 (kworker/u8:2-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 20 0 1 0 20 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
				  &stat), 0);
	expect(stat.flags & PROC_KTHREAD);
	expect(!strcmp(stat.comm, "kworker/u8:2-events_unbound"));
	expect_eq(parse_proc_stat("7060 (cat) " STAT_REST, &stat), 0);
	expect(!(stat.flags & PROC_KTHREAD));
}

static void test_stat_bad(void)
{
	static const char *const bad[] = {
		"", "\n", "7060", "7060 ", "7060 (", "7060 (cat", "7060 (cat)", "7060 cat) S",
		")(", "x (cat) " STAT_REST, " (cat) " STAT_REST, ") 7060 (cat " STAT_REST,
		"7060 (cat) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 5000 8192\n",
		"7060 (cat) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 x 8192 1 1\n",
		"99999999999 (cat) " STAT_REST,
		"7060x (cat) " STAT_REST,
		"7060 (cat) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 99999999999999999999 8192 1 1\n",
		"7060 (cat) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 -5000 8192 1 1\n",
		"7060 (cat) S 99999999999 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 5000 8192 1 1\n",
		"7060 (cat) S 1 1 1 0 -1 4294967296 1 0 7 0 1 3 0 0 20 0 1 0 5000 8192 1 1\n",
	};
	struct proc_stat stat;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect_eq(parse_proc_stat(bad[i], &stat), -EINVAL))
			tap_note("%s", bad[i]);
	}
}

static void test_stat_cut(void)
{
	static const char line[] = "7060 (cat) " STAT_REST;
	bool cut_done = false;
	size_t n;

	for (n = 0; n < strlen(line) && !cut_done; n++) {
		char *text = exact(line, n);
		struct proc_stat stat;

		if (!parse_proc_stat(text, &stat) && stat.rss != 386) {
			tap.bad++;
			tap_note("of a text that is cut: rss %llu instead of 386", (u64)stat.rss);
			cut_done = true;
		}
		free(text);
	}
}

static const char cgroup_hybrid[] =
	"12:pids:/system.slice/ssh.service\n4:memory:/process_api/10cf7fa2\n"
	"1:name=systemd:/system.slice/ssh.service\n0::/system.slice/ssh.service\n";

static void test_cgroup(void)
{
	char path[256];

	expect_eq(parse_cgroup("0::/\n", path, sizeof(path)), 0);
	expect(!strcmp(path, "/"));
	expect_eq(parse_cgroup(cgroup_hybrid, path, sizeof(path)), 0);
	expect(!strcmp(path, "/system.slice/ssh.service"));
	expect_eq(parse_cgroup("0::/a b:0::/c\n", path, sizeof(path)), 0);
	expect(!strcmp(path, "/a b:0::/c"));
	expect_eq(parse_cgroup("0::/user.slice/user-1000.slice/session-2.scope\n1:cpu:/\n", path,
			       sizeof(path)), 0);
	expect(!strcmp(path, "/user.slice/user-1000.slice/session-2.scope"));
	/* Groups of v1 only, or no group. */
	expect_eq(parse_cgroup("4:memory:/a\n1:name=systemd:/\n", path, sizeof(path)), -ENOENT);
	expect_eq(parse_cgroup("10::/\n", path, sizeof(path)), -ENOENT);
	expect_eq(parse_cgroup("0::\n", path, sizeof(path)), -ENOENT);
	expect_eq(parse_cgroup("", path, sizeof(path)), -ENOENT);
	expect_eq(parse_cgroup("0::/abc\n", path, 5), 0);
	expect(!strcmp(path, "/abc"));
	/* A path that does not fit is cut, so its beginning is right. */
	expect_eq(parse_cgroup("0::/abc\n", path, 4), 0);
	expect(!strcmp(path, "/ab"));
	expect_eq(parse_cgroup("0::/a\033[2J\r/\xc2\x9b\n", path, sizeof(path)), 0);
	expect(!strcmp(path, "/a_[2J_/__"));
}

static void test_users(void)
{
	static const char *const bad[] = {
		"", "Name:\tx\n", "Uid:\n", "Uid:\t0\n", "Uid:\t0\t\n", "Uid:\t0\t0",
		"Uid:\t0\t0\t0\t0", "Uid:\t0\t4294967296\t0\t0\n", "Uid:\t0\t0\t0\t-1\n",
		"Uid:\t0\t1x\t0\t0\n", "Uid:\tx\t0\t0\t0\n", "Uid:\t0\t0\t0\n",
		"Name:\tUid:\t0\t0\t0\t0\n", " Uid:\t0\t0\t0\t0\n",
	};
	uid_t uids[4] = { 77, 77, 77, 77 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char *text = exact(bad[i], strlen(bad[i]));

		if (!expect_eq(parse_users(text, uids), -EINVAL) || !expect_eq(uids[0], 77) ||
		    !expect_eq(uids[3], 77))
			tap_note("%s", bad[i]);
		free(text);
	}
	expect_eq(parse_users("Name:\tUid:\t0\t0\nUid:\t1\t4294967295\t3\t4\n", uids), 0);
	expect_eq(uids[0], 1);
	expect_eq(uids[1], 4294967295);
	expect_eq(uids[2], 3);
	expect_eq(uids[3], 4);
}

/* If the buffer was too small, the process must not seem to be in the root group. */
static void test_cgroup_cut(void)
{
	char path[256];
	bool cut_done = false;
	size_t n;

	for (n = 0; n < strlen(cgroup_hybrid) && !cut_done; n++) {
		char *text = exact(cgroup_hybrid, n);

		if (!parse_cgroup(text, path, sizeof(path)) &&
		    strcmp(path, "/system.slice/ssh.service")) {
			tap.bad++;
			tap_note("of a text that is cut: %s", path);
			cut_done = true;
		}
		free(text);
	}
}

static const char swaps[] =
	"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	"/dev/zram0                              partition\t1048572\t\t524288\t\t100\n"
	"/swap\\040file\\040(deleted)              file\t\t2097148\t\t0\t\t-2\n";

static void test_swap(void)
{
	const char *line = parse_next_line(swaps);
	struct swap_line swap;

	line = parse_swap(line, &swap);
	expect(!strcmp(swap.name, "/dev/zram0"));
	expect_eq(swap.size_kib, 1048572);
	expect_eq(swap.used_kib, 524288);
	expect_eq(swap.priority, 100);
	if (!expect(line))
		return;
	expect(!parse_swap(line, &swap));
	expect(!strcmp(swap.name, "/swap\\040file\\040(deleted)"));
	expect_eq(swap.size_kib, 2097148);
	expect_eq(swap.priority, -2);
	expect(!parse_next_line("Filename\tType\tSize\tUsed\tPriority\n"));
}

static void test_swap_bad(void)
{
	static const char *const bad[] = {
		"", "\n", "/dev/a", "/dev/a partition", "/dev/a partition 100",
		"/dev/a partition 100 50", "/dev/a partition x 50 1", "/dev/a partition 100 50 x",
		"/dev/a partition -100 50 1\n", "/dev/a partition 100 -50 1\n",
		"/dev/a partition 18446744073709551616 50 1\n",
		"/dev/a partition 100 50 99999999999\n",
		"/dev/a partition 100 50\n7\n", "\n/dev/a partition 100 50 1\n",
		"Filename\tType\tSize\tUsed\tPriority\n",
	};
	char text[512];
	struct swap_line swap;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (parse_swap(bad[i], &swap) || swap.name[0]) {
			tap.bad++;
			tap_note("%llu, %llu KiB are made of \"%s\"", (u64)swap.size_kib,
				 (u64)swap.used_kib, bad[i]);
		}
	}
	/* A name that does not fit is refused, not cut. */
	snprintf(text, sizeof(text), "/%0127d partition 100 50 1\n", 7);
	expect(!parse_swap(text, &swap));
	expect_eq(swap.name[0], 0);
	snprintf(text, sizeof(text), "/%0126d partition 100 50 1\n", 7);
	expect(!parse_swap(text, &swap));
	expect_eq(strlen(swap.name), 127);
}

static void test_map(void)
{
	static const struct {
		const char *line;
		u64 start, end, offset, inode;
		const char *perms, *name;
	} good[] = {
		{ "55d434c65000-55d434c67000 r--p 00002000 fe:00 247278                     /usr/bin/head\n",
		  0x55d434c65000, 0x55d434c67000, 0x2000, 247278, "r--p", "/usr/bin/head" },
		{ "55d43500e000-55d43502f000 rw-p 00000000 00:00 0                          [heap]\n",
		  0x55d43500e000, 0x55d43502f000, 0, 0, "rw-p", "[heap]" },
		{ "7f0000000000-7f0000001000 rw-s 00000000 00:01 12                         /memfd:a b (deleted)\n",
		  0x7f0000000000, 0x7f0000001000, 0, 12, "rw-s", "/memfd:a b (deleted)" },
		{ "7f0000000000-7f0000001000 ---p 00000000 00:00 0 \n",
		  0x7f0000000000, 0x7f0000001000, 0, 0, "---p", "" },
		{ "7f0000000000-7f0000001000 rw-p 00000000 00:00 0",
		  0x7f0000000000, 0x7f0000001000, 0, 0, "rw-p", "" },
		{ "7f0000000000-7f0000001000 rw-p 00000000 00:00 0                          [anon: glibc: malloc]\n",
		  0x7f0000000000, 0x7f0000001000, 0, 0, "rw-p", "[anon: glibc: malloc]" },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n",
		  0xffffffffff600000, 0xffffffffff601000, 0, 0, "--xp", "[vsyscall]" },
		{ "b6f00000-b6f01000 r-xp 00000000 1f:05 18446744073709551615 /lib/a\\012b\nSize: 4 kB\n",
		  0xb6f00000, 0xb6f01000, 0, UINT64_MAX, "r-xp", "/lib/a\\012b" },
	};
	struct map_line map;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		expect_eq(parse_map(good[i].line, &map), 0);
		expect(map.start == good[i].start && map.end == good[i].end);
		expect(map.offset == good[i].offset && map.inode == good[i].inode);
		expect(!strcmp(map.perms, good[i].perms));
		if (!expect(map.name && map.name_len == strlen(good[i].name) &&
			    !memcmp(map.name, good[i].name, map.name_len)))
			tap_note("%s", good[i].line);
	}
}

static void test_map_bad(void)
{
	static const char *const bad[] = {
		"", "\n", "Size:                  4 kB\n", "Rss:                   4 kB\n",
		"AnonHugePages:         0 kB\n", "FilePmdMapped:         0 kB\n",
		"VmFlags: rd mr mw me sd \n", "ProtectionKey:         0\n",
		"55d4-55d5", "55d4-55d5 ", "55d4-55d5 rw-p", "55d4-55d5 rw-p 0", "55d4-55d5 rw-p 0 fe:",
		"55d4-55d5 rw-p 00000000 fe:00", "55d4-55d5 rw-p 00000000 fe:00 ",
		"55d5-55d4 rw-p 00000000 fe:00 7\n",
		"-55d5 rw-p 00000000 fe:00 7\n", "55d4- rw-p 00000000 fe:00 7\n",
		"10000000000000000-10000000000000001 rw-p 00000000 fe:00 7\n",
		"55d4-55d5 rw- 00000000 fe:00 7\n", "55d4-55d5 rw-pp 00000000 fe:00 7\n",
		"55d4-55d5 rw-p 10000000000000000 fe:00 7\n",
		"55d4-55d5 rw-p 00000000 fe:00 18446744073709551616\n",
		"55d4-55d5 rw-p 00000000 fe00 7\n", "55d4-55d5 rw-p 00000000 fe:00 7x\n",
		"55D4-55D5 rw-p 00000000 fe:00 7\n",
	};
	struct map_line map;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char *text = exact(bad[i], strlen(bad[i]));

		if (!expect_eq(parse_map(text, &map), -EINVAL))
			tap_note("%s", bad[i]);
		free(text);
	}
}

static void test_mount(void)
{
	static const struct { const char *line, *point, *type; } good[] = {
		{ "cgroup2 /sys/fs/cgroup cgroup2 rw,relatime 0 0\n", "/sys/fs/cgroup", "cgroup2" },
		{ "/dev/vda1 / ext4 rw 0 0", "/", "ext4" },
		/* An empty name of a device: the first field has no character. */
		{ " /cg cgroup2 rw 0 0\n", "/cg", "cgroup2" },
		{ "a\\040b /a\\040b\\011c\\012d\\134e\\043 fuse.x\\040y rw 0 0\n", "/a b\tc\nd\\e#", "fuse.x y" },
		{ "none /\\303\\251 tmpfs rw 0 0\n", "/\303\251", "tmpfs" },
		{ "cgroup2\t/x /y cgroup2 rw 0 0\n", "/y", "cgroup2" },
	};
	static const char *const bad[] = {
		"", "\n", " ", "none", "none ", "none\n/a cgroup2 rw 0 0\n", "none /", "none /a", "none /a\n",
		"none /a ", "none /a cgroup2", "none /a cgroup2\n", "none  /a cgroup2 rw 0 0\n",
		"none a cgroup2 rw 0 0\n", "none /a\\ cgroup2 rw 0 0\n", "none /a\\04 cgroup2 rw 0 0\n",
		"none /a\\000 cgroup2 rw 0 0\n", "none /a\\400 cgroup2 rw 0 0\n", "none /a\\089 cgroup2 rw 0 0\n",
		"none /a\\", "none /a\\0", "none /a\\04", "none /a\\040",
	};
	struct mount_line mount;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		char *text = exact(good[i].line, strlen(good[i].line));

		if (!expect_eq(parse_mount(text, &mount), 0) ||
		    !expect(!strcmp(mount.point, good[i].point)) ||
		    !expect(!strcmp(mount.type, good[i].type)))
			tap_note("%s", good[i].line);
		free(text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char *text = exact(bad[i], strlen(bad[i]));

		if (!expect_eq(parse_mount(text, &mount), -EINVAL))
			tap_note("%s", bad[i]);
		free(text);
	}
}

/* A long path is refused, not cut, because the cut path may be another one's. */
static void test_mount_long(void)
{
	struct mount_line mount;
	char text[2048];

	snprintf(text, sizeof(text), "none /%0510d cgroup2 rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), 0);
	expect_eq(strlen(mount.point), 511);
	snprintf(text, sizeof(text), "none /%0511d cgroup2 rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), -ENAMETOOLONG);
	snprintf(text, sizeof(text), "none /%0509d\\040 cgroup2 rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), 0);
	snprintf(text, sizeof(text), "none / %031d rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), 0);
	snprintf(text, sizeof(text), "none / %032d rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), -ENAMETOOLONG);
	snprintf(text, sizeof(text), "%01500d / tmpfs rw 0 0\n", 0);
	expect_eq(parse_mount(text, &mount), 0);
}

static void test_size(void)
{
	static const struct {
		const char *text;
		u64 bytes;
	} good[] = {
		{ "0", 0 }, { "1", 1 }, { "1K", 1024 }, { "64M", 64 << 20 }, { "3G", 3ULL << 30 },
		{ "007", 7 }, { "18446744073709551615", UINT64_MAX },
		{ "17179869183G", 17179869183ULL << 30 }, { "0G", 0 },
	};
	static const char *const bad[] = {
		"", " ", "K", "-1", "+1", "1k", "1m", "1T", "1 M", "1M ", "1MB", "1MiB", "1.5M", "0x10",
		"18446744073709551616", "17179869184G", "18014398509481984K", "1\n", " 1",
		"99999999999999999999999999999999",
	};
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		expect_eq(parse_size(good[i].text, &bytes), 0);
		expect_eq(bytes, good[i].bytes);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect_eq(parse_size(bad[i], &bytes), -EINVAL))
			tap_note("%s", bad[i]);
	}
}

static void test_decimal(void)
{
	static const struct {
		const char *text;
		unsigned int scale;
		u64 value;
	} good[] = {
		{ "0", 0, 0 }, { "7", 0, 7 }, { "7", 3, 7000 }, { "7.5", 1, 75 }, { "7.05", 2, 705 },
		{ "7.5", 3, 7500 }, { "0.001", 3, 1 }, { "12 kB", 0, 12 }, { "12.5 %\n", 1, 125 },
		{ "12\n", 0, 12 }, { "18446744073709551615", 0, UINT64_MAX },
		{ "1844674407370955161.5", 1, UINT64_MAX }, { "100.0", 1, 1000 },
	};
	static const struct {
		const char *text;
		unsigned int scale;
	} bad[] = {
		{ "", 0 }, { " 1", 0 }, { ".5", 1 }, { "5.", 1 }, { "5. ", 1 }, { "-1", 0 }, { "+1", 0 },
		{ "5.05", 1 }, { "5.0", 0 }, { "1e3", 0 }, { "1,5", 1 }, { "1.5.5", 2 }, { "12x", 0 },
		{ "18446744073709551616", 0 }, { "1844674407370955161.6", 1 },
		{ "18446744073709551615", 1 }, { "1\t", 0 }, { "0x1", 0 }, { "1.-5", 1 },
	};
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (!expect_eq(parse_decimal(good[i].text, good[i].scale, &value), 0) ||
		    !expect_eq(value, good[i].value))
			tap_note("%s", good[i].text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect_eq(parse_decimal(bad[i].text, bad[i].scale, &value), -EINVAL))
			tap_note("%s", bad[i].text);
	}
}

/* Random numbers are read as they were printed. */
static void test_decimal_random(void)
{
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		u64 n = random_u64() >> random_below(64), scale = 1;
		unsigned int places = random_below(7), j;
		uint64_t value = 0;
		char text[64];

		for (j = 0; j < places; j++)
			scale *= 10;
		if (places)
			snprintf(text, sizeof(text), "%llu.%0*llu", n / scale, places, n % scale);
		else
			snprintf(text, sizeof(text), "%llu", n);
		if (!expect_eq(parse_decimal(text, places, &value), 0) || !expect_eq(value, n))
			tap_note("%s", text);
		expect_eq(parse_decimal(text, places ? places - 1 : 0, &value),
			  places ? -EINVAL : 0);
	}
}

static void test_lines(void)
{
	const char *text = "a\n\nb";

	expect(parse_next_line(text) == text + 2);
	expect(parse_next_line(text + 2) == text + 3);
	expect(!parse_next_line(text + 3));
	expect(!parse_next_line("a\n"));
	expect(!parse_next_line(""));
}

static const struct tap_case cases[] = {
	{ "pressure files", test_psi },
	{ "wrong pressure files", test_psi_bad },
	{ "a pressure file that is cut", test_psi_cut },
	{ "figures by their keys", test_key },
	{ "keys without a number", test_key_bad },
	{ "a figure that is cut", test_key_cut },
	{ "stat of a process", test_stat },
	{ "stat of processes with any name", test_stat_names },
	{ "stat of kernel threads", test_stat_kernel },
	{ "wrong stat", test_stat_bad },
	{ "stat that is cut", test_stat_cut },
	{ "control groups, of both versions", test_cgroup },
	{ "a control group that is cut", test_cgroup_cut },
	{ "swaps", test_swap },
	{ "wrong swaps", test_swap_bad },
	{ "mappings", test_map },
	{ "wrong mappings", test_map_bad },
	{ "the user of a process", test_users },
	{ "mounts", test_mount },
	{ "mounts with long names", test_mount_long },
	{ "sizes", test_size },
	{ "decimal numbers", test_decimal },
	{ "decimal numbers, random ones", test_decimal_random },
	{ "lines", test_lines },
};

int main(int argc, char **argv)
{
	return tap_main("parse", cases, ARRAY_SIZE(cases), argc, argv);
}
