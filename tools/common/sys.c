// SPDX-License-Identifier: GPL-2.0
/*
 * The one unit of the daemons that touches /proc, /sys and system calls. It looks up every path,
 * which begins with "/", below a prefix, so that a test can lay a tree of files there.
 *
 * Nothing here allocates memory: a daemon that acts when memory is short must not need any.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "sys.h"

/* For headers older than the call. MIPS, alpha and x32 have other numbers, and need new headers. */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

/* A record of getdents64(); no libc has a name for it. */
struct kernel_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static char root[SYS_PATH];

/**
 * sys_set_root() - look up all paths below a directory from now on
 * @prefix: the directory, without a slash at its end; "" is the real system
 */
void sys_set_root(const char *prefix)
{
	snprintf(root, sizeof(root), "%s", prefix);
}

/** sys_root() - the directory of sys_set_root(), or "" */
const char *sys_root(void)
{
	return root;
}

static int full_path(char *full, size_t size, const char *path)
{
	int n = snprintf(full, size, "%s%s", root, path);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/** sys_open() - open a file, closed on exec; returns a descriptor, or a negative errno */
int sys_open(const char *path, int flags)
{
	char full[2 * SYS_PATH];
	int fd, err = full_path(full, sizeof(full), path);

	if (err)
		return err;
	fd = open(full, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* fill() - from the beginning, or from the present position, because debugfs has no pread() */
static ssize_t fill(int fd, bool from_begin, char *buf, size_t size)
{
	size_t have = 0;

	while (have < size - 1) {
		size_t left = size - 1 - have;
		ssize_t n = from_begin ? pread(fd, buf + have, left, (off_t)have) :
					 read(fd, buf + have, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	buf[have] = '\0';
	return (ssize_t)have;
}

/** sys_reread() - sys_read() of an open file from offset 0: /proc and /sys give present contents */
ssize_t sys_reread(int fd, char *buf, size_t size)
{
	return fill(fd, true, buf, size);
}

/**
 * sys_read() - read a file, as far as it fits, with a zero byte behind
 *
 * Return: bytes read, without the zero byte, or a negative errno.
 */
ssize_t sys_read(const char *path, char *buf, size_t size)
{
	int fd = sys_open(path, O_RDONLY);
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return fd;
	n = fill(fd, false, buf, size);
	close(fd);
	return n;
}

/**
 * sys_each_line() - call a function for each line of a file, from its present position on
 * @fn: gets the line without its end, or NULL for a line that is longer than SYS_LINE; another
 *      value than 0 ends it, and is returned
 *
 * Users choose the names in many files of /proc, and so the length of a line. The rest of a long
 * line is no line, and neither are bytes without a newline at the end of the file.
 */
int sys_each_line(int fd, sys_line_fn fn, void *arg)
{
	char buf[SYS_LINE];
	bool cut = false;
	size_t have = 0;
	ssize_t n;

	for (;;) {
		char *line = buf, *end;

		n = read(fd, buf + have, sizeof(buf) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have += (size_t)n;
		while ((end = memchr(line, '\n', have - (size_t)(line - buf)))) {
			int ret;

			*end = '\0';
			ret = fn(cut ? NULL : line, arg);
			if (ret)
				return ret;
			cut = false;
			line = end + 1;
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == sizeof(buf)) {
			cut = true;
			have = 0;
		}
	}
}

/** sys_read_line() - a file of one short line, without the newline; -EINVAL, if it holds more */
int sys_read_line(const char *path, char *text, size_t size)
{
	ssize_t n = sys_read(path, text, size);
	char *end;

	if (n < 0)
		return (int)n;
	end = text + strcspn(text, "\n");
	if ((size_t)n == size - 1 || (*end && end[1]))
		return -EINVAL;
	*end = '\0';
	return 0;
}

/** sys_write() - write a text to a file that exists, by one call of write() */
int sys_write(const char *path, const char *text)
{
	int fd = sys_open(path, O_WRONLY | (root[0] ? O_TRUNC : 0));
	size_t len = strlen(text);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return fd;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	close(fd);
	return err;
}

/** sys_read_u64() - a file of one number; "max" is UINT64_MAX; -EINVAL for any other text */
int sys_read_u64(const char *path, uint64_t *value)
{
	char text[64], *end;
	int err = sys_read_line(path, text, sizeof(text));

	if (err)
		return err;
	if (!strcmp(text, "max")) {
		*value = UINT64_MAX;
		return 0;
	}
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

/** sys_number() - a number as sys_read_u64() reads it; returns @text */
const char *sys_number(char text[SYS_NUMBER], uint64_t value)
{
	if (value == UINT64_MAX)
		return strcpy(text, "max");
	snprintf(text, SYS_NUMBER, "%llu", (unsigned long long)value);
	return text;
}

static bool accessible(const char *path, int mode)
{
	char full[2 * SYS_PATH];

	return full_path(full, sizeof(full), path) == 0 && access(full, mode) == 0;
}

/** sys_exists() - is there a file? */
bool sys_exists(const char *path)
{
	return accessible(path, F_OK);
}

/** sys_writable() - is there a file that this process may write to? */
bool sys_writable(const char *path)
{
	return accessible(path, W_OK);
}

/** sys_mkdir() - make a directory, or a control group; it may be there already */
int sys_mkdir(const char *path)
{
	char full[2 * SYS_PATH];
	int err = full_path(full, sizeof(full), path);

	return err ? err : mkdir(full, 0755) && errno != EEXIST ? -errno : 0;
}

/** sys_rmdir() - remove a directory, or a control group; it may be gone already */
int sys_rmdir(const char *path)
{
	char full[2 * SYS_PATH];
	int err = full_path(full, sizeof(full), path);

	return err ? err : rmdir(full) && errno != ENOENT ? -errno : 0;
}

/**
 * sys_each_entry() - call a function for each entry of a directory, without "." and ".."
 * @fn: is given the name; another value than 0 ends it, and is returned
 */
int sys_each_entry(const char *path, sys_entry_fn fn, void *arg)
{
	char buf[4096] __attribute__((aligned(8)));
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY), ret = 0;
	long n, at;

	if (fd < 0)
		return fd;
	while (!ret && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (at = 0; at < n && !ret;) {
			const struct kernel_dirent *entry = (const void *)(buf + at);

			at += entry->reclen;
			if (strcmp(entry->name, ".") && strcmp(entry->name, ".."))
				ret = fn(entry->name, arg);
		}
	}
	if (!ret && n < 0)
		ret = -errno;
	close(fd);
	return ret;
}

struct each_pid {
	int (*fn)(pid_t pid, void *arg);
	void *arg;
};

static int pid_entry(const char *name, void *arg)
{
	const struct each_pid *each = arg;
	char *end;
	long pid;

	if (name[0] < '1' || name[0] > '9')
		return 0;
	pid = strtol(name, &end, 10);
	return *end ? 0 : each->fn((pid_t)pid, each->arg);
}

/** sys_each_pid() - sys_each_entry() of /proc, with the id of each process */
int sys_each_pid(int (*fn)(pid_t pid, void *arg), void *arg)
{
	struct each_pid each = { fn, arg };

	return sys_each_entry("/proc", pid_entry, &each);
}

/** sys_pidfd_open() - a descriptor for a process, from Linux 5.3 on */
int sys_pidfd_open(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

/** sys_pidfd_signal() - send a signal; -ESRCH, if the process has ended */
int sys_pidfd_signal(int pidfd, int sig)
{
	return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) ? -errno : 0;
}

/**
 * sys_process_madvise() - give advice on the memory of another process, from Linux 5.10 on
 * @ranges: of its addresses
 * @n: number of @ranges
 * @advice: MADV_COLD, MADV_PAGEOUT or MADV_WILLNEED
 *
 * Return: bytes that the advice was taken for, or a negative errno.
 */
ssize_t sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice)
{
	ssize_t done = syscall(SYS_process_madvise, pidfd, ranges, n, advice, 0);

	return done < 0 ? -errno : done;
}

/**
 * sys_process_mrelease() - free the memory of a killed process that does not run
 *
 * From Linux 5.15 on. Waits for the lock of its memory: see aside_leave().
 */
int sys_process_mrelease(int pidfd)
{
	return syscall(SYS_process_mrelease, pidfd, 0) ? -errno : 0;
}

static void close_range_of(unsigned int first, unsigned int last)
{
	unsigned int fd;

	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
	/* Before Linux 5.9. A daemon has no descriptors beyond that. */
	for (fd = first; fd <= last && fd < 1024; fd++)
		close((int)fd);
}

/**
 * sys_close_all_but() - in a child that may outlive its parent: let go of the parent's descriptors
 * @fds: descriptors that stay, beside the three standard ones; negative numbers are none
 * @n: number of @fds
 */
void sys_close_all_but(const int *fds, unsigned int n)
{
	unsigned int low = 3, next, i;

	do {
		next = ~0U;
		for (i = 0; i < n; i++)
			if (fds[i] >= (int)low && (unsigned int)fds[i] < next)
				next = (unsigned int)fds[i];
		close_range_of(low, next == ~0U ? next : next - 1);
		low = next + 1;
	} while (next != ~0U);
}

/** sys_gettid() - the id of the calling thread */
int sys_gettid(void)
{
	return (int)syscall(SYS_gettid);
}

/**
 * sys_nice() - set the priority of a thread
 * @tid: the thread; 0: the calling one
 * @nice: -20 to 19; lower than it is takes CAP_SYS_NICE
 */
int sys_nice(int tid, int nice)
{
	return setpriority(PRIO_PROCESS, (id_t)tid, nice) ? -errno : 0;
}

/** sys_now_us() - microseconds of a clock that never goes back */
uint64_t sys_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/** sys_cpu_us() - microseconds of the processor that the calling thread has had */
uint64_t sys_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/** sys_page_size() - bytes of a page */
uint64_t sys_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}
