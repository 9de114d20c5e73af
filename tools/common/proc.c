// SPDX-License-Identifier: GPL-2.0
/* Reads of /proc/PID, and signals that reach no later process of the same id. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "proc.h"

/* /proc/PID/status has a line with all groups of a user: some hundred fit. */
#define STATUS_BYTES 8192

/** proc_text() - read a file in /proc/PID, as sys_read(); 0 bytes, if the process ends */
ssize_t proc_text(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return sys_read(path, text, size);
}

/** proc_read() - read /proc/PID/stat; -ESRCH; -EINVAL, if the file is not as expected */
int proc_read(pid_t pid, struct proc_stat *stat)
{
	char text[1024];
	ssize_t n = proc_text(pid, "stat", text, sizeof(text));

	if (n <= 0)
		return n == -ENOENT || n == 0 ? -ESRCH : (int)n;
	return parse_proc_stat(text, stat);
}

/* look_at() - 0: it is still that process; -ESRCH: it has ended; else it is not known */
static int look_at(struct proc_id id)
{
	struct proc_stat stat;
	int err = proc_read(id.pid, &stat);

	if (!err && (stat.start != id.start || parse_has_ended(&stat)))
		err = -ESRCH;
	return err;
}

/** proc_alive() - is it still that process, and not a zombie? True also if that is not known */
bool proc_alive(struct proc_id id)
{
	return look_at(id) != -ESRCH;
}

/** proc_open() - a descriptor for a process; -ESRCH */
int proc_open(struct proc_id id)
{
	int fd = id.pid > 0 ? sys_pidfd_open(id.pid) : -ESRCH, err = fd < 0 ? fd : look_at(id);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/** proc_signal() - send a signal to a process, never to a later one of its id; -ESRCH */
int proc_signal(struct proc_id id, int sig)
{
	int fd = proc_open(id), err;

	if (fd < 0)
		return fd;
	err = sys_pidfd_signal(fd, sig);
	close(fd);
	return err;
}

/** proc_cgroup() - the control group of a process, of version 2, "/" at its beginning */
int proc_cgroup(pid_t pid, char *path, size_t size)
{
	/* Of version 1 there may be a dozen before it. */
	char text[16384];
	ssize_t n = proc_text(pid, "cgroup", text, sizeof(text));

	return n < 0 ? (int)n : parse_cgroup(text, path, size);
}

/** proc_users() - the real, the effective, the saved and the file system's user of a process */
int proc_users(pid_t pid, uid_t uids[4])
{
	char text[STATUS_BYTES];
	ssize_t n = proc_text(pid, "status", text, sizeof(text));

	return n < 0 ? (int)n : parse_users(text, uids);
}

/** proc_uid() - the real user: the one that started it, also if its program is setuid */
int proc_uid(pid_t pid, uid_t *uid)
{
	uid_t uids[4];
	int err = proc_users(pid, uids);

	if (!err)
		*uid = uids[0];
	return err;
}

/** proc_oom_score() - 0 to 2000; the kernel kills the process with the highest first */
int proc_oom_score(pid_t pid, uint64_t *score)
{
	char text[32];
	ssize_t n = proc_text(pid, "oom_score", text, sizeof(text));

	return n < 0 ? (int)n : parse_decimal(text, 0, score);
}

/** proc_oom_adj() - oom_score_adj as a text, without a newline; -ESRCH */
int proc_oom_adj(pid_t pid, char *text, size_t size)
{
	ssize_t n = proc_text(pid, "oom_score_adj", text, size);

	if (n <= 0)
		return n ? (int)n : -ESRCH;
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static int status_bytes(pid_t pid, const char *key, uint64_t *bytes)
{
	char text[STATUS_BYTES];
	ssize_t n = proc_text(pid, "status", text, sizeof(text));
	uint64_t kib;

	if (n < 0)
		return (int)n;
	if (!parse_key(text, key, &kib))
		return -EINVAL;
	*bytes = kib << 10;
	return 0;
}

/** proc_anonymous() - bytes of anonymous memory in RAM; 0 also if the process has ended */
uint64_t proc_anonymous(pid_t pid)
{
	uint64_t bytes;

	return status_bytes(pid, "RssAnon", &bytes) ? 0 : bytes;
}

/** proc_swapped() - bytes of anonymous memory in the swap */
int proc_swapped(pid_t pid, uint64_t *bytes)
{
	return status_bytes(pid, "VmSwap", bytes);
}
