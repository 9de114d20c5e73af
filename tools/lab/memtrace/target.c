// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "parse.h"
#include "sys.h"
#include "target.h"

/* The kernel keeps this many characters of a program's name. */
#define COMM_LEN 15

/* A search by name. */
struct search {
	const char *comm;
	pid_t pid;
	unsigned int found;
};

static int read_stat(pid_t pid, struct proc_stat *stat)
{
	char path[64], text[1024];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = sys_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	return parse_proc_stat(text, stat);
}

static bool ended(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

static int match(pid_t pid, void *arg)
{
	struct search *search = arg;
	struct proc_stat stat;

	if (read_stat(pid, &stat) || ended(&stat) || pid == getpid() ||
	    strncmp(stat.comm, search->comm, COMM_LEN))
		return 0;
	search->pid = pid;
	search->found++;
	return 0;
}

static pid_t find_by_name(const char *comm)
{
	struct search search = { .comm = comm };

	sys_each_pid(match, &search);
	if (search.found == 1)
		return search.pid;
	if (search.found)
		warnx("%u processes are named \"%s\": choose one with --pid", search.found, comm);
	else
		warnx("no process is named \"%s\": start it first, or give --pid", comm);
	return 0;
}

/**
 * target_find() - find the process
 * @target: the process
 * @pid: its id, or 0
 * @comm: its name, if @pid is 0
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int target_find(struct target *target, pid_t pid, const char *comm)
{
	struct proc_stat stat;
	int err;

	if (!pid)
		pid = find_by_name(comm);
	if (!pid)
		return -ESRCH;
	err = read_stat(pid, &stat);
	if (err == -ENOENT || err == -ESRCH || (!err && ended(&stat))) {
		warnx("there is no process %d: it may have ended", pid);
		return -ESRCH;
	}
	if (err) {
		warnx("cannot read %s/proc/%d/stat: %s", sys_root(), pid, strerror(-err));
		return err;
	}
	if (stat.flags & PROC_KTHREAD) {
		warnx("process %d is a thread of the kernel, which has no memory of its own", pid);
		return -EINVAL;
	}
	target->pid = pid;
	target->start = stat.start;
	snprintf(target->name, sizeof(target->name), "%s", stat.comm);
	return 0;
}

/**
 * target_alive() - does the process still run? Its name is brought up to date.
 * @target: the process
 *
 * Return: true, if it does.
 */
bool target_alive(struct target *target)
{
	struct proc_stat stat;

	if (read_stat(target->pid, &stat) || stat.start != target->start || ended(&stat))
		return false;
	snprintf(target->name, sizeof(target->name), "%s", stat.comm);
	return true;
}

/**
 * target_path() - the path of a file of the process
 * @target: the process
 * @file: the name in /proc/PID
 * @path: the path
 * @size: of @path in bytes
 *
 * Return: 0, or -ENAMETOOLONG.
 */
int target_path(const struct target *target, const char *file, char *path, size_t size)
{
	int n = snprintf(path, size, "/proc/%d/%s", target->pid, file);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}
