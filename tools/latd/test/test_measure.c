// SPDX-License-Identifier: GPL-2.0
/*
 * The figures, measured in a directory that stands for /proc and cgroups: of the system, of groups
 * that come and go, and of files that cannot be read.
 */
#include <errno.h>
#include "cgroup.h"
#include "groups.h"
#include "log.h"
#include "measure.h"
#include "tree.h"
#include "undo.h"

#define CG "/cg"
#define APP CG GROUP_APP
#define OTHERS CG GROUP_OTHERS

static struct config config;
static struct sample sample;
static struct scan scan;

static void put_psi(const char *path, u64 some_us, u64 full_us)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "some avg10=0.00 avg60=0.00 avg300=0.00 total=%llu\n"
		 "full avg10=0.00 avg60=0.00 avg300=0.00 total=%llu\n", some_us, full_us);
	tree_put(path, text);
}

static void put_groups(void)
{
	static const char *const files[] = {
		"memory.min", "memory.low", "memory.high", "memory.current", "cpu.weight",
		"cgroup.procs", "cgroup.freeze",
	};
	char path[128];
	unsigned int i;

	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	tree_put(CG "/cgroup.subtree_control", "cpu memory\n");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), APP "/%s", files[i]);
		tree_put(path, "8192\n");
		snprintf(path, sizeof(path), OTHERS "/%s", files[i]);
		tree_put(path, "16384\n");
	}
	put_psi(APP "/memory.pressure", 100, 0);
	put_psi(OTHERS "/memory.pressure", 1000, 0);
}

/* arrange() - a protected program in latd's group for these, another one in the others' group */
static void arrange(void)
{
	struct candidate app = { .stat = { .pid = 500, .comm = "app", .threads = 1 } };
	struct candidate other = { .stat = { .pid = 501, .comm = "hog", .threads = 1 } };

	strcpy(app.cgroup, GROUP_APP);
	strcpy(other.cgroup, GROUP_OTHERS);
	do {
		group_pass_begin();
		group_place(ROLE_PROTECTED, &app);
		group_place(ROLE_OTHER, &other);
	} while (group_pass_end());
}

static void begin(void)
{
	tree_make();
	put_psi("/proc/pressure/memory", 1000, 10);
	tree_put("/proc/meminfo",
		 "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 300 kB\nBuffers: 1 kB\n");
	tree_put("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/vdb partition 64 16 1\n");
	tree_put("/proc/500/status", "Name:\tapp\nVmSwap:\t      12 kB\n");
	conf_presets(config_keys, &config);
	memset(&sample, 0, sizeof(sample));
	memset(&scan, 0, sizeof(scan));
	expect_eq(undo_open(tree_path("/state")), 0);
	expect_eq(measure_open(), 0);
	/* measure_open() has written its trigger into this file. */
	put_psi("/proc/pressure/memory", 1000, 10);
}

static void isolated(void (*fn)(void))
{
	in_child(fn);
}

#define ISOLATED(name)						\
	static void name##_child(void);				\
	static void name(void) { isolated(name##_child); }	\
	static void name##_child(void)

ISOLATED(test_figures)
{
	begin();
	scan.n_others = 2;
	scan.n_protected = 1;
	scan.protected[0] = (struct proc_id){ 500, 1 };
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.some_us, 0);
	expect_eq(sample.total, 1000 << 10);
	expect_eq(sample.free, 100 << 10);
	expect_eq(sample.available, 300 << 10);
	expect_eq(sample.swap_total, 64 << 10);
	expect_eq(sample.swap_left, 48 << 10);
	expect_eq(sample.app_swapped, 12 << 10);
	expect(sample.victim && !sample.app_group && !sample.others.known);
	put_psi("/proc/pressure/memory", 1500, 17);
	scan.n_others = 0;
	sleep_ms(2);
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.some_us, 500);
	expect_eq(sample.full_us, 7);
	expect(sample.elapsed_us >= 2000);
	expect(!sample.victim);
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.some_us + sample.full_us, 0);
	measure_close();
	tree_remove();
}

ISOLATED(test_unreadable)
{
	begin();
	tree_put("/proc/pressure/memory", "nonsense\n");
	expect_eq(measure_system(&sample, &scan), -EINVAL);
	put_psi("/proc/pressure/memory", 1000, 10);
	tree_put("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\n");
	expect_eq(measure_system(&sample, &scan), -EINVAL);
	tree_put("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 1 kB\n");
	tree_put("/proc/swaps", "Filename\n/dev/vdb partition 64\n");
	expect_eq(measure_system(&sample, &scan), -EINVAL);
	measure_close();
	tree_remove();
}

/* A kernel without swap has no /proc/swaps. */
ISOLATED(test_no_swaps)
{
	begin();
	remove(tree_path("/proc/swaps"));
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.swap_total, 0);
	expect_eq(sample.swap_left, 0);
	tree_remove();
}

ISOLATED(test_groups)
{
	begin();
	put_groups();
	expect_eq(cgroup_find(), 0);
	expect_eq(group_setup(&config, 1000 << 10), 0);
	arrange();
	expect_eq(measure_system(&sample, &scan), 0);
	put_psi(APP "/memory.pressure", 150, 0);
	put_psi(OTHERS "/memory.pressure", 1700, 0);
	expect_eq(measure_system(&sample, &scan), 0);
	expect(sample.app_group && sample.others.known);
	expect_eq(sample.app_some_us, 50);
	expect_eq(sample.others.some_us, 700);
	expect_eq(sample.others.bytes, 16384);
	/* An unreadable pressure counts as no waiting; the old figure is not used again. */
	tree_put(APP "/memory.pressure", "");
	tree_put(OTHERS "/memory.pressure", "nonsense\n");
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.app_some_us, 0);
	expect_eq(sample.others.some_us, 0);
	put_psi(APP "/memory.pressure", 170, 0);
	expect_eq(measure_system(&sample, &scan), 0);
	expect_eq(sample.app_some_us, 20);
	undo_all();
	measure_close();
	tree_remove();
}

ISOLATED(test_no_pressure)
{
	tree_make();
	expect_eq(measure_open(), -ENOENT);
	measure_close();
	tree_put("/proc/pressure/memory", "");
	expect_eq(measure_open(), -EINVAL);
	put_psi("/proc/pressure/memory", 1000, 10);
	expect_eq(measure_open(), -ENOENT);
	measure_close();
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "the figures of the system", test_figures },
	{ "files that cannot be read", test_unreadable },
	{ "a kernel without swap", test_no_swaps },
	{ "the figures of groups", test_groups },
	{ "no pressure stall information", test_no_pressure },
};

int main(int argc, char **argv)
{
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("measure", cases, ARRAY_SIZE(cases), argc, argv);
}
