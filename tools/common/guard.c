// SPDX-License-Identifier: GPL-2.0
/*
 * The guardian: a process that waits for the end of the daemon, however it ends, and then undoes
 * the changes of undo.h. It kills a daemon that hangs. The daemon watches the guardian in turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "control.h"
#include "guard.h"
#include "log.h"
#include "notify.h"
#include "proc.h"
#include "sys.h"
#include "undo.h"

/*
 * A daemon that tells nothing for so long hangs. Its loop turns at least once a second, and what
 * takes longer beats in between.
 */
#define HANG_MS 30000
#define HANG_TEXT "30 seconds"
/* From one look at the list to the next: the daemon may have stopped programs meanwhile. */
#define LOOK_MS 1000
/* Any other byte says that the daemon is well. */
#define BYTE_END 'e'

static pid_t guardian;
static void (*also_before)(void);
static void (*also)(void);
static const char *socket_path;
static int lifeline = -1;

/** guard_protect() - let the kernel neither kill this process nor swap it out */
int guard_protect(void)
{
	int err = sys_write("/proc/self/oom_score_adj", "-1000");

	/* MCL_ONFAULT: pages of libraries that are never used need no memory. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) && !err)
		err = -errno;
	return err;
}

/*
 * await_end() - its files are closed before a process has ended. The next daemon waits for 2 s; one
 * with a descriptor whose close never returns may never end.
 */
static void await_end(pid_t pid, unsigned int tries)
{
	struct proc_stat stat;

	while (tries-- && !proc_read(pid, &stat) && stat.state != 'Z' && stat.state != 'X')
		usleep(10000);
}

/* release_late() - returns how long to wait at most for the daemon, in milliseconds */
static int release_late(void)
{
	unsigned int n, wait_ms = undo_expire(&n);

	if (n)
		log_warn("the daemon is late: %u programs or groups that it has stopped go on", n);
	return wait_ms < LOOK_MS ? (int)wait_ms : LOOK_MS;
}

/* await_daemon() - until the daemon says that it ends, has died, or hangs; true: it hangs */
static bool await_daemon(int fd)
{
	struct pollfd told = { .fd = fd, .events = POLLIN };
	char bytes[64];
	ssize_t n;
	int ready, wait_ms, silent_ms = 0;

	for (;;) {
		wait_ms = release_late();
		ready = poll(&told, 1, wait_ms);
		/* Not by the clock: this process may have been stopped itself. */
		silent_ms = ready ? 0 : silent_ms + wait_ms;
		if (silent_ms >= HANG_MS)
			return true;
		if (!ready)
			continue;
		n = ready < 0 ? -1 : read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		/* The daemon alone has the other end, so read() returns 0 after its death. */
		if (n <= 0 || memchr(bytes, BYTE_END, (size_t)n))
			return false;
	}
}

/*
 * guard_alone() - be there whatever happens to the daemon, its terminal and its group. SIGABRT
 * comes from systemd's watchdog, to all processes of the unit.
 */
static void guard_alone(int ready)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2,
				       SIGABRT };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (write(ready, "", 1) != 1)
		_exit(1);
	close(ready);
	prctl(PR_SET_NAME, "guardian");
	guard_protect();
}

static void guard(int fd, int ready)
{
	pid_t daemon = getppid();
	bool hangs;
	int n, left;

	guard_alone(ready);
	hangs = await_daemon(fd);
	/* It may wait for ever; but it must not go on after its changes are undone. */
	if (hangs && getppid() == daemon)
		kill(daemon, SIGKILL);
	n = undo_count();
	undo_cont_all();
	if (also_before && n)
		also_before();
	left = n ? undo_all() : 0;
	if (hangs || n)
		log_warn("the daemon %s: %d changes undone, %d could not be",
			 hangs ? "did not answer for " HANG_TEXT " and is killed" : "has died",
			 n - left, left);
	/* Before the next daemon may begin, which has the list then. */
	if (also || socket_path)
		await_end(daemon, also ? 500 : 30);
	if (also)
		also();
	if (socket_path)
		control_clean(socket_path);
	undo_close();
	_exit(0);
}

/**
 * guard_beat() - tell guardian and systemd, each HANG_MS at least, that the daemon does not hang
 */
void guard_beat(void)
{
	static uint64_t beat_us;
	uint64_t now_us = sys_now_us();

	if (lifeline < 0 || now_us - beat_us < 1000000)
		return;
	beat_us = now_us;
	notify_watchdog(now_us);
	/* The guardian may be stopped, and the pipe full: that is not the daemon's concern. */
	if (write(lifeline, "", 1) < 0)
		return;
}

/** guard_release() - tell the guardian that the daemon ends, and has undone all */
void guard_release(void)
{
	static const char end = BYTE_END;

	if (lifeline >= 0 && write(lifeline, &end, 1) < 0)
		return;
}

/**
 * guard_also() - two functions for the guardian, or NULL; before guard_start()
 * @before: called before undo_all(); stopped processes go on already
 * @after: called after it, when the daemon has closed its files
 *
 * The guardian has no state of the daemon but the list.
 */
void guard_also(void (*before)(void), void (*after)(void))
{
	also_before = before;
	also = after;
}

/** guard_socket() - the control socket, which the guardian removes if the daemon dies */
void guard_socket(const char *path)
{
	socket_path = path;
}

/**
 * guard_start() - start the guardian, or another one if it has gone; before any change is made
 *
 * Its own session lets it survive the end of the daemon's terminal or process group.
 */
int guard_start(void)
{
	int ends[2] = { -1, -1 }, ready[2] = { -1, -1 }, err = 0;
	pid_t pid;
	char byte;

	/* With SIG_IGN, waitpid() would not tell that the guardian has gone. */
	signal(SIGCHLD, SIG_DFL);
	if (lifeline >= 0)
		close(lifeline);
	lifeline = -1;
	pid = pipe2(ends, O_CLOEXEC | O_NONBLOCK) || pipe2(ready, O_CLOEXEC) ? -1 : fork();
	if (pid < 0)
		err = -errno;
	if (!pid) {
		close(ends[1]);
		close(ready[0]);
		guard(ends[0], ready[1]);
	}
	close(ends[0]);
	close(ready[1]);
	if (err) {
		close(ends[1]);
	} else {
		ssize_t n;

		while ((n = read(ready[0], &byte, 1)) < 0 && errno == EINTR)
			;
		err = n == 1 ? 0 : -ECHILD;
		lifeline = ends[1];
		guardian = pid;
	}
	close(ready[0]);
	return err;
}

/** guard_gone() - has the guardian ended? */
bool guard_gone(void)
{
	return guardian > 0 && waitpid(guardian, NULL, WNOHANG) == guardian;
}

/** guard_pid() - the guardian's process id */
pid_t guard_pid(void)
{
	return guardian;
}
