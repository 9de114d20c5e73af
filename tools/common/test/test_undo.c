// SPDX-License-Identifier: GPL-2.0
/*
 * Changes are undone by the process that made them, or by the next one that opens the list. A
 * process opens a list once in its life, so each case has a process of its own.
 */
#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include "cgroup.h"
#include "log.h"
#include "tree.h"
#include "undo.h"

/* A busy machine needs some time to stop a process. */
#define PATIENCE_MS 5000

/* isolated() - run @fn in a child with a new tree */
static void isolated(void (*fn)(void))
{
	tree_make();
	in_child(fn);
	tree_remove();
}

#define ISOLATED(name)						\
	static void name##_child(void);				\
	static void name(void) { isolated(name##_child); }	\
	static void name##_child(void)

static int open_list(void)
{
	return undo_open(tree_path("/state"));
}

/* helper() - start a process that just waits */
static pid_t helper(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		for (;;)
			pause();
	}
	return pid;
}

static struct proc_id id_of(pid_t pid)
{
	struct proc_stat stat = { 0 };

	expect_eq(proc_read(pid, &stat), 0);
	return (struct proc_id){ pid, stat.start };
}

/* becomes() - does the process get stopped, or run again, soon? */
static bool becomes(pid_t pid, bool stopped)
{
	u64 begun = now_ms();
	struct proc_stat stat = { 0 };

	do {
		if (proc_read(pid, &stat))
			return false;
		if ((stat.state == 'T') == stopped)
			return true;
		sleep_ms(2);
	} while (now_ms() - begun < PATIENCE_MS);
	return false;
}

static void end_helper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

ISOLATED(test_change)
{
	tree_put("/f", "60\n");
	expect_eq(undo_count(), 0);
	expect_eq(open_list(), 0);
	expect_eq(undo_write("/f", "90"), 0);
	expect_file("/f", "90");
	expect_eq(undo_count(), 1);
	/* At the end the file has its first value, however often it was changed. */
	expect_eq(undo_write("/f", "10"), 0);
	expect_file("/f", "10");
	expect_eq(undo_count(), 1);
	expect_eq(undo_rewrite("/f"), 0);
	expect_file("/f", "60");
	expect_eq(undo_count(), 0);
	expect_eq(undo_rewrite("/f"), 0);
	expect_eq(undo_write_u64("/f", UINT64_MAX), 0);
	expect_file("/f", "max");
	expect_eq(undo_write_u64("/f", 5), 0);
	expect_file("/f", "5");
	expect_eq(undo_all(), 0);
	expect_file("/f", "60");
	expect_eq(undo_all(), 0);
	expect_eq(undo_write("/none", "1"), -ENOENT);
	expect_eq(undo_write_back("/none", "1", "2"), -ENOENT);
	expect_eq(undo_count(), 0);
	undo_close();
	expect(!sys_exists("/state"));
}

ISOLATED(test_close)
{
	tree_put("/f", "60");
	expect_eq(open_list(), 0);
	expect_eq(undo_write("/f", "90"), 0);
	undo_close();
	expect(sys_exists("/state"));
	expect_eq(undo_all(), 0);
	undo_close();
	expect(!sys_exists("/state"));
}

/* Later changes are undone before earlier ones. */
ISOLATED(test_order)
{
	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	tree_put("/cg/cgroup.procs", "");
	tree_put("/switches", "");
	expect_eq(cgroup_find(), 0);
	expect_eq(open_list(), 0);
	expect_eq(undo_write_back("/switches", "+memory", "-memory"), 0);
	expect_eq(undo_write_back("/switches", "+cpu", "-cpu"), 0);
	expect_file("/switches", "+cpu");
	expect_eq(undo_make_group("/g"), 0);
	expect_eq(undo_make_group("/g/h"), 0);
	expect_eq(undo_count(), 4);
	expect(sys_exists("/cg/g/h"));
	/* An entry reuses a free place of the list; the order of undoing is still by time. */
	expect_eq(undo_remove_group("/g/h"), 0);
	expect_eq(undo_remove_group("/g"), 0);
	tree_put("/a", "1");
	expect_eq(undo_make_group("/g"), 0);
	expect_eq(undo_write("/a", "2"), 0);
	expect_eq(undo_make_group("/g/h"), 0);
	expect_eq(undo_all(), 0);
	expect_file("/switches", "-memory");
	expect_file("/a", "1");
	expect(!sys_exists("/cg/g"));
	expect_eq(undo_count(), 0);
}

ISOLATED(test_group)
{
	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	tree_put("/cg/cgroup.procs", "");
	tree_mkdir("/cg/there");
	expect_eq(cgroup_find(), 0);
	expect_eq(open_list(), 0);
	/* A group that existed before stays. */
	expect_eq(undo_make_group("/there"), 0);
	expect_eq(undo_count(), 0);
	expect_eq(undo_remove_group("/there"), 0);
	expect(sys_exists("/cg/there"));
	expect_eq(undo_make_group("/g"), 0);
	expect_eq(undo_make_group("/g"), 0);
	expect_eq(undo_count(), 1);
	/* Another process has removed the group. */
	expect_eq(sys_rmdir("/cg/g"), 0);
	expect_eq(undo_remove_group("/g"), 0);
	expect_eq(undo_count(), 0);
	expect_eq(undo_make_group("/no/g"), -ENOENT);
	expect_eq(undo_count(), 0);
	/* A group that cannot be removed stays in the list. */
	expect_eq(undo_make_group("/g"), 0);
	tree_put("/cg/g/file", "");
	expect_eq(undo_remove_group("/g"), -ENOTEMPTY);
	expect_eq(undo_all(), 1);
	expect_eq(undo_count(), 1);
	remove(tree_path("/cg/g/file"));
	expect_eq(undo_all(), 0);
	expect_eq(undo_count(), 0);
}

ISOLATED(test_gone)
{
	tree_put("/a", "1");
	tree_put("/b", "2");
	tree_put("/d", "4");
	expect_eq(open_list(), 0);
	expect_eq(undo_write("/a", "x"), 0);
	expect_eq(undo_write("/b", "x"), 0);
	expect_eq(undo_write("/d", "x"), 0);
	remove(tree_path("/a"));
	remove(tree_path("/d"));
	tree_mkdir("/d");
	/* After a failure the rest is undone all the same, and the failed entry is tried again. */
	expect_eq(undo_all(), 1);
	expect_file("/b", "2");
	expect_eq(undo_count(), 1);
	rmdir(tree_path("/d"));
	tree_put("/d", "x");
	expect_eq(undo_all(), 0);
	expect_file("/d", "4");
	expect_eq(undo_count(), 0);
}

ISOLATED(test_contents)
{
	char text[80];

	expect_eq(open_list(), 0);
	snprintf(text, sizeof(text), "%061d\n", 7);
	tree_put("/f", text);
	text[61] = '\0';
	expect_eq(undo_write("/f", "1"), 0);
	expect_eq(undo_all(), 0);
	expect_file("/f", text);
	snprintf(text, sizeof(text), "%063d", 7);
	tree_put("/f", text);
	expect_eq(undo_write("/f", "1"), -EINVAL);
	expect_file("/f", text);
	tree_put("/f", "");
	expect_eq(undo_write("/f", "1"), 0);
	expect_eq(undo_all(), 0);
	expect_file("/f", "");
	expect_eq(undo_count(), 0);
}

/* A file of two lines is refused or put back; the list takes just one short line. */
ISOLATED(test_two_lines)
{
	expect_eq(open_list(), 0);
	tree_put("/f", "1\n2\n");
	if (!undo_write("/f", "7"))
		undo_all();
	expect_file("/f", "1\n2\n");
}

/* Too long a path or value for the list is refused, or put back right. */
ISOLATED(test_overlong)
{
	char path[800], back[81];

	expect_eq(open_list(), 0);
	snprintf(path, sizeof(path), "/%0200d/%0200d/%0200d", 1, 2, 3);
	tree_put(path, "1");
	if (!undo_write(path, "2"))
		undo_all();
	expect_file(path, "1");
	tree_put("/f", "old");
	snprintf(back, sizeof(back), "%080d", 7);
	if (!undo_write_back("/f", "new", back)) {
		undo_all();
		expect_file("/f", back);
	} else {
		expect_file("/f", "old");
	}
	expect_eq(undo_count(), 0);
}

/* To set a switch again adds no second entry. */
ISOLATED(test_switches)
{
	int i;

	tree_put("/f", "");
	expect_eq(open_list(), 0);
	for (i = 0; i < 3; i++) {
		expect_eq(undo_write_back("/f", "+memory", "-memory"), 0);
		expect_eq(undo_write_back("/f", "+cpu", "-cpu"), 0);
	}
	expect_eq(undo_count(), 2);
	expect_eq(undo_all(), 0);
	expect_file("/f", "-memory");
}

ISOLATED(test_full)
{
	struct proc_id id;
	pid_t pid = helper();
	char path[32];
	int i;

	sys_set_root("");
	id = id_of(pid);
	sys_set_root(tree);
	tree_put("/proc/self/mounts", "none /cg cgroup2 rw 0 0\n");
	tree_mkdir("/cg");
	expect_eq(cgroup_find(), 0);
	expect_eq(open_list(), 0);
	for (i = 0; i <= UNDO_MAX; i++) {
		snprintf(path, sizeof(path), "/f%d", i);
		tree_put(path, "old");
		expect_eq(undo_write(path, "new"), i < UNDO_MAX ? 0 : -ENOSPC);
	}
	expect_eq(undo_count(), UNDO_MAX);
	expect_file(path, "old");
	expect_eq(undo_make_group("/g"), -ENOSPC);
	expect(!sys_exists("/cg/g"));
	expect_eq(undo_stop(id), -ENOSPC);
	sys_set_root("");
	expect(becomes(pid, false));
	sys_set_root(tree);
	expect_eq(undo_write("/f7", "newer"), 0);
	expect_eq(undo_rewrite("/f7"), 0);
	expect_eq(undo_write(path, "new"), 0);
	expect_eq(undo_all(), 0);
	for (i = 0; i <= UNDO_MAX; i++) {
		snprintf(path, sizeof(path), "/f%d", i);
		expect_file(path, "old");
	}
	end_helper(pid);
}

/* Processes are looked up in the real /proc. */
static void real_proc(void)
{
	expect_eq(symlink("/proc", tree_path("/proc")), 0);
}

ISOLATED(test_stop)
{
	pid_t pid = helper(), second = helper();
	struct proc_id id;

	real_proc();
	id = id_of(pid);
	expect_eq(open_list(), 0);
	expect_eq(undo_stop(id), 0);
	expect(becomes(pid, true));
	expect_eq(undo_stop(id), 0);
	expect_eq(undo_count(), 1);
	expect_eq(undo_stop(id_of(second)), 0);
	expect_eq(undo_cont(id), 0);
	expect(becomes(pid, false));
	expect(becomes(second, true));
	expect_eq(undo_count(), 1);
	expect_eq(undo_cont(id), 0);
	expect_eq(undo_stop(id), 0);
	expect_eq(undo_cont_all(), 0);
	expect(becomes(pid, false) && becomes(second, false));
	expect_eq(undo_count(), 0);
	expect_eq(undo_stop(id), 0);
	expect(becomes(pid, true));
	expect_eq(undo_all(), 0);
	expect(becomes(pid, false));
	end_helper(pid);
	end_helper(second);
}

/* No signal goes to a process that has ended, nor to a later one with its id. */
ISOLATED(test_ended)
{
	pid_t pid = helper();
	struct proc_id id, other;
	siginfo_t info;

	real_proc();
	id = id_of(pid);
	other = (struct proc_id){ pid, id.start + 1 };
	expect_eq(open_list(), 0);
	expect_eq(undo_stop(other), -ESRCH);
	expect_eq(undo_cont(other), 0);
	expect(becomes(pid, false));
	expect_eq(undo_count(), 0);
	expect_eq(undo_stop(id), 0);
	expect(becomes(pid, true));
	expect_eq(undo_cont(other), 0);
	expect(becomes(pid, true));
	kill(pid, SIGKILL);
	expect_eq(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	/* The process is a zombie now. */
	expect_eq(undo_cont(id), 0);
	expect_eq(undo_count(), 0);
	expect_eq(undo_stop(id), -ESRCH);
	waitpid(pid, NULL, 0);
	expect_eq(undo_stop(id), -ESRCH);
	expect_eq(undo_count(), 0);
}

/* A process that was stopped before, not by us, stays stopped. */
ISOLATED(test_stopped_before)
{
	pid_t pid = helper();
	struct proc_id id;

	real_proc();
	id = id_of(pid);
	expect_eq(open_list(), 0);
	kill(pid, SIGSTOP);
	expect(becomes(pid, true));
	undo_stop(id);
	undo_cont(id);
	sleep_ms(20);
	expect(becomes(pid, true));
	end_helper(pid);
}

/*
 * Programs that were stopped or frozen for too long go on. The entries stay until the daemon, which
 * is late, ends the stop itself.
 */
ISOLATED(test_expire)
{
	pid_t pid = helper(), free = helper();
	unsigned int n = 0;

	real_proc();
	tree_put("/cg/cgroup.freeze", "0");
	tree_put("/f", "1");
	expect_eq(open_list(), 0);
	/* A stop without a limit. */
	expect_eq(undo_stop(id_of(free)), 0);
	undo_hold_most(60000);
	expect_eq(undo_stop(id_of(pid)), 0);
	expect_eq(undo_write("/f", "2"), 0);
	expect(undo_expire(&n) <= 60001);
	expect_eq(n, 0);
	expect_eq(undo_cont(id_of(pid)), 0);
	expect_eq(undo_expire(&n), UINT_MAX);
	undo_hold_most(20);
	expect_eq(undo_stop(id_of(pid)), 0);
	expect_eq(undo_write("/cg/cgroup.freeze", "1"), 0);
	expect(becomes(pid, true));
	sleep_ms(40);
	expect_eq(undo_expire(&n), UINT_MAX);
	expect_eq(n, 2);
	expect(becomes(pid, false));
	expect_file("/cg/cgroup.freeze", "0");
	expect_file("/f", "2");
	expect(becomes(free, true));
	undo_expire(&n);
	expect_eq(n, 0);
	/* Frozen again without a rewrite in between: the limit holds again. */
	expect_eq(undo_write("/cg/cgroup.freeze", "1"), 0);
	expect(undo_expire(&n) <= 21);
	sleep_ms(40);
	undo_expire(&n);
	expect_eq(n, 1);
	expect_file("/cg/cgroup.freeze", "0");
	/* A stop after the end of the last one has its own limit. */
	expect_eq(undo_count(), 4);
	expect_eq(undo_cont(id_of(pid)), 0);
	expect_eq(undo_rewrite("/cg/cgroup.freeze"), 0);
	expect_eq(undo_stop(id_of(pid)), 0);
	expect(undo_expire(&n) <= 21);
	expect_eq(undo_all(), 0);
	expect_eq(undo_expire(&n), UINT_MAX);
	expect_eq(n, 0);
	end_helper(pid);
	end_helper(free);
}

/* files_left() - leave @n free descriptors */
static void files_left(int n)
{
	int last[8], fd, i = 0;

	while ((fd = dup(0)) >= 0)
		last[i++ % 8] = fd;
	while (n--)
		close(last[--i % 8]);
}

/* If /proc/PID cannot be read for want of descriptors, the process does not count as ended. */
ISOLATED(test_no_files)
{
	struct rlimit limit = { 64, 64 };
	pid_t pid = helper();
	struct proc_id id;
	int fd;

	real_proc();
	id = id_of(pid);
	expect_eq(open_list(), 0);
	expect_eq(undo_stop(id), 0);
	expect(becomes(pid, true));
	setrlimit(RLIMIT_NOFILE, &limit);
	files_left(1);
	undo_forget_ended();
	expect_eq(undo_count(), 1);
	expect(undo_cont(id) < 0);
	expect_eq(undo_count(), 1);
	for (fd = 20; fd < 40; fd++)
		close(fd);
	expect_eq(undo_cont(id), 0);
	if (!expect(becomes(pid, false)))
		tap_note("the process is stopped for ever");
	end_helper(pid);
}

static void put_process(pid_t pid, unsigned int start, const char *score)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (app) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 %u 8192 1 1 1\n", pid, start);
	tree_put(path, text);
	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", pid);
	tree_put(path, score);
}

ISOLATED(test_process_file)
{
	struct proc_id id = { 500, 10 }, ended = { 501, 11 };

	put_process(500, 10, "5\n");
	put_process(501, 11, "6\n");
	expect_eq(open_list(), 0);
	expect_eq(undo_write_proc(id, "oom_score_adj", "-1000", NULL), 0);
	expect_eq(undo_write_proc(ended, "oom_score_adj", "-1000", NULL), 0);
	expect_eq(undo_write_proc(id, "none", "1", NULL), -ENOENT);
	expect_eq(undo_write_proc((struct proc_id){ 500, 9 }, "oom_score_adj", "1", NULL), -ESRCH);
	expect_eq(undo_write_proc((struct proc_id){ 502, 9 }, "oom_score_adj", "1", NULL), -ENOENT);
	expect_file("/proc/500/oom_score_adj", "-1000");
	expect_eq(undo_count(), 2);
	undo_forget_ended();
	expect_eq(undo_count(), 2);
	/* Another process has got the id, and is left alone. */
	put_process(501, 20, "7\n");
	undo_forget_ended();
	expect_eq(undo_count(), 1);
	expect_eq(undo_all(), 0);
	expect_file("/proc/500/oom_score_adj", "5");
	expect_file("/proc/501/oom_score_adj", "7\n");
}

/* The next process with the same id gets its own first value back. */
ISOLATED(test_process_next)
{
	put_process(500, 10, "5\n");
	expect_eq(open_list(), 0);
	expect_eq(undo_write_proc((struct proc_id){ 500, 10 }, "oom_score_adj", "-1000", NULL), 0);
	put_process(500, 20, "7\n");
	expect_eq(undo_write_proc((struct proc_id){ 500, 20 }, "oom_score_adj", "-1000", NULL), 0);
	expect_eq(undo_all(), 0);
	expect_file("/proc/500/oom_score_adj", "7");
}

/* Stopped processes are continued first, because other entries may take long. */
ISOLATED(test_first_things)
{
	pid_t pid = helper(), undoer;
	struct proc_id id;
	int fd;

	real_proc();
	id = id_of(pid);
	tree_put("/slow", "1");
	expect_eq(open_list(), 0);
	expect_eq(undo_stop(id), 0);
	expect_eq(undo_write("/slow", "2"), 0);
	expect(becomes(pid, true));
	remove(tree_path("/slow"));
	expect_eq(mkfifo(tree_path("/slow"), 0600), 0);
	undoer = fork();
	if (!undoer) {
		alarm(CHILD_SECONDS);
		_exit(undo_all());
	}
	/* The write waits for a reader of the pipe; the process goes on before that. */
	expect(becomes(pid, false));
	fd = open(tree_path("/slow"), O_RDONLY);
	waitpid(undoer, NULL, 0);
	close(fd);
	expect_eq(undo_count(), 0);
	end_helper(pid);
}

/* holder() - a process that runs @fn, tells that it is done, and waits to be killed */
static pid_t holder(void (*fn)(void))
{
	int ends[2];
	pid_t pid;
	char byte;

	expect_eq(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		fn();
		if (tap.bad || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	expect_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static pid_t held;

static void hold(void)
{
	expect_eq(open_list(), 0);
	expect_eq(undo_write("/f", "90"), 0);
	expect_eq(undo_write("/g", "0"), 0);
	expect_eq(undo_stop(id_of(held)), 0);
}

ISOLATED(test_killed)
{
	pid_t pid;

	real_proc();
	held = helper();
	tree_put("/f", "60");
	tree_put("/g", "1");
	pid = holder(hold);
	expect(becomes(held, true));
	expect_file("/f", "90");
	end_helper(pid);
	expect_eq(open_list(), 3);
	expect_file("/f", "60");
	expect_file("/g", "1");
	expect(becomes(held, false));
	expect_eq(undo_count(), 0);
	undo_close();
	expect(!sys_exists("/state"));
	end_helper(held);
}

static void only_open(void)
{
	expect_eq(open_list(), 0);
	expect_eq(undo_write("/f", "90"), 0);
}

ISOLATED(test_second)
{
	pid_t pid;

	tree_put("/f", "60");
	pid = holder(only_open);
	expect_eq(open_list(), -EWOULDBLOCK);
	expect_eq(open_list(), -EWOULDBLOCK);
	/* The refused process has undone nothing, and has nothing to undo. */
	expect_file("/f", "90");
	expect_eq(undo_count(), 0);
	expect_eq(undo_write("/f", "1"), -ENOSPC);
	expect_file("/f", "90");
	undo_close();
	expect(sys_exists("/state"));
	end_helper(pid);
	expect_eq(open_list(), 1);
	expect_file("/f", "60");
}

ISOLATED(test_not_a_list)
{
	static char data[1 << 20];
	struct stat st;

	tree_put("/state", "hello\n");
	expect_eq(open_list(), -EINVAL);
	expect_file("/state", "hello\n");
	remove(tree_path("/state"));
	expect_eq(open_list(), 0);
	expect_eq(stat(tree_path("/state"), &st), 0);
	expect_eq(st.st_mode & 0777, 0600);
	remove(tree_path("/state"));
	memset(data, 'x', sizeof(data));
	tree_put_bytes("/state", data, st.st_size);
	expect_eq(open_list(), -EINVAL);
	remove(tree_path("/state"));
	expect_eq(symlink("/etc/hostname", tree_path("/state")), 0);
	expect_eq(open_list(), -ELOOP);
	expect_eq(undo_open("/no/such/directory/state"), -ENOENT);
}

/* The list of a process that was killed between making the file and filling it in. */
ISOLATED(test_unborn)
{
	static char data[1 << 20];
	struct stat st;

	expect_eq(open_list(), 0);
	expect_eq(stat(tree_path("/state"), &st), 0);
	remove(tree_path("/state"));
	tree_put_bytes("/state", data, st.st_size);
	expect_eq(open_list(), 0);
}

static void busy(void)
{
	char path[16];
	unsigned int i;

	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "/%u", i % 5);
		undo_write(path, "new");
		if (i % 7 == 0)
			undo_rewrite(path);
		if (i % 11 == 0)
			undo_stop(id_of(held));
		if (i % 13 == 0)
			undo_cont(id_of(held));
		if (i % 97 == 0)
			undo_all();
	}
}

static void look_after(void)
{
	char path[16];
	int i;

	expect(open_list() >= 0);
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		expect_file(path, "old");
	}
	expect(becomes(held, false));
	undo_close();
}

static void kill_busy(unsigned int after_us)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (open_list() < 0)
			_exit(1);
		busy();
	}
	usleep(after_us);
	end_helper(pid);
	in_child(look_after);
}

/* Killed at a random moment amid changes: the next process undoes all of them. */
ISOLATED(test_killed_anywhere)
{
	unsigned int rounds = quick() ? 10 : 60, i;
	char path[16];

	real_proc();
	held = helper();
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/%u", i);
		tree_put(path, "old");
	}
	for (i = 0; i < rounds && !tap.bad; i++)
		kill_busy(random_below(20000));
	end_helper(held);
}

/* A guardian that is late does not remove the next daemon's list. */
ISOLATED(test_close_late)
{
	expect_eq(open_list(), 0);
	expect_eq(unlink(tree_path("/state")), 0);
	tree_put("/state", "of the next one");
	undo_close();
	expect(sys_exists("/state"));
}

/* If entries of process files fill their part of the list, stops and knobs still have room. */
ISOLATED(test_room)
{
	char path[64], stat[256];
	pid_t pid;

	expect_eq(open_list(), 0);
	tree_put("/knob", "old");
	for (pid = 1000; pid < 1000 + 300; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", pid);
		tree_put(path, "0");
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		snprintf(stat, sizeof(stat),
			 "%d (app) S 1 1 1 0 -1 0 1 0 7 0 1 3 0 0 20 0 1 0 10 8192 1 1 1\n", pid);
		tree_put(path, stat);
		expect_eq(undo_write_proc((struct proc_id){ pid, 10 }, "oom_score_adj", "5", NULL),
			  pid < 1000 + UNDO_FILES_MAX ? 0 : -ENOSPC);
	}
	expect_eq(undo_write("/knob", "new"), 0);
	sys_set_root("");
	pid = helper();
	expect_eq(undo_stop(id_of(pid)), 0);
	expect(becomes(pid, true));
	expect_eq(undo_cont(id_of(pid)), 0);
	sys_set_root(tree);
	expect_eq(undo_rewrite_proc((struct proc_id){ 1000, 10 }, "oom_score_adj"), 0);
	expect_file("/proc/1000/oom_score_adj", "0");
	expect_eq(undo_all(), 0);
	expect_file("/knob", "old");
}

static const struct tap_case cases[] = {
	{ "a file is changed twice, and put back", test_change },
	{ "a list that is not empty stays", test_close },
	{ "the next daemon's list stays", test_close_late },
	{ "the last change is undone first", test_order },
	{ "groups are made and removed", test_group },
	{ "files that are gone, and changes that cannot be undone", test_gone },
	{ "short lines only", test_contents },
	{ "not two short lines", test_two_lines },
	{ "long paths and values", test_overlong },
	{ "switches", test_switches },
	{ "the list is full", test_full },
	{ "many processes leave room", test_room },
	{ "processes are stopped and go on", test_stop },
	{ "a process that has ended is never signalled", test_ended },
	{ "a process that was stopped before stays stopped", test_stopped_before },
	{ "programs are stopped for a limited time", test_expire },
	{ "no descriptors left", test_no_files },
	{ "files of processes", test_process_file },
	{ "files of processes with the same id", test_process_next },
	{ "processes go on before anything else", test_first_things },
	{ "the next process undoes the changes of a killed one", test_killed },
	{ "a second process is refused", test_second },
	{ "files that are no list", test_not_a_list },
	{ "a list that was just being made", test_unborn },
	{ "killed at any moment", test_killed_anywhere },
};

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Do not show the log: changes that cannot be undone are part of the tests. */
	if (!getenv("NOISY") && null >= 0)
		dup2(null, STDERR_FILENO);
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("undo", cases, ARRAY_SIZE(cases), argc, argv);
}
