// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel takes memory from a control group that reaches its limit, and kills a program there,
 * while the system has plenty. So each group above this process counts like a machine of its own,
 * with its limit as its memory.
 *
 * The groups and their limits are looked up once a second: each is some files. No descriptor is
 * kept, because a program may close those that it does not know.
 */

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "shortage.h"

/* Memory is short if less than a quarter of it is available. */
#define SHORT_PARTS 4
/*
 * It is dire if the available memory and the swap's room are together less than a tenth of it, or
 * than 32 MiB: a large machine has not run out with a tenth left.
 */
#define DIRE_PARTS 10
#define DIRE_BYTES (32ULL << 20)
/* A limit may change, and the process may move to another group. */
#define FIND_MS 1000
/* Groups with limits above a process: more than any system has. */
#define GROUPS 8
#define PATH_BYTES 512
/*
 * Bytes that are read of a file. They are on the stack, which may be small in a program's thread.
 * The figures of memory.stat and meminfo are in the first half of these bytes.
 */
#define TEXT_BYTES 2048
#define UNLIMITED UINT64_MAX

/* The names of a version's files. */
struct names {
	const char *mount;
	const char *max, *high, *current, *swap_max, *swap_current;
	const char *inactive, *active;	/* of memory.stat, with the groups below */
};

static const struct names v2 = {
	"/sys/fs/cgroup", "memory.max", "memory.high", "memory.current", "memory.swap.max",
	"memory.swap.current", "inactive_file", "active_file",
};

/* Its limit of memory and swap together is left out. */
static const struct names v1 = {
	"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "", "memory.usage_in_bytes", "", "",
	"total_inactive_file", "total_active_file",
};

struct group {
	char dir[PATH_BYTES];
	uint64_t limit;			/* bytes */
};

const char *shortage_root = "";

static struct {
	atomic_int last;		/* enum shortage of the groups, while it is busy */
	atomic_flag busy;		/* for the fields below; no thread waits for it */
	uint64_t found_ms;		/* 0: never */
	const struct names *names;
	unsigned int n;
	struct group groups[GROUPS];
} seen = { .busy = ATOMIC_FLAG_INIT };

/* read_text() - of a file below the root; false: no file, or an empty one */
static bool read_text(const char *dir, const char *name, char *text, size_t size)
{
	char path[PATH_BYTES + 64];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s%s/%s", shortage_root, dir, name) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* field() - the number after a key at the beginning of a line; 0 without */
static uint64_t field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, key, len) && (text[len] == ' ' || text[len] == '\t'))
			return strtoull(text + len, NULL, 10);
	}
	return 0;
}

static enum shortage verdict(uint64_t total, uint64_t available, uint64_t swap)
{
	uint64_t dire = total / DIRE_PARTS < DIRE_BYTES ? total / DIRE_PARTS : DIRE_BYTES;

	if (available >= total / SHORT_PARTS)
		return SHORTAGE_NONE;
	return available < dire && swap < dire - available ? SHORTAGE_DIRE : SHORTAGE_SHORT;
}

/**
 * shortage_in() - as /proc/meminfo has it; PURE
 * @meminfo: its text
 *
 * Return: how short memory is; SHORTAGE_NONE also, if it does not say.
 */
enum shortage shortage_in(const char *meminfo)
{
	if (!strstr(meminfo, "MemAvailable:"))
		return SHORTAGE_NONE;
	return verdict(field(meminfo, "MemTotal:") << 10, field(meminfo, "MemAvailable:") << 10,
		       field(meminfo, "SwapFree:") << 10);
}

/* number() - in a group's file; UNLIMITED: "max", or no such file */
static uint64_t number(const char *dir, const char *name)
{
	char text[32];

	if (!name[0] || !read_text(dir, name, text, sizeof(text)))
		return UNLIMITED;
	if (text[0] < '0' || text[0] > '9')
		return UNLIMITED;
	return strtoull(text, NULL, 10);
}

/* add_group() - if it limits this process to less than @total bytes, which the system has */
static void add_group(const char *dir, uint64_t total)
{
	uint64_t max = number(dir, seen.names->max), high = number(dir, seen.names->high);
	uint64_t limit = max < high ? max : high;

	if (limit >= total || seen.n == GROUPS)
		return;
	strcpy(seen.groups[seen.n].dir, dir);
	seen.groups[seen.n++].limit = limit;
}

/* own_group() - its path in the text of /proc/self/cgroup; false: it has none of this version */
static bool own_group(char *text, char *dir, size_t size)
{
	char *line, *rest, *list, *path, *name;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		name = seen.names == &v2 ? (list[1] ? NULL : line) : strstr(list, "memory");
		if (name)
			return snprintf(dir, size, "%s%s", seen.names->mount,
					strcmp(path, "/") ? path : "") < (int)size;
	}
	return false;
}

/*
 * find() - the groups with a limit, up to the mount. In a container the path may be the one
 * outside, which is not there; the limit is at the mount then.
 */
static void find(uint64_t total)
{
	char text[TEXT_BYTES], dir[PATH_BYTES];
	size_t top;

	seen.n = 0;
	seen.names = read_text(v2.mount, "cgroup.controllers", text, sizeof(text)) ? &v2 : &v1;
	if (!read_text("/proc", "self/cgroup", text, sizeof(text)))
		return;
	if (!own_group(text, dir, sizeof(dir)))
		return;
	for (top = strlen(seen.names->mount); strlen(dir) > top; *strrchr(dir, '/') = '\0')
		add_group(dir, total);
	add_group(dir, total);
}

/*
 * in_group() - how short the memory of a group is. Its page cache is available. The kernel counts
 * pages after MADV_FREE as page cache here. memory.stat is slow to read: only if it
 * matters.
 */
static enum shortage in_group(const struct group *group, uint64_t swap)
{
	uint64_t current = number(group->dir, seen.names->current), room, used;
	uint64_t available = group->limit > current ? group->limit - current : 0;
	char text[TEXT_BYTES];

	if (current == UNLIMITED || available >= group->limit / SHORT_PARTS)
		return SHORTAGE_NONE;
	if (read_text(group->dir, "memory.stat", text, sizeof(text)))
		available += field(text, seen.names->inactive) + field(text, seen.names->active);
	room = number(group->dir, seen.names->swap_max);
	used = number(group->dir, seen.names->swap_current);
	if (room != UNLIMITED && used != UNLIMITED) {
		room = room > used ? room - used : 0;
		swap = room < swap ? room : swap;
	}
	return verdict(group->limit, available, swap);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
}

/* in_groups() - the shortest of them */
static enum shortage in_groups(const char *meminfo)
{
	enum shortage worst = SHORTAGE_NONE, how;
	uint64_t now = now_ms();
	unsigned int i;

	/* Another thread looks at this moment. */
	if (atomic_flag_test_and_set(&seen.busy))
		return (enum shortage)atomic_load(&seen.last);
	if (!seen.found_ms || now - seen.found_ms >= FIND_MS) {
		find(field(meminfo, "MemTotal:") << 10);
		seen.found_ms = now;
	}
	for (i = 0; i < seen.n && worst != SHORTAGE_DIRE; i++) {
		how = in_group(&seen.groups[i], field(meminfo, "SwapFree:") << 10);
		worst = how > worst ? how : worst;
	}
	atomic_store(&seen.last, (int)worst);
	atomic_flag_clear(&seen.busy);
	return worst;
}

/**
 * shortage() - of this system, and of the control groups of this process, now
 *
 * It takes about 15 us, 10 more for each group with a limit, and once a second as long again.
 *
 * Context: not cancelled meanwhile.
 *
 * Return: as of shortage_in(); SHORTAGE_NONE, if it cannot be read.
 */
enum shortage shortage(void)
{
	enum shortage system, group;
	char text[TEXT_BYTES];

	if (!read_text("/proc", "meminfo", text, sizeof(text)))
		return SHORTAGE_NONE;
	system = shortage_in(text);
	group = system == SHORTAGE_DIRE ? system : in_groups(text);
	return group > system ? group : system;
}

/**
 * shortage_forked() - in the child: a thread of the parent may have been at it
 */
void shortage_forked(void)
{
	seen.found_ms = 0;
	atomic_flag_clear(&seen.busy);
}
