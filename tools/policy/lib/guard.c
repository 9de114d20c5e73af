// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guard.h"
#include "log.h"
#include "proc.h"
#include "sys.h"
#include "undo.h"

static pid_t guardian;
static void (*also)(void);
static int lifeline = -1;

/**
 * guard_protect() - make this process one that the kernel neither kills nor swaps out
 *
 * Return: 0, or a negative errno; the process works without.
 */
int guard_protect(void)
{
	int err = sys_write("/proc/self/oom_score_adj", "-1000");

	/* What was never touched of a library need not be in memory. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) && !err)
		err = -errno;
	return err;
}

/* await_end() - its files are closed before a process has ended */
static void await_end(pid_t pid)
{
	struct proc_stat stat;
	unsigned int tries = 500;

	while (tries-- && !proc_read(pid, &stat) && stat.state != 'Z' && stat.state != 'X')
		usleep(10000);
}

/* guard() - read() returns when the last one who could write has gone: the daemon */
static void guard(int fd, int ready)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2 };
	pid_t daemon = getppid();
	sigset_t none;
	int n, left;
	char byte;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	/* From now on what ends the daemon's group does not end this. */
	if (write(ready, "", 1) != 1)
		_exit(1);
	close(ready);
	prctl(PR_SET_NAME, "guardian");
	guard_protect();
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	n = undo_count();
	if (n) {
		left = undo_all();
		log_warn("the daemon has died: %d changes undone, %d could not be", n - left, left);
	}
	undo_close();
	if (also) {
		await_end(daemon);
		also();
	}
	_exit(0);
}

/**
 * guard_also() - what the guardian does beside the list, when the daemon has gone
 * @clean: called in the guardian; what there is to remove it has to find by itself
 *
 * Before guard_start().
 */
void guard_also(void (*clean)(void))
{
	also = clean;
}

/**
 * guard_start() - start the guardian, or another one if it has gone
 *
 * Before any change is made. The guardian is in a session of its own, so that what ends the
 * daemon's terminal or process group does not end it.
 *
 * Return: 0, or a negative errno.
 */
int guard_start(void)
{
	int ends[2], ready[2];
	ssize_t n;
	pid_t pid;
	char byte;

	/* Where it is ignored, nobody learns that the guardian has gone. */
	signal(SIGCHLD, SIG_DFL);
	if (lifeline >= 0)
		close(lifeline);
	lifeline = -1;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (pipe2(ready, O_CLOEXEC)) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		close(ready[0]);
		close(ready[1]);
		return err;
	}
	if (pid == 0) {
		close(ends[1]);
		close(ready[0]);
		guard(ends[0], ready[1]);
	}
	close(ends[0]);
	close(ready[1]);
	while ((n = read(ready[0], &byte, 1)) < 0 && errno == EINTR)
		;
	close(ready[0]);
	lifeline = ends[1];
	guardian = pid;
	return n == 1 ? 0 : -ECHILD;
}

/**
 * guard_gone() - has somebody ended the guardian?
 */
bool guard_gone(void)
{
	return guardian > 0 && waitpid(guardian, NULL, WNOHANG) == guardian;
}

/**
 * guard_pid() - the guardian's process id
 */
pid_t guard_pid(void)
{
	return guardian;
}
