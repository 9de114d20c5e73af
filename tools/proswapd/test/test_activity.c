// SPDX-License-Identifier: GPL-2.0
/*
 * The contest for places, and the rules for giving one up.
 */
#include "programs.h"
#include "harness.h"
#include "tree.h"

static struct contest contest;

static struct proc_stat process(pid_t pid, u64 faults)
{
	return (struct proc_stat){ .pid = pid, .start = 5000 + pid, .majflt = faults };
}

static void offer_stat(const struct proc_stat *stat, u64 faults, uid_t user)
{
	struct contest_entry entry;

	contest_news(&entry, stat, faults);
	entry.user = user;
	contest_add(&contest, &entry);
}

/* offer() - a process, each with a user of its own, joins the contest */
static void offer(pid_t pid, u64 faults)
{
	struct proc_stat stat = process(pid, faults);

	offer_stat(&stat, faults, (uid_t)pid);
}

/* An old bug: of 300 programs those with the lowest ids had the places. */
static void test_late_one(void)
{
	pid_t pid;
	unsigned int i;

	contest_reset();
	contest = (struct contest){ 0 };
	for (pid = 100; pid < 400; pid++)
		offer(pid, 20);
	expect_eq(contest.n, PROGRAMS);
	expect_eq(contest.waiting, 0);
	/* Faults from before the first scan do not count as new. */
	contest = (struct contest){ 0 };
	for (pid = 100; pid < 400; pid++)
		offer(pid, pid == 399 ? 900 : 20);
	expect_eq(contest.n, PROGRAMS);
	expect_eq(contest.waiting, 1);
	expect_eq(contest.best[1].score, 0);
	expect_eq(contest.best[0].pid, 399);
	expect_eq(contest.best[0].start, 5399);
	/* If all of them swap, the programs that swap most come first. */
	contest = (struct contest){ 0 };
	for (pid = 100; pid < 400; pid++)
		offer(pid, 20 + 3 * pid + (pid == 399 ? 900 : 0));
	expect_eq(contest.n, PROGRAMS);
	expect_eq(contest.waiting, 300);
	for (i = 0; i < PROGRAMS; i++)
		expect_eq(contest.best[i].pid, (pid_t)(399 - i));
}

/* Programs that were tried come after programs that never were. */
static void test_turns(void)
{
	unsigned int round, i, had[40] = { 0 };

	contest_reset();
	contest = (struct contest){ 0 };
	for (i = 0; i < 40; i++)
		offer(100 + i, 1);
	for (round = 1; round <= 30; round++) {
		contest = (struct contest){ 0 };
		for (i = 0; i < 40; i++)
			offer(100 + i, 1 + round * (10 + i));
		expect_eq(contest.waiting, 40);
		for (i = 0; i < 4; i++) {
			had[contest.best[i].pid - 100]++;
			contest_tried(contest.best[i].pid, contest.best[i].start, round * 1000);
		}
	}
	for (i = 0; i < 40; i++)
		expect_eq(had[i], 3);
}

/* A user with many new processes that swap much does not keep other users out. */
static void test_users(void)
{
	unsigned int i, of_user = 0, root = 0;
	struct proc_stat stat;

	contest_reset();
	contest = (struct contest){ 0 };
	for (i = 0; i < 1000; i++) {
		stat = process(2000 + i, 0);
		offer_stat(&stat, 1000000 + i, 1000);
		if (i % 100 == 50) {
			stat = process(100 + i, 0);
			contest_tried(stat.pid, stat.start, 77);
			offer_stat(&stat, 1, 0);
		}
	}
	for (i = 0; i < contest.n; i++) {
		of_user += contest.best[i].user == 1000;
		root += contest.best[i].user == 0;
	}
	expect_eq(of_user, CONTEST_OF_USER);
	expect_eq(root, CONTEST_OF_USER);
	expect_eq(contest.best[0].score, 1000999);
}

/* A later process with the same id is a new one; so is a process whose id has the same record. */
static void test_others(void)
{
	struct proc_stat stat = process(100, 50);

	contest_reset();
	contest = (struct contest){ 0 };
	offer(100, 50);
	contest_tried(100, 5100, 777);
	stat.start = 9999;
	contest = (struct contest){ 0 };
	offer_stat(&stat, 50, 0);
	expect_eq(contest.n, 1);
	expect_eq(contest.best[0].tried_ms, 0);
	contest = (struct contest){ 0 };
	offer(100 + CONTEST_SEEN, 50);
	offer_stat(&stat, 50, 0);
	expect_eq(contest.n, 2);
	expect_eq(contest.waiting, 0);
}

/* A model that sorts all processes by the same rule gives the same places in the same order. */
static void test_random(void)
{
	unsigned int round, i, j;

	for (round = 0; round < 500 && !tap.bad; round++) {
		unsigned int n = 1 + random_below(60), better;

		contest_reset();
		contest = (struct contest){ 0 };
		for (i = 0; i < n; i++) {
			contest_tried(100 + i, 5100 + i, random_below(3));
			offer(100 + i, random_below(1000));
		}
		for (i = 0; i + 1 < contest.n; i++) {
			struct contest_entry *one = &contest.best[i], *next = one + 1;

			better = (one->score && !next->score) || one->tried_ms < next->tried_ms ||
				 (one->tried_ms == next->tried_ms && one->score >= next->score);
			expect(better);
			for (j = 0; j < i; j++)
				expect(contest.best[j].pid != one->pid);
		}
	}
}

static void test_sleeps(void)
{
	struct proc_stat stat = { .utime = 100, .stime = 50, .majflt = 7 };
	struct activity activity;

	activity_begin(&activity, &stat, 1000, true);
	expect(!activity_sleeps(&activity, 2999, 0));
	expect(activity_sleeps(&activity, 3000, 0));
	expect(!activity_sleeps(&activity, 10999, 5000));
	expect(activity_sleeps(&activity, 11000, 5000));
	/* No change; then it ran in the kernel, then in its own code, then it had a fault. */
	expect_eq(activity_take(&activity, &stat, 4000), 0);
	expect(activity_sleeps(&activity, 4000, 0));
	stat.stime++;
	expect_eq(activity_take(&activity, &stat, 5000), 0);
	expect(!activity_sleeps(&activity, 6999, 0));
	stat.utime += 5;
	expect_eq(activity_take(&activity, &stat, 7000), 5);
	expect(!activity_sleeps(&activity, 8999, 0));
	stat.majflt++;
	expect_eq(activity_take(&activity, &stat, 9000), 0);
	expect(!activity_sleeps(&activity, 10999, 0));
	expect(activity_sleeps(&activity, 11000, 0));
	/* The kernel's figures may go back by a tick. */
	stat.utime--;
	expect_eq(activity_take(&activity, &stat, 12000), 0);
}

/* A program gives up its place after a minute without a major fault, or without a period. */
static void test_yields(void)
{
	struct proc_stat stat = { .utime = 100 };
	struct activity activity;

	activity_begin(&activity, &stat, 1000, true);
	expect(!activity_yields(&activity, 60999, true));
	expect(!activity_yields(&activity, 60999, false));
	expect(activity_yields(&activity, 61000, true));
	expect(activity_yields(&activity, 61000, false));
	stat.majflt++;
	activity_take(&activity, &stat, 50000);
	expect(!activity_yields(&activity, 109999, true));
	expect(activity_yields(&activity, 110000, true));
	expect(activity_yields(&activity, 61000, false));
	/* Running alone does not keep the place. */
	stat.utime++;
	activity_take(&activity, &stat, 109000);
	expect(activity_yields(&activity, 110000, true));
	/* A process that does not swap has its place until another one needs it. */
	activity_begin(&activity, &stat, 1000, false);
	expect(activity_yields(&activity, 1000, true));
	expect(!activity_sleeps(&activity, 1000, 0));
	stat.majflt++;
	activity_take(&activity, &stat, 2000);
	expect(!activity_yields(&activity, 61999, true));
	expect(!activity_yields(&activity, 61999, false));
	expect(activity_yields(&activity, 62000, false));
	/* Across the wrap. */
	activity_begin(&activity, &stat, UINT32_MAX - 999, true);
	expect(!activity_yields(&activity, 58999, false));
	expect(activity_yields(&activity, 59000, false));
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "those that swap get the places", test_late_one },
		{ "all get one in their turn", test_turns },
		{ "users with many processes", test_users },
		{ "other processes", test_others },
		{ "random processes", test_random },
		{ "processes that sleep", test_sleeps },
		{ "places that are given up", test_yields },
	};

	return tap_main("activity", cases, ARRAY_SIZE(cases), argc, argv);
}
