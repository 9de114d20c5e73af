// SPDX-License-Identifier: GPL-2.0
/*
 * A pass over the processes of a directory that stands for /proc: which ones are protected, and
 * which one is the victim.
 */
#include <errno.h>
#include "aside.h"
#include "check.h"
#include "processes.h"
#include "tree.h"

static struct config config;
static struct scan scan;
static char message[CONF_MESSAGE];

static void set(const char *option)
{
	if (conf_set_option(config_keys, &config, option, message)) {
		tap.bad++;
		tap_note("%s", message);
	}
}

static void put(pid_t pid, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	tree_put(path, text);
}

static void put_threads(pid_t pid, const char *comm, char state, unsigned int flags,
			unsigned int threads, u64 start)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "%d (%s) %c 1 1 1 0 -1 %u 1 0 7 0 1 3 0 0 20 0 %u 0 %llu 8192 1 1 1\n",
		 pid, comm, state, flags, threads, start);
	put(pid, "stat", text);
}

static void put_stat(pid_t pid, const char *comm, char state, unsigned int flags, u64 start)
{
	put_threads(pid, comm, state, flags, 1, start);
}

/* put_process() - all files of a usual process */
static void put_process(pid_t pid, const char *comm, const char *cgroup, unsigned int uid,
			unsigned int score)
{
	char text[512];

	put_stat(pid, comm, 'S', 4194304, 1000 + pid);
	snprintf(text, sizeof(text), "4:memory:/v1\n0::%s\n", cgroup);
	put(pid, "cgroup", text);
	snprintf(text, sizeof(text), "Name:\t%s\nUmask:\t0022\nUid:\t%u\t0\t0\t0\nGid:\t0\t0\t0\t0\n",
		 comm, uid);
	put(pid, "status", text);
	snprintf(text, sizeof(text), "%u\n", score);
	put(pid, "oom_score", text);
}

static void remove_process(pid_t pid)
{
	static const char *const files[] = { "stat", "cgroup", "status", "oom_score", "oom_score_adj", "" };
	char path[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		remove(tree_path(path));
	}
}

static void begin(void)
{
	tree_make();
	tree_put("/proc/meminfo", "");
	conf_presets(config_keys, &config);
	set("protect.name=app");
	put_process(1, "init", "/", 0, 2000);
	put_stat(2, "kthreadd", 'S', PROC_KTHREAD, 14);
	put_process(100, "app", "/", 0, 1999);
	put_process(200, "hog", "/user.slice", 1000, 900);
	put_process(201, "hog2", "/user.slice", 1000, 950);
}

static void look(void)
{
	expect_eq(scan_all(&config, &scan, NULL, NULL), 0);
}

static bool protects(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < scan.n_protected; i++) {
		if (scan.protected[i].pid == pid)
			return scan.protected[i].start == 1000ULL + pid;
	}
	return false;
}

static void test_victim(void)
{
	begin();
	look();
	expect_eq(scan.n_protected, 1);
	expect(protects(100));
	expect_eq(scan.n_others, 2);
	expect_eq(scan.victim.id.pid, 201);
	expect_eq(scan.victim.id.start, 1201);
	expect_eq(scan.victim.score, 950);
	expect_text(scan.victim.name, "hog2");
	set("others.touch_name=hog");
	look();
	expect_eq(scan.n_others, 1);
	expect_eq(scan.victim.id.pid, 200);
	set("others.never_cgroup=/user.slice");
	look();
	expect_eq(scan.n_others, 0);
	expect_eq(scan.victim.id.pid, 0);
	tree_remove();
	expect_eq(scan.n_lost, 0);
}

/* A user can raise the OOM score of a small program; the large one is still the victim. */
static void test_decoy(void)
{
	begin();
	put_process(300, "decoy", "/user.slice", 1000, 1334);
	put(300, "oom_score_adj", "1000\n");
	look();
	expect_eq(scan.victim.id.pid, 201);
	/* A lowered score counts, because only root can lower it. */
	put(201, "oom_score_adj", "-500\n");
	put(201, "oom_score", "617\n");
	look();
	expect_eq(scan.victim.id.pid, 200);
	tree_remove();
}

/* A user's program with the name of latd's control tool is not left alone. */
static void test_false_tool(void)
{
	begin();
	put_process(300, "latdctl", "/user.slice", 1000, 1334);
	look();
	expect_eq(scan.n_others, 3);
	expect_eq(scan.victim.id.pid, 300);
	tree_remove();
}

/* A program whose first thread has ended has state Z, but its other threads run. */
static void test_first_thread(void)
{
	begin();
	put_process(300, "threads", "/user.slice", 1000, 1334);
	put_threads(300, "threads", 'Z', 0, 2, 1300);
	look();
	expect_eq(scan.n_others, 3);
	expect_eq(scan.victim.id.pid, 300);
	expect(proc_alive(scan.victim.id));
	put_threads(300, "threads", 'Z', 0, 1, 1300);
	expect(!proc_alive(scan.victim.id));
	look();
	expect_eq(scan.n_others, 2);
	tree_remove();
}

/* The kernel refuses to print a very long group. Here the open fails instead of the read. */
static void test_long_group(void)
{
	char name[300];

	begin();
	put_process(300, "deep", "/", 1000, 1334);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	expect_eq(remove(tree_path("/proc/300/cgroup")), 0);
	expect_eq(symlink(name, tree_path("/proc/300/cgroup")), 0);
	look();
	expect_eq(scan.n_others, 3);
	expect_eq(scan.victim.id.pid, 300);
	tree_remove();
}

/*
 * latd must not stop its own helper: it would then blame the program that the helper is reading.
 */
static void test_helper(void)
{
	begin();
	expect_eq(aside_start(), 0);
	put_process(aside_pid(), "aside", "/", 0, 1334);
	look();
	expect_eq(scan.n_others, 2);
	expect_eq(scan.victim.id.pid, 201);
	aside_stop();
	tree_remove();
}

/* Programs that must not be touched are no victims, though they have the highest scores. */
static void test_not_these(void)
{
	begin();
	set("protect.cgroup=/kept");
	set("protect.unit=kept.service");
	set("others.never_user=78");
	put_process(300, "a", "/kept/below", 0, 1990);
	put_process(301, "b", "/system.slice/kept.service", 0, 1991);
	put_process(302, "app", "/", 0, 1992);
	put_process(303, "d", "/", 78, 1993);
	put_process(304, "sshd", "/", 0, 1994);
	put_process(305, "latdctl", "/", 0, 1995);
	put_process(306, "zombie", "/", 0, 1996);
	put_stat(306, "zombie", 'Z', 0, 1306);
	put_process(307, "kernel", "/", 0, 1997);
	put_stat(307, "kernel", 'I', PROC_KTHREAD, 1307);
	put_process(getpid(), "latd", "/", 0, 1998);
	look();
	expect_eq(scan.n_protected, 4);
	expect(protects(100) && protects(300) && protects(301) && protects(302));
	expect_eq(scan.n_others, 2);
	expect_eq(scan.victim.id.pid, 201);
	tree_remove();
}

/* A process may end during the pass, so files may be missing or cut. */
static void test_half_there(void)
{
	begin();
	/* With a never_unit, processes with an unreadable group would be left alone. */
	config.others.never.unit[0] = '\0';
	tree_mkdir("/proc/400");
	put(401, "stat", "401 (half");
	put(402, "stat", "");
	put_stat(403, "no files", 'S', 0, 1403);
	put_process(404, "no score", "/", 0, 0);
	put(404, "oom_score", "much\n");
	put_process(405, "strange ) S (", "/", 0, 960);
	put(405, "status", "Name:\tUid: 0 0 0 0\n");
	put(405, "cgroup", "");
	look();
	expect_eq(scan.n_others, 5);
	expect_eq(scan.victim.id.pid, 405);
	expect_text(scan.victim.name, "strange ) S (");
	put_process(405, "strange", "/", 0, 0);
	remove_process(200);
	remove_process(201);
	remove_process(404);
	remove_process(403);
	look();
	/* The only other process is the victim, even with a score of 0. */
	expect_eq(scan.n_others, 1);
	expect_eq(scan.victim.id.pid, 405);
	expect_eq(scan.victim.score, 0);
	tree_remove();
	expect_eq(scan_all(&config, &scan, NULL, NULL), 0);
}

static struct {
	unsigned int n[3];
	pid_t last;
} seen;

static bool see(enum role role, const struct candidate *process, void *arg)
{
	expect(arg == &seen);
	expect(role != ROLE_PROTECTED || process->stat.pid == 100);
	seen.n[role]++;
	seen.last = process->stat.pid;
	return process->stat.pid == 200;
}

/* put_child() - a process with this parent */
static void put_child(pid_t pid, pid_t parent, const char *comm)
{
	char text[256];

	put_process(pid, comm, "/", 0, 1);
	snprintf(text, sizeof(text),
		 "%d (%s) S %d 1 1 0 -1 4194304 1 0 7 0 1 3 0 0 20 0 1 0 %d 8192 1 1 1\n", pid,
		 comm, parent, 1000 + pid);
	put(pid, "stat", text);
}

/* Children of protected programs are protected, too, whatever their names and ids are. */
static void test_children(void)
{
	begin();
	put_child(101, 100, "worker");
	put_child(102, 101, "other");
	put_child(50, 100, "early");
	put_child(103, 1, "orphan");
	put_child(104, 100, "sshd");
	/* If the pass sees a parent after its child, the next pass protects the child. */
	look();
	look();
	look();
	expect(protects(100) && protects(101) && protects(102) && protects(50));
	expect(!protects(103) && !protects(104));
	expect_eq(scan.n_protected, 4);
	/* Another process has got the parent's id. */
	remove_process(100);
	put_process(100, "new", "/", 0, 1);
	put_stat(100, "new", 'S', 0, 77);
	look();
	look();
	look();
	expect(!protects(100) && !protects(101) && !protects(102) && !protects(50));
	remove_process(100);
	put_process(100, "app", "/", 0, 1);
	set("protect.children=no");
	look();
	expect_eq(scan.n_protected, 1);
	tree_remove();
}

static void test_function(void)
{
	begin();
	memset(&seen, 0, sizeof(seen));
	expect_eq(scan_all(&config, &scan, see, &seen), 0);
	expect_eq(seen.n[ROLE_PROTECTED], 1);
	expect_eq(seen.n[ROLE_OTHER], 2);
	/* see() says that a group holds process 200, so only 201 is loose. */
	expect_eq(scan.n_others, 2);
	expect_eq(scan.n_loose, 1);
	expect_eq(scan.loose.id.pid, 201);
	memset(&seen, 0, sizeof(seen));
	scan_one(&config, &scan, 1, see, &seen);
	scan_one(&config, &scan, 2, see, &seen);
	scan_one(&config, &scan, 999, see, &seen);
	scan_one(&config, &scan, getpid(), see, &seen);
	expect_eq(seen.n[ROLE_PROTECTED] + seen.n[ROLE_OTHER], 0);
	scan_one(&config, &scan, 100, see, &seen);
	expect_eq(seen.n[ROLE_PROTECTED], 1);
	scan_one(&config, &scan, 200, see, &seen);
	expect_eq(seen.n[ROLE_OTHER], 1);
	expect_eq(seen.last, 200);
	tree_remove();
}

static void test_many(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < SCAN_PROTECTED + 5; i++)
		put_process((getpid() < 5000 ? 9000 : 1000) + i, "app", "/", 0, 5);
	look();
	expect_eq(scan.n_protected, SCAN_PROTECTED);
	expect_eq(scan.n_lost, 6);
	expect_eq(scan.n_others, 2);
	expect_eq(scan.victim.id.pid, 201);
	tree_remove();
}

static void test_protect(void)
{
	begin();
	expect_eq(scan_protect(999), -ESRCH);
	expect_eq(scan_protect(1), -EPERM);
	expect_eq(scan_protect(2), -EPERM);
	expect_eq(scan_release(201), -ESRCH);
	expect_eq(scan_release(0), -ESRCH);
	expect_eq(scan_protect(201), 0);
	expect_eq(scan_protect(201), 0);
	look();
	expect_eq(scan.n_protected, 2);
	expect(protects(201));
	expect_eq(scan.victim.id.pid, 200);
	/* A new process with the same id is not protected. */
	put_stat(201, "hog2", 'S', 0, 5555);
	look();
	expect_eq(scan.n_protected, 1);
	expect_eq(scan.victim.id.pid, 201);
	put_stat(201, "hog2", 'S', 0, 1201);
	expect_eq(scan_release(201), 0);
	expect_eq(scan_release(201), -ESRCH);
	look();
	expect_eq(scan.n_protected, 1);
	expect_eq(scan.victim.id.pid, 201);
	tree_remove();
}

/* A process protected by the control tool may also be one that the lists leave alone. */
static void test_protect_left(void)
{
	begin();
	set("others.touch_name=hog2");
	put_process(304, "sshd", "/", 0, 5);
	put_process(306, "zombie", "/", 0, 5);
	expect_eq(scan_protect(200), 0);
	expect_eq(scan_protect(304), 0);
	expect_eq(scan_protect(306), 0);
	put_stat(306, "zombie", 'Z', 0, 1306);
	look();
	expect_eq(scan.n_protected, 3);
	expect(protects(200) && protects(304));
	expect_eq(scan_release(200) || scan_release(304) || scan_release(306), 0);
	tree_remove();
}

/* Places of ended processes are free again. */
static void test_protect_many(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < SCAN_PROTECTED; i++) {
		put_process(1000 + i, "job", "/", 0, 5);
		expect_eq(scan_protect(1000 + i), 0);
	}
	expect_eq(scan_protect(200), -ENOSPC);
	for (i = 0; i < SCAN_PROTECTED; i++)
		remove_process(1000 + i);
	expect_eq(scan_protect(200), 0);
	for (i = 0; i < SCAN_PROTECTED; i++)
		scan_release(1000 + i);
	scan_release(200);
	tree_remove();
}

/* If an id is used again, the living process is released, not the one that has ended. */
static void test_release_next(void)
{
	begin();
	expect_eq(scan_protect(200), 0);
	put_stat(200, "hog", 'S', 0, 7777);
	expect_eq(scan_protect(200), 0);
	expect_eq(scan_release(200), 0);
	look();
	expect_eq(scan.n_protected, 1);
	tree_remove();
}

static char said[256];

static void say(const char *name, const char *like, pid_t pid)
{
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s: %s[%d];", name, like, pid);
}

/* If a name of the list is just the beginning of a running program's, the user is told. */
static void test_names(void)
{
	tree_make();
	conf_presets(config_keys, &config);
	put_process(300, "nginx", "/", 0, 1);
	put_process(301, "nginx-worker", "/", 0, 1);
	put_process(302, "redis-server", "/", 101, 1);
	put_process(303, "xterm", "/", 0, 1);
	put_stat(304, "kworker", 'I', PROC_KTHREAD, 1304);
	set("protect.name=nginx redis x kwork mysqld");
	said[0] = '\0';
	check_names(&config, say);
	expect_text(said, "redis: redis-server[302];");
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "the victim has the highest score of the others", test_victim },
	{ "the victim is one of the others", test_not_these },
	{ "the victim is no small program with a raised score", test_decoy },
	{ "a program does not escape by the name of latdctl", test_false_tool },
	{ "a program does not escape by the end of its first thread", test_first_thread },
	{ "a program does not escape by a group with a very long path", test_long_group },
	{ "latd's helper is left alone", test_helper },
	{ "processes with missing or cut files", test_half_there },
	{ "children of a protected program", test_children },
	{ "a function is called for each process", test_function },
	{ "too many protected processes", test_many },
	{ "protected by the control tool", test_protect },
	{ "protected by the control tool, though left alone", test_protect_left },
	{ "protected by the control tool, one after the other", test_protect_many },
	{ "released by the control tool", test_release_next },
	{ "names that are the beginning of a running program's", test_names },
};

int main(int argc, char **argv)
{
	return tap_main("processes", cases, ARRAY_SIZE(cases), argc, argv);
}
