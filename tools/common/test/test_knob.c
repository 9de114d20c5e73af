// SPDX-License-Identifier: GPL-2.0
/*
 * Several daemons set one file of /proc/sys and end, in every order, also killed at any moment.
 * While one of them runs the newest wish holds; at the end the file has its first value.
 */
#include <errno.h>
#include "knob.h"
#include "log.h"
#include "tree.h"
#include "undo.h"

#define FILE_NAME "/proc/sys/vm/swappiness"
#define REGISTRY "/mtdcompr.knobs"
#define DAEMONS 3
#define KILLS 40

static const char *const lists[DAEMONS] = { "/latd.state", "/proswapd.state", "/rectifyd.state" };
static const char *const wishes[DAEMONS] = { "90", "100", "200" };

/* set() and reset() - act as this daemon; all daemons are in one process */
static int set(int daemon, const char *text)
{
	knob_open(tree_path(lists[daemon]));
	return knob_set(FILE_NAME, text);
}

static int reset(int daemon)
{
	knob_open(tree_path(lists[daemon]));
	return knob_reset(FILE_NAME);
}

/* The expected state: daemons with a wish, the newest one last. */
static struct {
	int there[DAEMONS];
	int n;
	const char *first;
} model;

static const char *model_value(void)
{
	return model.n ? wishes[model.there[model.n - 1]] : model.first;
}

static void model_end(int daemon)
{
	int i, to = 0;

	for (i = 0; i < model.n; i++)
		if (model.there[i] != daemon)
			model.there[to++] = model.there[i];
	model.n = to;
}

static void model_set(int daemon)
{
	model_end(daemon);
	model.there[model.n++] = daemon;
}

/* Events: a daemon's first wish, the same wish again, its end; or root writes the file. */
#define BEGIN 0
#define AGAIN 1
#define END 2
#define EVENTS 3
#define ROOT (DAEMONS * EVENTS)

static void event(int what)
{
	int daemon = what / EVENTS;

	if (what == ROOT) {
		tree_put(FILE_NAME, "33\n");
		model.n = 0;
		model.first = "33";
	} else if (what % EVENTS == END) {
		expect_eq(reset(daemon), 0);
		model_end(daemon);
	} else {
		expect_eq(set(daemon, wishes[daemon]), 0);
		model_set(daemon);
	}
}

static bool holds(const char *want)
{
	char text[32];

	return !sys_read_line(FILE_NAME, text, sizeof(text)) && !strcmp(text, want);
}

/* play() - play one order of events, and compare after each event */
static void play(const int *order, int n)
{
	char text[128] = "";
	int i, at = 0;

	tree_put(FILE_NAME, "60\n");
	memset(&model, 0, sizeof(model));
	model.first = "60";
	for (i = 0; i < n; i++) {
		event(order[i]);
		at += snprintf(text + at, sizeof(text) - at, " %d", order[i]);
		if (!expect(holds(model_value()))) {
			tap_note("%s is wanted after%s", model_value(), text);
			break;
		}
	}
	expect(!sys_exists(REGISTRY));
	remove(tree_path(REGISTRY));
}

static unsigned int played;

/* all_orders() - play all interleavings of the daemons' events; each daemon's own order is fixed */
static void all_orders(int daemons, bool root, int *order, int n, int *next)
{
	int i, most = daemons * EVENTS + root;

	if (n == most) {
		play(order, n);
		played++;
		return;
	}
	for (i = 0; i < daemons; i++) {
		if (next[i] == EVENTS)
			continue;
		order[n] = i * EVENTS + next[i]++;
		all_orders(daemons, root, order, n + 1, next);
		next[i]--;
	}
	if (root && !next[DAEMONS]) {
		order[n] = ROOT;
		next[DAEMONS] = 1;
		all_orders(daemons, root, order, n + 1, next);
		next[DAEMONS] = 0;
	}
}

static void orders_of(int daemons, bool root)
{
	int order[ROOT + 1], next[DAEMONS + 1] = { 0 };

	tree_make();
	played = 0;
	all_orders(daemons, root, order, 0, next);
	tap_note("%u orders", played);
	tree_remove();
}

static void test_two(void)
{
	orders_of(2, false);
}

static void test_two_and_root(void)
{
	orders_of(2, true);
}

static void test_three(void)
{
	orders_of(3, false);
}

static void test_refused(void)
{
	char path[160];
	int i;

	tree_make();
	expect(knob_is_shared("/proc/sys/vm/swappiness"));
	expect(!knob_is_shared("/sys/fs/cgroup/a/memory.high"));
	/* A failed write leaves no entry. */
	knob_open(tree_path("/a.state"));
	expect_eq(knob_set("/proc/sys/none", "1"), -ENOENT);
	expect(!sys_exists(REGISTRY));
	tree_put("/proc/sys/two", "1\n2\n");
	expect_eq(knob_set("/proc/sys/two", "1"), -EINVAL);
	expect_eq(knob_reset("/proc/sys/two"), 0);
	expect(!sys_exists(REGISTRY));
	snprintf(path, sizeof(path), "/proc/sys/%0120d", 7);
	tree_put(path, "1");
	expect_eq(knob_set(path, "2"), -ENAMETOOLONG);
	for (i = 0; i < 33; i++) {
		snprintf(path, sizeof(path), "/proc/sys/f%d", i);
		tree_put(path, "old");
		expect_eq(knob_set(path, "new"), i < 32 ? 0 : -ENOSPC);
	}
	expect_file(path, "old");
	for (i = 0; i < 33; i++) {
		snprintf(path, sizeof(path), "/proc/sys/f%d", i);
		expect_eq(knob_reset(path), 0);
		expect_file(path, "old");
	}
	expect(!sys_exists(REGISTRY));
	/* A registry of another version. */
	tree_put(REGISTRY, "something");
	expect_eq(knob_set("/proc/sys/f1", "new"), -EINVAL);
	expect_file("/proc/sys/f1", "old");
	tree_remove();
}

/* A file that has gone needs no value. */
static void test_gone(void)
{
	tree_make();
	tree_put(FILE_NAME, "60");
	expect_eq(set(0, "90"), 0);
	remove(tree_path(FILE_NAME));
	expect_eq(reset(0), 0);
	expect(!sys_exists(REGISTRY));
	tree_remove();
}

static int turn;

static void live(void)
{
	unsigned int i;

	undo_open(tree_path(lists[turn]));
	for (i = 0;; i++) {
		if (undo_write(FILE_NAME, i % 2 ? wishes[turn] : "70"))
			_exit(2);
		if (i % 3 == 2 && undo_rewrite(FILE_NAME))
			_exit(3);
	}
}

/* come_after() - undo the list, as the guardian or the next start does */
static void come_after(void)
{
	expect(undo_open(tree_path(lists[turn])) >= 0);
	expect_eq(undo_count(), 0);
	undo_close();
}

/* All daemons are killed at a random moment, and each list is undone. */
static void test_killed(void)
{
	int round, rounds = quick() ? KILLS / 4 : KILLS, status;
	pid_t pids[DAEMONS];
	bool emptied;

	tree_make();
	for (round = 0; round < rounds; round++) {
		tree_put(FILE_NAME, "60");
		fflush(NULL);
		for (turn = 0; turn < DAEMONS; turn++) {
			pids[turn] = fork();
			if (!pids[turn]) {
				alarm(CHILD_SECONDS);
				live();
			}
		}
		sleep_ms(20 + round % 7);
		/*
		 * Stop all first. A plain file is empty between open() and write(); another daemon
		 * would take that for an administrator's value. Files of /proc/sys never are.
		 */
		for (turn = 0; turn < DAEMONS; turn++)
			kill(pids[turn], SIGSTOP);
		for (turn = 0; turn < DAEMONS; turn++) {
			kill(pids[turn], SIGKILL);
			waitpid(pids[turn], &status, 0);
			expect(WIFSIGNALED(status));
		}
		/* A kill between open() and write() empties a plain file: skip the check then. */
		emptied = holds("");
		for (turn = 0; turn < DAEMONS; turn++)
			in_child(come_after);
		if (!emptied)
			expect_file(FILE_NAME, "60");
		expect(!sys_exists(REGISTRY));
	}
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "two daemons in every order", test_two },
	{ "two daemons and an administrator in every order", test_two_and_root },
	{ "three daemons in every order", test_three },
	{ "three daemons that are killed", test_killed },
	{ "a refused value leaves no entry", test_refused },
	{ "a file that has gone", test_gone },
};

int main(int argc, char **argv)
{
	/* Use tmpfs, as /run is: on a disk each of the many writes may wait. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("knob", cases, ARRAY_SIZE(cases), argc, argv);
}
