// SPDX-License-Identifier: GPL-2.0
/* Files of control groups of version 2, below the place where the group file system is mounted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "parse.h"

/* Of cgroup_move_all(), a guess: each moves up to some hundred processes. */
#define ROUNDS 1000

static char mount_point[sizeof(((struct mount_line *)0)->point)];

/* take_mount() - 1: found */
static int take_mount(const char *line, void *arg)
{
	struct mount_line mount;

	(void)arg;
	if (!line || parse_mount(line, &mount) || strcmp(mount.type, "cgroup2"))
		return 0;
	strcpy(mount_point, mount.point);
	return 1;
}

/** cgroup_find() - find where version 2 is mounted; -ENOENT. Mounts of users may come first */
int cgroup_find(void)
{
	int fd = sys_open("/proc/self/mounts", O_RDONLY), ret;

	mount_point[0] = '\0';
	if (fd < 0)
		return fd;
	ret = sys_each_line(fd, take_mount, NULL);
	close(fd);
	return ret > 0 ? 0 : ret < 0 ? ret : -ENOENT;
}

/** cgroup_mount() - where version 2 is mounted; "" before cgroup_find() or if it is not mounted */
const char *cgroup_mount(void)
{
	return mount_point;
}

/** cgroup_file() - the path of a file of a group, of SYS_PATH bytes; "" is its directory */
int cgroup_file(char *path, const char *group, const char *file)
{
	int n = snprintf(path, SYS_PATH, "%s%s/%s", mount_point, strcmp(group, "/") ? group : "",
			 file);

	return n < 0 || n >= SYS_PATH ? -ENAMETOOLONG : 0;
}

/** cgroup_has() - does a group have a file? */
bool cgroup_has(const char *group, const char *file)
{
	char path[SYS_PATH];

	return mount_point[0] && !cgroup_file(path, group, file) && sys_exists(path);
}

/** cgroup_below() - is a group another one, or somewhere below it? */
bool cgroup_below(const char *group, const char *above)
{
	size_t len = strlen(above);

	/* "/" and "/a/" end with one that says nothing. */
	if (len && above[len - 1] == '/')
		len--;
	return !strncmp(group, above, len) && (group[len] == '\0' || group[len] == '/');
}

static int write_file(const char *group, const char *file, const char *text)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, group, file);

	return err ? err : sys_write(path, text);
}

/** cgroup_move() - move a process into a group; -ESRCH, if it has ended */
int cgroup_move(pid_t pid, const char *group)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", pid);
	return write_file(group, "cgroup.procs", text);
}

/* each_number() - of a list, which @fn may change meanwhile */
static int each_number(const char *group, const char *file, int (*fn)(pid_t pid, void *arg),
		       void *arg)
{
	char path[SYS_PATH], text[4096], *at, *end;
	int err = cgroup_file(path, group, file);
	ssize_t n = err ? err : sys_read(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	/* A number that was cut at the end of the buffer is none. */
	end = n == sizeof(text) - 1 ? strrchr(text, '\n') : NULL;
	if (end)
		end[1] = '\0';
	for (at = text; *at; at = end + 1) {
		pid_t pid = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		err = pid > 0 ? fn(pid, arg) : 0;
		if (err || !*end)
			return err;
	}
	return 0;
}

/**
 * cgroup_each_pid() - call a function for each process of a group itself
 * @fn: is given its id; another value than 0 ends it, and is returned
 *
 * The list is read in parts, so that @fn may move processes out of the group. Some may then be left
 * out: repeat the call to get them all.
 */
int cgroup_each_pid(const char *group, int (*fn)(pid_t pid, void *arg), void *arg)
{
	return each_number(group, "cgroup.procs", fn, arg);
}

struct move {
	const char *to;
	int moved;
	int err;
};

static int move_one(pid_t pid, void *arg)
{
	struct move *move = arg;
	int err = cgroup_move(pid, move->to);

	if (!err)
		move->moved++;
	else if (err != -ESRCH)
		move->err = err;
	return 0;
}

/**
 * cgroup_move_all() - move all processes of a group into another one; the last error
 *
 * Processes that begin meanwhile are moved, too, up to some rounds. If some fork all the time,
 * freeze the group before. Threads of the kernel stay where they are.
 *
 * If the first thread of a process ended before the process came into the group, the kernel lists
 * only the other threads there. The number of each moves the process.
 */
int cgroup_move_all(const char *from, const char *to)
{
	struct move move = { .to = to };
	unsigned int rounds = 0;
	int err;

	do {
		move.moved = 0;
		move.err = 0;
		err = cgroup_each_pid(from, move_one, &move);
		if (!err && !move.moved)
			err = each_number(from, "cgroup.threads", move_one, &move);
		/* Linux before 4.14 has no list of threads. */
		if (err && err != -ENOENT)
			return err;
	} while (move.moved && ++rounds < ROUNDS);
	return move.err;
}

/** cgroup_get() - read a number of a group, such as memory.current; UINT64_MAX is "max" */
int cgroup_get(const char *group, const char *file, uint64_t *value)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, group, file);

	return err ? err : sys_read_u64(path, value);
}

/** cgroup_set() - write a number of a group, such as memory.high; UINT64_MAX is "max" */
int cgroup_set(const char *group, const char *file, uint64_t value)
{
	char text[SYS_NUMBER];

	return write_file(group, file, sys_number(text, value));
}

static int read_key(const char *group, const char *file, const char *key, uint64_t *value)
{
	char path[SYS_PATH], text[8192];
	int err = cgroup_file(path, group, file);
	ssize_t n = err ? err : sys_read(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	return parse_key(text, key, value) ? 0 : -ENOENT;
}

/** cgroup_stat() - a figure of memory.stat, bytes or events; -ENOENT on a kernel without it */
int cgroup_stat(const char *group, const char *key, uint64_t *value)
{
	return read_key(group, "memory.stat", key, value);
}

/** cgroup_freeze() - freeze a group, or let it go on; its processes stop some time later */
int cgroup_freeze(const char *group, bool freeze)
{
	return write_file(group, "cgroup.freeze", freeze ? "1" : "0");
}

/** cgroup_frozen() - 1: its processes have stopped, maybe with a group above; 0; or an error */
int cgroup_frozen(const char *group)
{
	uint64_t frozen;
	int err = read_key(group, "cgroup.events", "frozen", &frozen);

	return err ? err : !!frozen;
}

struct use {
	const char *parent;
	const char *controller;
};

/* differs() - does a file of a child hold another text than that it begins with? */
static bool differs(const struct use *use, const char *child, const char *file, const char *usual)
{
	char path[SYS_PATH], text[64];
	int n = snprintf(path, sizeof(path), "%s/%s/%s", use->parent, child, file);

	if (n < 0 || n >= (int)sizeof(path) || sys_read(path, text, sizeof(text)) <= 0)
		return false;
	return strncmp(text, usual, strlen(usual)) != 0;
}

static int child_uses(const char *child, void *arg)
{
	const struct use *use = arg;

	if (!strcmp(use->controller, "cpu"))
		return differs(use, child, "cpu.weight", "100\n") ||
		       differs(use, child, "cpu.max", "max ");
	return differs(use, child, "memory.min", "0\n") ||
	       differs(use, child, "memory.low", "0\n") ||
	       differs(use, child, "memory.high", "max\n") ||
	       differs(use, child, "memory.max", "max\n");
}

/** cgroup_used_below() - has a child of a directory a setting of a controller, cpu or memory? */
bool cgroup_used_below(const char *parent, const char *controller)
{
	struct use use = { parent, controller };

	return sys_each_entry(parent, child_uses, &use) > 0;
}

/**
 * cgroup_reclaim() - take memory back from a group
 * @swappiness: 0 to 200, or negative for the system's own. Linux before 6.12 takes no swappiness:
 *              there it is left out.
 *
 * Return: 0, also if the group gave less; -ENOENT without memory.reclaim (Linux before 5.19); or
 * another negative errno.
 */
int cgroup_reclaim(const char *group, uint64_t bytes, int swappiness)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes), err = -EINVAL;

	if (swappiness >= 0) {
		snprintf(text + n, sizeof(text) - (size_t)n, " swappiness=%d", swappiness);
		err = write_file(group, "memory.reclaim", text);
		text[n] = '\0';
	}
	if (err == -EINVAL)
		err = write_file(group, "memory.reclaim", text);
	return err == -EAGAIN ? 0 : err;
}
