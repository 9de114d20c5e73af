// SPDX-License-Identifier: GPL-2.0
/*
 * How the others' memory is divided between their groups, which groups can be dealt with, and
 * whether a goal is reached.
 */
#include "harness.h"
#include "level.h"
#include "paths.h"
#include "slo.h"

#define MIB (1ULL << 20)

static uint64_t have[100];

static uint64_t kept_below(unsigned int n, uint64_t level)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += have[i] < level ? have[i] : level;
	return sum;
}

/* A hog gives, small services do not. */
static void test_hog(void)
{
	have[0] = 5 * MIB;
	have[1] = 100 * MIB;
	have[2] = 6 * MIB;
	expect_eq(level_of(have, 3, 91 * MIB), 80 * MIB);
	expect_eq(level_of(have, 3, 111 * MIB), UINT64_MAX);
	expect_eq(level_of(have, 3, 200 * MIB), UINT64_MAX);
	expect_eq(level_of(have, 3, 0), 0);
	expect_eq(level_of(have, 0, 5), UINT64_MAX);
	expect(level_cover(have, 3, 900) > 6 * MIB);
}

/* 52 services of 5 MiB, and no hog: all of them give. */
static void test_small_ones(void)
{
	unsigned int i, n = 0;
	uint64_t largest;

	for (i = 0; i < 52; i++)
		have[i] = 5 * MIB;
	expect_eq(level_of(have, 52, 208 * MIB), 4 * MIB);
	largest = level_cover(have, 52, 900);
	for (i = 0; i < 52; i++)
		n += have[i] >= largest;
	expect_eq(n, 52);
	for (i = 0; i < 52; i++)
		have[i] = 0;
	expect_eq(level_cover(have, 52, 900), 0);
}

/* All together have no more than the total, and no less than what whole bytes allow. */
static void test_random(void)
{
	unsigned int i, n, rounds;
	uint64_t total, level;

	for (rounds = 0; rounds < 2000; rounds++) {
		n = 1 + (unsigned int)(random_u64() % 100);
		for (i = 0; i < n; i++)
			have[i] = random_u64() % (1 + random_u64() % MIB);
		total = random_u64() % (n * MIB / 4);
		level = level_of(have, n, total);
		expect(kept_below(n, level) <= total || level == UINT64_MAX);
		expect(kept_below(n, UINT64_MAX) <= total || level != UINT64_MAX);
		expect(level == UINT64_MAX || kept_below(n, level + 1) > total ||
		       total - kept_below(n, level) < n);
	}
}

static struct paths paths, other;

static const char *top_of(const char *path)
{
	static char top[PATHS_LONGEST];

	return paths_top(&paths, path, top) ? top : "";
}

#define expect_top(path, want)						\
	do {								\
		const char *got = top_of(path);				\
		if (!expect(!strcmp(got, want)))			\
			tap_note("%s: \"%s\" instead of \"%s\"", path, got, want); \
	} while (0)

static void test_tops(void)
{
	paths_clear(&paths);
	paths_add(&paths, "/");
	paths_add(&paths, "/init.scope");
	paths_add(&paths, "/system.slice/redis.service");
	paths_add(&paths, "/system.slice/ssh.service");
	paths_add(&paths, "/user.slice/user-0.slice/session-1.scope");
	expect_top("/", "");
	expect_top("", "");
	expect_top("/latd.others", "/latd.others");
	expect_top("/machine.slice/a/b/c", "/machine.slice");
	expect_top("/system.slice/cron.service", "/system.slice/cron.service");
	expect_top("/system.slice/cron.service/x/y", "/system.slice/cron.service");
	expect_top("/system.slice/redis.service", "");
	expect_top("/system.slice/redis.service/hog", "/system.slice/redis.service/hog");
	expect_top("/system.slice/redis.serviceable", "/system.slice/redis.serviceable");
	expect_top("/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope",
		   "/user.slice/user-1000.slice");
	expect_top("/user.slice/user-0.slice/session-1.scope", "");
	expect_top("/init.scope", "");
}

static void test_long_path(void)
{
	char path[600];

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	paths_clear(&paths);
	expect_top(path, "");
	path[PATHS_LONGEST - 1] = '\0';
	expect_top(path, path);
	path[20] = '/';
	paths_add(&paths, path);
	expect_top(path, "");
}

/* A crowded set touches no group. */
static void test_crowded(void)
{
	unsigned int i;
	char path[64];

	paths_clear(&paths);
	for (i = 0; i < 2000 && !paths.crowded; i++) {
		snprintf(path, sizeof(path), "/user.slice/group-%u", i);
		paths_add(&paths, path);
		paths_add(&paths, path);
	}
	expect(paths.crowded && i > 500);
	expect_top("/system.slice/a", "");
	paths_clear(&paths);
	expect_top("/system.slice/a", "/system.slice");
	paths_clear(&other);
	expect(paths_same(&paths, &other));
	paths_add(&other, "/a");
	expect(!paths_same(&paths, &other));
	paths_add(&paths, "/a");
	expect(paths_same(&paths, &other));
}

static struct slo slo;

static uint64_t latency(uint64_t now_us)
{
	uint64_t us = 0;

	return slo_latency(&slo, now_us, &us) ? us : 0;
}

static void test_goal(void)
{
	static const char *const wrong[] = {
		"p99", "p99 20", "99 20ms", "p0 1ms", "p100 1ms", "p99 0ms", "p99 20 ms",
		"p99 20msx", "p99.55 1ms", "p99 -1ms", "p99 1h", "p 1ms",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (!expect(slo_parse(&slo, wrong[i])))
			tap_note("%s", wrong[i]);
	expect(!slo_parse(&slo, ""));
	slo_report(&slo, "5ms\n", 1);
	expect_eq(latency(1), 0);
	expect(!slo_parse(&slo, "p99.5 0.5s"));
	expect_eq(slo.quantile, 995);
	expect_eq(slo.goal_us, 500000);
	expect(!slo_parse(&slo, "p99 20ms"));
	expect_eq(slo_report(&slo, "1ms\nnonsense\n30ms\n2.5ms\n7\n900us", 1000), 4);
	/* Of few the longest. */
	expect_eq(latency(1000), 30000);
	expect_eq(latency(2501000), 30000);
	expect_eq(latency(2501001), 0);
	for (i = 0; i < 1000; i++)
		slo_report(&slo, i % 128 ? "1ms" : "0.05s", 3000000);
	expect_eq(latency(3000000), 1000);
	for (i = 0; i < 1000; i++)
		slo_report(&slo, i % 64 ? "1ms" : "0.05s", 4000000);
	expect_eq(latency(4000000), 50000);
}

static const struct tap_case cases[] = {
	{ "a hog gives, small ones do not", test_hog },
	{ "many small ones give alike", test_small_ones },
	{ "random sizes", test_random },
	{ "the topmost group without those left alone", test_tops },
	{ "a very long path", test_long_path },
	{ "too many groups", test_crowded },
	{ "a goal for the latency", test_goal },
};

int main(int argc, char **argv)
{
	return tap_main("level", cases, ARRAY_SIZE(cases), argc, argv);
}
