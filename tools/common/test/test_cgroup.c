// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup v2, in a directory of plain files.
 */
#include <errno.h>
#include "cgroup.h"
#include "tree.h"

static void put_mounts(const char *line)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "sysfs /sys sysfs rw,nosuid 0 0\nproc /proc proc rw 0 0\n"
		 "tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0\n"
		 "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
		 "cgroup2 /not/this cgroup rw 0 0\n%s/dev/vda / ext4 rw 0 0\n", line);
	tree_put("/proc/self/mounts", text);
}

static void make(void)
{
	tree_make();
	put_mounts("cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n");
	expect_eq(cgroup_find(), 0);
}

static void test_find(void)
{
	tree_make();
	expect_eq(cgroup_find(), -ENOENT);
	make();
	expect_text(cgroup_mount(), "/sys/fs/cgroup/unified");
	put_mounts("");
	expect_eq(cgroup_find(), -ENOENT);
	expect_text(cgroup_mount(), "");
	expect(!cgroup_has("/", "cgroup.procs"));
	put_mounts("none /cg cgroup2 rw 0 0\nnone /second cgroup2 rw 0 0\n");
	expect_eq(cgroup_find(), 0);
	expect_text(cgroup_mount(), "/cg");
	tree_put("/proc/self/mounts", "");
	expect_eq(cgroup_find(), -ENOENT);
	expect_text(cgroup_mount(), "");
	tree_remove();
}

/* Mounts of users, with paths of their own choice, are not taken for the cgroup mount. */
static void test_find_others(void)
{
	static char text[40000];
	int i, len = 0;

	tree_make();
	for (i = 0; i < 200; i++)
		len += sprintf(text + len, "none /home/u/%0100d fuse rw 0 0\n", i);
	len += sprintf(text + len, "none /home/u/%04096d fuse rw 0 0\n", 0);
	sprintf(text + len, "cgroup2 /cg cgroup2 rw 0 0\n");
	tree_put("/proc/self/mounts", text);
	expect_eq(cgroup_find(), 0);
	expect_text(cgroup_mount(), "/cg");
	/* An escaped newline in a name starts no line, nor does the rest of a long line. */
	tree_put("/proc/self/mounts", "x\\012cgroup2 /a cgroup2 rw 0 0\n"
		 "/dev/fuse /home/u/x\\012cgroup2\\040/b\\040cgroup2\\040rw fuse rw 0 0\n");
	expect_eq(cgroup_find(), 0);
	expect_text(cgroup_mount(), "/a");
	/* With an empty device name the fields still count from the left. */
	tree_put("/proc/self/mounts", " /home/u/cgroup2 fuse rw 0 0\n /c cgroup2 rw 0 0\n");
	expect_eq(cgroup_find(), 0);
	expect_text(cgroup_mount(), "/c");
	for (len = 4000; len < 4200; len++) {
		sprintf(text, "none /%0*d /forged cgroup2 rw 0 0\ncgroup2 /cg cgroup2 rw 0 0\n", len, 0);
		tree_put("/proc/self/mounts", text);
		expect_eq(cgroup_find(), 0);
		if (!expect_text(cgroup_mount(), "/cg"))
			tap_note("a name of %d bytes", len);
	}
	tree_remove();
}

/* The kernel escapes blanks in a path; they are unescaped. */
static void test_find_escaped(void)
{
	tree_make();
	tree_put("/proc/self/mounts", "cgroup2 /my\\040cg cgroup2 rw 0 0\n");
	tree_put("/my cg/cgroup.procs", "");
	expect_eq(cgroup_find(), 0);
	expect_text(cgroup_mount(), "/my cg");
	expect(cgroup_has("/", "cgroup.procs"));
	tree_remove();
}

/* A path that is too long is not used in part. */
static void test_find_long(void)
{
	char text[2048];

	tree_make();
	snprintf(text, sizeof(text), "cgroup2 /%0600d cgroup2 rw 0 0\n", 0);
	tree_put("/proc/self/mounts", text);
	expect_eq(cgroup_find(), -ENOENT);
	expect_text(cgroup_mount(), "");
	tree_remove();
}

/* If the mounts cannot be read, the old mount point is forgotten. */
static void test_find_gone(void)
{
	make();
	remove(tree_path("/proc/self/mounts"));
	expect_eq(cgroup_find(), -ENOENT);
	expect_text(cgroup_mount(), "");
	tree_remove();
}

static void test_paths(void)
{
	char path[SYS_PATH], group[SYS_PATH];

	make();
	expect_eq(cgroup_file(path, "/", "memory.stat"), 0);
	expect_text(path, "/sys/fs/cgroup/unified/memory.stat");
	expect_eq(cgroup_file(path, "/a/b c", "memory.stat"), 0);
	expect_text(path, "/sys/fs/cgroup/unified/a/b c/memory.stat");
	expect_eq(cgroup_file(path, "/a", ""), 0);
	expect_text(path, "/sys/fs/cgroup/unified/a/");
	memset(group, 'g', sizeof(group));
	group[0] = '/';
	/* Mount point, group, slash, letter and zero byte fill the buffer exactly. */
	group[SYS_PATH - 3 - strlen(cgroup_mount())] = '\0';
	expect_eq(cgroup_file(path, group, "f"), 0);
	expect_eq(strlen(path), SYS_PATH - 1);
	expect_eq(cgroup_file(path, group, "fg"), -ENAMETOOLONG);
	expect_eq(cgroup_set(group, "memory.high", 1), -ENAMETOOLONG);
	tree_remove();
}

static void test_below(void)
{
	expect(cgroup_below("/a", "/a"));
	expect(cgroup_below("/a/b", "/a"));
	expect(cgroup_below("/a/b/c", "/a"));
	expect(cgroup_below("/a/b/c", "/a/b"));
	expect(!cgroup_below("/ab", "/a"));
	expect(!cgroup_below("/a", "/a/b"));
	expect(!cgroup_below("/a", "/ab"));
	expect(!cgroup_below("/", "/a"));
	expect(!cgroup_below("/b/a", "/a"));
	expect(cgroup_below("/", "/"));
	expect(cgroup_below("/a", "/"));
}

#define G "/sys/fs/cgroup/unified/g"

static void test_values(void)
{
	uint64_t value = 0;

	make();
	tree_put(G "/memory.high", "max\n");
	tree_put(G "/memory.current", "8192\n");
	tree_put(G "/memory.stat", "anon 1941504\nfile 43180032\nslab 5\n");
	tree_put(G "/cgroup.freeze", "0\n");
	expect(cgroup_has("/g", "memory.high"));
	expect(!cgroup_has("/g", "memory.low"));
	expect(!cgroup_has("/h", "memory.high"));
	expect_eq(cgroup_get("/g", "memory.high", &value), 0);
	expect(value == UINT64_MAX);
	expect_eq(cgroup_get("/g", "memory.current", &value), 0);
	expect_eq(value, 8192);
	expect_eq(cgroup_get("/g", "memory.low", &value), -ENOENT);
	expect_eq(cgroup_set("/g", "memory.high", 4096), 0);
	expect_file(G "/memory.high", "4096");
	expect_eq(cgroup_set("/g", "memory.high", UINT64_MAX), 0);
	expect_file(G "/memory.high", "max");
	expect_eq(cgroup_set("/g", "memory.low", 1), -ENOENT);
	expect_eq(cgroup_stat("/g", "file", &value), 0);
	expect_eq(value, 43180032);
	expect_eq(cgroup_stat("/g", "shmem", &value), -ENOENT);
	expect_eq(cgroup_stat("/h", "file", &value), -ENOENT);
	expect_eq(cgroup_freeze("/g", true), 0);
	expect_file(G "/cgroup.freeze", "1");
	expect_eq(cgroup_freeze("/g", false), 0);
	expect_file(G "/cgroup.freeze", "0");
	tree_remove();
}

static void test_requests(void)
{
	make();
	expect_eq(cgroup_reclaim("/g", 4096, 200), -ENOENT);
	tree_put(G "/memory.reclaim", "");
	tree_put(G "/cgroup.procs", "");
	tree_put("/sys/fs/cgroup/unified/cgroup.subtree_control", "");
	expect_eq(cgroup_reclaim("/g", 4096, 200), 0);
	expect_file(G "/memory.reclaim", "4096 swappiness=200");
	expect_eq(cgroup_reclaim("/g", 8192, -1), 0);
	expect_file(G "/memory.reclaim", "8192");
	expect_eq(cgroup_move(4711, "/g"), 0);
	expect_file(G "/cgroup.procs", "4711");
	tree_remove();
}

struct seen {
	unsigned int n;
	unsigned int end_after;
	pid_t last;
	bool gap;
};

static int see(pid_t pid, void *arg)
{
	struct seen *seen = arg;

	seen->gap |= seen->n && pid != seen->last + 1;
	seen->last = pid;
	seen->n++;
	return seen->n == seen->end_after ? 42 : 0;
}

static struct seen list(unsigned int end_after, int want)
{
	struct seen seen = { .end_after = end_after };

	expect_eq(cgroup_each_pid("/g", see, &seen), want);
	return seen;
}

static void test_pids(void)
{
	struct seen seen;

	make();
	list(0, -ENOENT);
	tree_put(G "/cgroup.procs", "");
	expect_eq(list(0, 0).n, 0);
	tree_put(G "/cgroup.procs", "5\n");
	expect_eq(list(0, 0).n, 1);
	tree_put(G "/cgroup.procs", "5\n6\n7\n");
	seen = list(0, 0);
	expect(seen.n == 3 && seen.last == 7 && !seen.gap);
	expect_eq(list(2, 42).n, 2);
	expect_eq(list(1, 42).n, 1);
	/* The kernel prints 0 for processes of other pid namespaces; they are skipped. */
	tree_put(G "/cgroup.procs", "0\n5\n0\n");
	expect_eq(list(0, 0).n, 1);
	tree_put(G "/cgroup.procs", "x\n5\n");
	expect_eq(list(0, 0).n, 0);
	tree_remove();
}

/* The first thread of a process ended before the process came into the group. */
static void test_move_threads(void)
{
	make();
	tree_put("/sys/fs/cgroup/unified/cgroup.procs", "");
	tree_put(G "/cgroup.procs", "");
	expect_eq(cgroup_move_all("/g", "/"), 0);
	expect_file("/sys/fs/cgroup/unified/cgroup.procs", "");
	tree_put(G "/cgroup.threads", "4711\n");
	expect_eq(cgroup_move_all("/g", "/"), 0);
	expect_file("/sys/fs/cgroup/unified/cgroup.procs", "4711");
	tree_remove();
}

/* More ids than the buffer holds, cut at each place within an id: the cut id does not count. */
static void test_pids_cut(void)
{
	char text[8192];
	unsigned int shift;
	pid_t pid;

	make();
	for (shift = 0; shift < 12; shift++) {
		size_t have = 0;
		struct seen seen;

		while (have < shift)
			text[have++] = ' ';
		for (pid = 4000000; have < sizeof(text) - 16; pid++)
			have += sprintf(text + have, "%d\n", pid);
		text[have] = '\0';
		tree_put(G "/cgroup.procs", text);
		seen = list(0, 0);
		expect(!seen.gap && seen.last == 4000000 + (pid_t)seen.n - 1);
		expect_eq(seen.n, (4095 - shift) / 8);
	}
	tree_remove();
}

/* A controller stays on while another program's groups use it. */
static void test_used_below(void)
{
	static const char dir[] = "/cg/a";

	tree_make();
	tree_put("/cg/a/b/cpu.weight", "100\n");
	tree_put("/cg/a/b/cpu.max", "max 100000\n");
	tree_put("/cg/a/b/memory.min", "0\n");
	tree_put("/cg/a/b/memory.max", "max\n");
	expect(!cgroup_used_below(dir, "cpu"));
	expect(!cgroup_used_below(dir, "memory"));
	tree_put("/cg/a/c/cpu.max", "20000 100000\n");
	expect(cgroup_used_below(dir, "cpu"));
	expect(!cgroup_used_below(dir, "memory"));
	tree_put("/cg/a/c/memory.high", "4096\n");
	expect(cgroup_used_below(dir, "memory"));
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "controllers that other groups use", test_used_below },
	{ "the mount point", test_find },
	{ "the mount point, behind mounts of users", test_find_others },
	{ "a mount point with blanks", test_find_escaped },
	{ "a mount point that is too long", test_find_long },
	{ "no longer mounted", test_find_gone },
	{ "paths", test_paths },
	{ "groups below another one", test_below },
	{ "values", test_values },
	{ "requests", test_requests },
	{ "processes", test_pids },
	{ "processes, more than fit", test_pids_cut },
	{ "processes whose first thread has ended are moved", test_move_threads },
};

int main(int argc, char **argv)
{
	return tap_main("cgroup", cases, ARRAY_SIZE(cases), argc, argv);
}
