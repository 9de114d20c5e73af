// SPDX-License-Identifier: GPL-2.0
/*
 * Groups on a system where a manager such as systemd puts each program into its own: memory.min,
 * limits, freezing, and a manager that writes the same files.
 */
#include "cgroup.h"
#include "group.h"
#include "kept.h"
#include "log.h"
#include "others.h"
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

/* begin() - a server with redis, another service, and a user */
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

/* pass() - redis is protected, systemd is left alone, the others are not */
static void pass(void)
{
	bool known = kept_first();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		group_begin();
		place(ROLE_LEFT, "/init.scope", false);
		place(ROLE_PROTECTED, "/system.slice/redis.service", false);
		place(ROLE_OTHER, "/system.slice/cron.service", i || known);
		place(ROLE_OTHER, "/user.slice/user-1000.slice/session-1.scope", i || known);
		expect(group_end() == !(i || known));
	}
}

static uint64_t limit_of(const char *path, uint64_t total)
{
	static struct slow_group limits[OTHERS_MAX];
	unsigned int n, i;
	uint64_t bytes;

	expect(others_read(&bytes));
	n = others_divide(total, limits);
	for (i = 0; i < n; i++)
		if (!strcmp(limits[i].path, path))
			return limits[i].limit;
	return 0;
}

/* What is kept of the slice is what the program has: nothing is left over for its neighbours. */
static void test_kept(void)
{
	begin();
	pass();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	expect(value(REDIS, "memory.min") < 100 * MIB);
	expect_eq(value(SYSTEM, "memory.min"), 80 * MIB);
	expect_eq(value(CRON, "memory.min"), 0);
	expect_eq(value(REDIS, "cpu.weight"), 1000);
	/* All of the others together have 10. */
	expect_eq(value(CRON, "cpu.weight"), 5);
	expect_eq(value(USERS, "cpu.weight"), 5);
	expect_eq(value(SYSTEM, "cpu.weight"), 100);
	put_file(REDIS, "memory.current", "104857600\n");
	kept_hold();
	expect_eq(value(SYSTEM, "memory.min"), 100 * MIB);
	/* No more than the configuration allows. */
	put_file(REDIS, "memory.current", "943718400\n");
	kept_hold();
	expect(value(REDIS, "memory.min") <= 700 * MIB);
	expect(value(SYSTEM, "memory.min") <= 700 * MIB);
	expect_eq(kept_bytes("/system.slice/redis.service"), 900 * MIB);
	expect_eq(kept_bytes("/system.slice"), 0);
	undo_all();
	expect_file(REDIS "/memory.min", "0");
	expect_file(SYSTEM "/memory.min", "0");
	expect_file(CRON "/cpu.weight", "100");
	tree_remove();
}

/* daemon-reload writes the manager's values over ours; a value of somebody stays at the end. */
static void test_manager_writes(void)
{
	begin();
	pass();
	put_file(REDIS, "memory.min", "0\n");
	put_file(SYSTEM, "memory.min", "0\n");
	kept_hold();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	expect_eq(value(SYSTEM, "memory.min"), 80 * MIB);
	put_file(REDIS, "memory.min", "1048576\n");
	kept_hold();
	expect(value(REDIS, "memory.min") >= 80 * MIB);
	/* Never less than that. */
	put_file(SYSTEM, "memory.min", "524288000\n");
	kept_hold();
	expect_eq(value(SYSTEM, "memory.min"), 500 * MIB);
	put_file(CRON, "cpu.weight", "100\n");
	put_file(REDIS, "cpu.weight", "100\n");
	group_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	expect(!group_end());
	expect_eq(value(CRON, "cpu.weight"), 10);
	expect_eq(value(REDIS, "cpu.weight"), 1000);
	/* Nobody of the users is there any more. */
	expect_file(USERS "/cpu.weight", "100");
	/* As by systemctl set-property. */
	put_file(CRON, "cpu.weight", "500\n");
	group_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	expect(!group_end());
	expect_eq(value(CRON, "cpu.weight"), 10);
	undo_all();
	expect_file(CRON "/cpu.weight", "500");
	expect_file(SYSTEM "/memory.min", "524288000");
	expect_file(REDIS "/memory.min", "1048576");
	tree_remove();
}

/* The program ends; another one begins in the midst of a group of the others. */
static void test_moves(void)
{
	struct candidate born = { .stat = { .pid = 501, .comm = "redis", .threads = 1,
					    .state = 'S' }, .cgroup = "/user.slice/redis" };

	begin();
	put_group(USERS "/redis", 10 * MIB);
	pass();
	expect_eq(others_count(), 2);
	expect_eq(limit_of("/user.slice", 100 * MIB), 50 * MIB);
	expect_eq(others_freeze(), 0);
	expect_file(USERS "/cgroup.freeze", "1");
	expect(group_born(ROLE_PROTECTED, &born));
	expect_file(USERS "/cgroup.freeze", "0");
	expect_file(USERS "/cpu.weight", "100");
	expect_eq(others_count(), 1);
	kept_hold();
	expect(value(USERS "/redis", "memory.min") >= 10 * MIB);
	expect_eq(value(USERS, "memory.min"), 10 * MIB);
	expect(!group_born(ROLE_PROTECTED, &born));
	expect(!group_born(ROLE_OTHER, &born));
	group_begin();
	place(ROLE_LEFT, "/init.scope", false);
	place(ROLE_OTHER, "/system.slice/cron.service", true);
	group_end();
	expect_file(REDIS "/memory.min", "0");
	expect_file(SYSTEM "/memory.min", "0");
	expect_file(USERS "/redis/memory.min", "0");
	expect_text(kept_first() ? kept_first() : "none", "none");
	undo_all();
	tree_remove();
}

/* Only the largest are limited and frozen, and never above what they had. */
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
	expect_eq(others_freeze(), 0);
	expect_file(USERS "/cgroup.freeze", "1");
	expect_file(CRON "/cgroup.freeze", "0\n");
	expect_eq(others_thaw(), 0);
	expect_file(USERS "/cgroup.freeze", "0");
	undo_all();
	expect_file(USERS "/memory.high", "157286400");
	tree_remove();
}

/* Who shares a group with a protected program is in no group of the others. */
static void test_shared(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		group_begin();
		place(ROLE_PROTECTED, "/system.slice/redis.service", false);
		place(ROLE_LEFT, "/user.slice/b", false);
		place(ROLE_OTHER, "/system.slice/redis.service", false);
		place(ROLE_OTHER, "/", false);
		group_end();
	}
	expect_eq(others_count(), 0);
	/* A group without the memory controller has no limit. */
	group_begin();
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_LEFT, "/user.slice/b", false);
	place(ROLE_OTHER, "/user.slice/c", false);
	group_end();
	put_group(USERS "/a", 10 * MIB);
	group_begin();
	place(ROLE_PROTECTED, "/system.slice/redis.service", false);
	place(ROLE_LEFT, "/user.slice/b", false);
	place(ROLE_OTHER, "/user.slice/a", true);
	group_end();
	expect_text(others_largest() ? others_largest() : "none", "/user.slice/a");
	undo_all();
	tree_remove();
}

/* A new configuration changes only the differences. */
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

#define ISOLATED(name) static void isolated_##name(void) { in_child(name); }
ISOLATED(test_kept)
ISOLATED(test_manager_writes)
ISOLATED(test_moves)
ISOLATED(test_limits)
ISOLATED(test_shared)
ISOLATED(test_reload)

static const struct tap_case cases[] = {
	{ "what a program has is kept, and no more above it", isolated_test_kept },
	{ "the manager writes the same files", isolated_test_manager_writes },
	{ "programs come and go", isolated_test_moves },
	{ "limits and freezing", isolated_test_limits },
	{ "groups that are shared, and lists", isolated_test_shared },
	{ "another configuration", isolated_test_reload },
};

int main(int argc, char **argv)
{
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("group", cases, ARRAY_SIZE(cases), argc, argv);
}
