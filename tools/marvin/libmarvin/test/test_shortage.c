// SPDX-License-Identifier: GPL-2.0
/*
 * How short memory is, by a tree of files as the kernel has them; and threads that wait for memory,
 * by meminfo as the test writes it.
 */
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "../brake.h"
#include "../shortage.h"

#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/memory"

static char root[64];

static void make_dirs(char *path)
{
	char *at;

	for (at = strchr(path + strlen(root) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

static void put(const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	make_dirs(path);
	file = fopen(path, "w");
	if (!expect(!!file))
		return;
	fputs(text, file);
	fclose(file);
}

static void put_mib(const char *name, unsigned int mib)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)mib << 20);
	put(name, text);
}

/* put_memory() - of the system; in MiB */
static void put_memory(unsigned int total, unsigned int available, unsigned int swap)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "MemTotal: %u kB\nMemFree: 1 kB\nMemAvailable: %u kB\nSwapFree: %u kB\n",
		 total << 10, available << 10, swap << 10);
	put("/proc/meminfo", text);
}

static void begin(void)
{
	strcpy(root, "/tmp/marvin-short.XXXXXX");
	expect(!!mkdtemp(root));
	shortage_root = root;
	put_memory(4096, 4000, 0);
	shortage_forked();
}

static int take_away(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

static void end(void)
{
	nftw(root, take_away, 8, FTW_DEPTH | FTW_PHYS);
	shortage_root = "";
	shortage_forked();
}

/* now_is() - after the groups have been looked up anew */
static bool now_is(enum shortage wanted)
{
	shortage_forked();
	return expect_eq(shortage(), wanted);
}

static void test_system(void)
{
	static const char text[] = "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable: %u kB\n"
				   "SwapTotal: 500 kB\nSwapFree: %u kB\n";
	static const struct { unsigned int available, swap; enum shortage want; } rows[] = {
		{ 1000, 0, SHORTAGE_NONE }, { 250, 0, SHORTAGE_NONE }, { 249, 0, SHORTAGE_SHORT },
		{ 100, 0, SHORTAGE_SHORT }, { 99, 0, SHORTAGE_DIRE }, { 0, 0, SHORTAGE_DIRE },
		{ 99, 1, SHORTAGE_SHORT }, { 0, 99, SHORTAGE_DIRE }, { 0, 100, SHORTAGE_SHORT },
	};
	char meminfo[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(meminfo, sizeof(meminfo), text, rows[i].available, rows[i].swap);
		expect_eq(shortage_in(meminfo), rows[i].want);
	}
	/* 16 GiB have not run out with one left. */
	expect_eq(shortage_in("MemTotal: 16777216 kB\nMemAvailable: 1048576 kB\n"),
		  SHORTAGE_SHORT);
	expect_eq(shortage_in("MemTotal: 16777216 kB\nMemAvailable: 32767 kB\n"), SHORTAGE_DIRE);
	/* A text without a figure, an old kernel, and a system without swap */
	expect_eq(shortage_in(""), SHORTAGE_NONE);
	expect_eq(shortage_in("MemTotal: 1000 kB\nMemFree: 1 kB\n"), SHORTAGE_NONE);
	expect_eq(shortage_in("MemTotal: 1000 kB\nMemAvailable: 99 kB\n"), SHORTAGE_DIRE);
}

static void test_no_groups(void)
{
	begin();
	expect(now_is(SHORTAGE_NONE));
	put_memory(4096, 1000, 0);
	expect(now_is(SHORTAGE_SHORT));
	put_memory(4096, 1000, 9000);
	expect(now_is(SHORTAGE_SHORT));
	put_memory(4096, 10, 0);
	expect(now_is(SHORTAGE_DIRE));
	/* A group of version 2 without a limit, then with wrong ones. */
	put_memory(4096, 4000, 0);
	put(V2 "/cgroup.controllers", "cpu memory\n");
	put("/proc/self/cgroup", "0::/a.slice/b\n");
	put_mib(V2 "/a.slice/b/memory.current", 100);
	expect(now_is(SHORTAGE_NONE));
	put(V2 "/a.slice/b/memory.max", "max\n");
	put(V2 "/a.slice/b/memory.high", "max\n");
	expect(now_is(SHORTAGE_NONE));
	put(V2 "/a.slice/b/memory.max", "-1\n");
	expect(now_is(SHORTAGE_NONE));
	put(V2 "/a.slice/b/memory.max", "");
	expect(now_is(SHORTAGE_NONE));
	/* More than the system has is none, either. */
	put_mib(V2 "/a.slice/b/memory.max", 4096);
	put_mib(V2 "/a.slice/b/memory.current", 4096);
	expect(now_is(SHORTAGE_NONE));
	put("/proc/self/cgroup", "");
	put_mib(V2 "/a.slice/b/memory.max", 100);
	expect(now_is(SHORTAGE_NONE));
	put("/proc/self/cgroup", "0:\nx\n0::/a.slice/b");
	put_mib(V2 "/a.slice/b/memory.current", 100);
	expect(now_is(SHORTAGE_DIRE));
	end();
}

static void test_limits(void)
{
	static const char *const files[] = { "memory.max", "memory.high" };
	static const char *const dirs[] = { "/a.slice/b.service", "/a.slice", "" };
	char dir[64], limit[100], current[100], stat[100];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		for (j = 0; j < ARRAY_SIZE(dirs); j++) {
			begin();
			put(V2 "/cgroup.controllers", "cpu memory\n");
			put("/proc/self/cgroup", "1:name=systemd:/x\n0::/a.slice/b.service\n");
			snprintf(dir, sizeof(dir), V2 "%s", dirs[j]);
			snprintf(limit, sizeof(limit), "%s/%s", dir, files[i]);
			snprintf(current, sizeof(current), "%s/memory.current", dir);
			snprintf(stat, sizeof(stat), "%s/memory.stat", dir);
			put_mib(limit, 100);
			put_mib(current, 75);
			expect(now_is(SHORTAGE_NONE));
			put_mib(current, 76);
			expect(now_is(SHORTAGE_SHORT));
			put_mib(current, 90);
			expect(now_is(SHORTAGE_SHORT));
			put_mib(current, 91);
			expect(now_is(SHORTAGE_DIRE));
			/* The kernel counts some pages before it takes any back. */
			put_mib(current, 101);
			expect(now_is(SHORTAGE_DIRE));
			/* Most of it is page cache, or was given. */
			put(stat, "anon 1\nfile 99999999\nactive_anon 99999999\n"
			    "inactive_file 20971520\nactive_file 20971520\nunevictable 0\n");
			expect(now_is(SHORTAGE_NONE));
			put(stat, "inactive_file 1048576\nactive_file 1048576\n");
			expect(now_is(SHORTAGE_DIRE));
			end();
		}
}

static void test_swap(void)
{
	begin();
	put(V2 "/cgroup.controllers", "cpu memory\n");
	put("/proc/self/cgroup", "0::/a\n");
	put_mib(V2 "/a/memory.max", 100);
	put_mib(V2 "/a/memory.current", 99);
	put_memory(4096, 4000, 500);
	expect(now_is(SHORTAGE_SHORT));
	put(V2 "/a/memory.swap.max", "max\n");
	put_mib(V2 "/a/memory.swap.current", 50);
	expect(now_is(SHORTAGE_SHORT));
	put_mib(V2 "/a/memory.swap.max", 100);
	expect(now_is(SHORTAGE_SHORT));
	put_mib(V2 "/a/memory.swap.current", 99);
	expect(now_is(SHORTAGE_DIRE));
	put_mib(V2 "/a/memory.swap.current", 101);
	expect(now_is(SHORTAGE_DIRE));
	put_mib(V2 "/a/memory.swap.max", 0);
	put_mib(V2 "/a/memory.swap.current", 0);
	expect(now_is(SHORTAGE_DIRE));
	/* The swap itself is full. */
	put_mib(V2 "/a/memory.swap.max", 1000);
	put_memory(4096, 4000, 0);
	expect(now_is(SHORTAGE_DIRE));
	end();
}

static void test_old(void)
{
	begin();
	put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n");
	/* In a container the group is the mount itself. */
	put(V1 "/memory.limit_in_bytes", "9223372036854771712\n");
	put_mib(V1 "/memory.usage_in_bytes", 100);
	expect(now_is(SHORTAGE_NONE));
	put_mib(V1 "/memory.limit_in_bytes", 100);
	expect(now_is(SHORTAGE_DIRE));
	put(V1 "/memory.stat", "inactive_file 0\nactive_file 0\ntotal_inactive_file 20971520\n"
	    "total_active_file 1048576\n");
	expect(now_is(SHORTAGE_SHORT));
	put_mib(V1 "/docker/abc/memory.limit_in_bytes", 50);
	put_mib(V1 "/docker/abc/memory.usage_in_bytes", 49);
	expect(now_is(SHORTAGE_DIRE));
	end();
}

/* The limits are looked up once a second, the use each time. */
static void test_again(void)
{
	unsigned int tries = 300;

	begin();
	put(V2 "/cgroup.controllers", "memory\n");
	put("/proc/self/cgroup", "0::/a\n");
	put_mib(V2 "/a/memory.max", 100);
	put_mib(V2 "/a/memory.current", 10);
	expect(now_is(SHORTAGE_NONE));
	put_mib(V2 "/a/memory.current", 80);
	expect_eq(shortage(), SHORTAGE_SHORT);
	put_mib(V2 "/a/memory.max", 1000);
	while (shortage() && --tries)
		usleep(10000);
	expect(tries);
	end();
}

/* real_files() - this machine's own say something, and cost little */
static void test_real(void)
{
	struct timespec from, to;
	unsigned int i;

	shortage_root = "";
	shortage_forked();
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 1000; i++)
		expect(shortage() <= SHORTAGE_DIRE);
	clock_gettime(CLOCK_MONOTONIC, &to);
	tap_note("%ld us each", ((to.tv_sec - from.tv_sec) * 1000000 +
				 (to.tv_nsec - from.tv_nsec) / 1000) / 1000);
}

static void *look(void *stop)
{
	while (!atomic_load((_Atomic int *)stop))
		expect(shortage() != SHORTAGE_NONE);
	return NULL;
}

/* Threads do not wait for each other, and a child does not wait for a thread it has not got. */
static void test_threads(void)
{
	static _Atomic int stop;
	pthread_t threads[3];
	unsigned int i;
	int status;
	pid_t pid;

	begin();
	put(V2 "/cgroup.controllers", "memory\n");
	put("/proc/self/cgroup", "0::/a\n");
	put_mib(V2 "/a/memory.max", 100);
	put_mib(V2 "/a/memory.current", 99);
	expect(now_is(SHORTAGE_DIRE));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		expect_eq(pthread_create(&threads[i], NULL, look, &stop), 0);
	for (i = 0; i < 50; i++) {
		pid = fork();
		if (!pid) {
			shortage_forked();
			_exit(shortage() != SHORTAGE_DIRE);
		}
		expect_eq(waitpid(pid, &status, 0), pid);
		expect_eq(status, 0);
	}
	atomic_store(&stop, 1);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	end();
}

static _Atomic uint64_t progress;
static unsigned int said;

static void say(void *arg)
{
	expect(arg == &said);
	said++;
	if (said == 3)
		put_memory(4096, 4000, 0);
}

/* made_ms() - how long so many bytes take */
static unsigned int made_ms(struct brake *brake, size_t bytes)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	errno = 77;
	brake_made(brake, bytes);
	expect_eq(errno, 77);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (unsigned int)((to.tv_sec - from.tv_sec) * 1000 +
			      (to.tv_nsec - from.tv_nsec) / 1000000);
}

/* A thread that makes objects waits while hardly any memory is left, not for ever, nor in vain. */
static void test_brake(void)
{
	struct brake brake;

	begin();
	brake_begin(&brake, &progress, say, &said);
	put_memory(4096, 10, 0);
	/* The brake has not looked yet. */
	brake_made(&brake, 1000000);
	expect_eq(said, 0);
	/* The third time it says so there is memory. */
	expect(made_ms(&brake, 100000) >= 3 * 20);
	expect_eq(said, 3);
	/* While memory is short the brake looks more often. */
	put_memory(4096, 1000, 0);
	brake_made(&brake, 1 << 20);
	put_memory(4096, 10, 0);
	brake.limit_ms = 400;
	brake_made(&brake, 64 << 10);
	expect_eq(said, 3);
	said = 10;
	expect(made_ms(&brake, 64 << 10) >= 20);
	expect(said > 10);
	/* Freed memory does not count as made. */
	said = 10;
	brake_made(&brake, 100 << 10);
	brake_freed(&brake, 100 << 10);
	brake_freed(&brake, 100 << 10);
	brake_made(&brake, 100 << 10);
	expect_eq(said, 10);
	/* That was in vain, and nothing has been saved since. */
	expect(made_ms(&brake, 1 << 20) >= 200);
	said = 10;
	brake_made(&brake, 1 << 20);
	expect_eq(said, 10);
	/* The saver goes on: so a thread waits again, 400 ms for each mebibyte. */
	atomic_fetch_add(&progress, 1);
	expect(made_ms(&brake, 512 << 10) >= 180);
	end();
}

static const struct tap_case cases[] = {
	{ "the system", test_system },
	{ "no limits", test_no_groups },
	{ "limits of control groups", test_limits },
	{ "limits of the swap", test_swap },
	{ "version 1", test_old },
	{ "a limit changes", test_again },
	{ "this machine", test_real },
	{ "threads and children", test_threads },
	{ "the brake", test_brake },
};

int main(int argc, char **argv)
{
	return tap_main("shortage", cases, ARRAY_SIZE(cases), argc, argv);
}
