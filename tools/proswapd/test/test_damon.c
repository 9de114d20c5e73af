// SPDX-License-Identifier: GPL-2.0
/*
 * Mode paper with DAMON, in a directory of plain files: which process a slot watches.
 */
#include "damon.h"
#include "harness.h"
#include "tree.h"
#include "undo.h"

#define SLOT "/sys/kernel/mm/damon/admin/kdamonds/0/"
#define CONTEXT SLOT "contexts/0/"

static const char *const files[] = {
	SLOT "contexts/nr_contexts", CONTEXT "operations", CONTEXT "targets/nr_targets",
	CONTEXT "targets/0/pid_target", CONTEXT "schemes/nr_schemes", CONTEXT "schemes/0/action",
	CONTEXT "schemes/0/access_pattern/sz/min", CONTEXT "schemes/0/access_pattern/sz/max",
	CONTEXT "schemes/0/access_pattern/age/max",
	CONTEXT "schemes/0/access_pattern/nr_accesses/min",
	CONTEXT "schemes/0/access_pattern/nr_accesses/max",
	CONTEXT "monitoring_attrs/intervals/sample_us",
	CONTEXT "monitoring_attrs/intervals/aggr_us",
	CONTEXT "monitoring_attrs/intervals/update_us",
};

static void make(void)
{
	unsigned int i;

	tree_make();
	for (i = 0; i < ARRAY_SIZE(files); i++)
		tree_put(files[i], "");
	tree_put(SLOT "state", "off");
	tree_put("/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "0");
	undo_close();
	expect_eq(undo_open(tree_path("/state")), 0);
	expect_eq(damon_begin(), 0);
}

/* After a change of a place's process DAMON watches the new one. */
static void test_next(void)
{
	make();
	expect_eq(damon_aim(0, 100, 1000000, true), 0);
	expect_file(CONTEXT "targets/0/pid_target", "100");
	expect_file(SLOT "state", "on");
	expect_eq(damon_aim(0, 100, 2000000, true), 0);
	expect_file(SLOT "state", "commit");
	expect_eq(damon_aim(0, 200, 1000000, true), 0);
	expect_file(CONTEXT "targets/0/pid_target", "200");
	expect_file(SLOT "state", "on");
}

/* DAMON stops when the process of a slot has ended. */
static void test_ended(void)
{
	make();
	damon_stop(0);
	expect_file(SLOT "state", "off");
	expect_eq(damon_aim(0, 100, 1000000, false), 0);
	damon_stop(DAMON_SLOTS);
	damon_stop(UINT32_MAX);
	expect_file(SLOT "state", "on");
	damon_stop(0);
	expect_file(SLOT "state", "off");
	tree_put(SLOT "state", "gone");
	damon_stop(0);
	expect_file(SLOT "state", "gone");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "the next process in a slot", test_next },
		{ "a process that has ended", test_ended },
	};
	int status = tap_main("damon", cases, ARRAY_SIZE(cases), argc, argv);

	undo_close();
	tree_remove();
	return status;
}
