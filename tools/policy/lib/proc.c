// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "proc.h"

/* Ranges for one call of process_madvise(); the kernel takes up to 1024. */
#define RANGES 64
/* Bytes of one range: a call does not take long, and the limit is kept to. */
#define RANGE_BYTES (4ull << 20)

static void file_of(char *path, size_t size, pid_t pid, const char *name)
{
	snprintf(path, size, "/proc/%d/%s", pid, name);
}

/**
 * proc_read() - what /proc/PID/stat says
 * @pid: the process
 * @stat: the figures
 *
 * Return: 0; -ESRCH, if it has ended; -EINVAL, if the file is not as expected.
 */
int proc_read(pid_t pid, struct proc_stat *stat)
{
	char path[64], text[1024];
	ssize_t n;

	file_of(path, sizeof(path), pid, "stat");
	n = sys_read(path, text, sizeof(text));
	if (n <= 0)
		return n == -ENOENT || n == 0 ? -ESRCH : (int)n;
	return parse_proc_stat(text, stat);
}

/* look_at() - 0: it is still that process; -ESRCH: it has ended; else it is not known */
static int look_at(struct proc_id id)
{
	struct proc_stat stat;
	int err = proc_read(id.pid, &stat);

	if (!err && (stat.start != id.start || stat.state == 'Z' || stat.state == 'X'))
		err = -ESRCH;
	return err;
}

/**
 * proc_alive() - is it still that process, and not a zombie?
 * @id: the process
 *
 * Return: true also if that cannot be found out.
 */
bool proc_alive(struct proc_id id)
{
	return look_at(id) != -ESRCH;
}

/**
 * proc_open() - a descriptor for a process
 * @id: the process
 *
 * The descriptor comes first, and then the look at the time: what it stands for cannot change
 * any more.
 *
 * Return: a descriptor; -ESRCH, if it has ended; or another negative errno.
 */
int proc_open(struct proc_id id)
{
	int fd = sys_pidfd_open(id.pid), err = fd < 0 ? fd : look_at(id);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/**
 * proc_signal() - send a signal to a process, never to a later one of its id
 * @id: the process
 * @sig: the signal
 *
 * Return: 0; -ESRCH, if it has ended; or another negative errno.
 */
int proc_signal(struct proc_id id, int sig)
{
	int fd = proc_open(id), err;

	if (fd < 0)
		return fd;
	err = sys_pidfd_signal(fd, sig);
	close(fd);
	return err;
}

/**
 * proc_cgroup() - the control group of a process
 * @pid: the process
 * @path: the group, of version 2, "/" at its beginning
 * @size: of @path in bytes
 *
 * Return: 0, or a negative errno.
 */
int proc_cgroup(pid_t pid, char *path, size_t size)
{
	/* Of version 1 there may be a dozen before it. */
	char file[64], text[16384];
	ssize_t n;

	file_of(file, sizeof(file), pid, "cgroup");
	n = sys_read(file, text, sizeof(text));
	return n < 0 ? (int)n : parse_cgroup(text, path, size);
}

/**
 * proc_uid() - whose process it is
 * @pid: the process
 * @uid: the effective user
 *
 * Return: 0, or a negative errno.
 */
int proc_uid(pid_t pid, uid_t *uid)
{
	char file[64], text[2048];
	const char *line;
	ssize_t n;

	file_of(file, sizeof(file), pid, "status");
	n = sys_read(file, text, sizeof(text));
	if (n < 0)
		return (int)n;
	for (line = text; line; line = parse_next_line(line)) {
		if (sscanf(line, "Uid: %*u %u", uid) == 1)
			return 0;
	}
	return -EINVAL;
}

/**
 * proc_oom_score() - how good a victim the kernel finds it
 * @pid: the process
 * @score: 0 to 2000; the highest is killed first
 *
 * Return: 0, or a negative errno.
 */
int proc_oom_score(pid_t pid, uint64_t *score)
{
	char file[64];

	file_of(file, sizeof(file), pid, "oom_score");
	return sys_read_u64(file, score);
}

/**
 * proc_swapped() - how much of a process is in the swap
 * @pid: the process
 * @bytes: of its anonymous pages
 *
 * Return: 0, or a negative errno.
 */
ssize_t proc_swapped(pid_t pid, uint64_t *bytes)
{
	char file[64], text[2048];
	uint64_t kib;
	ssize_t n;

	file_of(file, sizeof(file), pid, "status");
	n = sys_read(file, text, sizeof(text));
	if (n < 0)
		return n;
	if (!parse_key(text, "VmSwap", &kib))
		return -EINVAL;
	*bytes = kib << 10;
	return 0;
}

struct advice {
	int pidfd;
	int what;
	uint64_t left;
	int64_t done;
	size_t n;
	struct iovec ranges[RANGES];
};

static int flush(struct advice *advice)
{
	ssize_t done;

	if (!advice->n)
		return 0;
	done = sys_process_madvise(advice->pidfd, advice->ranges, advice->n, advice->what);
	advice->n = 0;
	/* A mapping may be gone meanwhile, or of a kind that takes no advice. */
	if (done == -ENOMEM || done == -EINVAL || done == -EAGAIN)
		return 0;
	if (done < 0)
		return (int)done;
	advice->done += done;
	return 0;
}

/* add_map() - the memory that a program may write to and that no file keeps; to fetch: all */
static int add_map(struct advice *advice, const struct map_line *map)
{
	uint64_t at = map->start;

	if (advice->what != MADV_WILLNEED && (map->perms[1] != 'w' || map->perms[3] != 'p'))
		return 0;
	if (map->perms[0] != 'r' || (map->name_len && map->name[0] == '[' &&
				     strncmp(map->name, "[heap]", 6) &&
				     strncmp(map->name, "[stack]", 7) &&
				     strncmp(map->name, "[anon", 5)))
		return 0;
	while (at < map->end && advice->left) {
		uint64_t len = map->end - at;

		if (len > RANGE_BYTES)
			len = RANGE_BYTES;
		if (len > advice->left)
			len = advice->left;
		advice->ranges[advice->n].iov_base = (void *)(uintptr_t)at;
		advice->ranges[advice->n++].iov_len = (size_t)len;
		at += len;
		advice->left -= len;
		if (advice->n == RANGES || advice->what == MADV_PAGEOUT) {
			int err = flush(advice);

			if (err)
				return err;
		}
	}
	return 0;
}

/* each_map() - line by line, with a buffer that need not hold the file */
static int each_map(int fd, struct advice *advice)
{
	char buf[4096];
	bool cut = false;
	size_t have = 0;
	ssize_t n;

	while ((n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0) {
		char *line = buf, *end;

		have += (size_t)n;
		buf[have] = '\0';
		while ((end = strchr(line, '\n'))) {
			struct map_line map;
			int err;

			*end = '\0';
			err = cut || parse_map(line, &map) ? 0 : add_map(advice, &map);
			if (err)
				return err;
			cut = false;
			line = end + 1;
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		/* A file with a name as long as that; its mapping is left out. */
		if (have == sizeof(buf) - 1) {
			cut = true;
			have = 0;
		}
	}
	return n < 0 ? -errno : 0;
}

/**
 * proc_advise() - push a process's memory out, or bring it back
 * @id: the process
 * @advice: MADV_PAGEOUT or MADV_COLD: its anonymous memory; MADV_WILLNEED: what is mapped from
 *          files, too
 * @limit: bytes of its addresses at most
 *
 * Return: bytes of addresses that were advised, or a negative errno.
 */
int64_t proc_advise(struct proc_id id, int advice, uint64_t limit)
{
	struct advice all = { .what = advice, .left = limit };
	char path[64];
	int fd, err;

	all.pidfd = proc_open(id);
	if (all.pidfd < 0)
		return all.pidfd;
	file_of(path, sizeof(path), id.pid, "maps");
	fd = sys_open(path, O_RDONLY);
	err = fd < 0 ? fd : each_map(fd, &all);
	if (!err)
		err = flush(&all);
	if (fd >= 0)
		close(fd);
	close(all.pidfd);
	return err ? err : all.done;
}
