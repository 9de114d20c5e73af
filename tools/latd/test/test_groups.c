// SPDX-License-Identifier: GPL-2.0
/*
 * Groups on a system where a manager such as systemd puts each program into its own group:
 * memory.min, limits, freezing, a manager that writes the same files, and how the memory of the
 * others is divided.
 */
#include "cgroup.h"
#include "groups.h"
#include "log.h"
#include "rules.h"
#include "tree.h"
#include "undo.h"

#define CG "/cg"
#define SYSTEM CG "/system.slice"
#define REDIS SYSTEM "/redis.service"
#define CRON SYSTEM "/cron.service"
#define USERS CG "/user.slice"
#define MIB (1ULL << 20)
#define TOTAL (1000 * MIB)

static struct config config;
static char kept[KEPT_MAX * PATHS_LONGEST];

static void put_file(const char *group, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", group, file);
	tree_put(path, text);
}

static uint64_t value(const char *group, const char *file)
{
	char path[256];
	uint64_t number = 0;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	expect_eq(sys_read_u64(path, &number), 0);
	return number;
}

static void put_group(const char *group, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)bytes);
	put_file(group, "memory.current", text);
	put_file(group, "memory.min", "0\n");
	put_file(group, "memory.high", "max\n");
	put_file(group, "cpu.weight", "100\n");
	put_file(group, "cgroup.freeze", "0\n");
	put_file(group, "cgroup.subtree_control", "cpu memory\n");
}

/* begin() - a server with the services redis and cron, and a user */
static void begin(void)
{
	tree_make();
	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	put_file(CG, "cgroup.subtree_control", "cpu memory\n");
	put_group(SYSTEM, 130 * MIB);
	put_group(REDIS, 80 * MIB);
	put_group(CRON, 50 * MIB);
	put_group(USERS, 200 * MIB);
	conf_presets(config_keys, &config);
	config.protect.arrange = false;
	expect_eq(cgroup_find(), 0);
	expect_eq(undo_open(tree_path("/state")), 0);
	expect_eq(group_setup(&config, TOTAL), 0);
}

static void place(enum role role, const char *group, bool held)
{
	struct candidate process = { .stat = { .pid = 500, .comm = "program", .threads = 1,
					       .state = 'S', .rss = 1 } };

	strcpy(process.cgroup, group);
	if (!expect(group_place(role, &process) == held))
		tap_note("%s", group);
}

/* pass() - scan until groups are settled: redis is protected, systemd left alone, two are others */
static void pass(void)
{
	bool known = kept_list(kept, sizeof(kept));
	unsigned int i;

	for (i = 0; i < 2; i++) {
		group_pass_begin();
		place(ROLE_LEFT, "/init.scope", false);
		place(ROLE_PROTECTED, "/system.slice/redis.service", false);
		place(ROLE_OTHER, "/system.slice/cron.service", i || known);
		place(ROLE_OTHER, "/user.slice/user-1000.slice/session-1.scope", i || known);
		expect(group_pass_end() == !(i || known));
	}
}

static const char *limited;
static uint64_t limit;

static void note_limit(const struct group_limit *one)
{
	if (!strcmp(one->path, limited))
		limit = one->limit;
}

static uint64_t limit_of(const char *path, uint64_t total)
{
	uint64_t bytes;

	expect(others_read(&bytes));
	limited = path;
	limit = 0;
	others_divide(total, note_limit);
	return limit;
}

/* The slice gets the same memory.min as the program in it, so its neighbours get no part of it. */
static void test_kept(void)
{
	begin();
	pass();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	expect(value(REDIS, "memory.min") < 100 * MIB);
	expect_eq(value(SYSTEM, "memory.min"), 80 * MIB);
	expect_eq(value(CRON, "memory.min"), 0);
	expect_eq(value(REDIS, "cpu.weight"), config.protect.cpu_weight);
	/* The others share one weight. */
	expect_eq(value(CRON, "cpu.weight"), config.others.cpu_weight / 2);
	expect_eq(value(USERS, "cpu.weight"), config.others.cpu_weight / 2);
	expect_eq(value(SYSTEM, "cpu.weight"), 100);
	put_file(REDIS, "memory.current", "104857600\n");
	kept_update();
	expect_eq(value(SYSTEM, "memory.min"), 100 * MIB);
	/* No more than the configuration allows. */
	put_file(REDIS, "memory.current", "943718400\n");
	kept_update();
	expect(value(REDIS, "memory.min") <= 700 * MIB);
	expect(value(SYSTEM, "memory.min") <= 700 * MIB);
	expect(value(REDIS, "memory.min") >= 699 * MIB);
	expect(value(SYSTEM, "memory.min") >= 699 * MIB);
	undo_all();
	expect_file(REDIS "/memory.min", "0");
	expect_file(SYSTEM "/memory.min", "0");
	expect_file(CRON "/cpu.weight", "100");
	tree_remove();
}

/*
 * systemctl daemon-reload writes the manager's values over ours: latd writes again. A value that
 * was set meanwhile is put back at the end.
 */
static void test_manager_writes(void)
{
	begin();
	pass();
	put_file(REDIS, "memory.min", "0\n");
	put_file(SYSTEM, "memory.min", "0\n");
	kept_update();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	expect_eq(value(SYSTEM, "memory.min"), 80 * MIB);
	put_file(REDIS, "memory.min", "1048576\n");
	kept_update();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	/* A larger value of the manager stays. */
	put_file(SYSTEM, "memory.min", "524288000\n");
	kept_update();
	expect_eq(value(SYSTEM, "memory.min"), 500 * MIB);
	put_file(CRON, "cpu.weight", "100\n");
	put_file(REDIS, "cpu.weight", "100\n");
	group_pass_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	expect(!group_pass_end());
	expect_eq(value(CRON, "cpu.weight"), config.others.cpu_weight);
	expect_eq(value(REDIS, "cpu.weight"), config.protect.cpu_weight);
	/* The users' processes have ended, so their slice has its old weight again. */
	expect_file(USERS "/cpu.weight", "100");
	/* systemctl set-property writes like this. */
	put_file(CRON, "cpu.weight", "500\n");
	group_pass_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	expect(!group_pass_end());
	expect_eq(value(CRON, "cpu.weight"), config.others.cpu_weight);
	undo_all();
	expect_file(CRON "/cpu.weight", "500");
	expect_file(SYSTEM "/memory.min", "524288000");
	expect_file(REDIS "/memory.min", "1048576");
	tree_remove();
}

/* A protected program ends; another one begins within a group of the others. */
static void test_moves(void)
{
	struct candidate born = { .stat = { .pid = 501, .comm = "redis", .threads = 1,
					    .state = 'S' }, .cgroup = "/user.slice/redis" };

	begin();
	put_group(USERS "/redis", 10 * MIB);
	pass();
	expect_eq(others_count(), 2);
	expect_eq(limit_of("/user.slice", 100 * MIB), 50 * MIB);
	expect_eq(others_freeze(true), 0);
	expect_file(USERS "/cgroup.freeze", "1");
	expect(group_place_new(ROLE_PROTECTED, &born));
	expect_file(USERS "/cgroup.freeze", "0");
	expect_file(USERS "/cpu.weight", "100");
	expect_eq(others_count(), 1);
	kept_update();
	expect(value(USERS "/redis", "memory.min") >= 10 * MIB);
	expect_eq(value(USERS, "memory.min"), 10 * MIB);
	expect(!group_place_new(ROLE_PROTECTED, &born));
	expect(!group_place_new(ROLE_OTHER, &born));
	group_pass_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	group_pass_end();
	expect_file(REDIS "/memory.min", "0");
	expect_file(SYSTEM "/memory.min", "0");
	expect_file(USERS "/redis/memory.min", "0");
	expect_eq(kept_list(kept, sizeof(kept)), 0);
	undo_all();
	tree_remove();
}

/* The largest groups are limited and frozen, and a limit never exceeds the old memory.high. */
static void test_limits(void)
{
	begin();
	put_file(USERS, "memory.high", "157286400\n");
	put_file(CRON, "memory.current", "4194304\n");
	pass();
	expect_eq(limit_of("/user.slice", 104 * MIB), 100 * MIB);
	expect_eq(limit_of("/system.slice/cron.service", 54 * MIB), 0);
	pass();
	expect_eq(limit_of("/user.slice", 300 * MIB), 150 * MIB);
	expect_eq(limit_of("/user.slice", UINT64_MAX), 0);
	expect_eq(others_freeze(true), 0);
	expect_file(USERS "/cgroup.freeze", "1");
	expect_file(CRON "/cgroup.freeze", "0\n");
	expect_eq(others_freeze(false), 0);
	expect_file(USERS "/cgroup.freeze", "0");
	undo_all();
	expect_file(USERS "/memory.high", "157286400");
	tree_remove();
}

/* A group with a protected program in it is no group of the others. */
static void test_shared(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		group_pass_begin();
		place(ROLE_PROTECTED, "/system.slice/redis.service", false);
		place(ROLE_LEFT, "/user.slice/b", false);
		place(ROLE_OTHER, "/system.slice/redis.service", false);
		place(ROLE_OTHER, "/", false);
		group_pass_end();
	}
	expect_eq(others_count(), 0);
	/* A group without the memory controller has no limit. */
	group_pass_begin();
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_LEFT, "/user.slice/b", false);
	place(ROLE_OTHER, "/user.slice/c", false);
	group_pass_end();
	put_group(USERS "/a", 10 * MIB);
	group_pass_begin();
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_LEFT, "/user.slice/b", false);
	place(ROLE_OTHER, "/user.slice/a", true);
	group_pass_end();
	expect_text(others_largest() ? others_largest() : "none", "/user.slice/a");
	undo_all();
	tree_remove();
}

/* A new configuration undoes just the settings that it no longer has. */
static void test_reload(void)
{
	begin();
	pass();
	config.protect.cpu_weight = 0;
	expect_eq(group_setup(&config, TOTAL), 0);
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	expect_file(REDIS "/cpu.weight", "100");
	expect_file(CRON "/cpu.weight", "100");
	config.mode = MODE_CGROUP;
	expect_eq(group_setup(&config, TOTAL), 0);
	expect_file(REDIS "/memory.min", "0");
	group_remove();
	expect_eq(undo_count(), 0);
	tree_remove();
}

static uint64_t have[100];

static uint64_t kept_below(unsigned int n, uint64_t level)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum += have[i] < level ? have[i] : level;
	return sum;
}

/* A hog gives memory, small services do not. */
static void test_hog(void)
{
	have[0] = 5 * MIB;
	have[1] = 100 * MIB;
	have[2] = 6 * MIB;
	expect_eq(fair_share(have, 3, 91 * MIB), 80 * MIB);
	expect_eq(fair_share(have, 3, 111 * MIB), UINT64_MAX);
	expect_eq(fair_share(have, 3, 200 * MIB), UINT64_MAX);
	expect_eq(fair_share(have, 3, 0), 0);
	expect_eq(fair_share(have, 0, 5), UINT64_MAX);
	expect(least_of_largest(have, 3, 900) > 6 * MIB);
}

/* 52 services of 5 MiB, and no hog: all of them give memory. */
static void test_small_ones(void)
{
	unsigned int i, n = 0;
	uint64_t largest;

	for (i = 0; i < 52; i++)
		have[i] = 5 * MIB;
	expect_eq(fair_share(have, 52, 208 * MIB), 4 * MIB);
	largest = least_of_largest(have, 52, 900);
	for (i = 0; i < 52; i++)
		n += have[i] >= largest;
	expect_eq(n, 52);
	for (i = 0; i < 52; i++)
		have[i] = 0;
	expect_eq(least_of_largest(have, 52, 900), 0);
}

/* All together get at most the total, and fall short of it by less than a byte each. */
static void test_random(void)
{
	unsigned int i, n, rounds;
	uint64_t total, level;

	for (rounds = 0; rounds < 2000; rounds++) {
		n = 1 + (unsigned int)(random_u64() % 100);
		for (i = 0; i < n; i++)
			have[i] = random_u64() % (1 + random_u64() % MIB);
		total = random_u64() % (n * MIB / 4);
		level = fair_share(have, n, total);
		expect(kept_below(n, level) <= total || level == UINT64_MAX);
		expect(kept_below(n, UINT64_MAX) <= total || level != UINT64_MAX);
		expect(level == UINT64_MAX || kept_below(n, level + 1) > total ||
		       total - kept_below(n, level) < n);
	}
}

static struct paths paths, other;

static void paths_clear(struct paths *set)
{
	memset(set, 0, sizeof(*set));
}

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

/* If a set of paths is full, no group is touched. */
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

#define ISOLATED(name) static void isolated_##name(void) { in_child(name); }
ISOLATED(test_kept)
ISOLATED(test_manager_writes)
ISOLATED(test_moves)
ISOLATED(test_limits)
ISOLATED(test_shared)
ISOLATED(test_reload)

static const struct tap_case cases[] = {
	{ "memory.min of a program and of its slice", isolated_test_kept },
	{ "the manager writes the same files", isolated_test_manager_writes },
	{ "programs come and go", isolated_test_moves },
	{ "limits and freezing", isolated_test_limits },
	{ "groups that are shared, and lists", isolated_test_shared },
	{ "another configuration", isolated_test_reload },
	{ "a hog gives memory, small services do not", test_hog },
	{ "many small services give the same", test_small_ones },
	{ "random sizes", test_random },
	{ "the topmost group without a group that is left alone", test_tops },
	{ "a very long path", test_long_path },
	{ "too many groups", test_crowded },
};

int main(int argc, char **argv)
{
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("groups", cases, ARRAY_SIZE(cases), argc, argv);
}
