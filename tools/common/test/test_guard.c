// SPDX-License-Identifier: GPL-2.0
/*
 * After a daemon was killed, its guardian undoes the daemon's changes.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "control.h"
#include "guard.h"
#include "log.h"
#include "notify.h"
#include "tree.h"
#include "undo.h"

/* The guardian needs up to a second; two more for a busy machine. */
#define RESTORED_MS 3000
#define PATIENCE_MS 20000

/* Results of the daemon, in shared memory. */
static struct report {
	pid_t guardian;
	bool good;
} *report;
static int ready[2];
static pid_t victim;

static char state_of(pid_t pid)
{
	struct proc_stat stat;

	return proc_read(pid, &stat) ? '-' : stat.state;
}

static bool within(bool (*what)(void), unsigned int ms)
{
	u64 begun = now_ms();

	while (!what()) {
		if (now_ms() - begun > PATIENCE_MS)
			return false;
		sleep_ms(2);
	}
	if (now_ms() - begun <= ms)
		return true;
	tap_note("it took %llu ms", now_ms() - begun);
	return false;
}

static bool is_stopped(void)
{
	return state_of(victim) == 'T';
}

static bool holds(const char *path, const char *want)
{
	char text[32];

	return sys_read(path, text, sizeof(text)) >= 0 && !strcmp(text, want);
}

static bool restored(void)
{
	return holds("/a", "1") && holds("/b", "2") && state_of(victim) == 'S' &&
	       !sys_exists("/state");
}

static bool guardian_ended(void)
{
	char state = state_of(report->guardian);

	return state == '-' || state == 'Z';
}

/* change() - the daemon's changes before it is killed */
static bool change(void)
{
	struct proc_stat stat;

	return !proc_read(victim, &stat) &&
	       !undo_stop((struct proc_id){ victim, stat.start }) &&
	       !undo_write("/a", "x") && !undo_write("/b", "y");
}

static void say_ready(bool good)
{
	report->good = good;
	report->guardian = guard_pid();
	if (write(ready[1], "", 1) != 1)
		_exit(1);
}

/* daemon_of() - a process that runs @fn and tells when it is ready */
static pid_t daemon_of(void (*fn)(void))
{
	pid_t pid;
	char byte;

	expect_eq(pipe2(ready, O_CLOEXEC), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(ready[0]);
		setpgid(0, 0);
		fn();
		_exit(0);
	}
	close(ready[1]);
	expect_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	expect(report->good);
	return pid;
}

static void begin(void)
{
	tree_make();
	expect_eq(symlink("/proc", tree_path("/proc")), 0);
	tree_put("/a", "1");
	tree_put("/b", "2");
	fflush(NULL);
	victim = fork();
	if (!victim) {
		alarm(CHILD_SECONDS);
		for (;;)
			pause();
	}
	memset(report, 0, sizeof(*report));
}

static void end(void)
{
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	tree_remove();
}

static void reap(pid_t pid, int sig)
{
	if (sig)
		kill(pid, sig);
	waitpid(pid, NULL, 0);
}

static void wait_for_end(void)
{
	alarm(CHILD_SECONDS);
	for (;;)
		pause();
}

static void live(void)
{
	bool good = undo_open(tree_path("/state")) == 0 && !guard_start() && !guard_gone() &&
		    change();

	say_ready(good);
	wait_for_end();
}

static void test_killed(void)
{
	pid_t pid;

	begin();
	pid = daemon_of(live);
	expect(report->guardian > 0 && report->guardian != pid);
	expect(within(is_stopped, RESTORED_MS));
	expect_file("/a", "x");
	expect_file("/b", "y");
	reap(pid, SIGKILL);
	expect(within(restored, RESTORED_MS));
	expect(within(guardian_ended, RESTORED_MS));
	end();
}

/* settled() - does the guardian have a session of its own by now? */
static bool settled(void)
{
	return getsid(report->guardian) == report->guardian;
}

static void live_at_once(void)
{
	bool good = true;
	int i;

	expect_eq(undo_open(tree_path("/state")), 0);
	for (i = 0; i < 10; i++)
		good = good && !guard_start() && getsid(guard_pid()) == guard_pid();
	say_ready(good);
}

/* From the return of guard_start() on, signals to the daemon's group do not end the guardian. */
static void test_at_once(void)
{
	begin();
	reap(daemon_of(live_at_once), 0);
	end();
}

/* The usual signals and a kill of the daemon's group do not end the guardian. */
static void test_group(void)
{
	static const int usual[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE,
				     SIGABRT };
	unsigned int i;
	pid_t pid;

	begin();
	pid = daemon_of(live);
	expect(within(settled, PATIENCE_MS));
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		kill(report->guardian, usual[i]);
	sleep_ms(20);
	expect(!guardian_ended());
	kill(-pid, SIGKILL);
	reap(pid, 0);
	expect(within(restored, RESTORED_MS));
	end();
}

/* The parent ignored SIGCHLD, which its children inherit. */
static void live_deaf(void)
{
	bool good, gone = false;
	u64 begun;

	signal(SIGCHLD, SIG_IGN);
	good = undo_open(tree_path("/state")) == 0 && !guard_start();
	begun = now_ms();
	kill(guard_pid(), SIGKILL);
	while (!gone && now_ms() - begun < PATIENCE_MS)
		gone = guard_gone();
	say_ready(good && gone);
}

static void test_deaf(void)
{
	begin();
	reap(daemon_of(live_deaf), 0);
	end();
}

static void live_in_order(void)
{
	bool good = undo_open(tree_path("/state")) == 0 && !guard_start() && change();

	undo_all();
	undo_close();
	say_ready(good);
}

static void test_in_order(void)
{
	begin();
	reap(daemon_of(live_in_order), 0);
	expect(within(restored, RESTORED_MS));
	expect(within(guardian_ended, RESTORED_MS));
	end();
}

static void live_with_second_guardian(void)
{
	bool good = undo_open(tree_path("/state")) == 0 && !guard_start();
	pid_t first = guard_pid();
	u64 begun = now_ms();
	bool gone = false;

	kill(first, SIGKILL);
	while (!gone && now_ms() - begun < PATIENCE_MS)
		gone = guard_gone();
	/* guard_gone() reports the end once. */
	good = good && gone && !guard_gone();
	good = good && !guard_start() && guard_pid() != first && !guard_gone() && change();
	say_ready(good);
	wait_for_end();
}

static void test_second_guardian(void)
{
	pid_t pid;

	begin();
	pid = daemon_of(live_with_second_guardian);
	expect(within(is_stopped, RESTORED_MS));
	reap(pid, SIGKILL);
	expect(within(restored, RESTORED_MS));
	end();
}

static void open_after(void)
{
	int n = -EWOULDBLOCK;
	u64 begun = now_ms();

	while (n == -EWOULDBLOCK && now_ms() - begun < PATIENCE_MS) {
		n = undo_open(tree_path("/state"));
		sleep_ms(2);
	}
	expect(n >= 0);
	expect(restored() || sys_exists("/state"));
	expect_file("/a", "1");
	expect_file("/b", "2");
	undo_close();
}

/*
 * If both are killed, the next daemon undoes the changes. While the guardian lives, the next daemon
 * is refused.
 */
static void test_both_killed(void)
{
	pid_t pid;

	begin();
	pid = daemon_of(live);
	expect(within(settled, PATIENCE_MS));
	kill(report->guardian, SIGSTOP);
	reap(pid, SIGKILL);
	sleep_ms(20);
	expect_file("/a", "x");
	expect_eq(undo_open(tree_path("/state")), -EWOULDBLOCK);
	kill(report->guardian, SIGKILL);
	in_child(open_after);
	expect(within(restored, RESTORED_MS));
	end();
}

/* The daemon's process goes on as another program: the guardian takes that for its end. */
static void live_with_child(void)
{
	bool good = undo_open(tree_path("/state")) == 0 && !guard_start() && change();

	say_ready(good);
	execl("/bin/sleep", "sleep", "30", NULL);
}

static void test_exec(void)
{
	pid_t pid;

	begin();
	pid = daemon_of(live_with_child);
	expect(within(restored, RESTORED_MS));
	reap(pid, SIGKILL);
	end();
}

#define FREEZE "/cg/others/cgroup.freeze"
/* The guardian looks once a second; the rest is for a busy machine. */
#define EXPIRED_MS (HOLD_MS + 1000 + RESTORED_MS)
#define HOLD_MS 100

static bool is_let_go(void)
{
	return state_of(victim) == 'S' && holds(FREEZE, "0");
}

static void live_and_hold(void)
{
	bool good = undo_open(tree_path("/state")) == 0 && !guard_start();

	undo_hold_most(HOLD_MS);
	good = good && change() && !undo_write(FREEZE, "1");
	say_ready(good);
	wait_for_end();
}

/*
 * A stopped daemon cannot continue the programs that it has stopped: the guardian does. The other
 * changes stay.
 */
static void test_stopped(void)
{
	pid_t pid;

	begin();
	tree_put(FREEZE, "0");
	pid = daemon_of(live_and_hold);
	kill(pid, SIGSTOP);
	expect(within(is_let_go, EXPIRED_MS));
	expect_file("/a", "x");
	expect_file("/b", "y");
	expect(!guardian_ended());
	kill(pid, SIGCONT);
	reap(pid, SIGKILL);
	expect(within(restored, RESTORED_MS));
	expect_file(FREEZE, "0");
	end();
}

static void live_with_socket(void)
{
	char path[256];
	bool good;

	snprintf(path, sizeof(path), "%s", tree_path("/sock"));
	guard_socket(path);
	good = undo_open(tree_path("/state")) == 0 && !guard_start() && change() &&
	       control_open(path) >= 0;
	say_ready(good);
	wait_for_end();
}

static bool socket_gone(void)
{
	return !sys_exists("/sock");
}

/* The guardian removes a killed daemon's socket, but not the socket of another daemon. */
static void test_socket(void)
{
	pid_t pid;
	int fd;

	begin();
	pid = daemon_of(live_with_socket);
	expect(!socket_gone());
	reap(pid, SIGKILL);
	expect(within(socket_gone, RESTORED_MS));
	expect(within(restored, RESTORED_MS));
	pid = daemon_of(live_with_socket);
	unlink(tree_path("/sock"));
	fd = control_open(tree_path("/sock"));
	expect(fd >= 0);
	reap(pid, SIGKILL);
	expect(within(restored, RESTORED_MS));
	expect(within(guardian_ended, RESTORED_MS));
	expect(!socket_gone());
	close(fd);
	/* A daemon starts in spite of an old socket. */
	pid = daemon_of(live_with_socket);
	reap(pid, SIGKILL);
	expect(within(socket_gone, RESTORED_MS));
	end();
}

/* told_systemd() - the daemon's messages since the last call, or "" */
static const char *told_systemd(int fd)
{
	static char text[64];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void beat_with_systemd(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", tree_path("/notify"));
	expect_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	setenv("NOTIFY_SOCKET", addr.sun_path, 1);
	expect_eq(undo_open(tree_path("/state")), 0);
	expect_eq(guard_start(), 0);
	/* Without WatchdogSec= in the unit. */
	unsetenv("WATCHDOG_USEC");
	guard_beat();
	expect_text(told_systemd(fd), "");
	setenv("WATCHDOG_USEC", "60000000", 1);
	notify_watchdog(100000000);
	expect_text(told_systemd(fd), "WATCHDOG=1");
	notify_watchdog(114000000);
	expect_text(told_systemd(fd), "");
	notify_watchdog(116000000);
	expect_text(told_systemd(fd), "WATCHDOG=1");
	/* With the next beat. */
	setenv("WATCHDOG_USEC", "4", 1);
	sleep_ms(1100);
	guard_beat();
	expect_text(told_systemd(fd), "WATCHDOG=1");
	undo_close();
}

static void test_watchdog(void)
{
	tree_make();
	in_child(beat_with_systemd);
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "a daemon that is killed", test_killed },
	{ "the guardian has its own group at once", test_at_once },
	{ "a daemon that is killed with its group", test_group },
	{ "a daemon whose parent ignored SIGCHLD", test_deaf },
	{ "a daemon that ends in order", test_in_order },
	{ "another guardian after the first", test_second_guardian },
	{ "a daemon that is killed with its guardian", test_both_killed },
	{ "a daemon that becomes another program", test_exec },
	{ "a daemon that is stopped while others are", test_stopped },
	{ "the socket of a daemon that is killed", test_socket },
	{ "systemd's watchdog", test_watchdog },
};

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (!getenv("NOISY") && null >= 0)
		dup2(null, STDERR_FILENO);
	log_open("test", false, LOG_LEVEL_ERROR);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return tap_main("guard", cases, ARRAY_SIZE(cases), argc, argv);
}
