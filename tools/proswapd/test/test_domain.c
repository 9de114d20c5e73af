// SPDX-License-Identifier: GPL-2.0
/*
 * How much has to be free: pages that came in of late, and limits of control groups and the system.
 */
#include <errno.h>
#include "cgroup.h"
#include "memory_domains.h"
#include "tree.h"

#define PAGE 4096ull
#define MIB (1ull << 20)

static struct domain domain;

static void look(u32 came, u32 rate)
{
	domain.came = came;
	domain_looked(&domain);
	expect_eq(domain.rate, rate);
	expect_eq(domain.came, 0);
}

/* The rate rises at once, and falls by a quarter. */
static void test_rate(void)
{
	static const struct {
		u32 before, came, rate;
	} cases[] = {
		{ 0, 0, 0 }, { 0, 1, 1 }, { 0, 1000, 1000 }, { 1000, 1001, 1001 },
		{ 1000, 1000, 1000 }, { 1000, 751, 751 }, { 1000, 750, 750 }, { 1000, 749, 750 },
		{ 1000, 0, 750 }, { 5, 0, 4 }, { 4, 0, 3 }, { 0, UINT32_MAX, UINT32_MAX },
		{ UINT32_MAX, 0, 3221225472u }, { UINT32_MAX, UINT32_MAX, UINT32_MAX },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&domain, 0, sizeof(domain));
		domain.rate = cases[i].before;
		look(cases[i].came, cases[i].rate);
	}
}

/* A burst is gone after some looks, and does not count twice. */
static void test_burst(void)
{
	u32 rate = 10000;
	unsigned int i;

	memset(&domain, 0, sizeof(domain));
	look(10000, 10000);
	for (i = 0; i < 8; i++)
		look(1, rate -= rate / 4);
	expect(domain.rate <= 1010 && domain.rate >= 990);
	for (i = 0; i < 40; i++) {
		domain.came = 1;
		domain_looked(&domain);
	}
	expect(domain.rate <= 3);
}

static void test_want(void)
{
	static const struct {
		u64 limit, used;
		u32 rate, more;
		u64 page;
		u32 want;
	} cases[] = {
		/* At least a MiB has to be free. */
		{ 100 * MIB, 99 * MIB, 0, 0, PAGE, 0 },
		{ 100 * MIB, 100 * MIB, 0, 0, PAGE, 256 },
		{ 100 * MIB, 99 * MIB + PAGE, 0, 0, PAGE, 1 },
		{ 100 * MIB, 99 * MIB + PAGE - 1, 0, 0, PAGE, 0 },
		{ 100 * MIB, 100 * MIB, 85, 0, PAGE, 256 },
		{ 100 * MIB, 100 * MIB, 86, 0, PAGE, 258 },
		{ 100 * MIB, 100 * MIB, 0, 256, PAGE, 256 },
		{ 100 * MIB, 100 * MIB, 0, 257, PAGE, 257 },
		/* Three times the rate, and more on demand. */
		{ 100 * MIB, 90 * MIB, 1000, 0, PAGE, 440 },
		{ 100 * MIB, 90 * MIB, 1000, 100, PAGE, 540 },
		{ 100 * MIB, 80 * MIB, 1000, 100, PAGE, 0 },
		/* No more than a quarter of all. */
		{ 100 * MIB, 90 * MIB, 100000, 0, PAGE, 3840 },
		{ 100 * MIB, 90 * MIB, 0, 100000, PAGE, 3840 },
		{ 100 * MIB, 75 * MIB, 100000, 0, PAGE, 0 },
		{ 100 * MIB, 90 * MIB, UINT32_MAX, UINT32_MAX, PAGE, 3840 },
		{ 100 * MIB, 90 * MIB, 1431655766, 0, PAGE, 3840 },
		{ 100 * MIB, 90 * MIB, 1, UINT32_MAX, PAGE, 3840 },
		{ 2 * MIB, 2 * MIB, 0, 0, PAGE, 128 },
		/* More is used than the limit, for a moment or because the limit is new. */
		{ 100 * MIB, 150 * MIB, 0, 0, PAGE, 256 }, { 0, 100 * MIB, 1000, 0, PAGE, 0 },
		{ 100 * MIB, 0, 1000, 0, PAGE, 0 }, { UINT64_MAX, 100 * MIB, 1000, 0, PAGE, 0 },
		/* Other pages. */
		{ 100 * MIB, 100 * MIB, 0, 0, 65536, 16 },
		{ 100 * MIB, 100 * MIB, 10, 1, 65536, 31 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&domain, 0, sizeof(domain));
		domain.limit = cases[i].limit;
		domain.used = cases[i].used;
		domain.rate = cases[i].rate;
		if (!expect_eq(domain_want(&domain, cases[i].more, cases[i].page), cases[i].want))
			tap_note("case %u", i);
	}
}

/* Exactly the missing pages go. */
static void test_random_want(void)
{
	unsigned int round;

	for (round = 0; round < 20000; round++) {
		u64 page = PAGE << 2 * random_below(3), spare, have;
		u32 more = random_length(20000), want;

		memset(&domain, 0, sizeof(domain));
		domain.limit = random_length(1 << 20) * PAGE;
		domain.used = random_length(1 << 20) * PAGE;
		domain.rate = random_length(20000);
		spare = (3ull * domain.rate + more) * page;
		spare = spare < MIB ? MIB : spare;
		spare = spare > domain.limit / 4 ? domain.limit / 4 : spare;
		have = domain.used < domain.limit ? domain.limit - domain.used : 0;
		want = domain_want(&domain, more, page);
		if (have >= spare)
			expect_eq(want, 0);
		else
			expect(have + want * page <= spare && have + (want + 1) * page > spare);
	}
}

static void put_group(const char *group, const char *limit)
{
	char path[256];

	snprintf(path, sizeof(path), "/cg%s/memory.max", group);
	tree_put(path, limit);
	snprintf(path, sizeof(path), "/cg%s/memory.current", group);
	tree_put(path, "60000000\n");
	snprintf(path, sizeof(path), "/cg%s/memory.stat", group);
	tree_put(path, "anon 50000000\ninactive_file 10000000\nactive_file 1\n");
}

static void make(void)
{
	tree_make();
	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	tree_put("/proc/meminfo", "MemTotal: 100000 kB\nMemFree: 20000 kB\nActive(file): 7 kB\n"
		 "Inactive(file): 5000 kB\n");
	tree_put("/proc/sys/vm/min_free_kbytes", "1000\n");
	expect_eq(cgroup_find(), 0);
}

/* The nearest limit, else the system. */
static void test_find(void)
{
	static const struct {
		const char *group, *found;
	} cases[] = {
		{ "/a/b/c", "/a/b" }, { "/a/b", "/a/b" }, { "/a", "/a" }, { "/a/x", "/a" },
		{ "/a/gone/gone", "/a" }, { "/free/free", "" }, { "/", "" }, { "", "" },
	};
	unsigned int i;

	make();
	put_group("/a", "90000000\n");
	put_group("/a/b", "80000000\n");
	put_group("/a/b/c", "max\n");
	put_group("/free/free", "max\n");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&domain, 0xff, sizeof(domain));
		if (!expect_eq(domain_find(&domain, cases[i].group), 0) ||
		    !expect_text(domain.group, cases[i].found))
			tap_note("case %u", i);
		if (cases[i].found[0]) {
			expect_eq(domain.limit, cases[i].found[2] ? 80000000 : 90000000);
			expect_eq(domain.used, 50000000);
		} else {
			expect_eq(domain.limit, (100000 - 1250) * 1024);
			expect_eq(domain.used, (100000 - 20000 - 5000) * 1024);
		}
		/* A new domain has no counts and no trial. */
		expect(!domain.came && !domain.rate && !domain.period_ms && !domain.work);
		expect(domain.trial.state == TRIAL_NONE && !domain.trial.tries);
	}
	/* Without groups. */
	tree_put("/proc/self/mounts", "");
	cgroup_find();
	expect_eq(domain_find(&domain, "/a/b"), 0);
	expect_text(domain.group, "");
	tree_remove();
}

static void test_look(void)
{
	make();
	put_group("/a", "90000000\n");
	expect_eq(domain_find(&domain, "/a/b"), 0);
	domain.came = 3;
	domain.rate = 9;
	tree_put("/cg/a/memory.max", "70000000\n");
	tree_put("/cg/a/memory.current", "9000000\n");
	expect_eq(domain_look(&domain), 0);
	expect_eq(domain.limit, 70000000);
	/* inactive_file exceeds memory.current, as both are not read at the same moment. */
	expect_eq(domain.used, 0);
	expect(domain.came == 3 && domain.rate == 9);
	remove(tree_path("/cg/a/memory.max"));
	expect_eq(domain_look(&domain), -ENOENT);
	expect_eq(domain_find(&domain, ""), 0);
	tree_put("/proc/meminfo", "MemTotal: 100000 kB\nMemFree: 20000 kB\n");
	expect_eq(domain_look(&domain), -EIO);
	tree_remove();
}

/* Each process can have a group of its own; the trial of a group outlives its processes. */
static void test_many_groups(void)
{
	char group[32];
	unsigned int i;

	make();
	domains_forget();
	for (i = 0; i <= DOMAINS; i++) {
		snprintf(group, sizeof(group), "/g%u", i);
		put_group(group, "90000000\n");
		expect_eq(domains_find(group), i < DOMAINS ? (int)i : -ENOSPC);
	}
	expect(DOMAINS >= 16);
	/* A second process of a group. */
	expect_eq(domains_find("/g3"), 3);
	domains_get(3)->trial.tries = 2;
	domains_leave(3);
	expect_eq(domains_find("/g16"), -ENOSPC);
	domains_leave(3);
	expect_eq(domains_find("/g3"), 3);
	expect_eq(domains_get(3)->trial.tries, 2);
	domains_leave(3);
	expect_eq(domains_find("/g16"), 3);
	expect_eq(domains_get(3)->trial.tries, 0);
	expect_text(domains_get(3)->group, "/g16");
	domains_forget();
	expect(!domains_get(0));
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "the rate rises at once and falls slowly", test_rate },
		{ "a burst", test_burst },
		{ "how much is to go", test_want },
		{ "random amounts that are to go", test_random_want },
		{ "the nearest limit", test_find },
		{ "what is used, and a group that is gone", test_look },
		{ "as many groups as processes", test_many_groups },
	};

	return tap_main("domain", cases, ARRAY_SIZE(cases), argc, argv);
}
